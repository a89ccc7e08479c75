import { describe, expect, it } from "vitest";
import { faultsOf, logOf, parse } from "../../helpers/logs.ts";

function record(row: string) {
  return parse(logOf(row)).records[0];
}

describe("v8-version rows", () => {
  it("with and without an embedder", () => {
    expect(record("v8-version,14,6,202,34,-node.34,0")).toMatchObject({
      major: 14,
      minor: 6,
      build: 202,
      patch: 34,
      embedder: "-node.34",
    });
    expect(record("v8-version,6,2,414,78,0")).toMatchObject({ major: 6, embedder: "" });
  });
});

describe("shared-library rows", () => {
  const library = (row: string) => record(`shared-library,${row}`);

  it("quoted, without and with a slide", () => {
    expect(library('"/bin/node",0x00400000,0x016de000')).toMatchObject({
      path: "/bin/node",
      start: 0x400000,
      end: 0x16de000,
      slide: 0,
    });
    expect(library('"/bin/node",0x00400000,0x016de000,0')).toMatchObject({ path: "/bin/node" });
    expect(library("/usr/lib/dyld,0x7ff8,0x7fff,4096")).toMatchObject({ slide: 4096 });
  });

  it("with escapes undone, unless Node 10 left a Windows path as it was", () => {
    expect(library(String.raw`/a\x2Cb,0x1,0x2,0`)).toMatchObject({ path: "/a,b" });
    expect(library(String.raw`C:\\nodejs\\node.exe,0x1,0x2,0`)).toMatchObject({
      path: String.raw`C:\nodejs\node.exe`,
    });
    expect(library(String.raw`C:\nodejs\node.exe,0x1,0x2,0`)).toMatchObject({
      path: String.raw`C:\nodejs\node.exe`,
    });
  });

  // As Node wrote them for copies of itself in such folders.
  it.each([
    ["8", String.raw`"/home/größe 日本/a\b,c/n\012l/node"`, "/home/größe 日本/a\\b,c/n\nl/node"],
    [
      "10",
      String.raw`/home/gr\xffffffc3\xffffffb6\xffffffc3\xffffff9fe \xffffffe6\xffffff97\xffffffa5\xffffffe6\xffffff9c\xffffffac/a\b\x2Cc/n\012l/node`,
      "/home/größe 日本/a\\b,c/n\nl/node",
    ],
    [
      "11 and later",
      String.raw`/home/gr\xc3\xb6\xc3\x9fe \xe6\x97\xa5\xe6\x9c\xac\xf0\x9f\x98\x80/a\\x41\\xc3\x2Cc/n\\012l/node`,
      "/home/größe 日本😀/a\\x41\\xc3,c/n\nl/node",
    ],
    [
      "10 on Windows",
      String.raw`D:\Users\J\xffffffc3\xffffffb6rg\x64\n\x2Cb\node.exe`,
      String.raw`D:\Users\Jörg\x64\n,b\node.exe`,
    ],
    ["10 on a Windows share", String.raw`\\host\new\x86\node.exe`, String.raw`\\host\new\x86\node.exe`],
    ["12 on Windows", String.raw`D:\\J\xc3\xb6rg\\node.exe`, String.raw`D:\Jörg\node.exe`],
    ["12 on a Windows share", String.raw`\\\\host\\new\\node.exe`, String.raw`\\host\new\node.exe`],
    ["12, with a byte that is not UTF-8", String.raw`/home/caf\xe9/node`, "/home/café/node"],
  ])("with a path beyond ASCII in the bytes of Node %s", (_, written, path) => {
    const v8 = written.startsWith('"') ? "v8-version,6,2,414,78,0" : "v8-version,12,4,254,21,-node.27,0";
    const rows = logOf(v8, `shared-library,${written},0x400000,0x800000,0`);
    expect(parse(rows).records.at(-1)).toMatchObject({ path, start: 0x400000 });
  });

  it("that end before they start are malformed", () => {
    expect(faultsOf("shared-library,/a,0x2,0x1,0")).toEqual(["malformed-row×1@1"]);
  });
});

describe("profiler rows", () => {
  it("state the interval in microseconds, whatever the version wrote", () => {
    expect(record('profiler,"begin",1')).toMatchObject({ event: "begin", interval: 1000 });
    expect(record("profiler,begin,1000")).toMatchObject({ interval: 1000 });
    expect(record("profiler,end")).toMatchObject({ event: "end", interval: undefined });
  });
});

describe("small rows", () => {
  it("are decoded", () => {
    expect(record("code-move,0x10,0x20")).toEqual({ type: "code-move", from: 16, to: 32 });
    expect(record("sfi-move,0x10,0x20")).toEqual({ type: "sfi-move", from: 16, to: 32 });
    expect(record("code-delete,0x10")).toEqual({ type: "code-delete", address: 16 });
    expect(record("new,CodeRange,0x10,0")).toEqual({ type: "new", name: "CodeRange", address: 16 });
    expect(record("current-time,1234")).toEqual({ type: "current-time" });
    expect(record("active-runtime-timer,JS_Execution")).toEqual({
      type: "active-runtime-timer",
      name: "JS_Execution",
    });
    expect(record('timer-event-start,"V8.Execute",12')).toEqual({ type: "timer-event" });
  });

  it("are malformed without their addresses", () => {
    const rows = [
      "code-move,0x10",
      "sfi-move,x,0x1",
      "code-delete,",
      "new,CodeRange",
      "v8-version,a,b",
      "profiler,begin,x",
    ];
    expect(faultsOf(...rows)).toEqual(["malformed-row×6@1"]);
  });
});

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

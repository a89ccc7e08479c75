import { describe, expect, it } from "vitest";
import { jsonFunction } from "../../src/reports/json.ts";
import { Analysis } from "../../src/views/analysis.ts";
import { findFiles, nearFiles } from "../../src/views/file-search.ts";
import { framePattern } from "../../src/views/frame-pattern.ts";
import {
  findFunctions,
  hottestFunctions,
  nearFunctions,
  partOfNames,
} from "../../src/views/function-search.ts";
import { FunctionTable } from "../../src/views/function-table.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const profile = profileFromStacks(
  "js:main·/srv/app/main.js:1:1",
  "js:main·/srv/app/main.js:1:1 js:parse·/srv/app/parse.js:10:3@12 builtin:ArrayMap",
  "js:main·/srv/app/main.js:1:1 js:parse·/srv/lib/parse.js:20:3@22",
  "js:parseAll·/srv/app/parse.js:30:3@31 cpp:node::Parse(int)",
  "js:parseAll·/srv/app/parse.js:30:3@31 cpp:node::Parse(int)",
  "js:·/srv/app/main.js:40:9",
  "js:odd·C:\\app\\win.js:5:2",
);
const table = new FunctionTable(profile.frames);
const ticks = Analysis.of(profile).functionTicks;

function find(query: string): string[] | undefined {
  const found = findFunctions(query, { table, ticks, frames: profile.frames });
  return (
    found && [
      found.kind,
      ...found.ids.map((id) => `${table.functions[id]!.title} ${table.functions[id]!.line ?? ""}`.trim()),
    ]
  );
}

describe("a function without a name", () => {
  const frames = profile.frames.map((frame) =>
    frame.kind === "js" && frame.name.startsWith(" ") ? { ...frame, role: "app.get('/a') handler" } : frame,
  );
  const named = new FunctionTable(frames);

  it.each(["<app.get('/a') handler>", "<anonymous>", "main.js:40", "main.js:40:9", "/get.*handler/", "'/a'"])(
    "is found by %s",
    (query) => {
      const found = findFunctions(query, { table: named, ticks, frames });
      expect(found?.ids.map((id) => named.functions[id]!.title)).toEqual(["<app.get('/a') handler>"]);
    },
  );

  it("is found by filters", () => {
    const isMatch = (text: string) => frames.filter(framePattern([new RegExp(text)])).length;
    expect(["^<anonymous>$", "handler>$", "main.js:40"].map(isMatch)).toEqual([1, 1, 1]);
  });

  it("keeps its name in JSON, beside what it is for", () => {
    const [found] = named.functions.filter(({ name }) => name === "");
    expect(jsonFunction(found!)).toMatchObject({ name: "", role: "app.get('/a') handler", line: 40 });
  });
});

describe("findFunctions", () => {
  it.each([
    ["main", ["name", "main 1"]],
    ["parse", ["name", "parse 20", "parse 10"]],
    ["parse /srv/lib/parse.js:20:3", ["name", "parse 20"]],
    ["JS: *main /srv/app/main.js:1:1", ["name", "main 1"]],
    ["<anonymous>", ["name", "<anonymous> 40"]],
    ["ArrayMap", ["name", "Builtin: ArrayMap"]],
    ["Builtin: ArrayMap", ["name", "Builtin: ArrayMap"]],
    ["node::Parse(int)", ["name", "node::Parse(int)"]],
    ["parse.js:10", ["position", "parse 10"]],
    ["app/parse.js:30:3", ["position", "parseAll 30"]],
    ["./parse.js:10:3", ["position", "parse 10"]],
    ["win.js:5", ["position", "odd 5"]],
    ["app/win.js:5", ["position", "odd 5"]],
    ["parse.js:22", ["line", "parse 20"]],
    ["parse.js:31", ["line", "parseAll 30"]],
    ["/^parse/", ["pattern", "parse 20", "parseAll 30", "parse 10"]],
    ["/ARRAY/i", ["pattern", "Builtin: ArrayMap"]],
    ["arse", ["part", "node::Parse(int)", "parse 20", "parseAll 30", "parse 10"]],
    ["main.js", ["part", "main 1", "<anonymous> 40"]],
  ])("%s", (query, found) => {
    expect(find(query)).toEqual(found);
  });

  it.each(["nothing", "main.js:4", "rse.js:10", "parse.js:11", "parse.js:10:4", "/bin/node"])(
    "finds nothing: %s",
    (query) => {
      expect(find(query)).toBeUndefined();
    },
  );

  it("passes over what has no ticks any more", () => {
    const none = { self: ticks.self.map(() => 0), total: ticks.total.map(() => 0) };
    expect(findFunctions("main", { table, ticks: none, frames: profile.frames })).toBeUndefined();
    expect(nearFunctions("mian", table, none)).toEqual([]);
  });

  it("knows what may have been meant", () => {
    expect(nearFunctions("prase", table, ticks)).toEqual(["parse"]);
    expect(nearFunctions("mian", table, ticks)).toEqual(["main"]);
    expect(nearFunctions("prase", table, ticks)).toEqual(["parse"]);
    expect(nearFunctions("Pasre::node", table, ticks)).toEqual([]);
    // Hottest first among equals; C++ without its parameters.
    expect(nearFunctions("app.parseAll", table, ticks)).toEqual(["parseAll"]);
    expect(nearFunctions("node::Prase", table, ticks)).toEqual(["node::Parse"]);
    expect(hottestFunctions(table, ticks)).toEqual([
      "node::Parse",
      "main",
      "<anonymous>",
      "Builtin: ArrayMap",
      "odd",
    ]);
  });

  it("knows the places near one in a file", () => {
    expect(nearFunctions("main.js:30", table, ticks)).toEqual(["main.js:40", "main.js:1"]);
    expect(nearFunctions("app/parse.js:11:4", table, ticks)).toEqual(["app/parse.js:10", "app/parse.js:30"]);
    expect(nearFunctions("other.js:1", table, ticks)).toEqual([]);
  });
});

describe("findFiles", () => {
  const files = ["/srv/app/parse.js", "/srv/lib/parse.js", "/srv/app/main.js", "parse.js", "C:\\app\\win.js"];

  it.each([
    ["/srv/app/parse.js", ["/srv/app/parse.js"]],
    ["parse.js", ["parse.js"]],
    ["lib/parse.js", ["/srv/lib/parse.js"]],
    ["main.js", ["/srv/app/main.js"]],
    ["ain.js", []],
    ["app/win.js", ["C:\\app\\win.js"]],
    ["./app/main.js", ["/srv/app/main.js"]],
  ])("%s", (query, found) => {
    expect(findFiles(query, files)).toEqual(found);
  });

  it("gives all that end so", () => {
    expect(findFiles("parse.js", files.slice(0, 3))).toEqual(["/srv/app/parse.js", "/srv/lib/parse.js"]);
    expect(nearFiles("./srv/prase.js", ["parse.js", "main.js"])).toEqual(["parse.js"]);
    expect(nearFiles("a/Parse.js", files)).toEqual(["/srv/app/parse.js", "/srv/lib/parse.js", "parse.js"]);
    expect(nearFiles("nothing", files)).toEqual([]);
  });
});

describe("partOfNames", () => {
  it("is the query if only names can match it", () => {
    expect(["parse", "win.js", "Foo.bar", "#private", "wasm_main"].map(partOfNames)).toEqual([
      "parse",
      "win.js",
      "Foo.bar",
      "#private",
      "wasm_main",
    ]);
  });

  it("is undefined if a line, a pattern, a tier, a kind of code or a missing name can match", () => {
    const others = ["a.js:4", "/^parse/", "*parse", "JS: parse", "LazyCompile", "cript", "anonymous", "<a"];
    expect(others.map(partOfNames)).toEqual(others.map(() => undefined));
  });

  it("is in the name and position of each function that is found for it", () => {
    for (const query of ["parse", "main.js", "ODD", "win", "parseall"]) {
      const part = partOfNames(query);
      for (const id of findFunctions(query, { table, ticks, frames: profile.frames })?.ids ?? []) {
        const { frame } = table.functions[id]!;
        if (frame.kind === "js" && part !== undefined)
          expect(frame.name.toLowerCase()).toContain(part.toLowerCase());
      }
    }
  });
});

import { describe, expect, it } from "vitest";
import { frameRows, packFrames } from "../../src/exports/flame/page-data.ts";
import { Analysis } from "../../src/facts/analysis.ts";
import { findFiles, nearFiles } from "../../src/facts/file-search.ts";
import { framePattern } from "../../src/facts/frame-pattern.ts";
import { FunctionNames } from "../../src/facts/function-names.ts";
import {
  findFunctions,
  hottestFunctions,
  nearFunctions,
  partOfNames,
} from "../../src/facts/function-search.ts";
import { FunctionTable } from "../../src/facts/function-table.ts";
import { LookAlikes } from "../../src/facts/look-alikes.ts";
import { nearNames } from "../../src/facts/near-names.ts";
import { unmatchedFilters } from "../../src/facts/unmatched-filters.ts";
import { PLAIN } from "../../src/render/style.ts";
import { textLines } from "../../src/render/text.ts";
import { jsonFunction } from "../../src/reports/json.ts";
import { profileFromStacks } from "../helpers/stacks.ts";
import { topPage, topReport } from "../helpers/top-report.ts";

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

describe("names that a mistyped one may mean", () => {
  const states = ["js", "gc", "parser", "compiler", "bytecode-compiler", "idle"];

  it.each([
    ["compilr", ["compiler"]],
    ["GC", ["gc"]],
    ["idel", ["idle"]],
    ["compile", ["compiler", "bytecode-compiler"]],
    ["nothing", []],
    ["", []],
  ])("%j", (query, near) => {
    expect(nearNames(query, states)).toEqual(near);
  });

  it("are as many as are wanted", () => {
    expect(nearNames("compile", states, 1)).toEqual(["compiler"]);
    expect(nearNames("x", states)).toEqual([]);
  });

  it("are no short names that happen to be in it", () => {
    const names = ["f", "b", "kd", "pb", "node::crypto::PBKDF2Job::DeriveBits", "runPbkdf2", "pbkdf2Sync"];
    const real = ["pbkdf2Sync", "node::crypto::PBKDF2Job::DeriveBits", "runPbkdf2"];
    expect(nearNames("pbkdf", names, 5)).toEqual(real);
    expect(nearNames("pbkdf", names.slice(0, 4), 5)).toEqual([]);
    // One letter of each part is wrong, and no whole name is near.
    expect(nearNames("pbkfd2", names.slice(0, -1), 5)).toEqual(real.slice(1));
  });

  it("are large parts of it, and words", () => {
    expect(nearNames("Router.handle", ["hand", "handle", "route", "Router"])).toEqual(["handle", "Router"]);
    expect(nearNames("handleRequests", ["handleRequest", "run", "quest"])).toEqual(["handleRequest"]);
  });

  it("differ in less than a third of the letters, the nearest first, then in the given order", () => {
    expect(nearNames("tpo", ["tree", "top", "toe"])).toEqual(["top"]);
    expect(nearNames("parsed", ["passes", "parses", "parser"])).toEqual(["parses", "parser", "passes"]);
    expect(nearNames("abc", ["xyc"])).toEqual([]);
  });

  it("take time that is linear in their number and length", () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `${"ab".repeat(100)}${i}`);
    expect(nearNames("q".repeat(64), names)).toEqual([]);
    expect(nearNames("q".repeat(100_000), names)).toEqual([]);
  });
});

describe("unmatched filters", () => {
  const profile = profileFromStacks(
    "js:main·/srv/app/main.js:1:1 js:parse·/srv/app/router.js:10:3 cpp:node::Parse(int)",
    "js:main·/srv/app/main.js:1:1 js:parse·/srv/app/router.js:10:3",
  );

  it("values of filters that match nothing are found, with what may be meant", () => {
    const found = unmatchedFilters(profile, {
      focus: [/pasre/, /^main$/, /routr\.js/],
      ignore: [/PARSE/, /pars(e|er)x/],
      hide: [/^Builtin: /],
      only: ["deps", "app"],
    });
    const none = { matchesOtherCase: false, suggestions: [] };
    expect(found).toEqual([
      { option: "focus", value: "pasre", matchesOtherCase: false, suggestions: ["parse"] },
      { option: "focus", value: "routr\\.js", matchesOtherCase: false, suggestions: ["/srv/app/router.js"] },
      { option: "ignore", value: "PARSE", matchesOtherCase: true, suggestions: [] },
      { option: "ignore", value: "pars(e|er)x", ...none },
      { option: "hide", value: "^Builtin: ", ...none },
      { option: "only", value: "deps", matchesOtherCase: false, suggestions: ["js", "native", "app"] },
    ]);
  });

  it("values that match something are not", () => {
    expect(unmatchedFilters(profile, { focus: [/main/], hide: [/PARSE/i], only: ["js"] })).toEqual([]);
    expect(unmatchedFilters(profile, {})).toEqual([]);
  });
});

describe("functions that look alike", () => {
  const MAIN = "js:·/srv/x.js:1:1";
  const profile = profileFromStacks(
    `${MAIN} js:·/srv/x.js:1:168`,
    `${MAIN} js:t·/srv/x.js:1:20`,
    `${MAIN} js:t·/srv/x.js:1:30`,
    `${MAIN} js:~t·/srv/x.js:1:30`,
    `${MAIN} js:t·/srv/y.js:1:30`,
    `${MAIN} js:u·/srv/x.js:1:40`,
  );
  const { functions } = new FunctionTable(profile.frames);

  it("are those of one name on one line", () => {
    const alike = new LookAlikes(functions);
    const columns = functions.flatMap((one) => (alike.has(one) ? `${one.title} ${one.column}` : []));
    expect(columns.sort()).toEqual(["<anonymous> 1", "<anonymous> 168", "t 20", "t 30"]);
    const withoutColumns = { title: "f", file: "a.js", line: 3 };
    expect(new LookAlikes([withoutColumns, withoutColumns]).has(withoutColumns)).toBe(false);
  });

  it("get their column, and no others", () => {
    const names = new FunctionNames(functions);
    const shown = functions.map((one) => Object.values(names.function(one)).slice(0, 2).join(" "));
    expect(shown).toEqual(["x.js:1:1 ", "x.js:1:168 ", "t x.js:1:20", "t x.js:1:30", "t y.js:1", "u x.js:1"]);
  });

  it("are told apart in each list of the page, in its stacks and in the command to run next", () => {
    const report = topReport(profile, 10, ["v8.log"]);
    const text = Array.from(textLines(topPage(report), { style: PLAIN, unit: {}, width: 100 })).join("\n");
    expect(text).toContain("x.js:1:1 → x.js:1:168");
    expect(text).toContain("x.js:1:1 → t x.js:1:30");
    expect(text).toContain("x.js:1:1 → u\n");
    expect(text).toMatch(/ {2}x\.js:1:168\n/);
    expect(text).toContain("ticks function v8.log x.js:1:30");
  });

  it("are told apart in the flame graph", () => {
    const kept = profile.frames.map((frame, number) => ({ frame, number, work: undefined }));
    const { titles } = packFrames(frameRows(profile.frames, kept)).functions;
    expect(titles).toContain("x.js:1:168");
    expect(titles).toContain("t x.js:1:20");
    expect(titles).toContain("u");
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gecko } from "../../src/exports/gecko.ts";
import { breakdown } from "../../src/facts/breakdown.ts";
import { deoptView } from "../../src/facts/deopts.ts";
import { FunctionNames } from "../../src/facts/function-names.ts";
import { tierNamesOf } from "../../src/facts/tier-names.ts";
import { type Frame, frameKey, type JsFrame, TIERS } from "../../src/profile/frame.ts";
import { type FrameKey, frameKeys, frameTexts, functionKeys } from "../../src/profile/frame-keys.ts";
import { icBuiltin, icFamily } from "../../src/profile/inline-caches.ts";
import { parseFrameName, parseLoggedName } from "../../src/profile/logged-name.ts";
import type { Profile, ThreadInfo, ThreadProgram } from "../../src/profile/profile.ts";
import { alignLines, lineStarts, sourceLines } from "../../src/profile/source-lines.ts";
import { stableFiles } from "../../src/profile/stable-files.ts";
import { reportTitle, whatRan } from "../../src/profile/titles.ts";
import { hasCrankshaft, hasOneCompilerState } from "../../src/profile/v8-era.ts";
import type { V8Version } from "../../src/profile/v8-version.ts";
import { tierTitlesOf } from "../../src/reports/words.ts";
import { logOf, profileOf } from "../helpers/logs.ts";

describe("functionPlace", () => {
  const cases: [string, string, string | undefined, number | undefined, number | undefined][] = [
    ["handler file:///srv/app.js:10:5", "handler", "file:///srv/app.js", 10, 5],
    ["get a b /my dir/x.js:1:2", "get a b", "/my dir/x.js", 1, 2],
    ["GET /users/:id file:///srv/app.js:10:5", "GET /users/:id", "file:///srv/app.js", 10, 5],
    ["GET /users/:id /srv/app.js:10:5", "GET /users/:id", "/srv/app.js", 10, 5],
    ["open C:\\x file:///C:/a/b.js:1:2", "open C:\\x", "file:///C:/a/b.js", 1, 2],
    ["get http://x/y D:\\srv\\a.js:1:2", "get http://x/y", "D:\\srv\\a.js", 1, 2],
    ["GET /users :1:20", "GET /users", "", 1, 20],
    [" node:fs:1:2", "", "node:fs", 1, 2],
    ["parse node:internal/url:1:2", "parse", "node:internal/url", 1, 2],
    ["f C:\\a b\\x.js:1:2", "f", "C:\\a b\\x.js", 1, 2],
    ["tryOnTimeout timers.js:3:4", "tryOnTimeout", "timers.js", 3, 4],
    ["f :1:20", "f", "", 1, 20],
    ["file:///only/script.js:1:1", "", "file:///only/script.js", 1, 1],
    ["a\nb x.js:1:1", "a\nb", "x.js", 1, 1],
    ["wasm-function[3]", "wasm-function[3]", undefined, undefined, undefined],
    ["", "", undefined, undefined, undefined],
    ["f x.js:2147483647:1", "f", "x.js", 2147483647, 1],
    ["f x.js:2147483648:1", "f x.js:2147483648:1", undefined, undefined, undefined],
    ["f x.js:1:99999999999999999999", "f x.js:1:99999999999999999999", undefined, undefined, undefined],
    [":1:1", "", "", 1, 1],
    ["f:1", "f:1", undefined, undefined, undefined],
    ["f x.js::1", "f x.js::1", undefined, undefined, undefined],
  ];
  for (const [logged, name, file, line, column] of cases) {
    it(JSON.stringify(logged), () => expect(parseLoggedName(logged)).toEqual({ name, file, line, column }));
  }
});

describe("parseFrameName", () => {
  it("splits a name where the script is known to begin", () => {
    const frame = { kind: "js", type: "JS", tier: "*", line: 0, inlined: false } as const;
    const name = "GET /users my script.js:10:5";
    const position = { line: 10, column: 5 };
    expect(parseFrameName({ ...frame, name })).toMatchObject({ name: "GET", file: "/users my script.js" });
    expect(parseFrameName({ ...frame, name, scriptAt: 11 })).toEqual({
      ...{ name: "GET /users", file: "my script.js" },
      ...position,
    });
    expect(parseFrameName({ ...frame, name, scriptAt: 0 })).toEqual({
      ...{ name: "", file: "GET /users my script.js" },
      ...position,
    });
  });
});

const NODE_20 = { major: 11, minor: 3, build: 244, patch: 8, embedder: "-node.38" };
const CHROME = { major: 12, minor: 0, build: 1, patch: 2, embedder: "" };

function threads(...programs: readonly (Partial<ThreadProgram> & { readonly pid: number })[]): ThreadInfo[] {
  return programs.map(({ pid, ...program }) => ({
    ...{ name: "", log: "", pid, isolate: undefined, kind: undefined, ticks: 1, span: 0 },
    program: {
      ...{ command: "node app.js", recorded: "npm test", folder: "rec", node: "20.20.2" },
      ...program,
    },
  }));
}

function titleOf(some: readonly ThreadInfo[], v8: readonly V8Version[] = [NODE_20]): string {
  return reportTitle({ title: whatRan(some) ?? "rec (2 logs)", threads: some, v8 });
}

describe("the title of a report", () => {
  it("says what ran, and with which Node", () => {
    expect(titleOf(threads({ pid: 7 }, { pid: 7 }))).toBe("node app.js, pid 7, Node 20.20.2");
  });

  it("counts the processes of a program", () => {
    expect(titleOf(threads({ pid: 7 }, { pid: 8 }))).toBe("2 processes of node app.js, Node 20.20.2");
  });

  it("names the recorded command if the processes are of several programs", () => {
    const some = threads({ pid: 7 }, { pid: 8, command: "node other.js", node: "22.1.0" });
    expect(titleOf(some)).toBe("2 processes of npm test, Node 20.20.2 and 22.1.0");
  });

  it("counts runs", () => {
    const some = threads({ pid: 7, folder: "rec/run-1" }, { pid: 8, folder: "rec/run-2" });
    expect(titleOf(some)).toBe("2 runs of npm test, Node 20.20.2");
  });

  it("is the name of the logs without a recording, and what they prove of Node", () => {
    const known = threads({ pid: 7 });
    const unknown = known.map((thread) => ({ ...thread, program: undefined }));
    expect(titleOf([...known, ...unknown])).toBe("rec (2 logs), Node 20");
    expect(titleOf(unknown, [NODE_20, CHROME])).toBe("rec (2 logs)");
    expect(titleOf(threads({ pid: 0, command: "", node: undefined }), [])).toBe("rec (2 logs)");
  });
});

const namesOf = (...files: readonly string[]) => files.map(stableFiles(files));

describe("stableFiles", () => {
  it("names files from the folder of all files, whatever it is called", () => {
    const files = ["src/app.js", "lib/a.js"];
    for (const root of ["/srv/release-41", "/srv/release-42/current", "file:///home/me/shop", "C:\\shop"])
      expect(namesOf(...files.map((file) => `${root}/${file}`))).toEqual(files);
    expect(namesOf("/srv/release-42/app.js")).toEqual(["app.js"]);
  });

  it("does not take what ticks record loads for a file of the program", () => {
    const preload = "/opt/tool/dist/record/preload.cjs";
    expect(namesOf("/srv/r1/src/app.js", "/srv/r1/lib/a.js", preload).slice(0, 2)).toEqual([
      "src/app.js",
      "lib/a.js",
    ]);
  });

  it("names files from the outermost folder with packages around all files", () => {
    const packages = ["/srv/r1/node_modules/express/index.js", "/srv/r1/src/node_modules/a/a.js"];
    expect(namesOf("/srv/r1/src/app.js", ...packages).slice(0, 1)).toEqual(["src/app.js"]);
    // A tool that is installed elsewhere says nothing of the program's root.
    expect(namesOf("/srv/r1/src/app.js", "/usr/lib/node_modules/tool/x.js")).toEqual(["app.js", "tool/x.js"]);
  });

  it("names files of packages from the innermost package on", () => {
    expect(
      namesOf(
        "/r/node_modules/.pnpm/debug@4.3.4/node_modules/debug/src/node.js",
        "file:///r/node_modules/@scope/a%20b/lib/x.js?v=12#top",
        "C:\\r\\node_modules\\express\\lib\\router.js",
      ),
    ).toEqual(["debug/src/node.js", "@scope/a b/lib/x.js", "express/lib/router.js"]);
  });

  it("leaves names that are not paths, and drops what changes with contents", () => {
    expect(namesOf("node:fs", "evalmachine.<anonymous>", "", "fs.js", "wasm://wasm/9f3a")).toEqual([
      "node:fs",
      "evalmachine.<anonymous>",
      "",
      "fs.js",
      "wasm",
    ]);
    expect(namesOf("webpack://shop/./src/a.ts", "file:///app/100%.js")).toEqual(["shop/src/a.ts", "100%.js"]);
  });

  it("names a file outside the root from where their paths part", () => {
    const stableFile = stableFiles(["/srv/r1/dist/app.js", "/srv/r1/dist/b/x.js"]);
    expect(stableFile("/srv/r1/src/app.ts")).toBe("src/app.ts");
  });
});

describe("the lines of a script", () => {
  it.each(["", "a", "a\n", "\r\n", "a\r\nb\rc\nd\u2028e\u2029f", "\n\r\n\r", "\r"])(
    "of %j begin where they are",
    (text) => {
      const lines = sourceLines(text);
      const starts = Array.from(lineStarts(text));
      expect(starts.map((start, i) => text.slice(start, start + lines[i]!.length))).toEqual(lines);
      for (const start of starts.slice(1)) expect("\r\n\u2028\u2029").toContain(text[start - 1]);
    },
  );
});

describe("V8's code for inline caches", () => {
  it.each([
    ["LoadIC_Megamorphic", "load"],
    ["LoadICTrampoline", "load"],
    ["LoadICInObjectNonDoubleField3Baseline", "load"],
    ["LoadSuperICBaseline", "load"],
    ["KeyedLoadICTrampoline_MegamorphicStringKey", "keyed-load"],
    ["EnumeratedKeyedLoadIC", "keyed-load"],
    ["KeyedHasIC_SloppyArguments", "keyed-load"],
    ["LoadIndexedInterceptorIC", "keyed-load"],
    ["StoreIC_NoFeedback", "store"],
    ["StoreOwnIC", "store"],
    ["DefineNamedOwnICBaseline", "store"],
    ["KeyedStoreIC_Megamorphic", "keyed-store"],
    ["DefineKeyedOwnICTrampoline", "keyed-store"],
    ["StoreInArrayLiteralIC_Slow", "keyed-store"],
    ["StoreFastElementIC_InBounds", "keyed-store"],
    ["ElementsTransitionAndStore_Standard", "keyed-store"],
    ["LookupGlobalICInsideTypeofBaseline", "global-load"],
    ["LoadGlobalICTrampoline", "global-load"],
    ["StoreGlobalIC_Slow", "global-store"],
    ["CloneObjectIC_Slow", "clone"],
  ])("%s is for %s", (name, family) => {
    expect(icFamily(name)).toBe(family);
  });

  it.each([
    "CallRefIC",
    "WasmFastApiCallTypeCheckAndUpdateIC",
    "GlobalDecodeURIComponent",
    "ArrayMap",
    "InstanceOf_WithFeedback",
    "Load_FastSmiElements_0",
  ])("%s is not", (name) => {
    expect(icFamily(name)).toBeUndefined();
  });

  it("is known by its type in old logs, and not by the name of a function", () => {
    const code = (type: string, name: string) => icBuiltin({ kind: "code", type, name, duplicate: 0 });
    expect(code("LoadIC", "A load IC from the snapshot")).toEqual({
      name: "LoadIC",
      family: "load",
      isMegamorphic: false,
    });
    expect(code("Handler", "An IC handler from the snapshot")?.family).toBeUndefined();
    expect(code("Builtin", "StoreIC_Megamorphic")).toMatchObject({ family: "store", isMegamorphic: true });
    expect(code("RegExp", "LoadIC")).toBeUndefined();
    expect(code("BytecodeHandler", "GetNamedProperty")).toBeUndefined();
    const frame = {
      kind: "js",
      type: "JS",
      tier: "~",
      name: "LoadIC a.js:1:1",
      line: 0,
      inlined: false,
    } as const;
    expect(icBuiltin(frame)).toBeUndefined();
  });
});

/** The log of a V8, one tick in a function and one in the compiler. */
function profileIn(version: string | undefined, code = "code-creation,LazyCompile,0,"): Promise<Profile> {
  const rows = [
    ...(version === undefined ? [] : [`v8-version,${version}`]),
    'profiler,"begin",1',
    `${code}0x1000,256,"f /srv/a.js:3:1",0x500,*`,
    "tick,0x1010,1000,0,0x0,0",
    "tick,0x1010,2000,0,0x0,2",
  ];
  return profileOf(logOf(...rows), { timeline: true, deopts: true });
}

describe("the words of V8 before 5.9", () => {
  it.each([undefined, "3,28,71,19,0", "5,1,281,111,0", "5,8,283,41,0"])(
    "are full-codegen and Crankshaft: %s",
    async (version) => {
      const profile = await profileIn(version);
      expect([hasCrankshaft(profile.info), hasOneCompilerState(profile.info)]).toEqual([true, true]);
      expect(tierNamesOf(profile.info)["*"]).toBe("crankshaft");
      expect(tierTitlesOf(profile.info)).toMatchObject({ "~": "full-codegen", "*": "Crankshaft" });
      const { meta } = JSON.parse(Array.from(gecko(profile)).join(""));
      expect(JSON.stringify(meta.categories)).toMatch(/"full-codegen",.*"Crankshaft"/);
      expect(JSON.stringify(meta.categories)).not.toMatch(/Ignition|TurboFan/);
    },
  );

  it("are no words of later ones, nor of newer logs that lost their first rows", async () => {
    for (const profile of [
      await profileIn("6,2,414,78,0", "code-creation,LazyCompile,0,5,"),
      await profileIn(undefined, "code-creation,LazyCompile,0,5,"),
    ]) {
      expect(hasCrankshaft(profile.info)).toBe(false);
      expect(tierTitlesOf(profile.info)["*"]).toBe("TurboFan");
    }
  });
});

it("state COMPILER is every compiler up to V8 6.0, and those that optimize from then on", async () => {
  for (const [version, title, state] of [
    ["6,0,287,53,0", "compilers", "(compiler)"],
    ["6,2,414,78,0", "optimizing compilers", "(optimizing compiler)"],
  ] as const) {
    const profile = await profileIn(version);
    expect(breakdown(profile).find(({ category }) => category === "compiler")).toMatchObject({
      title,
      ticks: 1,
    });
    const names = new FunctionNames([], profile.info);
    expect(names.callable({ kind: "state", state: "compiler" }).title).toBe(state);
  }
});

it("deoptimizations are not to be had from V8 of Node 0.x, whatever the flag", async () => {
  expect(deoptView(await profileIn(undefined)).whyNone).toBe("not-written");
  expect(deoptView(await profileIn("3,28,71,19,0")).whyNone).toBe("not-written");
  expect(deoptView(await profileIn("11,3,244,8,-node.33,0", "code-creation,JS,0,5,")).whyNone).toBe(
    "not-asked",
  );
});

const align = (before: string, after: string) =>
  alignLines(before.split(""), after.split("")).map(
    ({ before: a, after: b, isSame }) => `${a}${isSame ? "=" : "/"}${b}`,
  );

describe("alignLines", () => {
  it("puts equal lines beside each other", () => {
    expect(align("abc", "abc")).toEqual(["1=1", "2=2", "3=3"]);
    expect(align("", "")).toEqual([]);
    expect(align("ac", "abc")).toEqual(["1=1", "0/2", "2=3"]);
    expect(align("abc", "ac")).toEqual(["1=1", "2/0", "3=2"]);
    expect(align("abc", "axc")).toEqual(["1=1", "2/2", "3=3"]);
  });

  it("finds lines again that both texts have once, whatever is around them", () => {
    expect(align("}}f}}", "}}}}f}")).toEqual(["1=1", "2=2", "0/3", "0/4", "3=5", "4=6", "5/0"]);
  });

  it("has each line once and in order, and says of equal ones alone that they are", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const rows = alignLines(before, after);
        const numbers = (side: "before" | "after") => rows.map((row) => row[side]).filter((line) => line > 0);
        expect(numbers("before")).toEqual(before.map((_, i) => i + 1));
        expect(numbers("after")).toEqual(after.map((_, i) => i + 1));
        for (const row of rows) {
          if (row.isSame) expect(before[row.before - 1]).toBe(after[row.after - 1]);
          expect(row.before + row.after).toBeGreaterThan(0);
        }
      }),
    );
  });

  it("takes no time that grows with the square of the lines", () => {
    const lines = Array.from({ length: 200_000 }, (_, i) => `line ${i}`);
    const rows = alignLines(lines, lines.toReversed());
    expect(rows.length).toBeGreaterThanOrEqual(200_000);
    expect(alignLines(new Array(200_000).fill("}"), new Array(100_000).fill("}"))).toHaveLength(200_000);
  });
});

const NAMES = ["", "0", "1", "a /a.js:1:1", "b /a.js:1:1", "x".repeat(300), `${"x".repeat(299)}y`];

const MARKS: Partial<JsFrame>[] = [
  {},
  { inlined: true },
  { lacksColumn: true },
  { inferred: true },
  { inferredLine: true },
  { byOldCompilers: true },
  { loop: 1 },
  { loop: 2, inlined: true },
];

const JS = NAMES.flatMap((name) =>
  [0, 1, 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32].flatMap((line) =>
    ["JS", "Script"].flatMap((type) =>
      TIERS.flatMap((tier) =>
        MARKS.map((marks): Frame => ({ kind: "js", type, tier, name, line, inlined: false, ...marks })),
      ),
    ),
  ),
);

const OTHERS = NAMES.flatMap((name): Frame[] => [
  { kind: "code", type: "Builtin", name, duplicate: 0 },
  { kind: "code", type: "Stub", name, duplicate: 0 },
  { kind: "code", type: "Stub", name, duplicate: 1 },
  { kind: "native", library: name, symbol: undefined },
  { kind: "native", library: name, symbol: "" },
  { kind: "native", library: "libc", symbol: name },
  { kind: "unknown", reason: "no-pc" },
  { kind: "unknown", reason: "unmapped" },
]);

const FRAMES = [...JS, ...OTHERS];

/** Expects keys to be equal exactly where texts are. */
function expectSameAs(keyOf: (frame: Frame) => FrameKey, textOf: (frame: Frame) => string): void {
  const byText = new Map<string, FrameKey>();
  const byKey = new Map<FrameKey, string>();
  for (const frame of [...FRAMES, ...FRAMES.toReversed().map((frame) => ({ ...frame }))]) {
    const [key, text] = [keyOf(frame), textOf(frame)];
    expect(byText.get(text) ?? key, text).toBe(key);
    expect(byKey.get(key) ?? text, text).toBe(text);
    byText.set(text, key);
    byKey.set(key, text);
  }
}

describe("the keys of frames", () => {
  it("are equal exactly for the same frame", () => {
    expectSameAs(frameKeys(), frameKey);
    expectSameAs(frameTexts(), frameKey);
    expect(new Set(FRAMES.map(frameKey)).size).toBeGreaterThan(JS.length);
  });

  it("do not differ with where the script begins in the name", () => {
    const keyOf = frameKeys();
    const frame: Frame = { kind: "js", type: "JS", tier: "~", name: "a b:1:1", line: 1, inlined: false };
    expect(keyOf({ ...frame, scriptAt: 2 })).toBe(keyOf(frame));
  });

  it("are short, however long the names are", () => {
    const [textOf, keyOf] = [frameTexts(), frameKeys()];
    for (const frame of FRAMES) {
      expect(textOf(frame).length).toBeLessThan(300);
      expect(String(keyOf(frame)).length).toBeLessThan(300);
    }
  });
});

it("the keys of functions are equal exactly for frames of one function", () => {
  expectSameAs(functionKeys(), (frame) => {
    switch (frame.kind) {
      case "js":
        return JSON.stringify(["js", frame.name]);
      case "code":
        return JSON.stringify(["code", frame.type, frame.name]);
      case "native":
        return JSON.stringify(["native", frame.library, frame.symbol ?? null]);
      case "unknown":
        return "unknown";
    }
  });
});

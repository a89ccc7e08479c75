import { describe, expect, it } from "vitest";
import { warningsOf } from "../../src/facts/doubts.ts";
import { functionChains } from "../../src/facts/function-chains.ts";
import { FunctionTable } from "../../src/facts/function-table.ts";
import { type HotLines, hotLines } from "../../src/facts/hot-lines.ts";
import { lineTicks } from "../../src/facts/line-ticks.ts";
import { packageTicks } from "../../src/facts/package-ticks.ts";
import { appFunctions, programFunctions } from "../../src/facts/program-frames.ts";
import { topOf } from "../../src/facts/top.ts";
import { topFunctions } from "../../src/facts/top-functions.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const MAIN = "js:main·/srv/main.js:1:1";
const READ = "js:read·node:fs:1:1";
const START = "js:start·node:main:1:1";
const MS = "/srv/node_modules/ms/index.js";

describe("the top functions", () => {
  const functions = (...stacks: string[]) => {
    const profile = profileFromStacks(...stacks);
    const { bySelf, byTotal } = topFunctions(profile);
    return {
      bySelf: bySelf.map(({ function: { title }, self, total, tiers }) => {
        return `${title} ${self}/${total} ${tiers.map(({ tier, ticks }) => tier + ticks).join(" ")}`.trim();
      }),
      byTotal: byTotal.map(({ function: { title }, total }) => `${title} ${total}`),
    };
  };

  it("are summed over tiers, lines and inlining, and spread over tiers", () => {
    const f = "f·/a.js:1:1";
    expect(functions(`js:~${f}@1`, `js:${f}@2`, `js:g inlined:${f}@3`, `js:g cpp:x`)).toEqual({
      bySelf: ["f 3/3 ~1 *2", "x 1/1"],
      byTotal: ["f 3", "g 2", "x 1"],
    });
  });

  it("by total leave out what of Node leads to the program, and nobody's code", () => {
    const { bySelf, byTotal } = functions(
      `${START} ${MAIN} ${READ} cpp:x`,
      `${START} ? ${MAIN} ${START} ${READ}`,
      `${START} ${READ} ${MAIN}`,
      "?",
    );
    expect(byTotal).toEqual(["main 3", "read 3", "x 1"]);
    expect(bySelf).toContain("UNKNOWN 1/2");
  });
});

describe("the chains", () => {
  it("leave out V8's entry to C++ functions, which all of these pass", () => {
    const entry = "cpp:v8::internal::Builtin_HandleApiCall(int)";
    const stacks = Array.from({ length: 4 }, (_, i) => `${MAIN} ${entry} cpp:node::Call${i}()`);
    const { chains } = topOf(profileFromStacks(...stacks, `${MAIN} cpp:node::Direct() cpp:x`), 2);
    const titles = chains.flatMap(({ rows }) => rows.map((row) => row.function.title));
    expect(titles.filter((title) => title.includes("HandleApiCall"))).toEqual([]);
    expect(titles).toContain("node::Direct()");
  });
});

describe("the hot lines", () => {
  const text = "first\n\t second \r\nthird";
  const hot = (stacks: readonly string[], isMine = programFunctions) => {
    const profile: Profile = { ...profileFromStacks(...stacks), sources: [{ file: "/srv/main.js", text }] };
    const table = new FunctionTable(profile.frames);
    const found = hotLines(profile, isMine(table));
    return {
      ...found,
      lines: found.lines.map(({ function: { title }, inferred, scripts: _, ...line }) => ({
        ...line,
        ...(inferred > 0 && { inferred }),
        title,
      })),
      withoutLine: Object.fromEntries(found.withoutLine),
    };
  };
  const STACKS = [
    `${START} ${MAIN}@2 ${READ} cpp:x`,
    `${START} ${MAIN}@2`,
    `${MAIN}@2 inlined:g·/srv/main.js:2:1@3`,
    `${MAIN}@9 js:ms·${MS}:1:1@4 builtin:B`,
    MAIN,
    START,
    "?",
  ];

  it("of packages are apart, and each has the total of all that it called", () => {
    const stacks = [
      ...STACKS,
      `${MAIN}@9 js:ms·${MS}:1:1@4`,
      `js:ms·${MS}:1:1@4 ${MAIN}@2 js:ms·${MS}:1:1@8`,
    ];
    const profile = profileFromStacks(...stacks);
    const { app, lines, packageLines } = topOf(profile, 10);
    const numbers = ({ lines: rows }: HotLines) =>
      rows.map(({ file, line, ticks, self, total }) => [file, line, ticks, self, total].join(" "));
    expect(numbers(packageLines)).toEqual([`${MS} 4 2 1 3`, `${MS} 8 1 1 1`]);
    expect(packageLines.outside).toBe(profile.info.ticks - 3);
    expect(Array.from(packageLines.ofSample)).toEqual([-1, -1, -1, 0, -1, -1, -1, 0, 1]);
    // Each tick is at one line of a table, but a line has one total in all.
    expect(numbers(app)).toContain("/srv/main.js 9 2 0 2");
    expect(numbers(lines)).not.toContain("/srv/main.js 9 2 0 2");
    const totals = new Map(lineTicks(profile).map((one) => [`${one.file} ${one.line}`, one.total]));
    for (const { file, line, total } of [...app.lines, ...lines.lines])
      expect(totals.get(`${file} ${line}`)).toBe(total);
  });

  it("are where the innermost function of the program was, or that function if it has no lines", () => {
    const { lines, withoutLine, outside, ofSample } = hot(STACKS);
    expect(lines).toEqual([
      {
        file: "/srv/main.js",
        line: 2,
        reason: undefined,
        title: "main",
        ticks: 2,
        self: 1,
        total: 3,
        text: "second",
      },
      {
        file: "/srv/main.js",
        line: 0,
        reason: "not-logged",
        title: "main",
        ticks: 1,
        self: 1,
        total: 1,
        text: undefined,
      },
      {
        file: "/srv/main.js",
        line: 3,
        reason: undefined,
        title: "g",
        ticks: 1,
        self: 1,
        total: 1,
        text: "third",
      },
      { file: MS, line: 4, reason: undefined, title: "ms", ticks: 1, self: 0, total: 1, text: undefined },
    ]);
    expect([withoutLine, outside]).toEqual([{ "not-logged": 1 }, 2]);
    expect(Array.from(ofSample)).toEqual([0, 0, 2, 3, 1, -1, -1]);
  });

  it("are loops where the line in them is unknown, and say what is inferred", () => {
    const main = "js:+main·/srv/main.js:1:1";
    const { lines, withoutLine } = hot([`${main}@2+`, `${main}@2+ cpp:x`, `${main}@2`, `${main}@3≈ cpp:x`]);
    expect(lines.map(({ line, loop, ticks, text, inferred }) => [line, loop, ticks, text, inferred])).toEqual(
      [
        [0, 2, 2, "second", undefined],
        [2, undefined, 1, "second", undefined],
        [3, undefined, 1, "third", 1],
      ],
    );
    expect(withoutLine).toEqual({ "peeled-loop": 2 });
  });

  it("can be those of the program alone", () => {
    const { lines, outside } = hot(STACKS, appFunctions);
    expect(lines.map(({ line, ticks }) => [line, ticks])).toEqual([
      [2, 2],
      [0, 1],
      [3, 1],
      [9, 1],
    ]);
    expect(outside).toBe(2);
  });

  it("tell why there is none", () => {
    const { withoutLine } = hot(["js:^f·/a.js:1:1", "js:wasm-function[3]", "js:f·/a.js:1:1"]);
    expect(withoutLine).toEqual({ sparkplug: 1, webassembly: 1, "not-logged": 1 });
    const old = profileFromStacks("js:^f·/a.js:1:1");
    const v8 = [{ major: 8, minor: 4, build: 0, patch: 0, embedder: "" }];
    const table = new FunctionTable(old.frames);
    const found = hotLines({ ...old, info: { ...old.info, v8 } }, programFunctions(table));
    expect(Array.from(found.withoutLine)).toEqual([["old-node", 1]]);
  });
});

describe("the ticks of packages", () => {
  const packages = (...stacks: string[]) =>
    packageTicks(profileFromStacks(...stacks)).rows.map(({ origin, ticks, self, throughNative, total }) => {
      expect(self + throughNative).toBe(ticks);
      return `${origin?.name ?? "none"} ${self}+${throughNative}/${total}`;
    });
  const REQUIRE = "js:require·node:internal/modules/helpers:1:1 js:load·node:internal/modules/cjs/loader:2:2";

  it("are those of their code, and of the native code and builtins that it called", () => {
    expect(
      packages(
        `${START} ${MAIN} js:ms·${MS}:1:1`,
        `${MAIN} js:ms·${MS}:1:1 cpp:f`,
        `${MAIN} builtin:B ? cpp:f`,
        `${MAIN} ${READ} cpp:read`,
        "builtin:B",
        "? cpp:f",
      ),
    ).toEqual(["app 0+2/4", "ms 1+1/2", "none 0+2/2", "node 0+0/2"]);
  });

  it("have what Node's module loader does for them, up to the module that it runs", () => {
    expect(
      packages(
        `${START} js:load·node:internal/modules/cjs/loader:2:2 ${MAIN}`,
        `${MAIN} ${REQUIRE} cpp:Compile`,
        `${MAIN} ${REQUIRE} ${READ} cpp:read`,
        `${MAIN} ${REQUIRE}`,
        `${MAIN} ${REQUIRE} js:ms·${MS}:1:1 cpp:f`,
        `${MAIN} ${REQUIRE} js:ms·${MS}:1:1 ${REQUIRE} cpp:Stat`,
        `${START} ${REQUIRE} cpp:Stat`,
      ),
    ).toEqual(["app 1+3/6", "ms 0+2/2", "node 0+1/7"]);
  });

  it("sum to 100 %", () => {
    const { rows } = packageTicks(profileFromStacks(MAIN, READ, `js:ms·${MS}:1:1`));
    expect(rows.map(({ percent }) => percent)).toEqual([33.4, 33.3, 33.3]);
  });
});

describe("chains of functions", () => {
  const chains = (...stacks: string[]) => {
    const profile = profileFromStacks(...stacks);
    return functionChains(profile, topFunctions(profile).byTotal).map(
      ({ rows, self, total }) => `${rows.map((row) => row.function.title).join(" → ")} ${self}/${total}`,
    );
  };
  const times = (count: number, stack: string) => new Array<string>(count).fill(stack);
  const [A, B, C] = ["js:a·/srv/a.js:1:1", "js:b·/srv/a.js:2:1", "js:c·/srv/a.js:3:1"];

  it("are functions that own the same ticks but for less than 1 %, outermost first", () => {
    expect(chains(...times(200, `${A} ${B} builtin:M ${C}`), `${A}`)).toEqual([
      "a → b → c 201/201",
      "Builtin: M 0/200",
    ]);
    expect(chains(...times(99, `${A} ${B}`), A)).toEqual(["a 1/100", "b 99/99"]);
  });

  it("end where the program calls Node, V8 or native code", () => {
    expect(chains(...times(300, `${A} ${B} ${READ} cpp:read cpp:libc`))).toEqual([
      "a → b 0/300",
      "read → read → libc 300/300",
    ]);
  });

  it("stay apart where ticks are others, and go through recursion", () => {
    expect(chains(...times(50, A), ...times(50, B))).toEqual(["a 50/50", "b 50/50"]);
    expect(chains(...times(300, `${A} ${B} ${A} ${B} ${C}`))).toEqual(["a → b → c 300/300"]);
  });
});

describe("warningsOf", () => {
  const many = (count: number, stack: string) => new Array<string>(count).fill(stack);
  const withInfo = (profile: Profile, info: Partial<Profile["info"]>): Profile => ({
    ...profile,
    info: { ...profile.info, ...info },
  });

  it("are none for a good profile, nor for one without ticks", () => {
    expect(warningsOf(profileFromStacks(...many(200, "js:a"), ...many(10, "?")))).toEqual([]);
    expect(warningsOf(profileFromStacks())).toEqual([]);
  });

  it("are ticks without a function, few of them, slow, lost, and errors in the log", () => {
    const profile = profileFromStacks(...many(9, "js:a"), "?");
    const { sampling } = profile.info;
    const diagnostic = { code: "X", count: 3, line: 1, message: "" };
    const bad = withInfo(profile, {
      sampling: { ...sampling, asked: 1000, usual: 1501, got: 1600, overflows: 2 },
      diagnostics: [diagnostic, diagnostic],
    });
    expect(warningsOf(bad)).toEqual([
      { kind: "no-function", ticks: 1, percent: 10 },
      { kind: "few-ticks", ticks: 10 },
      {
        kind: "slow-sampling",
        intervalAskedUs: 1000,
        intervalUs: 1600,
        isWindowsTimer: false,
        areSharesSound: false,
      },
      { kind: "lost-ticks", times: 2 },
      { kind: "diagnostics", count: 6 },
    ]);
  });
});

describe("what to look at next", () => {
  const next = (...stacks: string[]) => topOf(profileFromStacks(...stacks), 10).next?.title;

  it("is the function that the program was in most, else the hottest", () => {
    expect(
      next(MAIN, `${MAIN} js:hash·/srv/h.js:1:1 ${READ} cpp:x`, `${MAIN} js:hash·/srv/h.js:1:1 cpp:x`),
    ).toBe("hash");
    expect(next("?", "?", "cpp:x")).toBe("x");
    expect(next("?")).toBeUndefined();
    expect(next()).toBeUndefined();
  });

  const steps = (profile: Profile) => topOf(profile, 10).steps.map(({ kind }) => kind);

  it("is what fits the log: at most three commands", () => {
    const v8 = [{ major: 11, minor: 3, build: 0, patch: 0, embedder: "" }];
    const baseline = profileFromStacks("js:^f·/srv/a.js:1:1 cpp:x", `js:ms·${MS}:1:1@4`, `js:ms·${MS}:1:1@4`);
    expect(steps({ ...baseline, info: { ...baseline.info, v8 } })).toEqual([
      "function",
      "no-sparkplug",
      "only-deps",
    ]);
    const newer = { ...v8[0]!, major: 14, minor: 6 };
    expect(steps({ ...baseline, info: { ...baseline.info, v8: [newer] } })).toEqual([
      "function",
      "only-deps",
      "lines",
    ]);
    expect(steps(profileFromStacks(`${MAIN}@2`, "gc:cpp:x"))).toEqual(["function", "allocations", "lines"]);
    expect(steps(profileFromStacks(MAIN))).toEqual(["function"]);
    expect(steps(profileFromStacks())).toEqual([]);
  });

  it("is `ticks deopts` where they cost more than 5 %", () => {
    const profile = profileFromStacks(...new Array<string>(100).fill(MAIN));
    const entry = {
      function: "main /srv/main.js:1:1",
      kind: "",
      reason: "",
      position: "",
      tier: "*",
      isOpen: true,
    };
    const deopts = (ticks: number) => ({
      entries: [entry],
      charges: [{ deopt: 0, tier: "~", ticks, sample: 0 }],
      demoted: [],
    });
    const withCost = (ticks: number) => ({ ...profile, deopts: deopts(ticks) }) as unknown as Profile;
    expect(steps(withCost(6))).toEqual(["function", "deopts"]);
    expect(steps(withCost(5))).toEqual(["function"]);
  });
});

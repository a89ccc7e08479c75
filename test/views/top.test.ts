import { describe, expect, it } from "vitest";
import type { Profile } from "../../src/profile/profile.ts";
import { warningsOf } from "../../src/views/coverage.ts";
import { FunctionTable } from "../../src/views/function-table.ts";
import { hotLines } from "../../src/views/hot-lines.ts";
import { packageTicks } from "../../src/views/package-ticks.ts";
import { topOf } from "../../src/views/top.ts";
import { topFunctions } from "../../src/views/top-functions.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const MAIN = "js:main·/srv/main.js:1:1";
const READ = "js:read·node:fs:1:1";
const START = "js:start·node:main:1:1";
const MS = "/srv/node_modules/ms/index.js";

describe("the top functions", () => {
  const functions = (...stacks: string[]) => {
    const profile = profileFromStacks(...stacks);
    const { bySelf, byTotal } = topFunctions(profile, new FunctionTable(profile.frames));
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

describe("the hot lines", () => {
  const text = "first\n\t second \r\nthird";
  const lines = (...stacks: string[]) => {
    const profile: Profile = { ...profileFromStacks(...stacks), sources: [{ file: "/srv/main.js", text }] };
    return hotLines(profile, new FunctionTable(profile.frames));
  };

  it("are where the innermost function of the program was", () => {
    const { lines: rows, ...rest } = lines(
      `${START} ${MAIN}@2 ${READ} cpp:x`,
      `${START} ${MAIN}@2`,
      `${MAIN}@2 inlined:g·/srv/main.js:2:1@3`,
      `${MAIN}@9 js:ms·${MS}:1:1@4 builtin:B`,
      MAIN,
      START,
      "?",
    );
    expect(rows).toEqual([
      { file: "/srv/main.js", line: 2, ticks: 2, self: 1, text: "second" },
      { file: "/srv/main.js", line: 3, ticks: 1, self: 1, text: "third" },
      { file: MS, line: 4, ticks: 1, self: 0, text: undefined },
    ]);
    expect(rest).toEqual({ withoutLine: 1, withoutProgram: 2 });
  });
});

describe("the ticks of packages", () => {
  it("are those of their code, and of what it called", () => {
    const rows = packageTicks(
      profileFromStacks(
        `${START} ${MAIN} js:ms·${MS}:1:1`,
        `${MAIN} js:ms·${MS}:1:1 cpp:f`,
        "builtin:B",
        "? cpp:f",
      ),
    );
    expect(rows.map(({ origin, self, total }) => `${origin.kind} ${origin.name} ${self}/${total}`)).toEqual([
      "native node 2/2",
      "deps ms 1/2",
      "v8 v8 1/1",
      "app app 0/2",
      "node node 0/1",
    ]);
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
      sampling: { ...sampling, asked: 1000, got: 1501, overflows: 2 },
      diagnostics: [diagnostic, diagnostic],
    });
    expect(warningsOf(bad)).toEqual([
      { kind: "no-function", ticks: 1, percent: 10 },
      { kind: "few-ticks", ticks: 10 },
      { kind: "slow-sampling", asked: 1000, got: 1501 },
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
});

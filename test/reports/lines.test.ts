import { describe, expect, it } from "vitest";
import type { Profile } from "../../src/profile/profile.ts";
import { LINES } from "../../src/reports/lines.ts";
import type { LinesReportOptions } from "../../src/reports/report-options.ts";
import { jsonOf, linesOf } from "../helpers/reports.ts";
import { expectValid } from "../helpers/schema.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const A = "/srv/a.js";
const B = "/srv/b.js";
const STACKS = [
  `js:f·${A}:1:1@2 js:g·${B}:3:1@4`,
  `js:f·${A}:1:1@2 js:g·${B}:3:1@4`,
  `js:f·${A}:1:1@3`,
  `js:h·${B}:9:1`,
  "gc:cpp:Sweep",
];

/** The page of `ticks lines`; of a script, `disk` is its text on disk. */
const text = (
  profile: Profile,
  { limit = 20, disk, ...options }: LinesReportOptions & { disk?: string } = {},
) => linesOf(LINES, profile, { limit, width: 80, options, readSource: () => disk });

const withText = (): Profile => ({
  ...profileFromStacks(...STACKS),
  sources: [{ file: A, text: "one\n\tt`w|o`\nthree" }],
});

describe("hot lines", () => {
  it("are ranked by self, with their text, and sum to all ticks", () => {
    expect(text(withText())).toEqual([
      "log: 5 ticks",
      "",
      " self  share  total  where   function  source",
      "    2  40.0%      2  b.js:4  g",
      "    1  20.0%      1  a.js:3  f         three",
      "    1  20.0%      1  b.js:9  h         (line unknown)",
      "    1  20.0%                           outside JS functions",
      "Without a source: the log and its source maps have no text of the line, and no",
      "--source-root has its file.",
    ]);
    expect(text(withText(), { limit: 1 }).slice(3)).toEqual([
      "    2  40.0%      2  b.js:4  g",
      "    2  40.0%                           … 2 more",
      "    1  20.0%                           outside JS functions",
      "Without a source: the log and its source maps have no text of the line, and no",
      "--source-root has its file.",
    ]);
  });

  it("are ranked by total where that is asked for", () => {
    expect(text(withText(), { sort: "total", limit: 2 }).slice(2)).toEqual([
      "total  share   self  where   function  source",
      "    2  40.0%      2  b.js:4  g",
      "    2  40.0%      0  a.js:2  f         t`w|o`",
      "                  2                    … 2 more",
      "                  1                    outside JS functions",
      "Without a source: the log and its source maps have no text of the line, and no",
      "--source-root has its file.",
    ]);
  });

  it("stay in the width", () => {
    const name = "x".repeat(100);
    const profile = profileFromStacks(`js:${name}·/srv/${name}.js:1:1@1`);
    const sources = [{ file: `/srv/${name}.js`, text: "\x1b[31m".repeat(500) }];
    const lines = text({ ...profile, sources });
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.at(-1)).toContain("\\x1b[31m");
  });

  it("are all there in JSON", () => {
    const document = jsonOf(LINES, withText());
    expectValid("lines", document);
    expect(document.self).toBe(4);
    expect(document.lines.map((line: { text: string | null }) => line.text)).toEqual([
      null,
      "three",
      null,
      "\tt`w|o`",
    ]);
  });
});

describe("a script with ticks", () => {
  it("says where its text is from", () => {
    expect(text(withText(), { file: A })).toEqual([
      "log: 5 ticks",
      "",
      "source of /srv/a.js: 1 tick in its lines",
      " self  total  line  source",
      "                 1  one",
      "           2     2    t`w|o`",
      "    1      1     3  three",
    ]);
    expect(text(withText(), { file: B }).slice(2)).toEqual([
      "source of /srv/b.js: 3 ticks in its lines",
      "No source text: it is neither in the log nor under a --source-root.",
      " self  total  line  source",
      "    2      2     4",
      "    1      1    9?  h: line unknown",
    ]);
    const disk = Array.from({ length: 5 }, (_, i) => `line ${i + 1}`).join("\n");
    expect(text(withText(), { file: B, disk }).slice(2)).toEqual([
      "source of /srv/b.js: 3 ticks in its lines",
      "The source text is from disk; it may have changed since.",
      " self  total  line  source",
      "                 1  line 1",
      "                 2  line 2",
      "                 3  line 3",
      "    2      2     4  line 4",
      "                 5  line 5",
      "                 ⋯  3 lines",
      "    1      1    9?  h: line unknown",
      "Some ticks are past the end of this text: it is not the code that ran.",
    ]);
  });

  it("is in its own order in JSON", () => {
    const document = jsonOf(LINES, withText(), { options: { file: A } });
    expectValid("lines", document);
    expect(document.script).toEqual({ file: A, textFrom: "log", isPastEnd: false });
    expect(document.lines.map((line: { line: number }) => line.line)).toEqual([2, 3]);
  });
});

import { describe, expect, it } from "vitest";
import { frameRows, packFrames } from "../../src/exporters/flame/page-data.ts";
import { PLAIN } from "../../src/reports/style.ts";
import { textLines } from "../../src/reports/text.ts";
import { topPage } from "../../src/reports/top.ts";
import { FunctionNames } from "../../src/views/function-names.ts";
import { FunctionTable } from "../../src/views/function-table.ts";
import { lookAlikes } from "../../src/views/look-alikes.ts";
import { topOf } from "../../src/views/top.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

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

describe("functions that look alike", () => {
  it("are those of one name on one line", () => {
    const columns = Array.from(lookAlikes(functions), ({ title, column }) => `${title} ${column}`);
    expect(columns.sort()).toEqual(["<anonymous> 1", "<anonymous> 168", "t 20", "t 30"]);
    expect(
      lookAlikes([
        { title: "f", file: "a.js", line: 3 },
        { title: "f", file: "a.js", line: 3 },
      ]).size,
    ).toBe(0);
  });

  it("get their column, and no others", () => {
    const names = new FunctionNames(functions);
    const shown = functions.map((one) => Object.values(names.function(one)).slice(0, 2).join(" "));
    expect(shown).toEqual([
      "<anonymous> x.js:1:1",
      "<anonymous> x.js:1:168",
      "t x.js:1:20",
      "t x.js:1:30",
      "t y.js:1",
      "u x.js:1",
    ]);
  });

  it("are told apart in each list of the page, in its stacks and in the command to run next", () => {
    const report = { profile, top: topOf(profile, 10), limit: 10, logs: ["v8.log"] };
    const text = Array.from(textLines(topPage(report), { style: PLAIN, width: 100 })).join("\n");
    expect(text).toContain("x.js:1:1 → x.js:1:168");
    expect(text).toContain("x.js:1:1 → t x.js:1:30");
    expect(text).toContain("x.js:1:1 → u\n");
    expect(text).toMatch(/<anonymous> {2}x\.js:1:168\n/);
    expect(text).toContain("ticks function v8.log x.js:1:30");
  });

  it("are told apart in the flame graph", () => {
    const kept = profile.frames.map((frame, number) => ({ frame, number, isGc: false }));
    const { titles } = packFrames(frameRows(profile.frames, kept)).functions;
    expect(titles).toContain("<anonymous> x.js:1:168");
    expect(titles).toContain("t x.js:1:20");
    expect(titles).toContain("u");
  });
});

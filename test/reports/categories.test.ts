import { describe, expect, it } from "vitest";
import { REPORTERS } from "../../src/library/reporter-table.ts";
import { profileOverTime } from "../helpers/timed-stacks.ts";

/** Ten ticks: four of C++, one of them without a name, one of JavaScript, two of garbage collection, one in the parser, two that waited. */
const STACKS = [
  ...["js:f cpp:a", "js:f cpp:a", "js:f cpp:b", "js:f lib:/x.so", "js:f"],
  ...["gc:js:f cpp:mark", "gc:cpp:mark", "parser:js:f cpp:scan", "idle:cpp:wait", "idle:cpp:wait"],
];
const profile = profileOverTime(...STACKS.map((stack, i) => [i * 1000, stack] as const));

async function printed(command: "top" | "timeline" | "doctor"): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of REPORTERS[command].text(profile)) lines.push(line.trimEnd());
  return lines;
}

describe("the share of a category", () => {
  it("is one number in top, timeline and doctor, of the ticks that did not wait", async () => {
    expect(await printed("top")).toContainEqual(expect.stringMatching(/^ +4 {2}50\.0% .*C\+\+ and other/));
    expect(await printed("timeline")).toContainEqual(expect.stringMatching(/^C\+\+ .* 4 {3}50\.0%$/));
    expect(await printed("doctor")).toContainEqual(
      expect.stringMatching(/^ +4 +50\.0% +1 {2}C\+\+ and other native code$/),
    );
  });

  it("is none for ticks that waited, which stand apart", async () => {
    const timeline = await printed("timeline");
    expect(timeline).toContainEqual(expect.stringMatching(/^idle .* 2$/));
    expect(timeline).toContain("shares: of the ticks that did not wait, as in ticks top");
    const doctor = await printed("doctor");
    expect(doctor).toContainEqual(expect.stringMatching(/^ +8 +100\.0% +1 {2}all$/));
    expect(doctor).toContainEqual(expect.stringMatching(/^ +2 +0 {2}idle: not in the shares$/));
    expect(doctor).toContainEqual(expect.stringMatching(/^ +1 {2}library code without a symbol$/));
  });
});

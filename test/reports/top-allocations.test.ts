import { describe, expect, it } from "vitest";
import { Analysis } from "../../src/facts/analysis.ts";
import { allocationsData } from "../../src/reports/top-allocations.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

describe("who allocates, beside a profile of time", () => {
  it("names callbacks by what they are given to, as the profile of time does", () => {
    const memory = Analysis.of(
      profileFromStacks("js:·/srv/app.js:2:30", "js:·/srv/app.js:9:1", "js:f·/srv/app.js:1:1"),
    );
    const time = profileFromStacks("js:·/srv/app.js:2:30", "js:f·/srv/app.js:1:1");
    const frames = time.frames.map((frame) =>
      frame.kind === "js" && frame.name.endsWith(":2:30") ? { ...frame, role: "rows.map callback" } : frame,
    );
    const { functions } = allocationsData(memory, { ...time, frames }, 10);
    expect(functions.map(({ name, line, role }) => [name, line, role])).toEqual([
      ["", 2, "rows.map callback"],
      ["", 9, undefined],
      ["f", 1, undefined],
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { EXPORTERS } from "../../src/exports/exporters.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

describe("EXPORTERS", () => {
  it("leave out callers that nobody knows, and keep ticks that are of nobody", async () => {
    const { export: write } = EXPORTERS.find(({ name }) => name === "collapsed")!;
    let text = "";
    for await (const piece of write(profileFromStacks("? js:a ? ? js:b", "js:a js:b", "js:a ?", "?")))
      text += piece;
    expect(text.split("\n")).toEqual(["JS: *a_[j];JS: *b_[j] 2", "JS: *a_[j];UNKNOWN 1", "UNKNOWN 1", ""]);
  });
});

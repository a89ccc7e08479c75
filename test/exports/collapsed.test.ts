import { describe, expect, it } from "vitest";
import { collapsed } from "../../src/exports/folded.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function lines(...stacks: readonly string[]): string[] {
  return Array.from(collapsed(profileFromStacks(...stacks)))
    .join("")
    .replace(/\n$/, "")
    .split("\n");
}

describe("collapsed", () => {
  it("has a line for each stack, root first, with its ticks", () => {
    expect(lines("js:a js:b", "js:a js:b", "js:a", "cpp:main js:~a ?")).toEqual([
      "JS: *a_[j] 1",
      "JS: *a_[j];JS: *b_[j] 2",
      "main;JS: ~a_[j];UNKNOWN 1",
    ]);
  });

  it("puts stacks together that differ in lines only, and those in states", () => {
    expect(lines("js:a@1 js:b@2", "js:a@3 js:b@4", "gc:js:a js:b")).toEqual(["JS: *a_[j];JS: *b_[j] 3"]);
  });

  it("marks inlined functions, and code that V8 made", () => {
    expect(lines("js:outer@3 inlined:inner@7 builtin:Add lib:/lib/c.so")).toEqual([
      "JS: *outer_[j];JS: *inner_[i];Builtin: Add_[j];/lib/c.so 1",
    ]);
  });

  it("puts inferred functions into the stacks that the log has them in", () => {
    expect(lines("js:f inferred:g builtin:Add", "js:f js:g builtin:Add")).toEqual([
      "JS: *f_[j];JS: *g_[j];Builtin: Add_[j] 2",
    ]);
  });

  it("takes what would break a line out of names", () => {
    expect(lines("js:a;b cpp:x\n;y\x1b[0m")).toEqual(["JS: *a:b_[j];x\\n:y\\x1b[0m 1"]);
  });

  it("lets no name end in what reads as ticks", () => {
    expect(lines("cpp:f·12", "cpp:f·12 cpp:g··1.5")).toEqual(["f_12 1", "f 12;g_1.5 1"]);
  });
});

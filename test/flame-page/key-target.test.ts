import { describe, expect, it } from "vitest";
import { isForCharts, type KeyTarget } from "../../src/flame-page/key-target.ts";

const KEYS = ["?", "/", "c", "0", "Escape", "ArrowDown", "Enter", " ", "Home"];

describe("the keys of the charts", () => {
  it.each<[KeyTarget, readonly string[]]>([
    ["nothing", KEYS],
    ["chart", KEYS],
    ["button", ["?", "/", "c", "0", "Escape", "ArrowDown", "Home"]],
    ["choice", ["?", "/", "c", "0", "Escape", "Home"]],
    ["scroller", ["?", "/", "c", "0", "Escape", "Enter"]],
    ["text", []],
    ["dialog", []],
  ])("are those that the focus on %s leaves", (target, keys) => {
    expect(KEYS.filter((key) => isForCharts(target, key))).toEqual(keys);
  });
});

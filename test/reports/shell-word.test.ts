import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { shellCommand, shellWord } from "../../src/reports/words.ts";

it("words for a shell are those that it reads", () => {
  const words = [
    "plain",
    "a b",
    "it's",
    "$(x)",
    "`x`",
    'a"b',
    "a\\b",
    "<anonymous>",
    "a*?[b]",
    "é",
    "",
    "~a",
    "a=b",
    "!x",
  ];
  for (const word of words) {
    expect(execFileSync("/bin/sh", ["-c", `printf %s ${shellWord(word)}`], { encoding: "utf8" })).toBe(word);
  }
  expect(shellCommand("ticks function", ["a.log", "f"])).toBe("ticks function a.log f");
  expect(shellCommand("ticks function", ["a.log", "-x y"])).toBe("ticks function -- a.log '-x y'");
  expect(shellCommand("ticks function", ["-", "f"])).toBe("ticks function - f");
});

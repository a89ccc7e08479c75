import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PAGES, ROOT } from "./helpers/pages.ts";

/** Returns the sentences of a page: of its paragraphs, items and cells, without blocks of code. A piece of code is one word. */
function sentencesOf(page: string): string[] {
  const blocks = page
    .replace(/^ *```.*?^ *```/gms, "")
    .replace(/^\|.*$/gm, (row) => row.split("|").join("\n\n"))
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=#)|(?<=^#.*)\n/m);
  return blocks.flatMap((block) =>
    block
      .replace(/`[^`]*`/g, "code")
      .replace(/\]\([^)]*\)/g, "]")
      .replace(/\s+/g, " ")
      .trim()
      .split(/(?<=[.!?:;]\)?) (?=[A-Z`*[("]|code)| · /)
      .filter((sentence) => sentence !== ""),
  );
}

describe("the pages", () => {
  it("link only to what is there", () => {
    const missing = PAGES.flatMap((page) =>
      Array.from(
        readFileSync(join(ROOT, page), "utf8").matchAll(/\]\((?!https?:)([^)#]+)/g),
        ([, target]) => {
          const path = join(ROOT, page, "..", target!);
          try {
            readFileSync(path);
            return [];
          } catch {
            return [`${page}: ${target}`];
          }
        },
      ).flat(),
    );
    expect(missing).toEqual([]);
  });

  it("have two commands in the README, each enough on a fresh machine, of which CI calls the second", () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const commands = readme.match(/^npm ci && .*$/gm)!;
    expect(commands).toEqual([
      expect.stringMatching(/^npm ci && node bin\/ticks\.js fixtures\/\S+$/),
      "npm ci && npm test",
    ]);
    expect(existsSync(join(ROOT, commands[0]!.split(" ").at(-1)!))).toBe(true);
    expect(readFileSync(join(ROOT, ".ci/run"), "utf8").split("\n")).toContain(commands[1]);
  });

  it("have no sentence of over 25 words", () => {
    const long = PAGES.flatMap((page) =>
      sentencesOf(readFileSync(join(ROOT, page), "utf8"))
        .filter((sentence) => sentence.split(" ").filter((word) => /\w/.test(word)).length > 25)
        .map((sentence) => `${page}: ${sentence}`),
    );
    expect(long).toEqual([]);
    expect(sentencesOf("One is\nhere: `a b`. Two\n- Three.\n\n| Four | Five |")).toEqual([
      "One is here:",
      "code.",
      "Two",
      "- Three.",
      "Four",
      "Five",
    ]);
  });

  it("keep the README short", () => {
    expect(readFileSync(join(ROOT, "README.md"), "utf8").split("\n").length).toBeLessThanOrEqual(110);
  });
});

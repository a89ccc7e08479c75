import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PAGES, ROOT } from "./helpers/pages.ts";

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

  it("keep the README short", () => {
    expect(readFileSync(join(ROOT, "README.md"), "utf8").split("\n").length).toBeLessThanOrEqual(110);
  });
});

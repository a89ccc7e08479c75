import { readFileSync } from "node:fs";
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

  it("keep the README short", () => {
    expect(readFileSync(join(ROOT, "README.md"), "utf8").split("\n").length).toBeLessThanOrEqual(110);
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const TYPES = fileURLToPath(new URL("../../dist/types", import.meta.url));

describe("the declarations", () => {
  it("give no type argument to arrays of numbers, which TypeScript knows only from 5.7 on", () => {
    const files = readdirSync(TYPES, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.d\.ts$/.test(name),
    );
    expect(files.length).toBeGreaterThan(10);
    const wrong = files.filter((name) =>
      /\b(?:\w+[0-9]Array|Uint8ClampedArray|Buffer)</.test(readFileSync(join(TYPES, name), "utf8")),
    );
    expect(wrong).toEqual([]);
  });
});

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { VERSION } from "../src/base/version.ts";

it("is that of package.json", () => {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  expect(VERSION).toBe(JSON.parse(text).version);
});

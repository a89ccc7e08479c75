import { mkdtempSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";

/** Makes an empty folder for a test, which is removed after all tests. */
export function testFolder(): string {
  return realpathSync(mkdtempSync(join(inject("cacheHome"), "test-")));
}

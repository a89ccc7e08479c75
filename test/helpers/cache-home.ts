import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the commands of tests keep what they learn, instead of in the home of who runs the tests. */
    cacheHome: string;
  }
}

/** Makes a folder for the caches of commands before all tests, and removes it after them. */
export default function setUp(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "ticks-cache-"));
  project.provide("cacheHome", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

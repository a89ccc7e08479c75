import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Long enough for a machine that does much else: a test waits for what it needs, never for a time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // By default one processor is left idle, for an editor.
    maxWorkers: availableParallelism(),
  },
});

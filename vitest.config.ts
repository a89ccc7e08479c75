import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/helpers/cache-home.ts",
    // Loading the modules anew for each file would take a third of the time.
    isolate: false,
    // Long enough for a machine that does much else: a test waits for what it needs, never for a time. Tests that something
    // takes linear time have so much of it that quadratic time is longer than this.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // By default one processor is left idle, for an editor.
    maxWorkers: availableParallelism(),
  },
});

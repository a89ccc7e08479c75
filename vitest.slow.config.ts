import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * `npm run test:slow`: what takes minutes. Every command on the logs of fixtures/hostile, outputs of huge profiles, kernels
 * against TypeScript with every set of options, files written on full disks and under signals, the page of `ticks flame` in a
 * browser, and the snippets of the pages.
 */
export default defineConfig({
  test: {
    include: ["test/**/*.slow.ts"],
    globalSetup: "test/helpers/cache-home.ts",
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: availableParallelism(),
  },
});

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * `npm run test:slow`: what takes minutes. Every command on the logs of fixtures/hostile, outputs of huge profiles, kernels
 * against TypeScript with every set of options, files written on full disks and under signals.
 */
export default defineConfig({
  test: { include: ["test/**/*.slow.ts"], testTimeout: 120_000, maxWorkers: availableParallelism() },
});

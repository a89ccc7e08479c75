import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // By default one processor is left idle, for an editor.
  test: { include: ["test/**/*.test.ts"], testTimeout: 20_000, maxWorkers: availableParallelism() },
});

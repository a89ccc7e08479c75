import { defineConfig } from "vitest/config";

/** `npm run test:record`: recordings with many versions of Node. See test/record/README.md. */
export default defineConfig({
  test: {
    include: ["test/record/**/*.matrix.ts"],
    globalSetup: "test/helpers/cache-home.ts",
    testTimeout: 300_000,
    fileParallelism: false,
  },
});

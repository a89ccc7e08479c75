import { defineConfig } from "vitest/config";

/** `npm run test:binaries`: names of real programs of macOS and Windows. See test/binaries/README.md. */
export default defineConfig({
  test: {
    include: ["test/binaries/**/*.binaries.ts"],
    // The first run downloads some 200 MB.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});

import { defineConfig } from "vitest/config";

/** `npm run test:peers`: what other tools say of what ticks writes. See test/peers/README.md. */
export default defineConfig({
  test: {
    include: ["test/peers/**/*.peer.ts"],
    globalSetup: "test/helpers/cache-home.ts",
    // The first run installs and builds the peers.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});

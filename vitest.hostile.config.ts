import { defineConfig } from "vitest/config";

/** `npm run test:hostile`: every command on the logs of fixtures/hostile, and every output of huge profiles. Minutes. */
export default defineConfig({
  test: { include: ["test/hostile/**/*.hostile.ts"], testTimeout: 60_000 },
});

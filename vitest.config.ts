import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** Tests of this checkout: a test waits for what it needs, never for a time, so that it passes on a machine that does much else. */
const CHECKOUT = {
  globalSetup: "test/helpers/cache-home.ts",
  // Loading the modules anew for each file would take a third of the time.
  isolate: false,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 30_000 } },
} as const;

/** Tests of other programs, one file at a time. */
const OTHERS = { globalSetup: "test/helpers/cache-home.ts", fileParallelism: false } as const;

export default defineConfig({
  test: {
    // By default one processor is left idle, for an editor.
    maxWorkers: availableParallelism(),
    projects: [
      // `npm test`. Tests that something takes linear time have so much of it that quadratic time is longer than the limit.
      project("fast", "test/**/*.test.ts", { ...CHECKOUT, testTimeout: 60_000 }),
      // `npm run test:slow`: what takes minutes. Every command on the logs of fixtures/hostile, outputs of huge profiles, kernels
      // against TypeScript with every set of options, files written on full disks and under signals, the page of `ticks flame`
      // in a browser, and the snippets of the pages.
      project("slow", "test/**/*.slow.ts", { ...CHECKOUT, testTimeout: 120_000 }),
      // `npm run test:peers`: what other tools say of what ticks writes. The first run installs and builds them. See test/peers/README.md.
      project("peers", "test/peers/**/*.peer.ts", { ...OTHERS, testTimeout: 900_000, hookTimeout: 900_000 }),
      // `npm run test:binaries`: names of real programs of macOS and Windows. The first run downloads some 200 MB. See
      // test/binaries/README.md.
      project("binaries", "test/binaries/**/*.binaries.ts", {
        fileParallelism: false,
        testTimeout: 900_000,
        hookTimeout: 900_000,
      }),
      // `npm run test:record` and `npm run test:attach`: recordings with many versions of Node. See test/record/README.md.
      project("record", "test/record/**/*.matrix.ts", { ...OTHERS, testTimeout: 300_000 }),
    ],
  },
});

function project(
  name: string,
  include: string,
  test: TestProjectInlineConfiguration["test"],
): TestProjectInlineConfiguration {
  return { test: { name, include: [include], ...test } };
}

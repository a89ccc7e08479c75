// Bundles the fuzzers, which are TypeScript as all tests are, and runs them: `npm run fuzz -- --help`.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** As deep in the project as src/cli: files are found relative to the module that wants them. */
const BUNDLE = `${ROOT}node_modules/.ticks-fuzz`;

await build({
  input: { main: `${ROOT}test/fuzz/main.ts`, worker: `${ROOT}test/fuzz/worker.ts` },
  platform: "node",
  external: /^[^./](?!:)/,
  output: { dir: BUNDLE, format: "esm", cleanDir: true, sourcemap: true },
  logLevel: "silent",
});
const { status } = spawnSync(
  process.execPath,
  ["--enable-source-maps", `${BUNDLE}/main.js`, ...process.argv.slice(2)],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;

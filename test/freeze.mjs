// Holds what every command prints while the code is moved: `npm run freeze` writes a SHA-256 of the output of every command line
// on every fixture, with WebAssembly and without it, and `npm run freeze -- --check` says which differ. See USAGE.
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const USAGE = `usage: freeze.mjs [options] [LOG…]
  LOG           logs, or folders of logs, beside the fixtures
  --check       compare with the file, and exit 1 if something differs
  --file FILE   where the hashes are (build/freeze.json)
  --only WORD   only command lines that have this word
  --mode MODE   only with WebAssembly (usual), or only without (jitless), which takes most of the time
`;
const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What Node is started with: with all it has, and without compilers, so that TypeScript does what kernels do. */
const MODES = { usual: [], jitless: ["--jitless"] };

if (process.send === undefined) await main();
else await runCommands();

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      check: { type: "boolean", default: false },
      file: { type: "string", default: join(ROOT, "build", "freeze.json") },
      only: { type: "string" },
      mode: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const runs = await commandsOn([...fixtureLogs(), ...positionals], values.only);
  const modes = values.mode === undefined ? Object.keys(MODES) : [values.mode];
  const found = await Promise.all(modes.map((mode) => hashesIn(mode, runs)));
  const hashes = Object.assign({}, ...found);
  if (!values.check) {
    mkdirSync(dirname(values.file), { recursive: true });
    writeFileSync(values.file, `${JSON.stringify(hashes, null, 1)}\n`);
    process.stdout.write(`${Object.keys(hashes).length} outputs frozen\n`);
    return;
  }
  const frozen = JSON.parse(readFileSync(values.file, "utf8"));
  const differing = Object.keys(hashes).filter((key) => frozen[key] !== hashes[key]);
  for (const key of differing) process.stdout.write(`${key in frozen ? "differs" : "is new"}: ${key}\n`);
  process.stdout.write(`${Object.keys(hashes).length} outputs, ${differing.length} not as frozen\n`);
  process.exitCode = differing.length === 0 ? 0 : 1;
}

/** The logs of fixtures/: a case with one log, or the folder of a case with several. Hostile logs have a test of their own. */
function fixtureLogs() {
  const fixtures = join(ROOT, "fixtures");
  return readdirSync(fixtures).flatMap((name) => {
    if (name === "hostile") return [];
    const log = join(fixtures, name, "isolate.log.gz");
    return [existsSync(log) ? log : join(fixtures, name)];
  });
}

/** The command lines on some logs: the folder that each runs in, its words, and the key of its hash. */
async function commandsOn(logs, only) {
  const { FROZEN_LINES, LOG } = await import("./helpers/command-lines.mjs");
  return logs.flatMap((log) => {
    const folder = dirname(log);
    const name = relative(folder, log);
    return FROZEN_LINES.flatMap(({ args }) => {
      const words = args.map((word) => (word === LOG ? name : word === "FUNCTION" ? "/./" : word));
      if (only !== undefined && !words.includes(only)) return [];
      return [{ folder, words, key: `${relative(ROOT, folder) || "."}: ${words.join(" ")}` }];
    });
  });
}

/** Runs the command lines in one process in a mode, and returns their hashes by key. */
function hashesIn(mode, runs) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: "1", XDG_CACHE_HOME: join(ROOT, "build", `freeze-${mode}`) };
    const child = fork(fileURLToPath(import.meta.url), { execArgv: MODES[mode], env });
    let hashes;
    child.once("message", (message) => {
      hashes = message;
    });
    child.once("exit", (status) => {
      if (hashes === undefined) reject(new Error(`${mode}: the process ended with status ${status}`));
      else
        resolve(Object.fromEntries(Object.entries(hashes).map(([key, hash]) => [`${mode}: ${key}`, hash])));
    });
    child.send(runs);
  });
}

async function runCommands() {
  const { readCommandLine } = await import("../build/cli/arguments.js");
  const { runProgram } = await import("../build/cli/program.js");
  const { errorText } = await import("../build/cli/usage/error-text.js");
  const { settledAtExit } = await import("../build/cli/exit.js");
  const { capturedRun } = await import("./helpers/captured-run.mjs");
  const runs = await new Promise((resolve) => process.once("message", resolve));
  const hashes = {};
  for (const { folder, words, key } of runs) {
    process.chdir(folder);
    const { status, stdout, stderr } = await capturedRun({ readCommandLine, runProgram, errorText }, words);
    await settledAtExit();
    // A page of live says how long it took.
    const shown = words[0] === "live" ? stdout.toString("utf8").replace(/"elapsedMs":\d+/g, "") : stdout;
    hashes[key] = createHash("sha256").update(`${status}\n${stderr}\n`).update(shown).digest("hex");
  }
  process.send(hashes, () => process.exit());
}

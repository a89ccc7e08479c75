import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LOGS, makeLog } from "./make-log.mjs";
import { measureInTurn } from "./measure.mjs";
import { formatTable } from "./table.mjs";
import { commandOf, nameOf } from "./view-measures.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The first is what the others are compared with. */
const COMMANDS = [
  ["process", "LOG"],
  ["top", "LOG"],
  ["tree", "LOG"],
  ["lines", "LOG"],
  ["timeline", "LOG"],
  ["flame", "-o", "FILE", "LOG"],
  ["deopts", "LOG"],
  ["export", "--format", "pprof", "-o", "FILE", "LOG"],
];
/** The logs that are made if none is given, with the factor of their size. */
const MADE = [
  { log: "deep", factor: 0.75 },
  { log: "shallow", factor: 0.375 },
];
const HEADINGS = [
  "log, command",
  "CPU s before",
  "now",
  "times",
  "MB before",
  "now",
  "of process before",
  "now",
];

/**
 * Measures every view of this version and of an older commit, in turns, and prints both. Each has a cache of its own: two versions
 * that share one write it anew at each run.
 */
export async function measureAgainst(bench, commit, logs) {
  const older = buildOf(bench, commit);
  const given = logs.map((path) => ({ name: basename(path), path }));
  for (const { name, path } of given.length > 0 ? given : madeLogs(bench)) {
    const rows = await rowsOn(bench, older, { name, path });
    process.stdout.write(`${formatTable(HEADINGS, rows)}\n`);
  }
}

/** Makes the logs when they are asked for. */
function* madeLogs(bench) {
  for (const { log, factor } of MADE) {
    const path = join(bench.folder, `against-${log}.log`);
    makeLog(log, path, factor);
    yield { name: `${log} (${factor} of: ${LOGS.get(log)?.about})`, path };
    fs.rmSync(path);
  }
}

/** Builds a commit in a folder of its own and returns its command. */
function buildOf(bench, commit) {
  const folder = join(bench.folder, "older");
  const run = (program, args, cwd = folder) => {
    bench.progress(`${commit}: ${[program, ...args].join(" ")}`);
    execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  };
  fs.mkdirSync(folder);
  const archive = `${folder}.tar`;
  run("git", ["archive", "--output", archive, commit], ROOT);
  run("tar", ["-xf", archive]);
  fs.rmSync(archive);
  run("npm", ["ci", "--ignore-scripts"]);
  run("npm", ["run", "build"]);
  return [process.execPath, join(folder, "bin/ticks.js")];
}

async function rowsOn(bench, older, { name, path }) {
  const output = join(bench.folder, "against-output");
  const versions = [{ ...bench, ticks: older }, bench];
  const commands = COMMANDS.flatMap((words) =>
    versions.map((version, i) => ({
      ...commandOf(version, words, { path, output }),
      env: { XDG_CACHE_HOME: join(bench.folder, `cache-${i}`) },
      runs: bench.runs,
      warmUp: true,
    })),
  );
  const found = await measureInTurn(commands, join(bench.folder, "output"), (text) =>
    bench.progress(`${name}: ${text}`),
  );
  fs.rmSync(output, { force: true });
  const rows = COMMANDS.map((words, i) => {
    const [before, now] = [found[2 * i], found[2 * i + 1]];
    return [
      nameOf(words),
      ...[before.failure ?? before.cpu.toFixed(2), now.failure ?? now.cpu.toFixed(2)],
      (now.cpu / before.cpu).toFixed(2),
      ...[megabytes(before), megabytes(now)],
      ...[(before.cpu / found[0].cpu).toFixed(2), (now.cpu / found[1].cpu).toFixed(2)],
    ];
  });
  return [[name], ...rows];
}

function megabytes({ peakBytes }) {
  return peakBytes === undefined ? "-" : (peakBytes / 1e6).toFixed(0);
}

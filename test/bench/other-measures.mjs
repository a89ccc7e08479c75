import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { onOneCpu, peerCommand, ticksCommand } from "./compare.mjs";
import { makeLog } from "./make-log.mjs";
import { measureInTurn } from "./measure.mjs";
import { otherRow } from "./table.mjs";
import { measureHardLogs, measureKind } from "./view-measures.mjs";

/** Bytes that are piped in by `endless`, and bytes of the log whose ticks it repeats. */
const ENDLESS_BYTES = 10e9;
const REPEATED_BYTES = 50e6;
/** Factor at which `shallow` is the log of a run of few seconds: 2 MB. */
const SHORT_FACTOR = 0.001;
/** The logs of `folder`, of 2 MB each. */
const FOLDER_LOGS = 650;

export const OTHER_HEADINGS = ["measured", "s", "RSS MB", "against", "s", "RSS MB", "ratio", "ms more"];

/** What is measured beside the comparisons of whole logs, by name: each answers rows under OTHER_HEADINGS. */
export const OTHER_MEASURES = new Map([
  ["startup", measureStartUp],
  ["short", measureShortLog],
  ["input", measureInputs],
  ["views", measureKind("views")],
  ["exports", measureKind("exports")],
  ["hard", measureHardLogs],
  ["folder", measureFolder],
  ["endless", measureEndless],
]);

/** `ticks --version` over a Node that does nothing. */
async function measureStartUp(bench) {
  const runs = 4 * bench.runs;
  const commands = [
    { name: "ticks --version", argv: [...bench.cpus, ...bench.ticks, "--version"], runs, warmUp: true },
    { name: "node -e 0", argv: [...bench.cpus, process.execPath, "-e", "0"], runs, warmUp: true },
  ];
  const [mine, bare] = await measureInTurn(commands, join(bench.folder, "output"), () => {});
  bench.progress(`startup: ${runs} runs`);
  return [otherRow("ticks --version", mine, "node -e 0", bare)];
}

/** A log of 2 MB, where most of the time is for symbols: with an empty cache folder and with a full one. */
async function measureShortLog(bench) {
  const path = join(bench.folder, "short.log");
  const { ticks } = makeLog("shallow", path, SHORT_FACTOR);
  const warm = ticksCommand(bench, path, ticks);
  const emptyCache = join(bench.folder, "empty-cache");
  const cold = {
    ...warm,
    name: "ticks, cold",
    env: { XDG_CACHE_HOME: emptyCache },
    before: () => fs.rmSync(emptyCache, { recursive: true, force: true }),
  };
  const commands = [
    cold,
    warm,
    ...(bench.peerRuns > 0 ? [{ ...peerCommand(bench, path), runs: bench.runs }] : []),
  ];
  const [coldly, warmly, peer] = await measure(bench, "short", commands);
  fs.rmSync(path);
  return [
    otherRow("2 MB log, cold caches", coldly, "node --prof-process", peer),
    otherRow("2 MB log, warm caches", warmly, "node --prof-process", peer),
  ];
}

/** The same log as a file, from `cat` through a pipe, and compressed. */
async function measureInputs(bench) {
  const path = join(bench.folder, "input.log");
  const { ticks } = makeLog("deep", path);
  const compressed = `${path}.gz`;
  execFileSync("sh", ["-c", 'exec gzip -c "$1" > "$2"', "gzip", path, compressed]);
  const file = ticksCommand(bench, path, ticks);
  const gunzip = ["sh", "-c", 'exec gunzip -c "$1" > /dev/null', "gunzip", compressed];
  const piped = 'log=$1; shift; gunzip -c "$log" | "$@" process -';
  const unpacked = ["sh", "-c", piped, "gunzip", compressed, ...bench.ticks];
  const commands = [
    file,
    { ...ticksCommand(bench, "-", ticks), name: "cat | ticks", piped: path },
    { ...ticksCommand(bench, compressed, ticks), name: "ticks log.gz" },
    { name: "gunzip", argv: [...bench.cpus, ...gunzip], runs: bench.runs, warmUp: true },
    { ...file, name: "gunzip | ticks", argv: [...bench.cpus, ...unpacked] },
  ];
  const [asFile, asPipe, asGzip, bare, asUnpacked] = await measure(bench, "input", commands);
  fs.rmSync(path);
  fs.rmSync(compressed);
  return [
    otherRow("cat log | ticks process -", asPipe, "ticks process log", asFile),
    otherRow("ticks process log.gz", asGzip, "ticks process log", asFile),
    otherRow("ticks process log.gz", asGzip, "gunzip log.gz", bare),
    otherRow("ticks process log.gz", asGzip, "gunzip | ticks", asUnpacked),
  ];
}

/** A folder of copies of a made-up log, on all processors and on one. */
async function measureFolder(bench) {
  const folder = join(bench.folder, "logs");
  fs.mkdirSync(folder);
  const first = join(folder, "isolate0x1-1-v8.log");
  const { ticks } = makeLog("shallow", first, SHORT_FACTOR);
  for (let pid = 2; pid <= FOLDER_LOGS; pid++)
    fs.copyFileSync(first, join(folder, `isolate0x1-${pid}-v8.log`));
  const row = await measureLogs(bench, folder, `${FOLDER_LOGS} logs of 2 MB`, ticks * FOLDER_LOGS);
  fs.rmSync(folder, { recursive: true });
  return [row];
}

/** The logs of a folder, on all processors and on one. */
export async function measureLogs(bench, folder, about, ticks) {
  const all = ticksCommand({ ...bench, cpus: [] }, folder, ticks);
  const [mine, alone] = await measure(bench, "folder", [all, onOneCpu(all)]);
  return otherRow(about, mine, "on one CPU", alone);
}

/** 10 GB through a pipe, the same ticks again and again, against 1 GB of them: memory must not grow with the log. */
async function measureEndless(bench) {
  const path = join(bench.folder, "endless.log");
  const { bytes } = makeLog("deep", path);
  const ticksOnly = `${path}.ticks`;
  const repeated = copyLastTicks(path, ticksOnly);
  const piped = {
    ...ticksCommand(bench, "-"),
    warmUp: false,
    runs: 1,
    piped: path,
    pipedAgain: ticksOnly,
  };
  const timesFor = (/** @type {number} */ total) => Math.round((total - bytes) / repeated);
  const commands = [
    // The symbols are in the cache for both then.
    { ...ticksCommand(bench, path), name: "the file", warmUp: false, runs: 1 },
    { ...piped, name: "10 GB", pipedTimes: timesFor(ENDLESS_BYTES) },
    { ...piped, name: "1 GB", pipedTimes: timesFor(ENDLESS_BYTES / 10) },
  ];
  const [, large, small] = await measure(bench, "endless", commands);
  fs.rmSync(path);
  fs.rmSync(ticksOnly);
  return [otherRow("10 GB piped in", large, "1 GB piped in", small)];
}

/** Copies the tick rows among the last bytes of a log. */
function copyLastTicks(from, to) {
  const file = fs.openSync(from, "r");
  const tail = Buffer.alloc(REPEATED_BYTES);
  fs.readSync(file, tail, 0, REPEATED_BYTES, fs.fstatSync(file).size - REPEATED_BYTES);
  fs.closeSync(file);
  const rows = tail.toString("latin1").split("\n").slice(1);
  const ticks = rows.filter((row) => row.startsWith("tick,"));
  const text = `${ticks.join("\n")}\n`;
  fs.writeFileSync(to, text, "latin1");
  return text.length;
}

function measure(bench, name, commands) {
  return measureInTurn(commands, join(bench.folder, "output"), (text) => bench.progress(`${name}: ${text}`));
}

// Measures `ticks live` on a log that is written while it runs: `node test/bench/live.mjs [SPEED] [SECONDS] [LOG]`. The log
// is that of a server (the log `deep` of make-log.mjs) at SPEED times 1,000 ticks a second, for SECONDS. 20 and 180 are an
// hour's log. Prints the processor time and the memory of `ticks live`, in a pipe and, where there is `script` (Linux),
// on a terminal. Needs `npm run build`.
import { fork, spawn } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LogWriter } from "./log-writer.mjs";
import { writeDeep } from "./typical-logs.mjs";

const TICKS = fileURLToPath(new URL("../../bin/ticks.js", import.meta.url));
/** Ticks of the log `deep`. */
const DEEP_TICKS = 326_800;
/** Linux counts processor time in hundredths of a second. */
const CLOCK_TICKS = 100;
/** Ticks that V8 writes at once. */
const BATCH = 20;

const [mode, ...rest] = process.argv.slice(2);
if (mode === "--write") write(...rest);
else await measure(...process.argv.slice(2));

/** Writes a log that is as fast as its program was, times `speed`. */
function write(path, speed, seconds) {
  const log = new LogWriter(path);
  const started = performance.now();
  const wait = new Int32Array(new SharedArrayBuffer(4));
  const tick = log.tick.bind(log);
  log.tick = (...fields) => {
    tick(...fields);
    if (log.ticks % (BATCH * Number(speed)) !== 0) return;
    log.flush();
    const early = log.ticks / Number(speed) - (performance.now() - started);
    if (early > 0) Atomics.wait(wait, 0, 0, early);
  };
  writeDeep(log, (Number(speed) * Number(seconds) * 1000) / DEEP_TICKS);
  log.end();
}

async function measure(speed = "20", seconds = "180", log = join(tmpdir(), `ticks-live-${process.pid}.log`)) {
  const faces = fs.existsSync("/usr/bin/script") ? ["pipe", "terminal"] : ["pipe"];
  for (const face of faces) {
    const writer = fork(fileURLToPath(import.meta.url), ["--write", log, speed, seconds]);
    while (!fs.existsSync(log)) await sleep(10);
    const reader = face === "pipe" ? inPipe(log) : onTerminal(log);
    const ended = new Promise((resolve) => writer.on("exit", resolve));
    let isWriting = true;
    ended.then(() => {
      isWriting = false;
    });
    const figures = [];
    while (isWriting) {
      await sleep(1000);
      const figure = figureOf(log);
      if (figure !== undefined) figures.push(figure);
    }
    // The start is left out: it reads the symbols of the binary.
    const [first, last] = [figures[Math.min(5, figures.length - 1)], figures.at(-1)];
    const share = (100 * (last.cpu - first.cpu)) / (last.at - first.at);
    const megabytes = (kilobytes) => Math.round(kilobytes / 1024);
    console.log(
      `${face}: ${speed} x 1,000 ticks/s for ${seconds} s, ${Math.round(fs.statSync(log).size / 1e6)} MB: ` +
        `${share.toFixed(1)} % of one core, ${megabytes(last.rss)} MB at the end, ${megabytes(last.peak)} MB at most`,
    );
    reader.kill("SIGKILL");
    for (const pid of readersOf(log)) process.kill(pid, "SIGKILL");
    fs.rmSync(log);
  }
}

function inPipe(log) {
  return spawn(process.execPath, [TICKS, "live", log, "--format", "json"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

function onTerminal(log) {
  const command = `stty rows 50 columns 120; exec ${process.execPath} ${TICKS} live ${log}`;
  return spawn("script", ["-qfc", command, "/dev/null"], { stdio: ["pipe", "ignore", "inherit"] });
}

/** Returns the processor time and the memory of the command that reads a log. */
function figureOf(log) {
  const [pid] = readersOf(log);
  if (pid === undefined) return undefined;
  const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]);
  return {
    at: performance.now() / 1000,
    cpu: (Number(stat[11]) + Number(stat[12])) / CLOCK_TICKS,
    rss: kilobytes("VmRSS"),
    peak: kilobytes("VmHWM"),
  };
}

function readersOf(log) {
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const words = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return words[1] === TICKS && words.includes(log);
      } catch {
        return false; // It has ended.
      }
    })
    .map(Number);
}

function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

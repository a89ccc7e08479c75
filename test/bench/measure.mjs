import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * @typedef {object} Measurement
 * @property {number} seconds of wall time, from before the process is started until it has exited
 * @property {number | undefined} cpu seconds of CPU time of all its threads, user and system; undefined for what is no program of Node
 * @property {number | undefined} peakBytes resident set at its largest; undefined where it cannot be told
 * @property {string | undefined} failure why the run does not count
 */

/**
 * @typedef {object} Summary medians over the runs of one command
 * @property {number} runs that counted
 * @property {number} seconds
 * @property {number} fastest seconds of the run that was disturbed least; not a median
 * @property {number} cpu seconds of CPU time of the run that took least, not a median: other programs only add to it; NaN if unknown
 * @property {number | undefined} peakBytes
 * @property {string | undefined} failure of the first run that failed; then there are no medians
 */

/**
 * A command to measure.
 *
 * @typedef {object} Command
 * @property {string} name for progress
 * @property {string[]} argv program and arguments
 * @property {string} [piped] file that `cat` writes into a pipe, which is the command's stdin
 * @property {number} [pipedTimes] how often cat writes it, after the first; 0 by default
 * @property {string} [pipedAgain] file that is written those times; `piped` by default
 * @property {Record<string, string>} [env] added to the environment
 * @property {(output: string) => string | undefined} [check] what is wrong with the beginning of its output
 * @property {() => void} [before] called before each run, outside the measured time
 * @property {number} runs
 * @property {boolean} warmUp one run more at the start, which does not count
 */

/** Between two looks at a process's peak memory. What it grows by after the last look is missed. */
const POLL_MILLISECONDS = 5;
/** As much of the output as is checked. */
const CHECKED_BYTES = 4096;
/**
 * Settings of whoever runs the bench that change what Node does: they are kept from the commands. Node 20 reads the
 * certificates at every start, which takes it longer than all else.
 */
const UNWANTED_SETTINGS = ["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "NODE_COMPILE_CACHE"];
/** What programs of Node load first, see there. */
const CPU_TIME = fileURLToPath(new URL("./cpu-time.cjs", import.meta.url));
/** A process that has not ended by then is ended. */
const TIMEOUT_MILLISECONDS = 600_000;

/**
 * Measures commands in turn (A B C A B C), so that a slow spell of the machine meets them all.
 * `outputPath` is a file for their stdout, replaced by each run;
 * `progress` is told of each run as it ends.
 * Returns the summaries in the order of the commands.
 */
export async function measureInTurn(commands, outputPath, progress) {
  const results = commands.map(() => []);
  const rounds = Math.max(...commands.map((command) => command.runs));
  for (let round = 0; round <= rounds; round++) {
    for (const [index, command] of commands.entries()) {
      if (round === 0 ? !command.warmUp : round > command.runs) continue;
      const done = results[index] ?? [];
      if (done.at(-1)?.failure !== undefined) continue;
      const measurement = await measure(command, outputPath);
      const turn = round === 0 ? "warm-up" : `${round}/${command.runs}`;
      progress(`${command.name} ${turn}: ${measurement.failure ?? `${measurement.seconds.toFixed(2)} s`}`);
      if (round > 0 || measurement.failure !== undefined) done.push(measurement);
    }
  }
  return results.map(summarize);
}

/**
 * Runs a command once.
 *
 * The peak is VmHWM of /proc/PID/status, the kernel's own high-water mark: unlike ru_maxrss of a child it
 * does not inherit the peak of the process that started it. It is that of the command itself, not of
 * programs which it starts in turn (nm).
 */
async function measure(command, outputPath) {
  command.before?.();
  const output = fs.openSync(outputPath, "w+");
  const stdin = command.piped === undefined ? undefined : openPipe(command, `${outputPath}.pipe`);
  const cpuPath = `${outputPath}.cpu`;
  fs.rmSync(cpuPath, { force: true });
  const [program = "", ...args] = command.argv;
  const started = performance.now();
  const child = spawn(program, args, {
    stdio: [stdin ?? "ignore", output, "pipe"],
    env: { ...inheritedSettings(), ...cpuSettings(cpuPath), ...command.env },
    timeout: TIMEOUT_MILLISECONDS,
  });
  let errors = "";
  child.stderr?.on("data", (chunk) => {
    errors = (errors + chunk).slice(-2000);
  });
  let peakBytes = readPeak(child.pid);
  const poll = setInterval(() => {
    peakBytes = readPeak(child.pid) ?? peakBytes;
  }, POLL_MILLISECONDS);
  const [seconds, ending] = await new Promise((resolve) => {
    child.once("error", (error) => resolve([0, error.message]));
    child.once("exit", (status, signal) => {
      const seconds = (performance.now() - started) / 1000;
      const late = seconds * 1000 >= TIMEOUT_MILLISECONDS;
      resolve([seconds, status === 0 ? undefined : late ? "timeout" : (signal ?? `exit ${status}`)]);
    });
  });
  clearInterval(poll);
  const failure = ending ?? command.check?.(readBeginning(output));
  fs.closeSync(output);
  if (stdin !== undefined) fs.closeSync(stdin);
  if (ending !== undefined && errors !== "") process.stderr.write(`${errors.trimEnd()}\n`);
  return { seconds, cpu: readCpu(cpuPath), peakBytes, failure };
}

function cpuSettings(path) {
  return { NODE_OPTIONS: `--require ${JSON.stringify(CPU_TIME)}`, TICKS_BENCH_CPU: path };
}

function readCpu(path) {
  return fs.existsSync(path) ? Number(fs.readFileSync(path, "utf8")) : undefined;
}

/** The environment of the bench, without what would change the commands. */
function inheritedSettings() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !UNWANTED_SETTINGS.includes(name)),
  );
}

/**
 * A pipe into which `cat` writes, as a shell would make it. Node's own would be a socket.
 * Returns a file descriptor to read from.
 */
function openPipe(command, path) {
  fs.rmSync(path, { force: true });
  const made = spawnSync("mkfifo", [path]);
  if (made.status !== 0) throw new Error("cannot make a pipe: there is no mkfifo");
  const again = command.pipedAgain ?? command.piped ?? "";
  const files = [command.piped ?? "", ...Array(command.pipedTimes ?? 0).fill(again)];
  // The shell's open waits for ours, and ours for the shell's.
  const cat = spawn("sh", ["-c", 'pipe=$1; shift; exec cat "$@" > "$pipe"', "cat", path, ...files], {
    stdio: "ignore",
  });
  cat.once("error", (error) => {
    throw error;
  });
  return fs.openSync(path, "r");
}

function readBeginning(file) {
  const bytes = Buffer.alloc(CHECKED_BYTES);
  return bytes.toString("utf8", 0, fs.readSync(file, bytes, 0, CHECKED_BYTES, 0));
}

function readPeak(pid) {
  if (pid === undefined || process.platform !== "linux") return undefined;
  try {
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "latin1"));
    return peak === null ? undefined : Number(peak[1]) * 1024;
  } catch {
    return undefined; // It has ended since the last look.
  }
}

function summarize(measurements) {
  const failure = measurements.find((measurement) => measurement.failure !== undefined)?.failure;
  const seconds = measurements.map((measurement) => measurement.seconds);
  const peaks = measurements.flatMap(({ peakBytes }) => (peakBytes === undefined ? [] : [peakBytes]));
  return {
    runs: measurements.length,
    seconds: median(seconds),
    fastest: Math.min(...seconds),
    cpu: Math.min(...measurements.map(({ cpu }) => cpu ?? Number.NaN)),
    peakBytes: peaks.length === 0 ? undefined : median(peaks),
    failure,
  };
}

/** Returns the mean of the two in the middle where their number is even. */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

import { type Command, InvalidArgumentError, Option } from "commander";
import { TicksError } from "../../errors.js";
import { withLabel } from "../../exporters/export-options.js";
import { patterns } from "../filter-options.js";
import { positiveNumber, wholeNumber } from "../options.js";
import { addRecordText } from "./record/help-text.js";
import { mirrorEnd } from "./record/mirrored-end.js";
import { type RecordFlags, recordRuns } from "./record/record-runs.js";

/** Adds the options and the action of `ticks record`. */
export function configure(command: Command): void {
  command
    .usage("[options] -- COMMAND...")
    .option("-o, --output <dir>", "write the logs to this new folder (default: ticks-DATE-PID)")
    .addOption(
      new Option("--interval <us>", "take a tick every so many microseconds")
        .argParser(interval)
        .default(1000),
    )
    .optionsGroup("What to record beside ticks:")
    .option(
      "--deopts",
      "log why optimized code is thrown away, for ticks deopts (--log-deopt); Node 16 to 24 also print it",
    )
    .option("--ics", "log inline caches (--log-ic)")
    .option(
      "--startup",
      "log each function as it is parsed and compiled (--log-function-events), and end with the page of ticks startup",
    )
    .option("--no-sparkplug", "turn off Sparkplug, whose code has no lines in the logs of Node 16 to 25")
    .addOption(
      new Option("--label <key=value>", "keep a label in record.json; repeatable").argParser(withLabel),
    )
    .optionsGroup("When to stop:")
    .addOption(
      new Option("--duration <time>", "stop the program after this time: 10s, 500ms").argParser(duration),
    )
    .addOption(
      new Option(
        "--until <re>",
        "stop when a line on standard output matches, such as that a server is ready: there the start-up ends for ticks startup; it becomes a pipe for the program",
      ).argParser(patterns("--until")),
    )
    .addOption(
      new Option(
        "--on-port <command>",
        "when the program listens on a port, run this shell command with $PORT; its end stops the program",
      ),
    )
    .addOption(new Option("--max-size <size>", "stop when the logs are larger: 500MB, 2GB").argParser(size))
    .optionsGroup("Several runs:")
    .addOption(
      new Option(
        "--runs <n>",
        "run the command N times, each with a folder of its own, for ticks diff",
      ).argParser(positiveNumber),
    )
    .addOption(
      new Option("--warmup <n>", "run the command N times before, unrecorded")
        .argParser(wholeNumber)
        .default(0),
    )
    .optionsGroup("While it runs:")
    .addOption(
      new Option(
        "--live",
        "show the page of ticks live; what the command writes goes to output.txt in the folder",
      ).conflicts(["until", "runs"]),
    )
    .optionsGroup("At the end:")
    .option("--open", "write a flame graph into the folder and open it in the browser")
    .option("--keep", "keep the logs (default)")
    .addOption(new Option("--discard", "print the report and remove the logs").conflicts(["keep", "open"]));
  addRecordText(command);
  command.action(async (words: string[], flags: RecordFlags) => {
    await runRecord(words, flags);
  });
}

/** Runs `ticks record`, and ends as the command ended: with its exit status, or by its signal. */
async function runRecord(words: readonly string[], flags: RecordFlags): Promise<void> {
  if (words.length === 0) {
    throw new TicksError("BAD_OPTION", "no command to run", "Such as: ticks record -- node app.js");
  }
  await mirrorEnd(await recordRuns(words, flags));
}

const SHORTEST = 20;
const LONGEST = 1e6;

function interval(text: string): number {
  const number = wholeNumber(text);
  if (number < SHORTEST || number > LONGEST)
    throw new InvalidArgumentError(`Expected ${SHORTEST} to ${LONGEST} microseconds.`);
  return number;
}

const TIME_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  "": 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
};
/** The longest time that a timer takes, in milliseconds: 24 days. */
const LONGEST_TIME = 2 ** 31 - 1;

/** Reads a time, in milliseconds. */
function duration(text: string): number {
  const time = quantity(text, TIME_UNITS);
  if (time === undefined || time <= 0 || time > LONGEST_TIME)
    throw new InvalidArgumentError("Expected a time such as 10s, 500ms or 2min.");
  return time;
}

const SIZE_UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  m: 1e6,
  mb: 1e6,
  g: 1e9,
  gb: 1e9,
};

/** Reads a size, in bytes. */
function size(text: string): number {
  const bytes = quantity(text, SIZE_UNITS);
  if (bytes === undefined || bytes <= 0)
    throw new InvalidArgumentError("Expected a size such as 500MB or 2GB.");
  return bytes;
}

function quantity(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, number, unit] = /^(\d{1,12}(?:\.\d{1,6})?) ?([a-z]{0,3})$/i.exec(text) ?? [];
  const factor = units[unit?.toLowerCase() ?? "?"];
  return factor === undefined ? undefined : Number(number) * factor;
}

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { badOption, TicksError } from "../../../base/errors.js";
import { shellWord } from "../../../base/shown-text.js";
import { sized, text } from "../../../base/text.js";
import { parsedLabels } from "../../../exports/export-options.js";
import { printable } from "../../../facts/label.js";
import { logsIn } from "../../../io/find-logs.js";
import { type CommandEnd, SignalKeeper, saveTerminal } from "../../../record/command.js";
import type { NamedTarget } from "../../../record/inspector.js";
import { commitOf, thisMachine } from "../../../record/machine.js";
import {
  commandText,
  PROFILES,
  type Profiling,
  profilesIn,
  type RecordFacts,
  readRecordFile,
  runFoldersIn,
  SIDE_FOLDERS,
  sourceRootOf,
} from "../../../record/recording-file.js";
import { MASK, maskSecrets, recordFlags } from "../../../record/session.js";
import { sizeOf } from "../../../record/stop-rules.js";
import { TICK_INTERVAL } from "../../../reports/option-values.js";
import { REPORTS } from "../../../reports/reports.js";
import { counted, shellCommand } from "../../../reports/words.js";
import { askDiff, type DiffFlags, printDiff } from "../../ask-diff.js";
import { type FlameFlags, writeFlame } from "../../flame-file.js";
import { openSharedInput } from "../../log-input.js";
import type { FormatFlags, ViewFlags } from "../../options.js";
import { usualFlags } from "../../read-options.js";
import { saveSymbols } from "../../saving/save-symbols.js";
import { showReport } from "../../show-report.js";
import { isErrorOfLog, warnSkipped } from "../../skipped-logs.js";
import { warn } from "../../terminal.js";
import {
  makeRecordFolder,
  makeRunFolder,
  type RecordFolder,
  removeRecording,
  writeRecordFile,
} from "./record-folder.js";
import { type RunOptions, recordRun, runUnrecorded } from "./record-run.js";

/** The options of `ticks record`. */
export interface RecordFlags {
  pid?: number;
  port?: NamedTarget;
  /** Whether there are logs beside what {@link allocations} records: alone it changes nothing. */
  prof?: boolean;
  cpuProf?: boolean;
  allocations?: boolean;
  /** In bytes; undefined for {@link SAMPLING_INTERVAL}. */
  samplingInterval?: number;
  output?: string;
  interval: number;
  deopts?: boolean;
  ics?: boolean;
  startup?: boolean;
  sparkplug: boolean;
  /** Each `KEY=VALUE`. */
  label?: string[];
  /** In milliseconds. */
  duration?: number;
  until?: readonly RegExp[];
  onPort?: string;
  /** In bytes. */
  maxSize?: number;
  runs?: number;
  warmup: number;
  add?: boolean;
  /** The folder of an older recording. */
  against?: string;
  live?: boolean;
  open?: boolean;
  discard?: boolean;
}

/** Returns what shows the page of `ticks live` on a terminal. Throws a {@link TicksError} if there is none. */
async function livePage(words: readonly string[]): Promise<NonNullable<RunOptions["watch"]>> {
  if (process.stdout.isTTY !== true || process.stdin.isTTY !== true) {
    const hint = "Leave it out, and run ticks live on the folder in another terminal.";
    throw badOption("--live needs a terminal", hint);
  }
  const { watchLogs } = await import("../../live/watch-logs.js"); // Most recordings are not watched.
  const title = printable(words.join(" "));
  return async (folder, until) => {
    const flags = { ...usualFlags<ViewFlags>("live"), format: "text" } as const;
    return (await watchLogs({ logs: [], folders: [folder], title, flags, until })).end;
  };
}

/** The mean of bytes between two samples of allocations, if nobody says otherwise: as in DevTools. */
const SAMPLING_INTERVAL = 32_768;
/** The same beside logs: V8 walks the stack for each sample, which must not be seen in the ticks. */
const SAMPLING_INTERVAL_BESIDE = 262_144;

/** Returns what threads profile of themselves; undefined for logs alone. Throws a {@link TicksError} for options of another recording. */
export function profilingOf({
  prof = false,
  allocations,
  samplingInterval,
  interval,
  cpuProf,
}: RecordFlags): Profiling | undefined {
  if (allocations && !prof && interval !== TICK_INTERVAL)
    throw badOption(
      "--interval is the time between two ticks, and --allocations records none",
      "Leave it out, or add --prof for both; for allocations it is --sampling-interval.",
    );
  if (allocations && prof)
    return { of: "memory", interval: samplingInterval ?? SAMPLING_INTERVAL_BESIDE, hasLogs: true };
  if (allocations) return { of: "memory", interval: samplingInterval ?? SAMPLING_INTERVAL };
  if (samplingInterval !== undefined)
    throw badOption(
      "--sampling-interval is the bytes between two samples of allocations",
      "Add --allocations; for ticks it is --interval.",
    );
  return cpuProf ? { of: "time", interval } : undefined;
}

/** Returns what record.json says of the distance between samples. `ofTicks`: that of logs. */
export function intervalFacts(
  { of, interval, hasLogs = false }: Profiling,
  ofTicks = 0,
): Pick<RecordFacts, "interval" | "samplingInterval"> {
  return of === "memory"
    ? { interval: hasLogs ? ofTicks : 0, samplingInterval: interval }
    : { interval, samplingInterval: undefined };
}

/** Throws a {@link TicksError} for what a profile cannot have, with the reason. */
function refuseForProfile(flags: RecordFlags): void {
  const option = flags.allocations ? "--allocations" : "--cpu-prof";
  const reasons: readonly (readonly [string, unknown, string])[] = [
    ["--deopts", flags.deopts, "only a log has them"],
    ["--ics", flags.ics, "only a log has them"],
    ["--startup", flags.startup, "only a log has it"],
    ["--no-sparkplug", !flags.sparkplug, "a profile has lines with it, too"],
    ["--max-size", flags.maxSize, "a profile is written at the end"],
    ["--live", flags.live, "a profile is written at the end"],
  ];
  for (const [name, isGiven, reason] of reasons) {
    if (isGiven)
      throw badOption(
        `${name} does not go with ${option}: ${reason}`,
        flags.allocations ? "Add --prof, for logs too." : undefined,
      );
  }
}

/** A profile needs no flag. */
const NO_FLAGS: ReturnType<typeof recordFlags> = { all: [], modern: [], old: [] };

/** A command, and the folder that its runs go to. */
interface Series {
  readonly folder: RecordFolder;
  readonly options: RunOptions;
  /** How many runs are there already. */
  readonly known: number;
  /** When the first of its runs started, in milliseconds since 1970. */
  readonly start: number;
  /** The folders of the runs so far, without those that were there already. */
  readonly made: RecordFolder[];
}

/** The runs of each command if two are compared, and nobody says how many. */
const COMPARED_RUNS = 6;

/** Runs a command as often as asked for, and reports what was recorded. Returns how it ended the last time. */
export async function recordRuns(words: readonly string[], flags: RecordFlags): Promise<CommandEnd> {
  const profiling = profilingOf(flags);
  if (profiling !== undefined && !profiling.hasLogs) refuseForProfile(flags);
  const labels = parsedLabels(flags.label);
  const older = flags.against === undefined ? undefined : commandAgainst(flags.against, words);
  const known = flags.add ? runsBefore(flags.output, words, profiling) : undefined;
  const watch = flags.live ? await livePage(words) : undefined;
  const { warmup, add = false, discard = false } = flags;
  const runs = flags.runs ?? (older === undefined ? 1 : COMPARED_RUNS);
  const isSeries = flags.runs !== undefined || add || older !== undefined;
  const isAlone =
    !(isSeries && (older === undefined ? 1 : 2) * runs + warmup > 1) || process.stdin.isTTY === true;
  const signals = new SignalKeeper();
  const start = new Date();
  const folder = makeRecordFolder(flags.output, start, (known?.count ?? 0) > 0);
  const wanted =
    profiling && !profiling.hasLogs ? NO_FLAGS : recordFlags({ ...flags, noSparkplug: !flags.sparkplug });
  const seriesOf = (command: OlderCommand, place: RecordFolder): Series => ({
    folder: place,
    known: known?.count ?? 0,
    start: known?.start ?? start.getTime(),
    made: [],
    options: {
      words: command.words,
      flags: wanted,
      profiling,
      facts: {
        command: maskSecrets(command.words),
        cwd: command.cwd,
        ...intervalFacts(profiling ?? { of: "time", interval: flags.interval }, flags.interval),
        flags: [...wanted.all, ...wanted.modern],
        machine: thisMachine(),
        commit: undefined,
        labels,
      },
      commit: commitOf(command.cwd),
      rules: { duration: flags.duration, maxSize: flags.maxSize, onPort: flags.onPort },
      place: dirname(resolve(folder.path)),
      until: flags.until,
      hasInput: isAlone && watch === undefined,
      watch,
      signals,
      isDiscarded: discard,
    },
  });
  const terminal = saveTerminal();
  warn(`recording to ${printable(folder.path)}`);
  const own = { words, cwd: process.cwd() };
  const sides =
    older === undefined
      ? [seriesOf(own, folder)]
      : SIDE_FOLDERS.map((side, i) =>
          seriesOf(i === 0 ? older : own, makeRecordFolder(join(folder.path, side), start)),
        );
  const remove = () => {
    const runFolders = sides.flatMap((one) => (isSeries ? one.made : []));
    const places = older === undefined ? [folder] : [...sides.map((one) => one.folder), folder];
    return removeAll([...runFolders, ...(known?.count ? [] : places)]);
  };
  let end: CommandEnd = { status: 0, signal: undefined };
  const isGood = () => end.status === 0 && !signals.wereSent;
  try {
    for (let run = 1; run <= warmup && isGood(); run++) {
      warn(`warm-up ${run} of ${warmup}`);
      for (const { options } of sides) if (isGood()) end = await runUnrecorded(options);
    }
    for (let run = 1; run <= runs && isGood(); run++) {
      // Who is second may find a cache warm, or the machine hot: they take turns in that, too.
      for (const one of run % 2 === 1 ? sides : sides.toReversed()) {
        if (!isGood()) break;
        const side = older === undefined ? "" : ` ${SIDE_FOLDERS[sides.indexOf(one)]}: ${shownCommand(one)}`;
        if (isSeries) warn(`run ${run} of ${runs}${side}`);
        const number = one.known + one.made.length + 1;
        const place = isSeries ? makeRunFolder(one.folder, number, start) : one.folder;
        one.made.push(place);
        end = await recordRun(place, one.options);
      }
    }
  } catch (error) {
    // A command that cannot be run leaves nothing behind.
    if (!sides.some(({ made }) => made.some(({ path }) => logsIn(path).length + profilesIn(path).length > 0)))
      remove();
    signals.stop();
    throw error;
  }
  terminal.restore();
  if (signals.ending !== undefined) end = { status: undefined, signal: signals.ending };
  const recorded = sides.reduce((sum, { made }) => sum + made.length, 0);
  if (recorded === 0) {
    warn("nothing was recorded");
    remove();
    signals.stop();
    return end;
  }
  if (isSeries) {
    for (const one of sides) await writeSeries(one, end);
    const reason = signals.wereSent ? "by a signal" : "the command failed";
    if (recorded < runs * sides.length) warn(`stopped after ${counted(recorded, "run")}: ${reason}`);
  }
  signals.stop();
  const paths = sides.map(({ made }) => made.map(({ path }) => path));
  if (older !== undefined) {
    await reportDifference(
      sides.map((one) => one.folder.path),
      paths,
    );
    return end;
  }
  const { open, startup } = flags;
  await reportRecording(folder.path, {
    command: words,
    folders: paths.flat(),
    open,
    startup,
    isDiscarded: discard,
    profiling,
    isSeries,
  });
  if (discard) {
    const isGone = remove();
    const where = printable(folder.path);
    warn(
      isGone
        ? "removed the logs, as --discard asks"
        : `removed the logs; ${where} has other files, which stay`,
    );
  }
  return end;
}

function shownCommand({ options }: Series): string {
  return printable(commandText(options.facts.command, options.facts.cwd));
}

/** Writes the file of a folder of runs. */
async function writeSeries({ folder, options, known, start, made }: Series, end: CommandEnd): Promise<void> {
  const seconds = (Date.now() - start) / 1000;
  const outcome = { ...end, stoppedBy: undefined, seconds };
  const commit = await options.commit;
  const runs = known + made.length;
  writeRecordFile(folder, { ...options.facts, start, commit, outcome, processes: [], runs });
}

/** What runs are of, in words. */
const RECORDED = {
  ...{ ticks: "ticks", time: "CPU profiles" },
  ...{ memory: "allocations", both: "ticks and allocations" },
} as const;

/** Returns how many runs a folder has, and when the first one started. Throws a {@link TicksError} if none can be added. */
function runsBefore(folder: string | undefined, words: readonly string[], profiling: Profiling | undefined) {
  if (folder === undefined)
    throw badOption("--add needs a folder", "Such as: ticks record --add -o before -- node app.js");
  const facts = readRecordFile(folder);
  if (facts === undefined) return { count: 0, start: undefined };
  const name = printable(folder);
  if (facts.runs === undefined)
    throw badOption(
      `--add: ${name} is a single run, to which none can be added`,
      "Name another folder: --add makes it, for runs.",
    );
  if (facts.command.join("\0") !== maskSecrets(words).join("\0"))
    throw badOption(
      `--add: ${name} has runs of another command: ${printable(commandText(facts.command, facts.cwd))}`,
      "Name another folder.",
    );
  const hasTicks = facts.flags.length > 0;
  const kind =
    facts.samplingInterval === undefined ? (hasTicks ? "ticks" : "time") : hasTicks ? "both" : "memory";
  const own = profiling?.hasLogs ? "both" : (profiling?.of ?? "ticks");
  if (kind !== own)
    throw badOption(
      `--add: ${name} has runs of ${RECORDED[kind]}, and this is one of ${RECORDED[own]}: they cannot be counted together`,
      "Name another folder.",
    );
  const last = runFoldersIn(folder).at(-1);
  return { count: last === undefined ? 0 : Number(basename(last).slice("run-".length)), start: facts.start };
}

/** A command, and where it was started. */
interface OlderCommand {
  readonly words: readonly string[];
  readonly cwd: string;
}

/**
 * Returns the command of an older recording. Throws a {@link TicksError} if it cannot be run again: what an archive or somebody else
 * brings must not say what is run.
 */
function commandAgainst(folder: string, words: readonly string[]): OlderCommand {
  const name = printable(folder);
  const facts = readRecordFile(folder);
  const byHand = `In turns, by hand: ticks record --add -o before -- …; ticks record --add -o after -- …`;
  if (facts === undefined) throw badOption(`--against ${name}: it is no folder of ticks record`, byHand);
  if (sourceRootOf(folder) === undefined)
    throw badOption(
      `--against ${name}: only what you recorded in this very folder is run again, not a copy`,
      byHand,
    );
  const { command, cwd } = facts;
  const shown = printable(commandText(command, cwd));
  // What the system takes for no word, no program and no folder.
  const isWhole = (command[0] ?? "") !== "" && ![...command, cwd].some((word) => word.includes("\0"));
  if (!isWhole || !statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw badOption(`--against ${name}: its record.json has no command that can be run: ${shown}`, byHand);
  if (command.some((word) => word.includes(MASK)))
    throw badOption(`--against ${name}: a secret of its command was not kept: ${shown}`, byHand);
  const isSame = cwd === process.cwd() && command.join("\0") === words.join("\0");
  if (!isSame) return { words: [programIn(cwd, command[0] ?? ""), ...command.slice(1)], cwd };
  const { commit } = facts;
  throw badOption(
    `--against ${name}: it is the same command in the same folder, which is the new code now`,
    `Record the old code from a folder of its own, such as: git worktree add ../old ${printable(commit ?? "COMMIT")}`,
  );
}

/** Returns a program as it can be started from anywhere: a relative path is one from where it was typed. */
function programIn(cwd: string, name: string): string {
  return /[\\/]/.test(name) ? resolve(cwd, name) : name;
}

/** Saves the symbols of two series, and prints the page of `ticks diff` to standard error. */
async function reportDifference(
  folders: readonly string[],
  runs: readonly (readonly string[])[],
): Promise<void> {
  const [before = "", after = ""] = folders;
  await savedAndShown(runs.flat().flatMap(logsIn), async () => {
    if (runs.some((side) => side.length === 0)) return;
    const flags = usualFlags<DiffFlags & FormatFlags>("diff");
    const { report } = await askDiff({ before: [before], after: [after] }, flags);
    await printDiff(report, flags, process.stderr);
  });
  warn(`recorded ${counted(runs.flat().length, "run")} in ${before} and ${after}`);
  warn(`next: ${shellCommand("ticks diff", [before])} -- ${shellWord(after)}`);
}

/** Removes what a recording wrote into its folders, the inner ones first. Returns whether nothing new is left. */
function removeAll(folders: readonly RecordFolder[]): boolean {
  return folders.map(removeRecording).every((isGone) => isGone);
}

/** What a report is of. */
interface Recorded {
  /** The words of the command. */
  readonly command: readonly string[];
  /** The folders of the runs. */
  readonly folders: readonly string[];
  /** Whether to open the flame graph. */
  readonly open: boolean | undefined;
  /** Whether the logs go after the report: then no command can read them. */
  readonly isDiscarded: boolean;
  /** Whether the report is that of `ticks startup`. */
  readonly startup: boolean | undefined;
  /** What threads were to profile of themselves; undefined for logs alone. */
  readonly profiling: Profiling | undefined;
  /** Whether there are several runs, of which the page says little. */
  readonly isSeries: boolean;
}

/** The oldest Node whose processes can be recorded. */
const OLDEST = 10;

/** Why there is no profile, and what to do. */
const PROFILE_ADVICE = "its processes ended before they could. End it by --duration or --until";
const BUSY = "; if it is too busy for that, leave --cpu-prof out: a log loses nothing";

/** Returns why a program wrote no log: it may be a Node that is too old. */
function reasonForNone(program: string): string {
  const isNode = /^node(?:js)?(?:\.exe)?$/i.test(basename(program));
  const options = { encoding: "utf8", timeout: 5000 } as const;
  const version = isNode
    ? /^v(\d+)\.[\d.]+/.exec(spawnSync(program, ["--version"], options).stdout ?? "")
    : null;
  return version !== null && Number(version[1]) < OLDEST
    ? `${printable(program)} is Node ${version[0]}, and ticks record needs Node ${OLDEST} or later. By hand: ${shellWord(printable(program))} --prof app.js. Then: ticks`
    : "the command started no Node process, or ended before V8 wrote the first bytes";
}

/** Saves the symbols of a recording, and prints the page of `ticks DIR` and the path of the folder to standard error. */
export async function reportRecording(folder: string, recorded: Recorded): Promise<void> {
  const { folders, isDiscarded, startup, open, isSeries, profiling } = recorded;
  const profiles = folders.flatMap(profilesIn);
  const logs = folders.flatMap(logsIn).filter((path) => !profiles.includes(path));
  if (logs.length + profiles.length === 0) {
    const hasLost = folders.some((one) => (readRecordFile(one)?.processes.length ?? 0) > 0);
    if (profiling && !profiling.hasLogs && hasLost)
      warn(
        `no ${PROFILES[profiling.of]} was written: ${PROFILE_ADVICE}${profiling.of === "time" ? BUSY : ""}`,
      );
    else warn(`no log was written: ${reasonForNone(recorded.command[0] ?? "")}`);
    if (!isDiscarded) warn(`recorded nothing in ${folder}`);
    return;
  }
  await savedAndShown(logs, async () => {
    const row = startup ? REPORTS.startup : REPORTS.top;
    const end = { stream: process.stderr, isGone: isDiscarded };
    await showReport(row, [folder], usualFlags(startup ? "startup" : "top"), end);
    if (!open) return;
    const output = join(folder, "flame.html");
    await writeFlame([folder], { ...usualFlags<FlameFlags>("flame"), open }, { output, isTyped: false });
  });
  if (isDiscarded) return;
  const size = folders.reduce((sum, one) => sum + sizeOf(one), 0);
  const what = [
    ...(logs.length > 0 || !profiling ? [counted(logs.length, "log")] : []),
    ...(profiling ? [counted(profiles.length, PROFILES[profiling.of])] : []),
  ].join(" and ");
  warn(text`recorded ${what} (${sized(size)}) in ${folder}`);
  if (isSeries) warn(`next: ${shellCommand("ticks diff", [folder])} -- AFTER`);
}

/** Saves the symbols of logs, and shows their page. The end of the command is what counts: a page that cannot be had is told. */
async function savedAndShown(logs: readonly string[], show: () => Promise<void>): Promise<void> {
  try {
    await saveAllSymbols(logs);
    await show();
  } catch (error) {
    if (!(error instanceof TicksError)) throw error;
    warn(error.message);
  }
}

async function saveAllSymbols(logs: readonly string[]): Promise<void> {
  const flags = usualFlags<ViewFlags>("top");
  const shared = await openSharedInput(flags);
  const errors: TicksError[] = [];
  for (const log of logs) {
    try {
      await saveSymbols(log, { path: `${log}.symbols`, isTyped: false }, { flags, shared });
    } catch (error) {
      if (!(error instanceof TicksError)) throw error;
      // What cannot be read is told by the report too.
      if (!isErrorOfLog(error)) errors.push(error);
    }
  }
  warnSkipped(errors);
}

import type { Profile } from "../../profile/profile.js";
import { soundTime } from "../../profile/sound-numbers.js";
import type { Micros, Ticks } from "../../profile/units.js";
import { versionText } from "../../profile/v8-version.js";
import type { ShareRange } from "../../views/confidence.js";
import { inferredIdleText, sharedFileText, slowReason, type Warning } from "../../views/coverage.js";
import type { ShownName } from "../../views/function-names.js";
import type { Callable } from "../../views/function-stacks.js";
import type { ProfiledFunction } from "../../views/function-table.js";
import type { HotLine, HotLines, NoLineReason } from "../../views/hot-lines.js";
import { printable } from "../../views/label.js";
import { missingCallersText } from "../../views/missing-callers.js";
import type { Origin } from "../../views/origin.js";
import { samplingDoubtText } from "../../views/sampling-doubts.js";
import type { Top } from "../../views/top.js";
import { cpuText, UNSAMPLED } from "../../views/unsampled-cpu.js";
import { fittedSymbol } from "../layout/fitted-symbol.js";
import { filteredTicks } from "../layout/left-out.js";
import { inferredMark } from "../layout/named-cell.js";
import { counted, shareOf } from "../layout/numbers.js";
import { shellCommand, shellWord } from "../layout/shell-word.js";
import { shortSymbol } from "../layout/short-symbol.js";
import { scriptsNote } from "../layout/source-line.js";
import { ARROW, stackLine } from "../layout/stack-line.js";
import { endsOf, fits, widthOf } from "../layout/width.js";

/** What the reporters of `ticks top` show. */
export interface TopReport {
  readonly profile: Profile;
  readonly top: Top;
  /** The number of rows to show of each list. */
  readonly limit: number;
  /** The logs, as named on the command line. */
  readonly logs: readonly string[];
}

/**
 * Returns the facts of a profile: ticks, threads, span, interval, V8 version. `show` escapes texts of the
 * log.
 */
export function factsOf({ profile, top }: TopReport, show = printable): string[] {
  const { v8, sampling, threads } = profile.info;
  const { asked, got, hasTimes } = sampling;
  const span = hasTimes ? sampling.span : 0;
  const filtered = filteredTicks(profile.info);
  const facts = [
    filtered === 0 ? counted(top.ticks, "tick") : `${top.ticks} of ${counted(top.ticks + filtered, "tick")}`,
  ];
  if (threads.length > 1) facts.push(counted(threads.length, "thread"));
  if (!hasTimes) facts.push(threads.length > 1 ? "some without times" : "this log has no times");
  const longest = hasTimes ? longestThread(profile) : 0;
  if (threads.length > 1 && longest > 0) facts.push(`${seconds(longest)} from first to last`);
  if (span > 0) facts.push(threads.length > 1 ? `${seconds(span)} of thread-time` : seconds(span));
  if (got !== undefined)
    facts.push(
      `a tick every ${milliseconds(got)}${asked === undefined ? "" : ` (asked: ${milliseconds(asked)})`}`,
    );
  if (v8.length > 0) facts.push(`V8 ${v8.map((version) => show(versionText(version))).join(" and ")}`);
  return facts;
}

/** Returns the longest time from the first tick of a thread to its last. */
export function longestThread({ info }: Profile): Micros {
  return info.threads.reduce((most, thread) => Math.max(most, thread.span), 0);
}

/** Returns the text for a profile without ticks. */
export function emptyText({ profile }: TopReport): string {
  const { ticks, waited } = profile.info;
  if (ticks === 0) return "No samples. Run longer, or under load.";
  return waited?.ticks === ticks
    ? "Nothing else ran: it used no CPU when it was sampled. Run it under load."
    : "No ticks pass the filters.";
}

/** Of more logs than this, commands name none: they are listed once. */
const MOST_NAMED = 3;
/** What stands for many logs in commands. */
const LOGS = "LOGS";

/** Returns the logs as commands of the page name them. */
export function namedLogs({ logs }: Pick<TopReport, "logs">): readonly string[] {
  return logs.length > MOST_NAMED ? [LOGS] : logs;
}

/** Returns what stands for the logs in the commands of the page; nothing if they are named, or if there are none. */
export function logsNote({ logs, top }: Pick<TopReport, "logs" | "top">): string[] {
  if (logs.length <= MOST_NAMED || top.warnings.length + top.steps.length === 0) return [];
  return [`${LOGS} in commands: ${logs.map((log) => shellWord(printable(log))).join(" ")}`];
}

/** Returns a warning as a sentence; `show` formats the commands in it. */
export function warningText(
  warning: Warning,
  logs: readonly string[],
  show = (command: string) => command,
): string {
  const doctor = show(shellCommand("ticks doctor", logs.map(printable)));
  switch (warning.kind) {
    case "no-function":
      return `${warning.percent.toFixed(1)} % of the ticks have no function: ${doctor} says why.`;
    case "idle":
      return `${warning.percent.toFixed(1)} % of the ticks are idle: without --idle, shares are of the others.`;
    case "unsampled-cpu":
      return `${cpuText(warning.all)} of CPU, ${cpuText(warning.sampled)} of it in JavaScript threads, which this page is of; the rest is ${UNSAMPLED}.`;
    case "inferred-idle":
      return inferredIdleText(warning, (name) => show(printable(name)));
    case "no-times":
      return `This log has no times: its ticks count as ${milliseconds(warning.interval)} apart, as asked for.`;
    case "few-ticks":
      return `Only ${counted(warning.ticks, "tick")}: run longer, or sample more often with --prof-sampling-interval=100.`;
    case "slow-sampling":
      return `Samples came every ${milliseconds(warning.got)} instead of every ${milliseconds(warning.asked)}: ${slowReason(warning)}.`;
    case "lost-ticks":
      return `Ticks were lost ${counted(warning.times, "time")}: V8's buffer was full.`;
    case "bursts":
    case "no-cpu":
    case "system-calls":
    case "dependent-ticks":
      return samplingDoubtText(warning, (name) => show(printable(name)));
    case "missing-callers":
      return missingCallersText(warning);
    case "shared-file":
      return sharedFileText(warning);
    case "diagnostics":
      return `The log has ${counted(warning.count, "error")}: ${doctor} lists them.`;
  }
}

/**
 * The titles of the tables of lines. Each tick is in one row of each at most, so that the shares add up; `total` is what
 * `ticks lines` says of the line.
 */
export const YOUR_LINES = "Your code, each tick at its innermost line";
export const PACKAGE_LINES =
  "Lines of packages, each tick at the innermost line of a package or of your code";

/** Returns the title of a package. Libraries are marked, since a package can have the same name. */
export function packageTitle(origin: Origin | undefined): string {
  if (origin === undefined) return "no JavaScript on the stack";
  const { kind, name } = origin;
  switch (kind) {
    case "app":
      return "the program";
    case "node":
      return name === "deno" ? "Deno's JavaScript" : "Node's JavaScript";
    case "recorder":
      return "the profiler's recorder (ticks record)";
    case "v8":
      return "V8's builtins, stubs and regular expressions";
    case "native":
      return `${printable(name)} (native)`;
    case "deps":
      return printable(name);
    case "unknown":
      return "unknown";
  }
}

/**
 * Returns a function's name and position, with the whole name of a native function where it fits. A width of
 * infinity leaves names whole.
 */
export function shownName({ top }: TopReport, found: ProfiledFunction, columns: number): ShownName {
  const name = top.names.function(found);
  if (found.kind !== "native") return name;
  const beside = name.position === "" ? 0 : widthOf(name.position) + 2;
  return { ...name, title: fittedSymbol(name.title, Math.max(0, columns - beside)) };
}

/** The most names of a stack that are shown: V8 logs no longer ones. */
const LONGEST_STACK = 255;

/**
 * Returns a stack in at most `columns` columns. Names are shortened only if it does not fit; of the names of
 * native functions first their arguments and template arguments.
 */
export function stackText(report: TopReport, path: readonly Callable[], columns: number): string {
  const shown = path.length > LONGEST_STACK ? path.slice(-LONGEST_STACK) : path;
  const names = (isWhole: boolean) => shown.map((one) => nameInStack(report, one, { columns, isWhole }));
  const start = shown === path ? "" : `…${ARROW}`;
  if (columns === Number.POSITIVE_INFINITY) return start + stackLine(names(true), columns);
  const whole = names(true);
  const isFitting = whole.every((name) => fits(name, columns)) && fits(whole.join(ARROW), columns);
  return isFitting && start === "" ? whole.join(ARROW) : stackLine(names(false), columns);
}

/** How to show a name. */
interface NameOptions {
  /** Of far longer names only the ends are kept. Default: all. */
  readonly columns?: number;
  /** Whether a native name has its arguments. Default: true. */
  readonly isWhole?: boolean;
}

/** Returns a stack entry: a function's name, or its position if it has none, or a VM state. */
export function nameInStack(
  { top }: TopReport,
  callable: Callable,
  { columns = Number.POSITIVE_INFINITY, isWhole = true }: NameOptions = {},
): string {
  if (callable.kind === "state") return top.names.callable(callable).title;
  const { name, file, line, kind } = callable.function;
  const isAlike = top.names.isAlike(callable.function);
  if (isAlike) {
    const { title, position } = top.names.function(callable.function);
    return printable(endsOf(name === "" && position !== "" ? position : `${title} ${position}`, columns));
  }
  if (name !== "" || file === undefined || file === "") {
    const { title } = top.names.function(callable.function);
    return printable(endsOf(kind === "native" && !isWhole ? shortSymbol(title) : title, columns));
  }
  const short = endsOf(top.names.file(file), columns);
  return printable(line === 1 ? short : `${short}:${line}`);
}

/**
 * Returns the position of a line. Code made at run time has no file; `?` is an unknown line, and `12+` one in
 * the loop that begins at line 12.
 */
export function lineTitle(
  { top }: TopReport,
  { file, line, loop, column, inferred, ticks }: HotLine,
): string {
  const number = loop !== undefined ? `${loop}+` : line === 0 ? "?" : line;
  const name = file === "" ? "<no file>" : printable(top.names.file(file));
  const place = column === undefined ? number : `${number}:${column}`;
  return `${name}:${place} ${inferredMark(inferred, ticks)}`.trimEnd();
}

/** Returns the name of a line's function, or its position if it has none. */
export function lineFunction(report: TopReport, line: HotLine): string {
  return nameInStack(report, { kind: "function", function: line.function });
}

/** Why ticks have no line, in words. */
const NO_LINE: Record<NoLineReason, string> = {
  sparkplug: "V8 logs no positions of Sparkplug code before Node 26",
  interpreter: "V8's interpreter saves its position only before calls",
  "peeled-loop": "Maglev's code has lines for the first round of a loop only",
  "old-node": "V8 logs no positions before Node 16",
  webassembly: "WebAssembly has no lines",
  "not-logged": "the log has no positions of their code",
};

/** Returns notes on the lines shown: which are of several scripts, and for each reason why ticks have no line. */
export function lineNotes({ top, limit }: TopReport, { lines, withoutLine }: HotLines): string[] {
  const helps = top.steps.some(({ kind }) => kind === "no-sparkplug");
  const reasons = Array.from(withoutLine).sort((a, b) => b[1] - a[1]);
  const unknown = reasons.map(([reason, ticks]) => {
    const flag = reason === "peeled-loop" ? "--no-maglev-loop-peeling" : helps ? "--no-sparkplug" : "";
    const isHelp = reason === "peeled-loop" || (reason === "sparkplug" && helps);
    const advice = isHelp ? `. Record with ${flag} to see them` : "";
    return `${counted(ticks, "tick")} (${shareOf(ticks, top.ticks)}) without a line: ${NO_LINE[reason]}${advice}`;
  });
  const named = lines.slice(0, limit).map((line) => ({ ...line, file: top.names.file(line.file) }));
  return [scriptsNote(named) ?? [], unknown].flat();
}

/**
 * Returns how far the true share may be from this one, in percentage points: `±0.4`. Empty if that is no more
 * than a tenth of the share; `few ticks` if it is more than the share itself, which then says little.
 */
export function marginOf(ticks: Ticks, whole: Ticks, range: ShareRange | undefined): string {
  if (whole === 0 || ticks === 0 || range === undefined) return "";
  const percent = (ticks * 100) / whole;
  const margin = Math.max(range.high - percent, percent - range.low);
  if (margin <= percent / 10) return "";
  const shown = Math.ceil(margin * 10 - 1e-9) / 10;
  return shown > Number(percent.toFixed(1)) ? "few ticks" : `±${shown.toFixed(1)}`;
}

/** Returns the ticks of the rows beyond the limit. */
export function restOf<Row>(rows: readonly Row[], limit: number, ticksOf: (row: Row) => Ticks): Ticks {
  return rows.slice(limit).reduce((sum, row) => sum + ticksOf(row), 0);
}

function seconds(micros: number): string {
  return `${(soundTime(micros) / 1e6).toFixed(2)} s`;
}

function milliseconds(micros: number): string {
  return `${(soundTime(micros) / 1000).toFixed(2)} ms`;
}

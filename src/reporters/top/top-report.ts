import type { Profile } from "../../profile/profile.js";
import { soundTime } from "../../profile/sound-numbers.js";
import type { Ticks } from "../../profile/units.js";
import { versionText } from "../../profile/v8-version.js";
import type { Warning } from "../../views/coverage.js";
import type { ShownName } from "../../views/function-names.js";
import type { Callable } from "../../views/function-stacks.js";
import type { ProfiledFunction } from "../../views/function-table.js";
import type { HotLine } from "../../views/hot-lines.js";
import { printable } from "../../views/label.js";
import type { Origin } from "../../views/origin.js";
import type { Top } from "../../views/top.js";
import { counted } from "../layout/numbers.js";
import { shellCommand } from "../layout/shell-word.js";
import { shortSymbol } from "../layout/short-symbol.js";
import { shownFunction } from "../layout/shown-name.js";
import { endsOf } from "../layout/width.js";

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
  const { v8, sampling, excluded, threads } = profile.info;
  const { asked, got, span } = sampling;
  const facts = [
    excluded === 0 ? counted(top.ticks, "tick") : `${top.ticks} of ${counted(top.ticks + excluded, "tick")}`,
  ];
  if (threads.length > 1) facts.push(counted(threads.length, "thread"));
  const longest = threads.reduce((most, thread) => Math.max(most, thread.span), 0);
  if (threads.length > 1 && longest > 0) facts.push(`${seconds(longest)} from first to last`);
  if (span > 0) facts.push(threads.length > 1 ? `${seconds(span)} of thread-time` : seconds(span));
  if (got !== undefined)
    facts.push(
      `a tick every ${milliseconds(got)}${asked === undefined ? "" : ` (asked: ${milliseconds(asked)})`}`,
    );
  if (v8.length > 0) facts.push(`V8 ${v8.map((version) => show(versionText(version))).join(" and ")}`);
  return facts;
}

/** Returns the text for a profile without ticks. */
export function emptyText({ profile }: TopReport): string {
  return profile.info.ticks === 0 ? "No samples. Run longer, or under load." : "No ticks pass the filters.";
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
    case "few-ticks":
      return `Only ${counted(warning.ticks, "tick")}: run longer, or sample more often with --prof-sampling-interval=100.`;
    case "slow-sampling":
      return `Samples came every ${milliseconds(warning.got)} instead of every ${milliseconds(warning.asked)}: the machine was busy.`;
    case "lost-ticks":
      return `Ticks were lost ${counted(warning.times, "time")}: V8's buffer was full.`;
    case "diagnostics":
      return `The log has ${counted(warning.count, "error")}: ${doctor} lists them.`;
  }
}

/** Returns the command to run next; undefined if there is none, or it could not be typed. */
export function nextCommand({ top, logs }: TopReport): string | undefined {
  if (top.next === undefined) return undefined;
  const words = [...logs, nameToAskFor(top.next, (file) => top.names.file(file))];
  return words.every((word) => printable(word) === word) ? shellCommand("ticks function", words) : undefined;
}

/**
 * Returns a name that `ticks function` finds: the function's own, part of a C++ name, or a position for no
 * name.
 */
function nameToAskFor(next: ProfiledFunction, shorten: (file: string) => string): string {
  const { name, title, kind, file, line } = next;
  if (name === "") return !file || line === undefined ? title : `${shorten(file)}:${line}`;
  const short = kind === "native" ? shortSymbol(name) : name;
  return name.includes(short) ? short : name;
}

/** Returns the title of a package. Libraries are marked, since a package can have the same name. */
export function packageTitle({ kind, name }: Origin): string {
  switch (kind) {
    case "app":
      return "the program";
    case "node":
      return "Node's JavaScript";
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

/** Returns a function's name and position. Native names are shortened. */
export function shownName({ top }: TopReport, found: ProfiledFunction): ShownName {
  return shownFunction(top.names, found);
}

/** Returns a stack entry: a function's name, or its position if it has none, or a VM state. */
export function nameInStack(report: TopReport, callable: Callable, columns: number): string {
  if (callable.kind === "state") return report.top.names.callable(callable).title;
  const { name, file, line } = callable.function;
  if (name !== "" || file === undefined || file === "")
    return printable(endsOf(shownName(report, callable.function).title, columns));
  const short = endsOf(report.top.names.file(file), columns);
  return printable(line === 1 ? short : `${short}:${line}`);
}

/** Returns the position of a line. Code made at run time has no file. */
export function lineTitle({ top }: TopReport, { file, line }: Pick<HotLine, "file" | "line">): string {
  return `${file === "" ? "<no file>" : printable(top.names.file(file))}:${line}`;
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

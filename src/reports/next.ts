import { shellWord } from "../base/shown-text.js";
import { shortSymbol } from "../base/symbols.js";
import { code, type Text } from "../base/text.js";
import { Analysis } from "../facts/analysis.js";
import type { FunctionNames } from "../facts/function-names.js";
import type { ProfiledFunction, ShownFunction } from "../facts/function-table.js";
import { printable } from "../facts/label.js";
import type { Profile } from "../profile/profile.js";
import { type Block, type Note, note, section } from "../render/page.js";
import type { LoggedFunction } from "./json.js";
import type { Surroundings } from "./report.js";
import { shellCommand } from "./words.js";

/** A command that goes on from what a page showed. */
export interface NextCommand {
  /** `ticks lines`. */
  readonly command: string;
  readonly why: Text;
  /** What follows the logs. */
  readonly operands?: readonly string[];
  readonly options?: string;
}

/** What the commands of a page read. */
export interface Reading {
  /** The logs as the user calls them. */
  readonly logs: readonly string[];
  /** The options that say what is read of them and counted, each with its value: `["--source-root", "src"]`. */
  readonly options: readonly (readonly string[])[];
}

/** Returns what commands can read; undefined if nothing is left to be read. */
export function readingOf({
  logs,
  options = [],
  isGone,
}: Pick<Surroundings, "logs" | "options" | "isGone">): Reading | undefined {
  return isGone === true ? undefined : { logs, options };
}

/** The most commands of a page. */
const MOST = 2;
/** Of more logs than this, commands name none: they are listed once. */
const MOST_LOGS = 3;
/** What stands for many logs in commands. */
const MANY = "LOGS";

/** Returns what commands of a page read, as the page names it. */
export function onPage(reading: Reading): Reading {
  return reading.logs.length > MOST_LOGS ? { ...reading, logs: [MANY] } : reading;
}

/** Says what stands for the logs in the commands of a page; nothing if they are named. */
export function logsNote(logs: readonly string[]): Note[] {
  if (logs.length <= MOST_LOGS) return [];
  const words = `${MANY} in commands: ${logs.map((log) => shellWord(printable(log))).join(" ")}`;
  return [{ ...note(code(words)), isWhole: true }];
}

/** The option that a command may have of its own and as it was given. */
const SOURCE_ROOT = "--source-root";

/** Returns a command line that reads the same, with its own options in place of given ones; undefined if it cannot be typed. */
export function commandLine(
  { logs, options: given }: Reading,
  { command, operands = [], options = "" }: Omit<NextCommand, "why">,
): string | undefined {
  const own = new Set(`${command} ${options}`.split(" "));
  const nameOf = ([word = ""]: readonly string[]) => word.split("=", 1)[0]!;
  const kept = given.filter((one) => nameOf(one) === SOURCE_ROOT || !own.has(nameOf(one)));
  const words = [...logs, ...operands];
  if (![options, ...words, ...kept.flat()].every((word) => printable(word) === word)) return undefined;
  const all = [options, ...kept.flat().map(shellWord)].filter((word) => word !== "").join(" ");
  return shellCommand(command, words, all);
}

/** Returns the end of a page: one or two commands that can be typed; nothing if there are none. */
export function nextSection(reading: Reading | undefined, steps: readonly NextCommand[]): Block[] {
  if (reading === undefined) return [];
  const lines = steps.flatMap((step) => {
    const command = commandLine(onPage(reading), step);
    return command === undefined ? [] : [{ why: step.why, command }];
  });
  if (lines.length === 0) return [];
  return [section("Next", { kind: "commands", lines: lines.slice(0, MOST) }), ...logsNote(reading.logs)];
}

type Named = ShownFunction & Pick<ProfiledFunction, "name">;

/** Returns the command about a function. */
export function functionCommand(one: Named, names: FunctionNames, why: Text): NextCommand {
  return { command: "ticks function", operands: [nameToAskFor(one, names)], why };
}

/** Returns the function at a position of a log, if it has ticks. */
export function functionAt(
  profile: Profile,
  { name, file, line, column }: LoggedFunction,
): ProfiledFunction | undefined {
  const { table, functionTicks } = Analysis.of(profile);
  return table.functions.find(
    (one, id) =>
      one.frame.kind === "js" &&
      one.name === name &&
      (one.file ?? "") === file &&
      (one.line ?? null) === line &&
      (one.column ?? null) === column &&
      functionTicks.total[id]! > 0,
  );
}

/**
 * Returns a name that `ticks function` finds: the function's own, part of a C++ name, or a position for no
 * name.
 */
export function nameToAskFor(next: Named, names: FunctionNames): string {
  const { name, title, kind, file, line } = next;
  if (name === "" || names.isAlike(next)) {
    if (!file || line === undefined) return title;
    const position = names.position(next);
    // Several functions can begin in a line.
    const isWhole = next.column === undefined || position.endsWith(`:${line}:${next.column}`);
    return isWhole ? position : `${position}:${next.column}`;
  }
  const short = kind === "native" ? shortSymbol(name) : name;
  return name.includes(short) ? short : name;
}

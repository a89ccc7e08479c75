import type { Text } from "../base/text.js";
import { Analysis } from "../facts/analysis.js";
import type { FunctionNames } from "../facts/function-names.js";
import type { ProfiledFunction } from "../facts/function-table.js";
import { printable } from "../facts/label.js";
import type { Profile } from "../profile/profile.js";
import { shortSymbol } from "../render/names.js";
import { type Block, section } from "../render/page.js";
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

/** The most commands of a page. */
const MOST = 2;
/** More logs than this would hide what a command does. */
const MOST_LOGS = 3;

/** Returns the logs as commands name them; undefined if no command can read them. */
export function logsToName({
  logs,
  isGone,
}: Pick<Surroundings, "logs" | "isGone">): readonly string[] | undefined {
  return isGone === true || logs.length > MOST_LOGS ? undefined : logs;
}

/** Returns the last section of a page: one or two commands that can be typed; nothing if there are none. */
export function nextSection(logs: readonly string[] | undefined, steps: readonly NextCommand[]): Block[] {
  if (logs === undefined) return [];
  const isTypable = (words: readonly string[]) => words.every((word) => printable(word) === word);
  const lines = steps.flatMap(({ command, why, operands = [], options = "" }) => {
    const words = [...logs, ...operands];
    return isTypable(words) ? [{ why, command: shellCommand(command, words, options) }] : [];
  });
  return lines.length === 0 ? [] : [section("Next", { kind: "commands", lines: lines.slice(0, MOST) })];
}

/** Returns the command about a function. */
export function functionCommand(one: ProfiledFunction, names: FunctionNames, why: Text): NextCommand {
  return { command: "ticks function", operands: [nameToAskFor(one, names)], why };
}

/** Returns the function that a logged name is of, if it has ticks. */
export function functionNamed(profile: Profile, name: string | undefined): ProfiledFunction | undefined {
  if (name === undefined) return undefined;
  const { table, functionTicks } = Analysis.of(profile);
  return table.functions.find(
    ({ frame }, id) => frame.kind === "js" && frame.name === name && functionTicks.total[id]! > 0,
  );
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
export function nameToAskFor(next: ProfiledFunction, names: FunctionNames): string {
  const { name, title, kind, file, line } = next;
  if (name === "" || names.isAlike(next)) {
    if (!file || line === undefined) return title;
    const { position } = names.function(next);
    // Several functions can begin in a line.
    const isWhole = next.column === undefined || position.endsWith(`:${line}:${next.column}`);
    return isWhole ? position : `${position}:${next.column}`;
  }
  const short = kind === "native" ? shortSymbol(name) : name;
  return name.includes(short) ? short : name;
}

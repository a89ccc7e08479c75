import { dirname } from "node:path";
import { badOption } from "../base/errors.js";
import { MATCHED_NAME_LENGTH } from "../base/limits.js";
import { groupBy } from "../base/maps.js";
import type { RowName } from "../compare/run-groups.js";
import { printable } from "../facts/label.js";
import { runsOf } from "../io/log-origin.js";
import { isRecording } from "../record/recording-file.js";
import { countedLogs, type GivenLog, listFor, titleOf } from "./log-paths.js";
import { SIDES } from "./options.js";

/** The words of a command line on both sides of `--`. */
export interface Sides {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Splits the words of a command line at `--`; two words need none. Throws a {@link TicksError} if a side has no
 * word. `command` is the one to name in the error.
 */
export function splitSides(words: readonly string[], command = "diff"): Sides {
  const middle = words.indexOf(SIDES);
  if (middle < 0 && words.length === 2) return { before: words.slice(0, 1), after: words.slice(1) };
  const [before, after] = [words.slice(0, Math.max(0, middle)), words.slice(middle + 1)];
  if (middle >= 0 && before.length > 0 && after.length > 0) return { before, after };
  throw badOption(
    "name the logs before and those after, with -- between them",
    `Such as: ticks ${command} before/ -- after/`,
  );
}

/** The logs of one run of a program: those of its main thread and of its workers. */
export type GivenRun = readonly GivenLog[];

/** Returns the runs of the logs and folders that are named, in their order. */
export async function givenRuns(
  words: readonly string[],
  flags: Parameters<typeof listFor>[0],
): Promise<readonly GivenRun[]> {
  const logs = await countedLogs(words, listFor(flags));
  const byFolder = groupBy(logs, ({ path }) => dirname(path));
  return Array.from(byFolder).flatMap(([folder, given]) => {
    // All processes of a recording are one run.
    if (isRecording(folder)) return [given];
    const ofPath = new Map(given.map((log) => [log.path, log]));
    return runsOf(given.map(({ path }) => path)).map((run) => run.logs.map((path) => ofPath.get(path)!));
  });
}

/** A heading with a longer title of several folders or logs names the first alone. */
const TITLE_LENGTH = 80;

/** Returns what reports call the runs of a side. */
export function titleOfRuns(runs: readonly GivenRun[]): string {
  const logs = runs.flat();
  const title = titleOf(logs, () => true);
  const named = new Set(logs.map(({ path, folder }) => folder ?? path));
  if (title.length <= TITLE_LENGTH || named.size < 2) return title;
  const [first] = logs;
  const ofFirst = logs.filter(({ path, folder }) => (folder ?? path) === (first!.folder ?? first!.path));
  return `${titleOf(ofFirst, () => true)} and ${named.size - 1} more`;
}

/**
 * Returns a function that renames rows by expressions of the form `s/from/to/`, where `from` is a regular
 * expression and `$1` in `to` a group of it. Any character can stand for the slashes. Throws a
 * {@link TicksError} for another form.
 */
export function renamer(expressions: readonly string[]): (name: RowName) => RowName {
  const rules = expressions.map(parse);
  const rename = (text: string) =>
    // A pattern can take time quadratic in the length of a name, and names come from the log.
    text.length > MATCHED_NAME_LENGTH
      ? text
      : rules.reduce((name, { from, to }) => name.replace(from, to), text);
  if (rules.length === 0) return (name) => name;
  return (name) => {
    const family = rename(name.family);
    return {
      ...name,
      family,
      key: family + name.key.slice(name.family.length),
      title: rename(name.title),
      file: name.file === undefined ? undefined : rename(name.file),
    };
  };
}

function parse(expression: string): { readonly from: RegExp; readonly to: string } {
  const mark = expression[1] ?? "/";
  const [start, source, to, flags, ...more] = expression.split(mark);
  const isWhole = start === "s" && source !== undefined && source !== "" && more.length === 0;
  if (!isWhole || to === undefined || flags === undefined || !/^[gimsu]*$/.test(flags)) {
    throw badOption(
      `--rename ${printable(expression)}: expected s/from/to/`,
      "If from or to has a slash, use another character: s|old/|new/|",
    );
  }
  try {
    return { from: new RegExp(source, flags), to };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badOption(`--rename: invalid regular expression ${printable(source)}`);
  }
}

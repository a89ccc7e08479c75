import { shellWord } from "../base/shown-text.js";
import type { DiffRow } from "../compare/diff-model.js";
import { printable } from "../facts/label.js";
import { type DiffReport, isCountUnknown } from "./diff-rows.js";
import { memoryOf } from "./diff-words.js";
import { recordCommand } from "./words.js";

/** A command to run next. */
export interface DiffCommand {
  readonly kind: "record" | "function" | "flame";
  /** A command line for a shell. */
  readonly command: string;
  /** Why, in a few words. */
  readonly why: string;
}

/** With fewer runs a side, more are advised. */
const ENOUGH_RUNS = 3;

/** Returns the commands to run next; none that could not be typed, or if it is not known what the sides are. */
export function nextCommands({ diff, by, words, options = [], command }: DiffReport): DiffCommand[] {
  if (words === undefined) return [];
  const all: DiffCommand[] = [];
  // In front: all that follows `--` is a side.
  const program = (name: string) => [`ticks ${name}`, ...options.flat().map(shellWord)].join(" ");
  if (!isCountUnknown(diff) && Math.min(diff.before.length, diff.after.length) < ENOUGH_RUNS)
    all.push({
      kind: "record",
      command: recordCommand(5, { command, memory: memoryOf(diff) !== undefined }),
      why: "several runs of each side tell what is chance",
    });
  const row = by === "function" ? diff.rows.find(isAskable) : undefined;
  if (row !== undefined) {
    const isGone = row.perRun.total.after === 0;
    const { title } = isGone ? row.nameBefore! : row.name;
    const logs = isGone ? words.before : words.after;
    all.push({
      kind: "function",
      command: commandOf(program("function"), [...logs, title]),
      why: `callers, callees and lines of ${title}, ${isGone ? "before" : "after"}`,
    });
  }
  all.push({
    kind: "flame",
    command: commandOf(program("flame"), words.before, words.after),
    why: "the change as a picture",
  });
  return all.filter(({ command }) => printable(command) === command);
}

/** Whether a function can be asked for by its name. */
function isAskable({ name, part, perRun }: DiffRow): boolean {
  const isThere = perRun.total.before + perRun.total.after > 0;
  return part !== "rest" && isThere && !name.title.startsWith("<") && !name.title.startsWith("-");
}

function commandOf(program: string, ...sides: readonly (readonly string[])[]): string {
  return `${program} ${sides.map((words) => words.map(shellWord).join(" ")).join(" -- ")}`;
}

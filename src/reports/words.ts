import { badOption } from "../base/errors.js";
import { LONG_LINE } from "../base/limits.js";
import { shellWord } from "../base/shown-text.js";
import {
  amount,
  counted,
  inSamples,
  inTicks,
  measured,
  milliseconds,
  type Text,
  text,
} from "../base/text.js";
import type { Ticks } from "../base/units.js";
import { doubtText, UNKNOWN_COUNT } from "../facts/doubts.js";
import { printable } from "../facts/label.js";
import { missingCallersNote } from "../facts/missing-callers.js";
import type { Tier } from "../profile/frame.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { allSamples, allTicks } from "../profile/sample-table.js";
import { reportTitle } from "../profile/titles.js";
import { hasCrankshaft } from "../profile/v8-era.js";
import { howWaited, sumOfWaits } from "../profile/waited.js";
import { type Block, type Heading, type Note, note } from "../render/page.js";

export { counted } from "../base/text.js";

/** Returns how many ticks are in rows that are not shown: `… 12 ticks in 3 more functions`; undefined if there are none. */
export function moreText<Row>(
  rows: readonly Row[],
  ticksOf: (row: Row) => Ticks,
  noun?: string,
): Text | undefined {
  const ticks = rows.reduce((sum, row) => sum + ticksOf(row), 0);
  return restText({ rows: rows.length, ticks }, noun);
}

/** The same by how many rows there are. */
export function restText(
  { rows, ticks }: { readonly rows: number; readonly ticks: Ticks },
  noun?: string,
): Text | undefined {
  if (rows === 0) return undefined;
  const which = noun === undefined ? `${rows} more` : counted(rows, `more ${noun}`);
  return text`… ${inTicks(ticks)} in ${which}`;
}

/** Returns what of several runs waited, with how it did, such as `12 ticks` and `12`; undefined for nothing. */
export function waitedText(
  runs: readonly Pick<ProfileInfo, "waited" | "tickTime">[],
): { readonly what: Text; readonly bare: Text; readonly how: string } | undefined {
  const waited = sumOfWaits(runs.map((run) => run.waited));
  if (waited === undefined || waited.ticks === 0) return undefined;
  const how = howWaited(waited);
  if (runs.every(({ tickTime }) => tickTime === undefined))
    return { what: inSamples(waited.ticks), bare: amount(waited.ticks), how };
  // The samples of the runs may take different times.
  const time = runs.reduce((sum, run) => sum + (run.waited?.ticks ?? 0) * (run.tickTime ?? 0), 0);
  return { what: milliseconds(time), bare: milliseconds(time), how };
}

/** What the head of a report says of ticks that are left out. */
type LeftOut = Pick<ProfileInfo, "ticks" | "excluded" | "waited" | "tickTime">;

/** Returns the ticks that filters left out, after those that waited. */
export function filteredTicks({ excluded, waited }: Pick<LeftOut, "excluded" | "waited">): Ticks {
  return excluded - (waited?.ticks ?? 0);
}

/** Returns what follows the number of ticks in the head of a report: how many more the filters left out. */
export function filteredText(info: LeftOut): Text {
  const filtered = filteredTicks(info);
  return filtered === 0 ? "" : text` (${measured(filtered)} more filtered out)`;
}

/** Returns which ticks waited and are left out, as a sentence; nothing if there are none. */
export function waitedLines(info: LeftOut): Text[] {
  const { ticks, waited } = info;
  if (waited === undefined || waited.ticks === 0) return [];
  const how = howWaited(waited);
  const rest = ticks - waited.ticks;
  const isFew = waited.ticks * 100 < ticks && filteredTicks(info) === 0;
  if (isFew) return [text`Not counted: ${inTicks(waited.ticks)} that waited (${how}).`];
  if (rest === 0) return [text`All ${inTicks(ticks)} waited (${how}): --idle counts them.`];
  const left = rest - filteredTicks(info);
  const others =
    left === rest
      ? text`the other ${measured(rest)}`
      : text`the ${measured(left)}${info.tickTime === undefined ? " others" : ""} that pass the filters`;
  return [
    text`${amount(waited.ticks)} of ${inTicks(ticks)} waited (${how}); shares are of ${others}: --idle counts them.`,
  ];
}

export type TierTitles = Readonly<Record<Tier, string>>;

const TIER_TITLES: TierTitles = {
  "": "none",
  "~": "Ignition",
  "^": "Sparkplug",
  "-": "TurboProp",
  "+": "Maglev",
  "*": "TurboFan",
};
const OLD_TITLES: TierTitles = { ...TIER_TITLES, "~": "full-codegen", "*": "Crankshaft" };

/** Returns the titles of tiers in the V8 of some logs. */
export function tierTitlesOf(info: Pick<ProfileInfo, "v8" | "isUnversioned">): TierTitles {
  return hasCrankshaft(info) ? OLD_TITLES : TIER_TITLES;
}

/** How commands read the heap profiles of a folder that has logs, too. */
export const READ_MEMORY = "--sample-type space";

/** Returns a command line, with options at its end. Inserts `--` if an operand begins with a dash and the command has none: then options come before it. */
export function shellCommand(command: string, operands: readonly string[], options = ""): string {
  const words = operands.map(shellWord);
  const hasDash = !command.endsWith(" --") && operands.some((word) => /^-./.test(word));
  const parts = hasDash ? [command, options, "--", ...words] : [command, ...words, options];
  return parts.filter((part) => part !== "").join(" ");
}

/** Stands for the command of logs that `ticks record` did not make. */
export const SOME_COMMAND: readonly string[] = ["node", "app.js"];

/** Returns the command line that records so many runs of a command; of some command if it is not known or cannot be typed. */
export function recordCommand(
  runs: number,
  {
    command = SOME_COMMAND,
    memory,
  }: { readonly command: readonly string[] | undefined; readonly memory: boolean },
): string {
  const isTypable = command.every((word) => printable(word) === word);
  const options = `${memory ? "--allocations " : ""}--runs ${runs}`;
  return shellCommand(`ticks record ${options} --`, isTypable ? command : SOME_COMMAND);
}

/** Why some lines of a loop are not known, and what shows them. */
export const PEELED_LOOPS = {
  why: "Maglev's code has lines for the first round of a loop only",
  advice: "Record with --no-maglev-loop-peeling to see the others",
} as const;

/** What is said of a text that is not from the log. */
export const CHANGEABLE_TEXT = {
  map: "from a source map on disk; it may have changed since",
  disk: "from disk; it may have changed since",
} as const;

/** Says that a version of V8 is too old to log something. */
export function notLogged(what: string): string {
  return `This version of V8 does not log ${what} with --prof. Node 8 is the first that does.`;
}

/** How much of a long line is shown, and how much of it before the function. */
const AROUND = 160;
const BEFORE = 10;

const TAB = "  ";

/**
 * Returns a source line that is safe to show: tabs narrow, other control characters escaped, long lines cut.
 */
export function sourceLine(text: string): string {
  const cut = text.length > LONG_LINE ? `${text.slice(0, AROUND)}…` : text;
  return printable(cut.replaceAll("\t", TAB)).trimEnd();
}

/** Returns the part of a long line around a column, from 1; a line of usual length as it is. */
export function textAround(text: string, column: number): string {
  if (text.length <= LONG_LINE) return text;
  const start = Math.max(0, Math.min(column - 1 - BEFORE, text.length - AROUND));
  const end = Math.min(text.length, start + AROUND);
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

/** Returns what to show for a line: its text, or that of the first line of the loop that it is in. */
export function lineText(text: string | undefined, loop: number | undefined): string {
  const source = sourceLine(text ?? "").trimStart();
  return loop === undefined ? source : `in the loop: ${source}`;
}

/** Returns which of some files stand for several scripts of one text; undefined if none does. */
export function scriptsNote(
  files: Iterable<{ readonly file: string; readonly scripts: number }>,
): string | undefined {
  const counts = new Map<string, number>();
  for (const { file, scripts } of files) if (scripts > 1) counts.set(file, scripts);
  if (counts.size === 0) return undefined;
  const list = Array.from(counts, ([file, scripts]) => `${scripts} of ${printable(file)}`);
  return `Scripts of one name and text are one: ${list.join(", ")}`;
}

const BLOCKS = "▁▂▃▄▅▆▇█";

/**
 * Draws numbers as blocks, full height from `peak` on. The smallest number above 0 is visible; 0 is a space.
 */
export function blocksOf(numbers: Iterable<number>, peak: number): string {
  let text = "";
  for (const number of numbers) {
    const height = Math.min(BLOCKS.length, Math.ceil((number / peak) * BLOCKS.length));
    text += number > 0 ? BLOCKS[height - 1]! : " ";
  }
  return text;
}

/** Throws a {@link TicksError} for a profile that is no log and has samples without times: `what` cannot be told of it. */
export function refuseUntimed({ timeline, info }: Profile, what: string): void {
  if (info.input === undefined || info.ticks === 0 || timeline !== undefined) return;
  if (info.memory !== undefined)
    throw badOption(
      `${printable(info.title)} counts memory, not time: it does not tell ${what}`,
      "A log has times: ticks record -- node app.js",
    );
  throw badOption(
    `${printable(info.title)}: its samples have no times, so it does not tell ${what}`,
    "A CPU profile has times: node --cpu-prof app.js",
  );
}

/** Begins the page of a profile: what was recorded, the facts of it, and which ticks waited and are left out. */
export function pageHead({ info }: Pick<Profile, "info">, facts: Text, isAbove = false): Block[] {
  const heading: Heading = { kind: "heading", name: reportTitle(info), facts, isAbove };
  const unknown = info.isCountUnknown ? [note(`${UNKNOWN_COUNT}.`)] : [];
  return [heading, ...unknown, ...waitedLines(info).map((line) => note(line))];
}

/** Returns how many samples a profile has, at least if nothing tells how many. */
export function sampleCount({ samples, info }: Pick<Profile, "samples" | "info">): Text {
  if (info.memory !== undefined) {
    const what = { alive: " alive at the end", allocated: " allocated", unknown: "" }[info.memory.is];
    const count = info.isCountUnknown ? "" : text`, in ${inSamples(allSamples(samples))}`;
    return text`${inTicks(allTicks(samples))}${what}${count}`;
  }
  return text`${info.isCountUnknown ? "at least " : ""}${inSamples(allSamples(samples))}`;
}

/** Returns the number of ticks of a profile, and how many more the filters left out. */
export function tickCount(profile: Pick<Profile, "samples" | "info">): Text {
  return text`${sampleCount(profile)}${filteredText(profile.info)}`;
}

/** Says what the stacks of a profile lack, if that changes something. */
export function missingCallers({ info }: Pick<Profile, "info">): Note[] {
  const found = missingCallersNote({ info });
  return found === undefined ? [] : [note(doubtText({ kind: "missing-callers", ...found }, info), "hot")];
}

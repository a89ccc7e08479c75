import { alignLines, sourceLines } from "../profile/source-lines.js";
import type { ChangedLine, DiffRow } from "./diff-model.js";
import type { RunRow } from "./run-summary.js";

/** As many changed lines of a function are told, as long as this. */
const MOST_LINES = 12;
const LINE_LENGTH = 200;

/** The source of a function before and after; undefined where the logs do not have it. */
interface Texts {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Returns the source of a row on both sides. */
export function textsOf({ runs }: Pick<DiffRow, "runs">): Texts {
  const of = (side: readonly (RunRow | undefined)[]) => side.find((row) => row?.text !== undefined)?.text;
  return { before: of(runs.before), after: of(runs.after) };
}

/**
 * Returns rows with `program` for functions that changed only because a function inside them did: the text of a module has
 * those of all its functions in it.
 */
export function withoutOuterFunctions(rows: readonly DiffRow[]): DiffRow[] {
  const changed = rows.filter(({ part }) => part === "changed").map((row) => ({ row, ...textsOf(row) }));
  const isOuter = ({ row, before, after }: (typeof changed)[number]) => {
    if (before === undefined || after === undefined) return false;
    const inner = changed.filter((other) => other.row !== row && other.row.name.file === row.name.file);
    const without = (text: string, side: keyof Texts) =>
      inner
        .map((other) => other[side])
        .filter((part) => part !== undefined && part !== "" && part.length < text.length)
        .sort((a, b) => b!.length - a!.length)
        .reduce<string>((left, part) => left.replaceAll(part!, ""), text)
        .replace(/\s+/g, "");
    return without(before, "before") === without(after, "after");
  };
  const outer = new Set(changed.filter(isOuter).map(({ row }) => row));
  return rows.map((row) => (outer.has(row) ? { ...row, part: "program" } : row));
}

/** Returns the lines of two texts that differ, without their indentation in common; none if a text is not known. */
export function changedLines({ before, after }: Texts): {
  readonly lines: readonly ChangedLine[];
  readonly more: number;
} {
  if (before === undefined || after === undefined) return { lines: [], more: 0 };
  const [shownOld, shownNow] = [before, after].map(withoutCommonIndent) as [string[], string[]];
  const [old, now] = [shownOld, shownNow].map((text) => text.map((line) => line.trim())) as [
    string[],
    string[],
  ];
  // Lines of one block stand together, as in a patch.
  const blocks = [newBlock()];
  const addTo = (list: ChangedLine[], side: ChangedLine["side"], text: string) => {
    if (text.trim() !== "") list.push({ side, text: text.slice(0, LINE_LENGTH) });
  };
  for (const { before: first, after: second, isSame } of alignLines(old, now)) {
    const { removed, added } = blocks.at(-1)!;
    if (isSame && removed.length + added.length > 0) blocks.push(newBlock());
    if (isSame) continue;
    if (first > 0) addTo(removed, "before", shownOld[first - 1]!);
    if (second > 0) addTo(added, "after", shownNow[second - 1]!);
  }
  const lines: ChangedLine[] = [];
  for (const block of blocks) for (const line of cutBlock(block, MOST_LINES - lines.length)) lines.push(line);
  const all = blocks.reduce((sum, { removed, added }) => sum + removed.length + added.length, 0);
  return { lines, more: all - lines.length };
}

/** Lines that stand in the place of others. */
interface Block {
  readonly removed: ChangedLine[];
  readonly added: ChangedLine[];
}

function newBlock(): Block {
  return { removed: [], added: [] };
}

/** Returns at most so many lines of a block: of a long one some of both sides, since one alone says no change. */
function cutBlock({ removed, added }: Block, room: number): ChangedLine[] {
  if (removed.length > 0 && added.length > 0 && room < 2) return [];
  const before = removed.slice(0, Math.max(room - added.length, Math.ceil(room / 2)));
  return [...before, ...added.slice(0, room - before.length)];
}

/** Returns the lines of a function. Its text begins within a line, so that the others alone tell how deep it stands. */
function withoutCommonIndent(text: string): string[] {
  const [first = "", ...others] = sourceLines(text);
  const indentOf = (line: string) => line.length - line.trimStart().length;
  const common = others.reduce(
    (least, line) => (line.trim() === "" ? least : Math.min(least, indentOf(line))),
    LINE_LENGTH,
  );
  return [first.trim(), ...others.map((line) => line.slice(Math.min(common, indentOf(line))).trimEnd())];
}

import type { DiffLine, DiffRange, DiffSource } from "../../flame-page/page-data.js";
import { type AlignedLines, alignLines } from "../../profile/line-alignment.js";
import type { SourceText } from "../../profile/profile.js";
import { sourceLines } from "../../profile/source-lines.js";
import { printable } from "../../views/label.js";
import type { DiffTree, ScriptTicks, SideStacks } from "./diff-tree.js";
import { cutLine, rangesAround } from "./source-excerpts.js";

/** The source texts of a page, and how many scripts did not fit. */
export interface DiffSources {
  readonly sources: readonly DiffSource[];
  readonly leftOut: number;
}

/** A script before and after; undefined where its text is not known. */
interface Script {
  readonly before: SideScript | undefined;
  readonly after: SideScript | undefined;
}

interface SideScript {
  readonly file: string;
  readonly text: SourceText;
  readonly ticks: ScriptTicks;
}

/**
 * Returns the lines with ticks of scripts on either side and the lines around them, before and after beside
 * each other: scripts with the most ticks first, up to `room` characters. `number` returns the number of a file.
 */
export function diffSources(
  { functions, scripts }: DiffTree,
  sides: readonly [SideStacks, SideStacks],
  { room, number }: { readonly room: number; number(file: string): number },
): DiffSources {
  const [before, after] = sides.map((side, i) => sideScripts(side, scripts[i as 0 | 1]));
  const partner = filesBefore(functions);
  const pairs: Script[] = [];
  for (const [file, script] of after!) {
    const old = before!.get(partner.get(file) ?? file);
    if (old !== undefined) before!.delete(old.file);
    pairs.push({ before: old, after: script });
  }
  for (const script of before!.values()) pairs.push({ before: script, after: undefined });
  const share = ({ before: old, after: now }: Script) =>
    Math.max(old?.ticks.share ?? 0, now?.ticks.share ?? 0);
  const sources: DiffSource[] = [];
  let left = room;
  for (const script of pairs.sort((a, b) => share(b) - share(a))) {
    const ranges = rangesOf(script);
    const size = ranges.reduce(
      (sum, { lines }) => sum + lines.reduce((all, line) => all + sizeOf(line), 0),
      0,
    );
    if (size > left) continue;
    left -= size;
    const mapFile = (script.after ?? script.before)?.text.mapFile;
    sources.push({
      before: script.before === undefined ? -1 : number(script.before.file),
      after: script.after === undefined ? -1 : number(script.after.file),
      ranges,
      ...(mapFile !== undefined && { mapFile: printable(mapFile) }),
    });
  }
  return { sources, leftOut: pairs.length - sources.length };
}

/** Returns the scripts of a side that have ticks and a text. Of several texts, the first run's counts. */
function sideScripts(side: SideStacks, scripts: ReadonlyMap<string, ScriptTicks>): Map<string, SideScript> {
  const found = new Map<string, SideScript>();
  for (const text of side.flatMap(({ sources }) => sources)) {
    const file = printable(text.file);
    const ticks = scripts.get(file);
    if (ticks !== undefined && !found.has(file)) found.set(file, { file, text, ticks });
  }
  return found;
}

/** Returns, by the name of a file after, that before: most of its functions were in it. */
function filesBefore(functions: DiffTree["functions"]): Map<string, string> {
  const votes = new Map<string, Map<string, number>>();
  for (const { sides } of functions) {
    const [before, after] = [sides[0]?.file, sides[1]?.file];
    if (before === undefined || after === undefined) continue;
    const found = votes.get(after) ?? new Map<string, number>();
    votes.set(after, found);
    found.set(before, (found.get(before) ?? 0) + 1);
  }
  const taken = new Set<string>();
  const partner = new Map<string, string>();
  const ballots = Array.from(votes).flatMap(([after, found]) =>
    Array.from(found, ([before, count]) => ({ before, after, count })),
  );
  for (const { before, after } of ballots.sort((a, b) => b.count - a.count)) {
    if (taken.has(before) || partner.has(after)) continue;
    taken.add(before);
    partner.set(after, before);
  }
  return partner;
}

function rangesOf({ before, after }: Script): DiffRange[] {
  const [old, now] = [before, after].map((script) => script && sourceLines(script.text.text));
  const rows = rowsOf(old, now, before?.text.text === after?.text.text);
  const ticked: number[] = [];
  for (const [i, row] of rows.entries()) {
    if (before?.ticks.lines.has(row.before) || after?.ticks.lines.has(row.after)) ticked.push(i + 1);
  }
  return rangesAround(ticked, rows.length).map(({ first, last }) => {
    const own = rows.slice(first - 1, last);
    const firstOf = (side: "before" | "after") => own.find((row) => row[side] > 0)?.[side] ?? 0;
    const textOf = (lines: readonly string[] | undefined, line: number) =>
      line > 0 ? cutLine(lines?.[line - 1] ?? "") : null;
    const lines = own.map((row): DiffLine => {
      if (row.isSame) return cutLine((now ?? old)![(now === undefined ? row.before : row.after) - 1]!);
      return [textOf(old, row.before), textOf(now, row.after)];
    });
    return { before: firstOf("before"), after: firstOf("after"), lines };
  });
}

function rowsOf(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
  isSame: boolean,
): readonly AlignedLines[] {
  if (before !== undefined && after !== undefined && !isSame) return alignLines(before, after);
  return (after ?? before ?? []).map((_, i) => ({
    before: before === undefined ? 0 : i + 1,
    after: after === undefined ? 0 : i + 1,
    isSame: true,
  }));
}

function sizeOf(line: DiffLine): number {
  return typeof line === "string" ? line.length + 1 : (line[0]?.length ?? 0) + (line[1]?.length ?? 0) + 2;
}

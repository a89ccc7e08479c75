import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import type { Frame } from "../profile/frame.js";
import { NameKeys } from "../profile/long-names.js";
import type { Profile } from "../profile/profile.js";
import { Analysis, type FrameGroups } from "./analysis.js";
import type { FunctionTable, ProfiledFunction } from "./function-table.js";

/** The ticks of one line of a script, or a function's ticks at unknown lines. */
export interface LineTicks {
  /** As logged; undefined for a function without a position. */
  readonly file: string | undefined;
  /** From 1; 0 if unknown. */
  readonly line: number;
  /** Where in the line, from 1; undefined unless lines are counted by column. */
  readonly column?: number | undefined;
  /** Where the loop begins that an unknown line is in; undefined if that is unknown too. */
  readonly loop: number | undefined;
  /** The function on the line with most ticks. */
  readonly function: ProfiledFunction;
  /** Ticks in the line's own code. */
  readonly self: Ticks;
  /** Ticks in the line's code and in what it called. A stack counts once. */
  readonly total: Ticks;
  /** The part of `total` in which the log does not say the line, but what is known allows no other. */
  readonly inferred: Ticks;
  /** Whether there is another row of this line, of another function. */
  readonly isShared: boolean;
}

/** Returns whether a function's ticks count. */
type LineScope = (functionId: number) => boolean;

/** The options of {@link lineTicks}. */
export interface LineOptions {
  /** Which functions count. Default: all. */
  readonly isInScope?: LineScope | undefined;
  /** Whether a line with several functions is several rows. Default: false, one row a line, as an annotated source needs it. */
  readonly byFunction?: boolean | undefined;
  /** Whether each column of a line is a row, if frames have them. Default: false. */
  readonly byColumn?: boolean | undefined;
}

/**
 * Returns the lines in which JavaScript functions have ticks, hottest first. Ticks at unknown lines get one
 * row per function. `self` sums to the self ticks of the functions in scope.
 */
export function lineTicks(
  of: Profile,
  { isInScope = () => true, byFunction = false, byColumn = false }: LineOptions = {},
): LineTicks[] {
  const profile = Analysis.of(of);
  const { table } = profile;
  const { lines, parts, lineOfFrame, partOfFrame } = groupLines(profile.frames, table, isInScope, {
    byFunction,
    byColumn,
  });
  const { self, total } = profile.groupTicks({ count: lines.length, ofFrame: lineOfFrame });
  const inferred = inferredTicks(profile, { count: lines.length, ofFrame: lineOfFrame });
  const ofPart = profile.groupTicks({ count: parts.length, ofFrame: partOfFrame });
  const hottest: number[] = [];
  const isShared = sharedLines(lines);
  for (const [part, { line }] of parts.entries()) {
    const best = hottest[line];
    const isHotter = (than: number) =>
      (ofPart.self[part]! - ofPart.self[than]! || ofPart.total[part]! - ofPart.total[than]!) > 0;
    if (best === undefined || isHotter(best)) hottest[line] = part;
  }
  return lines
    .map((line, i) => ({
      ...line,
      function: table.functions[parts[hottest[i]!]!.functionId]!,
      self: self[i]!,
      total: total[i]!,
      inferred: inferred?.[i] ?? 0,
      isShared: isShared[i] === 1,
    }))
    .filter((line) => line.total > 0)
    .sort(compareLines);
}

/** Returns, by row, 1 if another row is of the same line. */
function sharedLines(lines: LineGroups["lines"]): Uint8Array {
  const first = new Map<string, number>();
  const isShared = new Uint8Array(lines.length);
  for (const [i, { file, line, loop }] of lines.entries()) {
    if (file === undefined || (line === 0 && loop === undefined)) continue;
    const key = `${line} ${loop ?? ""} ${file}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, i);
    else isShared[other] = isShared[i] = 1;
  }
  return isShared;
}

/** Returns the total ticks at inferred lines, by line; undefined if there are none. */
function inferredTicks(profile: Analysis, { count, ofFrame }: FrameGroups): Float64Array | undefined {
  const isInferred = profile.frames.map((frame) => frame.kind === "js" && frame.inferredLine === true);
  if (!isInferred.includes(true)) return undefined;
  const inferred = ofFrame.map((line, frame) => (isInferred[frame] ? line : -1));
  return profile.groupTicks({ count, ofFrame: inferred }).total;
}

/** The lines that frames are at. */
interface LineGroups {
  readonly lines: readonly Pick<LineTicks, "file" | "line" | "column" | "loop">[];
  /** The parts of lines that belong to one function each. */
  readonly parts: readonly { readonly line: number; readonly functionId: number }[];
  /** By frame: an index into `lines`; -1 for none. */
  readonly lineOfFrame: Int32Array;
  /** By frame: an index into `parts`; -1 for none. */
  readonly partOfFrame: Int32Array;
}

/**
 * Groups frames by what every report calls a line: one of a file, or a function or loop whose lines are unknown. Other
 * frames than JavaScript's, and those of functions that are not in scope, are in none.
 */
export function groupLines(
  frames: readonly Frame[],
  table: FunctionTable,
  isInScope: LineScope,
  { byFunction = false, byColumn = false }: Omit<LineOptions, "isInScope"> = {},
): LineGroups {
  const lines: Pick<LineTicks, "file" | "line" | "column" | "loop">[] = [];
  const parts: { line: number; functionId: number }[] = [];
  const ids = new Map<string, number>();
  const idOf = (key: string, make: () => number): number => {
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = make();
    ids.set(key, id);
    return id;
  };
  const files = new NameKeys();
  const fileKeys: string[] = [];
  const fileKey = (id: number, file: string) => {
    fileKeys[id] ??= files.of(file);
    return fileKeys[id];
  };
  const lineOfFrame = new Int32Array(frames.length).fill(-1);
  const partOfFrame = new Int32Array(frames.length).fill(-1);
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i]!;
    const functionId = table.ofFrame[i]!;
    if (frame.kind !== "js" || !isInScope(functionId)) continue;
    const { file } = table.functions[functionId]!;
    const isKnown = frame.line > 0 && file !== undefined;
    const loop = isKnown || file === undefined ? undefined : frame.loop;
    const kind = isKnown ? "l" : "o";
    const column = byColumn && isKnown ? frame.column : undefined;
    const key =
      isKnown || loop !== undefined
        ? `${kind}\0${loop ?? frame.line}:${column ?? ""}\0${byFunction ? functionId : fileKey(functionId, file!)}`
        : `f\0${functionId}`;
    const line = idOf(key, () => lines.push({ file, line: isKnown ? frame.line : 0, column, loop }) - 1);
    lineOfFrame[i] = line;
    partOfFrame[i] = idOf(`p\0${line}\0${functionId}`, () => parts.push({ line, functionId }) - 1);
  }
  return { lines, parts, lineOfFrame, partOfFrame };
}

/** Most self ticks first. */
function compareLines(a: LineTicks, b: LineTicks): number {
  return (
    b.self - a.self ||
    b.total - a.total ||
    compareTexts(a.file ?? "", b.file ?? "") ||
    a.line - b.line ||
    (a.column ?? 0) - (b.column ?? 0) ||
    (a.loop ?? 0) - (b.loop ?? 0) ||
    (a.function.line ?? 0) - (b.function.line ?? 0) ||
    (a.function.column ?? 0) - (b.function.column ?? 0) ||
    compareTexts(a.function.name, b.function.name)
  );
}

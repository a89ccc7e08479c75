import { columnOf } from "../base/columns.js";
import { LONG_LINE } from "../base/limits.js";
import { addTo } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { isBefore } from "../profile/v8-era.js";
import { Analysis } from "./analysis.js";
import type { ShareRange } from "./confidence.js";
import type { FunctionTable, ProfiledFunction } from "./function-table.js";
import { innermostTicks } from "./innermost-ticks.js";
import { groupLines } from "./line-ticks.js";
import { SourceTexts } from "./source-texts.js";
import { compareFunctions } from "./top-functions.js";

/**
 * Why a tick has no line: V8's Sparkplug code has no positions in logs of Node 16 to 25; Maglev's has none for
 * loops but for their first round; the interpreter knows where it is only while it calls; Node logs none at all
 * before 16; WebAssembly has no lines; or this function's positions are not in the log.
 */
export type NoLineReason =
  | "sparkplug"
  | "peeled-loop"
  | "interpreter"
  | "old-node"
  | "webassembly"
  | "not-logged";

/** A line of a script, or a function or loop whose lines are unknown. */
export interface HotLine {
  /** Empty for code that was made at run time. */
  readonly file: string;
  /** From 1; 0 if the lines of the function are unknown. */
  readonly line: number;
  /** Where the loop begins that an unknown line is in; undefined if that is unknown too. */
  readonly loop: number | undefined;
  /** Why there is no line; undefined if there is one. */
  readonly reason: NoLineReason | undefined;
  /** The function that the ticks are of: a line with several functions is several rows. */
  readonly function: ProfiledFunction;
  /** Ticks in the line, and in what it called except for other lines of that code: each tick is at one line. */
  readonly ticks: Ticks;
  /** Ticks in the line's own code. */
  readonly self: Ticks;
  /** Ticks in the line and in all that it called. A stack counts once. */
  readonly total: Ticks;
  /** The part of `ticks` in which the log does not say the line, but what is known allows no other. */
  readonly inferred: Ticks;
  /** Where the function begins, from 1, if it begins in this line and the line is a long one; otherwise undefined. */
  readonly column: number | undefined;
  /** How many scripts of one name and text the line is of. */
  readonly scripts: number;
  /** The source text of the line, or of the loop's first line; undefined if the log has none. */
  readonly text: string | undefined;
  /** The 95 % interval of the share of `ticks`, in percent; undefined if nobody asked for it. */
  readonly range?: ShareRange;
}

/** Ticks at the lines of some code. `lines` and `outside` sum to the ticks of the profile. */
export interface HotLines {
  /** Most ticks first, then by self ticks, file, line and function. */
  readonly lines: readonly HotLine[];
  /** By reason: the ticks of `lines` without a line. */
  readonly withoutLine: ReadonlyMap<NoLineReason, Ticks>;
  /** Ticks of stacks without a function of that code. */
  readonly outside: Ticks;
  /** By sample: the index of its line; -1 if it is outside. */
  readonly ofSample: Int32Array;
}

interface Line {
  readonly id: number;
  readonly functionId: number;
  readonly reason: NoLineReason | undefined;
  ticks: Ticks;
  self: Ticks;
  inferred: Ticks;
}

/**
 * Counts each tick at the current line of the innermost function that is in `isMine`, by function, or at the
 * function if its lines are unknown.
 */
export function hotLines(of: Profile, isMine: Uint8Array): HotLines {
  const profile = Analysis.of(of);
  const { frames, sources, info, table } = profile;
  const innermost = innermostTicks(
    profile,
    columnOf(Uint8Array, table.ofFrame, (id) => isMine[id]!),
  );
  const groups = groupLines(frames, table, (id) => isMine[id] === 1, { byFunction: true });
  const { total } = profile.groupTicks({ count: groups.lines.length, ofFrame: groups.lineOfFrame });
  /** By line of the groups, those with ticks. */
  const lines: (Line | undefined)[] = [];
  const withoutLine = new Map<NoLineReason, Ticks>();
  const isLocated = locatedInBytecode(frames, table);
  const reasonOf = (frame: Frame, id: number) => noLineReason(frame, info, isLocated[id] === 1);
  let outside = profile.ticks;
  for (const number of innermost.order) {
    const frame = frames[number]!;
    const id = table.ofFrame[number]!;
    const found = groups.lineOfFrame[number]!;
    const reason = groups.lines[found]!.line > 0 ? undefined : reasonOf(frame, id);
    const line = lines[found] ?? { id: found, functionId: id, reason, ticks: 0, self: 0, inferred: 0 };
    lines[found] = line;
    const ticks = innermost.ticks[number]!;
    outside -= ticks;
    line.ticks += ticks;
    if (frame.kind === "js" && frame.inferredLine) line.inferred += ticks;
    line.self += innermost.self[number]!;
    if (reason !== undefined) addTo(withoutLine, reason, ticks);
  }
  const texts = new SourceTexts(sources, () => undefined);
  const rows = lines
    .filter((row) => row !== undefined)
    // Objects that are made of the rest of others take several times as much memory.
    .map(({ id, functionId, reason, ticks, self, inferred }) => {
      const { file = "", line, loop } = groups.lines[id]!;
      const shown = loop ?? line;
      const found = shown > 0 ? texts.lineOf(file, shown) : undefined;
      const owner = table.functions[functionId]!;
      const isLong = found !== undefined && found.length > LONG_LINE;
      // Columns count from where a long line begins, so that is kept.
      const text = isLong ? found : found?.trim();
      const column = isLong && owner.line === shown ? owner.column : undefined;
      const scripts = texts.scriptsOf(file);
      return {
        id,
        row: {
          file,
          line,
          loop,
          reason,
          function: owner,
          ticks,
          self,
          total: total[id]!,
          inferred,
          column,
          scripts,
          text,
        },
      };
    });
  rows.sort((a, b) => compareLines(a.row, b.row));
  const rank = new Int32Array(lines.length);
  for (const [i, { id }] of rows.entries()) rank[id] = i;
  /** By 1 + the frame: the line; -1 for none. */
  const shownAt = new Int32Array(frames.length + 1).fill(-1);
  for (const number of innermost.order) shownAt[number + 1] = rank[groups.lineOfFrame[number]!]!;
  const ofSample = innermost.ofSample.map((at) => shownAt[at]!);
  return {
    lines: rows.map(({ row }) => row),
    withoutLine,
    outside,
    ofSample,
  };
}

/** Returns only the lines of packages: the ticks of the program's own lines are outside. */
export function linesOfPackages({ lines, withoutLine, outside, ofSample }: HotLines): HotLines {
  const rank = new Int32Array(lines.length).fill(-1);
  const kept: HotLine[] = [];
  const withoutLineLeft = new Map(withoutLine);
  let left = outside;
  for (const [i, line] of lines.entries()) {
    if (line.function.origin.kind === "deps") {
      rank[i] = kept.push(line) - 1;
      continue;
    }
    left += line.ticks;
    if (line.reason === undefined) continue;
    const rest = withoutLineLeft.get(line.reason)! - line.ticks;
    if (rest > 0) withoutLineLeft.set(line.reason, rest);
    else withoutLineLeft.delete(line.reason);
  }
  return {
    lines: kept,
    withoutLine: withoutLineLeft,
    outside: left,
    ofSample: ofSample.map((line) => (line < 0 ? -1 : rank[line]!)),
  };
}

/** Returns, by function, 1 if the log has positions of its bytecode. */
function locatedInBytecode(frames: readonly Frame[], { functions, ofFrame }: FunctionTable): Uint8Array {
  const isLocated = new Uint8Array(functions.length);
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i]!;
    if (frame.kind === "js" && frame.tier === "~" && frame.line > 0) isLocated[ofFrame[i]!] = 1;
  }
  return isLocated;
}

function noLineReason(frame: Frame, info: Profile["info"], isLocated: boolean): NoLineReason {
  if (frame.kind !== "js" || !frame.name.includes(" ")) return "webassembly";
  if (isBefore(info, 9000)) return "old-node";
  if (frame.loop !== undefined) return "peeled-loop";
  if (frame.tier === "^") return "sparkplug";
  return frame.tier === "~" && isLocated ? "interpreter" : "not-logged";
}

function compareLines(a: HotLine, b: HotLine): number {
  return (
    b.ticks - a.ticks ||
    b.self - a.self ||
    compareTexts(a.file, b.file) ||
    a.line - b.line ||
    (a.loop ?? 0) - (b.loop ?? 0) ||
    compareFunctions(a.function, b.function)
  );
}

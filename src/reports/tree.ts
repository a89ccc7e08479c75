import { shownNumber } from "../base/digits.js";
import { amount, isEmpty, share, type Text, TICKS, text, UNIT } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { Analysis } from "../facts/analysis.js";
import type { FunctionNames } from "../facts/function-names.js";
import { FunctionStacks } from "../facts/function-stacks.js";
import { heavy, topDown } from "../facts/function-tree.js";
import { heaviestRows } from "../facts/heaviest-rows.js";
import { percentOf } from "../facts/shares.js";
import {
  type Omitted,
  type TreeLimits,
  type TreeRow,
  type TreeRows,
  treeRows,
  withoutRows,
} from "../facts/tree-rows.js";
import { callMarks, listedName, namedCell } from "../render/names.js";
import { type Block, type Figure, GAP, type TextLayout } from "../render/page.js";
import { plainly } from "../render/spoken.js";
import { emphasize } from "../render/style.js";
import { widthOf } from "../render/width.js";
import { factsReport, type Shown } from "./facts-report.js";
import {
  type CallableData,
  type Count,
  callableName,
  type FromOne,
  type InferredData,
  type Integer,
  type JsonHead,
  jsonCallable,
  jsonHead,
  jsonInferred,
  jsonMissingCallers,
  jsonWeights,
  type Microseconds,
  type MissingCallersData,
  type Percent,
  type Scale,
  scaleOf,
  shownTicks,
} from "./json.js";
import type { Surroundings } from "./report.js";
import type { TreeReportOptions } from "./report-options.js";
import { missingCallers, pageHead } from "./words.js";

/** The maximum share of a line for guides, and their maximum width. Longer ones are cut at their start. */
const GUIDE_SHARE = 0.5;
const GUIDE_COLUMNS = 100;

/** `ticks tree`. */
export const TREE = factsReport<TreeData, TreeReportOptions>({
  needs: () => ({ lines: false }),
  facts: treeFacts,
  page: treePage,
});

function treePage(facts: TreeData, shown: Shown<TreeReportOptions>): Block[] {
  const what = facts.direction === "heavy" ? "heavy: callers below" : "top-down: callees below";
  const head = pageHead(shown, text`${shown.tickCount}, ${what}`);
  if (facts.ticks === 0) return head;
  return [...head, ...missingCallers(shown), GAP, treeFigure(facts, shown.names)];
}

function treeFigure(facts: TreeData, names: FunctionNames): Figure {
  const { direction, ticks, omitted } = facts;
  const rows = drawnRows(facts);
  const own = ownTicks(rows);
  const isHeavy = direction === "heavy";
  return {
    kind: "figure",
    rows: rows.map((row, i) => ({ ticks: row.ticks, own: own[i]! })),
    draw: (layout, isShown) => {
      const shown = withoutRows({ rows, omitted }, (row) => !isShown(row));
      return new DrawnTree({ ...shown, ticks, isHeavy, names }, layout).lines();
    },
  };
}

interface DrawnRow extends Omit<TreeRow, "callable"> {
  readonly callable: CallableData;
}

/** A tree as it is drawn. */
interface Drawn {
  readonly ticks: Ticks;
  readonly rows: readonly DrawnRow[];
  readonly omitted: Omitted;
  readonly isHeavy: boolean;
  readonly names: FunctionNames;
}

/** Returns the rows of a document as they are drawn. */
function drawnRows({ rows }: TreeData): DrawnRow[] {
  const children = new Int32Array(rows.length);
  for (const { parent } of rows) if (parent !== null) children[parent]!++;
  return rows.map(({ parent, ticks, total, self = 0, ticksWithoutCaller, inferred = 0, ...row }, i) => ({
    ...row,
    parent: parent ?? -1,
    callable: row,
    ticks: ticks ?? total!,
    self,
    withoutCaller: ticksWithoutCaller ?? 0,
    inferred,
    children: children[i]!,
  }));
}

/** Returns the ticks of each row that are not in the rows below it. */
function ownTicks(rows: readonly DrawnRow[]): Ticks[] {
  const own = rows.map(({ ticks }) => ticks);
  for (const { parent, ticks } of rows) if (parent >= 0) own[parent]! -= ticks;
  return own;
}

/** The rows directly below one row, or the top rows. */
interface Level {
  readonly guides: string;
  readonly isTop: boolean;
  /** Whether there is only one. */
  readonly isChain: boolean;
  /** How many are still to come. */
  left: number;
  /** What is left out of them. */
  readonly rest: Rest;
  /** Begins the lines that say so, which come last. */
  readonly after: { readonly guides: string; readonly isBranch: boolean } | undefined;
}

/** What is below a row, or along a chain, but not shown. */
interface Rest {
  functions: number;
  ticks: Ticks;
  withoutCaller: Ticks;
}

const NOTHING: Rest = { functions: 0, ticks: 0, withoutCaller: 0 };

/** The columns before a function. */
interface NumberCells {
  readonly ticks: Text;
  readonly share: Text;
  readonly self: Text;
}

/** A tree as lines. Only branches are indented: an only child goes below its parent, after an arrow. */
class DrawnTree {
  readonly #tree: Drawn;
  readonly #layout: TextLayout;
  readonly #titles: NumberCells;
  readonly #ticksWidth: number;

  constructor(tree: Drawn, layout: TextLayout) {
    this.#tree = tree;
    this.#layout = layout;
    const title = tree.isHeavy ? UNIT : "total";
    this.#titles = { ticks: title, share: "share", self: "self" };
    const columnsOf = (one: Text) => this.#say(one).length;
    this.#ticksWidth = Math.max(5, columnsOf(title), columnsOf(amount(tree.ticks)));
  }

  *lines(): Iterable<string> {
    const { isHeavy, rows, omitted } = this.#tree;
    yield `${this.#numbers(this.#titles)}function`;
    const levels: Level[] = [
      { guides: "", isTop: true, isChain: false, left: Number.NaN, rest: NOTHING, after: undefined },
    ];
    for (const row of rows) {
      while (levels.length > row.depth + 1) yield* this.#restLines(levels.pop()!);
      if (isHeavy && row.depth === 0 && row !== rows[0]) yield "";
      const level = levels[row.depth]!;
      level.left--;
      yield this.#row(row, level.guides + this.#branch(level));
      levels.push(this.#levelBelow(level, row));
    }
    while (levels.length > 0) yield* this.#restLines(levels.pop()!);
    if (omitted.ticks === 0) return;
    if (isHeavy) yield "";
    yield this.#restLine(omitted.ticks, "", `… ${omitted.functions} more`);
  }

  /** Returns the level of the rows directly below a row. A chain has one rest for all of its rows. */
  #levelBelow(level: Level, row: DrawnRow): Level {
    const guides = this.#guidesBelow(level, row);
    const own = restOf(row);
    const isChain = row.children === 1;
    const below = { guides, isTop: false, isChain, left: row.children };
    if (!isChain) return { ...below, rest: own, after: { guides, isBranch: true } };
    if (!level.isChain) return { ...below, rest: own, after: { guides, isBranch: false } };
    level.rest.functions += own.functions;
    level.rest.ticks += own.ticks;
    level.rest.withoutCaller += own.withoutCaller;
    return { ...below, rest: level.rest, after: undefined };
  }

  /** Returns the lines for what a level leaves out, most ticks first. */
  #restLines({ rest, after }: Level): string[] {
    if (after === undefined) return [];
    const { guides, isBranch } = after;
    const where = isBranch ? "" : " on the way";
    const parts: [Ticks, string][] = [
      [rest.ticks, `… ${rest.functions} more${where}`],
      [rest.withoutCaller, `(no caller)${where}`],
    ];
    return parts
      .filter(([ticks]) => ticks > 0)
      .sort(([a], [b]) => b - a)
      .map(([ticks, what], i, { length }) => {
        const branch = !isBranch ? "" : i === length - 1 ? "└ " : "├ ";
        return this.#restLine(ticks, guides + branch, what);
      });
  }

  #branch(level: Level): string {
    if (level.isTop) return "";
    if (level.isChain) return this.#tree.isHeavy ? "← " : "→ ";
    return isAtEnd(level) ? "└ " : "├ ";
  }

  #guidesBelow(level: Level, row: DrawnRow): string {
    const { guides, isTop, isChain } = level;
    if (isTop || (isChain && row.children === 1)) return guides;
    const isLast = isChain || isAtEnd(level);
    // What is longer than a line is cut anyway.
    return `${guides}${isLast ? "  " : "│ "}`.slice(-GUIDE_COLUMNS - 1);
  }

  #row({ callable, ticks, self, ...row }: DrawnRow, lead: string): string {
    const { style, width } = this.#layout;
    const { names, isHeavy, ticks: whole } = this.#tree;
    const numbers = this.#numbers({
      ticks: amount(ticks),
      share: share(ticks, whole),
      self: amount(self),
    });
    const guides = cutStart(lead, Math.min(GUIDE_COLUMNS, Math.floor(width * GUIDE_SHARE)));
    const columns = width - widthOf(numbers) - widthOf(guides);
    // Highlight code with many self ticks, in either direction.
    const hot = isHeavy ? (row.depth === 0 ? ticks : 0) : self;
    const paint = (text: string) => emphasize(text, { ticks: hot, faint: ticks, whole }, style);
    const marks = this.#say(marksOf({ ticks, ...row }));
    const name = namedCell(listedName(callableName(names, callable)), { columns, style, marks, paint });
    return paint(numbers) + style.faint(guides) + name;
  }

  #restLine(ticks: Ticks, lead: string, what: string): string {
    const { style, width } = this.#layout;
    const guides = cutStart(lead, Math.min(GUIDE_COLUMNS, Math.floor(width * GUIDE_SHARE)));
    const numbers = this.#numbers({
      ticks: amount(ticks),
      share: share(ticks, this.#tree.ticks),
      self: "",
    });
    return style.faint(numbers + guides + what);
  }

  #say(text: Text): string {
    return plainly(text, this.#layout.unit);
  }

  /** Returns the columns before the functions. */
  #numbers({ ticks, share, self }: NumberCells): string {
    const columns = [this.#say(ticks).padStart(this.#ticksWidth), this.#say(share).padStart(6)];
    if (!this.#tree.isHeavy) columns.push(this.#say(self).padStart(this.#ticksWidth));
    return `${columns.join("  ")}  `;
  }
}

/** Returns whether no line of a level is still to come. */
function isAtEnd({ left, rest }: Level): boolean {
  return left === 0 && rest.ticks === 0 && rest.withoutCaller === 0;
}

/** Returns what is directly below a row but not shown. Only a row with callers says which ticks have none. */
function restOf({ omitted, withoutCaller, children }: DrawnRow): Rest {
  const hasCallers = children > 0 || omitted.ticks > 0;
  return { ...omitted, withoutCaller: hasCallers ? withoutCaller : 0 };
}

function marksOf({ recursion, ...row }: Pick<TreeRow, "ticks" | "inlined" | "inferred" | "recursion">): Text {
  const marks = callMarks(row);
  if (recursion <= 1) return marks;
  return isEmpty(marks) ? `×${recursion}` : text`×${String(recursion)} ${marks}`;
}

/** Cuts the start of a text of one-column characters to fit the width. */
function cutStart(text: string, columns: number): string {
  return text.length <= columns ? text : `…${text.slice(text.length - columns + 1)}`;
}

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id tree.schema.json
 * @title ticks tree --format json, schema version 1
 */
export interface TreeData extends JsonHead<"tree"> {
  readonly missingCallers: MissingCallersData;
  /** Whether callees or callers are below a row. */
  readonly direction: "top-down" | "heavy";
  readonly omitted: OmittedData;
  /** Depth first. A flat list, because a tree can be too deep for parsers. The top rows and omitted sum to ticks. */
  readonly rows: readonly TreeRowData[];
}

export interface TreeRowData extends CallableData, InferredData {
  /** 0 at the top. */
  readonly depth: Count;
  /** The index in rows of the row above it. null at the top. */
  readonly parent: Integer | null;
  /** Top-down: in the function itself. */
  readonly self?: Ticks;
  readonly selfPercent?: Percent;
  /** Top-down: self + the totals of the rows directly below + omitted.ticks. */
  readonly total?: Ticks;
  readonly totalPercent?: Percent;
  /** Heavy: ticksWithoutCaller + the ticks of the rows directly below + omitted.ticks, if there are any. */
  readonly ticks?: Ticks;
  readonly percent?: Percent;
  /** What its ticks took by the times of the samples. Only of profiles that are no logs. */
  readonly timeUs?: Microseconds;
  /** Its bytes, or objects, in a profile of memory. */
  readonly bytes?: Count;
  readonly objects?: Count;
  /** Heavy: in stacks that begin with the function. */
  readonly ticksWithoutCaller?: Ticks;
  /** Of its ticks, those where it is inlined into its caller. */
  readonly inlined: Ticks;
  /** How deep the function calls itself at most, as one row. 1 if it does not. */
  readonly recursion: FromOne;
  readonly omitted: OmittedData;
}

/** What is directly below and not listed. */
export interface OmittedData {
  readonly functions: Count;
  readonly ticks: Ticks;
}

/** Returns the document of `ticks tree`. */
function treeFacts(
  profile: Analysis,
  { options, limit }: Shown<TreeReportOptions>,
  { warn }: Surroundings,
): TreeData {
  const { heavy: isHeavy = false, depth = Number.POSITIVE_INFINITY, minPercent = 1 } = options;
  const limits = { depth, least: (shownTicks(profile) * minPercent) / 100 };
  const merged = profile.byCall();
  const stacks = new FunctionStacks(merged);
  const all = isHeavy
    ? heavyRows(merged, stacks, { limits, warn })
    : treeRows(topDown(merged, stacks), stacks, limits);
  const { rows, omitted } = heaviestRows(all, limit);
  const scale = scaleOf(profile);
  return {
    ...jsonHead("tree", profile),
    missingCallers: jsonMissingCallers(profile),
    direction: isHeavy ? "heavy" : "top-down",
    omitted,
    rows: rows.map((row) => rowOf(row, { isHeavy, scale })),
  };
}

/** Returns the rows of the heavy tree. Warns if there are too many. */
function heavyRows(
  profile: Analysis,
  stacks: FunctionStacks,
  { limits, warn }: { readonly limits: TreeLimits; readonly warn: Surroundings["warn"] },
): TreeRows {
  const tree = heavy(profile, stacks, limits);
  const { least } = tree;
  if (least > limits.least) {
    const hidden = shownNumber((100 * least) / shownTicks(profile));
    warn(
      text`the tree has too many rows: those with less than ${hidden} % of the ${TICKS} are hidden (--min ${hidden})`,
    );
  }
  return treeRows(tree, stacks, { ...limits, least });
}

function rowOf(
  { depth, parent, callable, ...row }: TreeRow,
  { isHeavy, scale }: { readonly isHeavy: boolean; readonly scale: Scale },
): TreeRowData {
  const { ticks, self, withoutCaller, inlined, inferred, recursion, omitted } = row;
  return {
    depth,
    parent: parent < 0 ? null : parent,
    ...jsonCallable(callable),
    ...(isHeavy
      ? { ticks, percent: percentOf(ticks, scale.whole), ticksWithoutCaller: withoutCaller }
      : jsonWeights({ self, total: ticks }, { whole: scale.whole })),
    ...(scale.tickTime !== undefined && { timeUs: Math.round(ticks * scale.tickTime) }),
    ...(scale.memory && { [scale.memory.of]: Math.round(ticks * scale.memory.tick) }),
    inlined,
    ...jsonInferred(inferred),
    recursion,
    omitted,
  };
}

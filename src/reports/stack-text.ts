import { shortSymbol } from "../base/symbols.js";
import type { FunctionNames } from "../facts/function-names.js";
import { printable } from "../facts/label.js";
import { listedSymbol } from "../render/names.js";
import type { PathCell } from "../render/page.js";
import { cutMiddle, endsOf, fits, widthOf } from "../render/width.js";
import { type CallableData, callableName, type FunctionData, isSameFunction, shownFunction } from "./json.js";

/** Returns the cell of a stack. `known`: how many of its outermost names are in a row above. */
export function stackCell(names: FunctionNames, path: readonly CallableData[], known = 0): PathCell {
  const shown: PathPart[] = known < 2 ? foldNode(path) : [LEFT_OUT, ...foldNode(path.slice(known - 1))];
  return {
    path: shown.map((one) => nameInStack(names, one)),
    fit: (columns) => stackText(names, shown, Math.min(columns, WIDEST_STACK)),
  };
}

/** A stack is no wider in a file or a pipe, where lines have no end: `ticks tree` and JSON have all of it. */
const WIDEST_STACK = 160;

/** A function or state of a stack, or {@link LEFT_OUT}. */
type PathPart = CallableData | typeof LEFT_OUT;

/** Longer lists of stacks have all callers of each: to compare each with all others would take too long. */
const MOST_COMPARED = 50;

/**
 * Returns how many outermost callers of a stack are a whole stack above it. The last of them must have the same callers in all
 * stacks, so that its name alone says which they are.
 */
export function sharedCallers(
  index: number,
  stacks: readonly { readonly path: readonly CallableData[] }[],
): number {
  if (stacks.length > MOST_COMPARED) return 0;
  const { path } = stacks[index]!;
  const isSame = (a: CallableData | undefined, b: CallableData | undefined) =>
    !!a?.function && !!b?.function && isSameFunction(a.function, b.function);
  const hasCallers = (other: readonly CallableData[], count: number) =>
    path.slice(0, count).every((one, i) => isSame(one, other[i]));
  const isAlone = (count: number) =>
    stacks.every(
      ({ path: other }) => !other.some((one) => isSame(one, path[count - 1])) || hasCallers(other, count),
    );
  const known = stacks.slice(0, index).map((stack) => stack.path.length);
  const whole = (count: number, i: number) =>
    count < path.length && hasCallers(stacks[i]!.path, count) && isAlone(count);
  return known.filter(whole).reduce((most, count) => Math.max(most, count), 0);
}

/** So many functions of Node in a row are shown. */
const MOST_OF_NODE = 4;

/** Leaves out the middle of many functions of Node in a row. */
function foldNode(path: readonly CallableData[]): PathPart[] {
  const isNode = (one: CallableData | undefined) => one?.function?.origin === "node";
  const shown: PathPart[] = [];
  for (let from = 0; from < path.length; ) {
    let to = from + 1;
    while (isNode(path[from]) && isNode(path[to])) to++;
    const run = path.slice(from, to);
    const kept = run.length > MOST_OF_NODE ? [...run.slice(0, 2), LEFT_OUT, run.at(-1)!] : run;
    for (const one of kept) shown.push(one);
    from = to;
  }
  return shown;
}

/** The most names of a stack that are shown: V8 logs no longer ones. */
const LONGEST_STACK = 255;

/**
 * Returns a stack in at most `columns` columns. Names are shortened only if it does not fit; of the names of
 * native functions first their arguments and template arguments.
 */
function stackText(names: FunctionNames, path: readonly PathPart[], columns: number): string {
  const shown = path.length > LONGEST_STACK ? path.slice(-LONGEST_STACK) : path;
  const texts = (isWhole: boolean) => shown.map((one) => nameInStack(names, one, { columns, isWhole }));
  const start = shown === path ? "" : `…${ARROW}`;
  if (columns === Number.POSITIVE_INFINITY) return start + stackLine(texts(true), columns);
  const whole = texts(true);
  const isFitting = whole.every((name) => fits(name, columns)) && fits(whole.join(ARROW), columns);
  return isFitting && start === "" ? whole.join(ARROW) : stackLine(texts(false), columns);
}

/** Stands for names that are left out. */
const LEFT_OUT = "…" as const;

/** Stands between the names of a stack. */
const ARROW = " → ";

/** Names are cut to these widths, one after the other, before any is left out. */
const NAME_WIDTHS = [40, 32, 24];

/**
 * Returns a stack in at most `columns` columns: names joined by arrows, outermost first. If they do not fit,
 * long names are cut; then names after the outermost are left out.
 */
export function stackLine(names: readonly string[], columns: number): string {
  for (const limit of [Number.POSITIVE_INFINITY, ...NAME_WIDTHS]) {
    if (widthUpTo(names, limit, columns) > columns) continue;
    return names.map((name) => cutMiddle(name, limit)).join(ARROW);
  }
  const limit = names.length > 1 ? Math.floor((columns - 2 * ARROW.length) / 2) : columns;
  const cut = (name: string) => cutMiddle(name, Math.min(limit, NAME_WIDTHS[0]!));
  const first = cut(names[0] ?? "");
  const last: string[] = [];
  let left = columns - widthOf(first) - ARROW.length - widthOf(LEFT_OUT);
  for (let i = names.length - 1; i > 1; i--) {
    const name = cut(names[i]!);
    left -= ARROW.length + widthOf(name);
    if (left < 0) break;
    last.push(name);
  }
  if (last.length > 0) return [first, LEFT_OUT, ...last.reverse()].join(ARROW);
  return cutMiddle([first, ...names.slice(1).slice(-1).map(cut)].join(ARROW), columns);
}

/** Returns the width of a stack, or any larger number once it exceeds `columns`. */
function widthUpTo(names: readonly string[], limit: number, columns: number): number {
  let width = -ARROW.length;
  for (const name of names) {
    if (limit === Number.POSITIVE_INFINITY && !fits(name, columns)) return columns + 1;
    width += ARROW.length + widthOf(cutMiddle(name, limit));
    if (width > columns) break;
  }
  return width;
}

/** How to show a name. */
interface NameOptions {
  /** Of far longer names only the ends are kept. Default: all. */
  readonly columns?: number;
  /** Whether a native name has its arguments. Default: true. */
  readonly isWhole?: boolean;
}

/** Returns a stack entry: a function's name, or its position if nothing tells what it is for, or a VM state. */
function nameInStack(names: FunctionNames, callable: PathPart, options: NameOptions = {}): string {
  if (callable === LEFT_OUT) return LEFT_OUT;
  const { function: one } = callable;
  return one === null ? callableName(names, callable).title : functionInStack(names, one, options);
}

/** Returns the name of a function, or its position if nothing tells what it is for. */
export function functionInStack(
  names: FunctionNames,
  one: FunctionData,
  { columns = Number.POSITIVE_INFINITY, isWhole = true }: NameOptions = {},
): string {
  const shown = shownFunction(one);
  const { title, position } = names.function(shown);
  if (names.isAlike(shown)) return printable(endsOf(`${title} ${position}`.trimEnd(), columns));
  const shorten = isWhole ? listedSymbol : shortSymbol;
  return printable(endsOf(shown.kind === "native" ? shorten(title) : title, columns));
}

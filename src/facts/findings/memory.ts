import { columnOf } from "../../base/columns.js";
import { addTo } from "../../base/maps.js";
import { joined, named, text } from "../../base/text.js";
import type { Ticks } from "../../base/units.js";
import { ROOT } from "../../profile/call-tree.js";
import type { Frame } from "../../profile/frame.js";
import { parseFrameName } from "../../profile/logged-name.js";
import type { Analysis } from "../analysis.js";
import type { ProfiledFunction } from "../function-table.js";
import type { Finding, FindingKind, FindingPlace } from "./finding.js";

/** What builtins allocate for the program that calls them, and what is said of it. */
interface Allocator {
  readonly kind: FindingKind;
  /** Matches the names of builtins. */
  readonly builtins: RegExp;
  /** Matches the scripts of Node that do the same. */
  readonly scripts?: RegExp;
  readonly what: string;
  readonly advice: string;
}

/**
 * Only builtins that V8 gives a frame of their own: it has none for `{ ...object }`, closures, JSON and texts that are added up, whose
 * bytes are of the function itself. A name that is in no row may be of several builtins, such as `values`.
 */
const ALLOCATORS: readonly Allocator[] = [
  {
    kind: "array-copy",
    builtins:
      /^(?:slice|from|of|concat|flat|flatMap|map|filter|sort|toReversed|toSorted|toSpliced|assign|entries|fromEntries|keys)$/,
    what: "new lists and objects are made of others each time",
    advice: "loop over the list itself, or keep the copy",
  },
  {
    kind: "strings",
    builtins: /^(?:join|replace|replaceAll|split|match|matchAll|exec|padStart|padEnd|repeat|substring|trim)$/,
    what: "strings are put together or cut",
    advice: "keep those that are always the same, or write them out in parts",
  },
  {
    kind: "promises",
    builtins: /^(?:Promise|then|catch|finally|all|allSettled|race|any|resolve|reject)$/,
    what: "promises and their callbacks",
    advice: "await only what waits, and several together",
  },
  {
    kind: "collections",
    builtins: /^(?:Map|Set|WeakMap|WeakSet|set|add)$/,
    what: "maps and sets, whose tables are copied as they grow",
    advice: "make them once and keep them",
  },
  {
    kind: "buffers",
    builtins: /^(?:(?:Big)?(?:Int|Uint|Float)\d+(?:Clamped)?Array|ArrayBuffer|DataView)$/,
    scripts: /^node:(?:internal\/)?buffer$/,
    what: "Buffers and typed arrays, each an object of its own",
    advice: "use one again, or fewer and larger ones",
  },
];

/** The least share, in percent, and the least samples of what is said. */
const LEAST_SHARE = 10;
const LEAST_SAMPLES = 20;
const NONE = -1;

/** What is known of a kind of allocations. */
interface Allocations {
  ticks: Ticks;
  readonly places: Map<ProfiledFunction, Ticks>;
  /** By name of a builtin, or of a function of Node. */
  readonly names: Map<string, Ticks>;
}

/** Returns what stands out in a profile of memory, the largest share first: what builtins allocate for functions of the program and of packages. */
export function memoryFindings(of: Analysis): Finding[] {
  const { samples, info } = of;
  const shown = info.ticks - info.excluded;
  const { allocator, evidence, place } = allocatorsOf(of);
  const found = ALLOCATORS.map((): Allocations => ({ ticks: 0, places: new Map(), names: new Map() }));
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    const one = found[allocator[node]!];
    if (one === undefined) continue;
    const ticks = samples.ticks[i]!;
    one.ticks += ticks;
    addTo(one.names, builtinOf(of.frames[evidence[node]!]!).name, ticks);
    const { functions, ofFrame } = of.table;
    addTo(one.places, functions[ofFrame[place[node]!]!]!, ticks);
  }
  return found
    .flatMap((one, i) => {
      const percent = (one.ticks * 100) / shown;
      return one.ticks < LEAST_SAMPLES || percent < LEAST_SHARE
        ? []
        : findingOf(ALLOCATORS[i]!, one, percent);
    })
    .sort((a, b) => b.ticks - a.ticks);
}

/** By node of the tree: the row that its bytes are of and the frame that tells it, and the innermost function of the program or a package. */
function allocatorsOf({ tree, frames, origins }: Analysis) {
  const isPlace = columnOf(Uint8Array, origins, ({ kind }) => (kind === "app" || kind === "deps" ? 1 : 0));
  const rows = columnOf(Int32Array, frames, rowOf);
  const { length } = tree;
  const allocator = new Int32Array(length).fill(NONE);
  const evidence = new Int32Array(length).fill(NONE);
  const place = new Int32Array(length).fill(NONE);
  for (let node = ROOT + 1; node < length; node++) {
    const [frame, parent] = [tree.frame[node]!, tree.parent[node]!];
    place[node] = isPlace[frame] === 1 ? frame : place[parent]!;
    if (isPlace[frame] === 1 || place[node] === NONE) continue;
    // The outermost one counts: Promise.all makes promises, whatever it calls.
    const isInside = allocator[parent] !== NONE;
    allocator[node] = isInside ? allocator[parent]! : rows[frame]!;
    evidence[node] = isInside ? evidence[parent]! : frame;
  }
  return { allocator, evidence, place };
}

function rowOf(frame: Frame): number {
  const { name, file } = builtinOf(frame);
  return ALLOCATORS.findIndex(({ builtins, scripts }) =>
    file === undefined ? builtins.test(name) : scripts?.test(file),
  );
}

/** Returns the name of a builtin, or of a function and its script. */
function builtinOf(frame: Frame): { readonly name: string; readonly file?: string | undefined } {
  if (frame.kind === "native" && frame.library === "") return { name: frame.symbol ?? "" };
  return frame.kind === "js"
    ? { ...parseFrameName(frame), file: parseFrameName(frame).file ?? "" }
    : { name: "" };
}

/** So many builtins are named. */
const MOST_NAMES = 3;

function findingOf({ kind, what, advice }: Allocator, found: Allocations, percent: number): Finding {
  const names = Array.from(found.names)
    .filter(([name, ticks]) => name !== "" && ticks * 10 >= found.ticks)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_NAMES);
  const made = joined(
    names.map(([name]) => named(name)),
    ", ",
  );
  const places = Array.from(found.places)
    .flatMap(([fn, ticks]) => placeOf(fn, ticks) ?? [])
    .sort((a, b) => b.ticks - a.ticks);
  return {
    ...{ kind, ticks: found.ticks, percent, place: places[0], places, threads: [], makesGarbage: false },
    ...{ caller: undefined, made: undefined, likely: undefined, inPackage: undefined, advice },
    what: names.length === 0 ? what : text`${what} (${made})`,
  };
}

/** V8 tells no lines of allocations, but where functions begin. */
function placeOf(fn: ProfiledFunction, ticks: Ticks): FindingPlace | undefined {
  if (fn.file === undefined || fn.file === "" || fn.line === undefined) return undefined;
  return { function: fn, line: fn.line, ticks, column: fn.column, isLineKnown: false, isRow: false };
}

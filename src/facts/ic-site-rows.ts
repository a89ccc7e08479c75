import { columnOf } from "../base/columns.js";
import { compareTexts } from "../base/sorted.js";
import type { Count, Integer, Milliseconds, Percent, Ticks } from "../base/units.js";
import {
  type IcPlace,
  type IcSite,
  type IcStateStep,
  isMegamorphic,
  MOST_MAPS,
  onlySite,
} from "../profile/inline-caches.js";
import { NameKeys, oncePerLongName } from "../profile/long-names.js";
import type { DeoptRow } from "./deopts.js";
import { type InferredData, type NamedFunction, namedFunction } from "./document-parts.js";
import { percentOf } from "./shares.js";

/** Where a cache is. */
export interface IcPlaceData {
  /** The function that has the cache. Never null. */
  readonly function: NamedFunction | null;
  /** The script of the position, or its original source. Empty if unknown. */
  readonly file: string;
  /** From 1; null if unknown. */
  readonly line: Integer | null;
  /** From 1; null if unknown. */
  readonly column: Integer | null;
  /** What the cache is for, in V8's words: LoadIC, KeyedStoreIC. */
  readonly kind: string;
  /** The first keys that its rows name: names of properties, or indices. */
  readonly keys: readonly string[];
  /** Whether there are more keys. */
  readonly hasMoreKeys: boolean;
}

/** An inline cache with its price. Caches of several threads at one position are one row. */
export interface IcSiteFacts extends IcPlaceData, InferredData {
  /** The states that it reached, in the order of their times. */
  readonly states: readonly IcStateData[];
  /** The state before the first row. */
  readonly firstState: string;
  /** The state after the last row. */
  readonly lastState: string;
  /** When the last row was written. */
  readonly lastTime: Milliseconds;
  /** Whether it ever was megamorphic or generic. */
  readonly isMegamorphic: boolean;
  /** How many rows it has: misses that V8 logged. */
  readonly rows: Count;
  /** How many different maps its rows name, which are shapes of objects. At least as many passed. */
  readonly maps: Count;
  /** Whether it has more maps than are counted. */
  readonly hasMoreMaps: boolean;
  /** How elements are accessed, in V8's words. */
  readonly modifiers: readonly string[];
  /** Why V8 took the slow way, in its words. */
  readonly slowReasons: readonly string[];
  /** Its price: ticks in V8's code that worked for it. */
  readonly ticks: Ticks;
  readonly percent: Percent;
  /** Ticks that are its own or another site's. They are not in ticks. */
  readonly sharedTicks: Ticks;
  /** The deoptimizations at its position; ticks deopts has them. */
  readonly deopts: readonly IcDeoptData[];
}

export interface IcStateData {
  /**
   * V8's mark: X no feedback yet, 0 uninitialized, . premonomorphic, 1 monomorphic, ^ handler recomputed, P polymorphic, N
   * megamorphic, D megamorphic DOM, G generic.
   */
  readonly state: string;
  /** When a row first ended in it. */
  readonly time: Milliseconds;
  /** How many rows end in it. */
  readonly rows: Count;
}

export interface IcDeoptData {
  readonly reason: string;
  /** How often. */
  readonly count: Count;
  /** Ticks in slower code until the function was optimized again. */
  readonly cost: Ticks;
}

/** Ticks that belong to one of several sites. */
export interface SharedTicksData {
  readonly ticks: Ticks;
  readonly percent: Percent;
  /** Whether it can also be a site in inlined code, which the log does not tell up to Node 14. */
  readonly mayBeInlined: boolean;
  /** It is one of these. */
  readonly sites: readonly IcPlaceData[];
}

/** A millisecond, in microseconds. */
export const MILLISECOND = 1000;

/** A position: nothing is known where the line is 0 or null. */
interface Position {
  readonly file?: string | undefined;
  readonly line: number | null;
  readonly column: number | null;
}

/** Returns the key of a position, by which deoptimizations and sites find each other. */
export function positionKey({ file, line, column }: Position): string {
  return `${line ?? 0}:${column ?? 0}:${file ?? ""}`;
}

type MutableRow = { -readonly [Key in keyof Omit<IcSiteFacts, "inferred">]: IcSiteFacts[Key] } & {
  /** Undefined for none. */
  inferred?: Ticks | undefined;
};

/** What rows are made with. */
interface SiteOptions {
  /** The deoptimizations by {@link positionKey}. */
  readonly deopts: ReadonlyMap<string, readonly DeoptRow[]>;
  /** What functions without a name are for, by their logged names. */
  readonly roles: ReadonlyMap<string, string>;
  /** The ticks that percentages are of. */
  readonly whole: Ticks;
}

/** Merges sites at one position, and gives each its ticks. */
export class SiteRows {
  readonly #rows: MutableRow[] = [];
  readonly #whole: Ticks;
  /** By site: its row. */
  readonly #rowOf: Int32Array;
  readonly #shared = new Map<
    string,
    { readonly rows: readonly number[]; mayBeInlined: boolean; ticks: Ticks }
  >();

  constructor(sites: readonly IcSite[], { deopts, roles, whole }: SiteOptions) {
    this.#whole = whole;
    const numbers = new Map<string, number>();
    const names = new NameKeys();
    const functionOf = oncePerLongName((name) => namedFunction(name, roles.get(name)));
    this.#rowOf = columnOf(Int32Array, sites, (site) => {
      const position = positionKey(site);
      const key = `${site.kind}\0${names.of(site.function)}\0${names.of(position)}`;
      const known = numbers.get(key);
      if (known !== undefined) {
        addSite(this.#rows[known]!, site);
        return known;
      }
      const found = site.line > 0 ? (deopts.get(position) ?? []) : [];
      const number = this.#rows.push(rowOf(site, functionOf(site.function), found)) - 1;
      numbers.set(key, number);
      return number;
    });
  }

  /** Adds the ticks of a place. Returns whether they are the price of a site. */
  add(place: IcPlace, ticks: Ticks): boolean {
    const rows = Array.from(new Set(place.sites.map((site) => this.#rowOf[site]!)));
    if (rows.length === 0) return false;
    if (onlySite(place) !== undefined) {
      const row = this.#rows[rows[0]!]!;
      row.ticks += ticks;
      if (place.isInferred) row.inferred = (row.inferred ?? 0) + ticks;
      return true;
    }
    for (const row of rows) this.#rows[row]!.sharedTicks += ticks;
    const key = `${place.mayBeInlined ? "+" : ""}${rows.join()}`;
    const known = this.#shared.get(key);
    if (known !== undefined) known.ticks += ticks;
    else this.#shared.set(key, { rows, mayBeInlined: place.mayBeInlined, ticks });
    return false;
  }

  /** Returns all sites by ticks, then by rows, once all ticks are added. */
  sites(): IcSiteFacts[] {
    for (const row of this.#rows) row.percent = percentOf(row.ticks, this.#whole);
    return (this.#rows as IcSiteFacts[]).toSorted(compareSites);
  }

  /** Returns the ticks that belong to one of several sites, once all are added. */
  shared(): SharedTicksData[] {
    const list = Array.from(this.#shared.values(), ({ rows, mayBeInlined, ticks }) => ({
      ticks,
      percent: percentOf(ticks, this.#whole),
      mayBeInlined,
      sites: rows.map((row) => placeOf(this.#rows[row]!)),
    }));
    return byTicks(list, ({ sites }) => sites.map(positionKey).join());
  }
}

/** Returns the row of a site without ticks. The order of its fields is that of the document. */
function rowOf(site: IcSite, owner: NamedFunction, deopts: readonly DeoptRow[]): MutableRow {
  return {
    function: owner,
    file: site.file ?? "",
    line: site.line === 0 ? null : site.line,
    column: site.column === 0 ? null : site.column,
    kind: site.kind,
    keys: site.keys,
    hasMoreKeys: site.hasMoreKeys,
    states: site.states.map(stateOf),
    firstState: site.first,
    lastState: site.last,
    lastTime: site.lastTime / MILLISECOND,
    isMegamorphic: site.states.some(({ state }) => isMegamorphic(state)),
    rows: site.rows,
    maps: site.maps,
    hasMoreMaps: site.maps === MOST_MAPS,
    modifiers: site.modifiers,
    slowReasons: site.reasons,
    ticks: 0,
    percent: 0,
    inferred: undefined,
    sharedTicks: 0,
    deopts: deopts.map(({ reason, count, cost }) => ({ reason, count, cost })),
  };
}

function stateOf({ state, time, rows }: IcStateStep): IcStateData {
  return { state, time: time / MILLISECOND, rows };
}

function placeOf({ function: owner, file, line, column, kind, keys, hasMoreKeys }: IcPlaceData): IcPlaceData {
  return { function: owner, file, line, column, kind, keys, hasMoreKeys };
}

/** Adds the same site of another thread to a row. */
function addSite(row: MutableRow, site: IcSite): void {
  const states = new Map(row.states.map((step) => [step.state, step]));
  for (const step of site.states.map(stateOf)) {
    const known = states.get(step.state);
    states.set(step.state, known === undefined ? step : sumOf(known, step));
  }
  const union = (one: readonly string[], other: readonly string[]) => Array.from(new Set([...one, ...other]));
  const lastTime = site.lastTime / MILLISECOND;
  row.states = Array.from(states.values()).sort((a, b) => a.time - b.time);
  row.lastState = lastTime > row.lastTime ? site.last : row.lastState;
  row.lastTime = Math.max(row.lastTime, lastTime);
  row.isMegamorphic ||= site.states.some(({ state }) => isMegamorphic(state));
  row.rows += site.rows;
  row.maps = Math.max(row.maps, site.maps);
  row.hasMoreMaps = row.maps === MOST_MAPS;
  row.keys = union(row.keys, site.keys);
  row.hasMoreKeys ||= site.hasMoreKeys;
  row.modifiers = union(row.modifiers, site.modifiers);
  row.slowReasons = union(row.slowReasons, site.reasons);
}

function sumOf(one: IcStateData, other: IcStateData): IcStateData {
  return { state: one.state, time: Math.min(one.time, other.time), rows: one.rows + other.rows };
}

/** Returns rows with the most ticks first; of equals, by name. */
export function byTicks<Row extends { readonly ticks: Ticks }>(
  rows: Row[],
  nameOf: (row: Row) => string,
): Row[] {
  return rows.sort((a, b) => b.ticks - a.ticks || compareTexts(nameOf(a), nameOf(b)));
}

/** Orders sites by ticks, then by rows. */
function compareSites(a: IcSiteFacts, b: IcSiteFacts): number {
  return (
    b.ticks - a.ticks ||
    b.sharedTicks - a.sharedTicks ||
    b.rows - a.rows ||
    compareTexts(a.file, b.file) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareTexts(a.kind, b.kind) ||
    compareTexts(nameOf(a), nameOf(b))
  );
}

/** Returns the name of the function of a site, as logs have it. */
function nameOf({ function: owner }: IcPlaceData): string {
  return owner === null ? "" : `${owner.name} ${owner.file}:${owner.line}:${owner.column}`;
}

import { IC_SITES } from "../base/limits.js";
import type { Address, Micros } from "../base/units.js";
import type { IcKind, IcRecord } from "../log/rows/ic.js";
import { type IcStateStep, type IcTimes, isMegamorphic, MOST_MAPS } from "../profile/inline-caches.js";
import type { LoggedFunction } from "./logged-functions.js";
import type { Code } from "./replayed-frame.js";

export interface CodeOffset {
  readonly code: Code;
  /** In bytes from the start of the code. */
  readonly offset: number;
}

/** An inline cache, as the rows of a log tell of it. */
export interface LoggedIcSite {
  readonly kind: IcKind;
  /** From 1; negative if unknown. */
  readonly line: number;
  /** From 1; negative if unknown. */
  readonly column: number;
  readonly first: string;
  /** In the order in which they were reached. */
  readonly states: readonly IcStateStep[];
  readonly last: string;
  readonly lastTime: Micros;
  readonly rows: number;
  readonly maps: readonly Address[];
  readonly keys: readonly string[];
  readonly hasMoreKeys: boolean;
  readonly modifiers: readonly string[];
  readonly reasons: readonly string[];
  /** Where in code it is: in bytecode, the offset of the bytecode; else behind a call. The first ones. */
  readonly offsets: readonly CodeOffset[];
}

/** A {@link LoggedIcSite} in the making. Most lists have one item or none, and there can be many sites. */
type Site = {
  -readonly [Key in keyof Omit<LoggedIcSite, "states">]: LoggedIcSite[Key];
} & {
  readonly states: { -readonly [Key in keyof IcStateStep]: IcStateStep[Key] }[];
};

/** What a site keeps of its rows at most. */
const MOST = { states: 16, keys: 4, texts: 4, offsets: 16 };
/** The slices of time, and the width of the first ones. */
const SLICES = 64;
const FIRST_WIDTH: Micros = 1000;

/**
 * Collects the rows of inline caches by site: a row more of a known site takes no more memory. A site is a position
 * of a function, and a kind.
 */
export class IcRows {
  readonly #byFunction = new Map<LoggedFunction, Map<string, Site>>();
  #count = 0;
  #width = FIRST_WIDTH;
  readonly #slices = { rows: new Float64Array(SLICES), megamorphic: new Float64Array(SLICES) };
  #lastSlice = -1;
  rows = 0;
  /** The rows whose code is not in the log. */
  unknownRows = 0;

  /** Adds a row. `at` is where its address is; `now` is the time of the rows around it. */
  add(record: IcRecord, at: CodeOffset | undefined, now: Micros): void {
    const time = record.timestamp ?? now;
    this.rows++;
    this.#addTime(time, isMegamorphic(record.to));
    const logged = at?.code.function;
    const site = at === undefined || logged === undefined ? undefined : this.#siteOf(record, logged, time);
    if (at === undefined || site === undefined) {
      this.unknownRows++;
      return;
    }
    site.rows++;
    site.last = record.to;
    site.lastTime = time;
    const state = site.states.find((one) => one.state === record.to);
    if (state !== undefined) state.rows++;
    else if (site.states.length < MOST.states) site.states.push({ state: record.to, time, rows: 1 });
    if (record.map > 0) site.maps = withItem(site.maps, record.map, MOST_MAPS);
    if (record.key !== "") {
      site.keys = withItem(site.keys, record.key, MOST.keys);
      if (site.keys.length === MOST.keys && !site.keys.includes(record.key)) site.hasMoreKeys = true;
    }
    if (record.modifier !== "") site.modifiers = withItem(site.modifiers, record.modifier, MOST.texts);
    if (record.reason !== "") site.reasons = withItem(site.reasons, record.reason, MOST.texts);
    const { code, offset } = at;
    const isKnown = site.offsets.some((known) => known.code === code && known.offset === offset);
    if (!isKnown && site.offsets.length < MOST.offsets) site.offsets = [...site.offsets, at];
  }

  /** Yields the sites with the functions whose code their rows are in, which may have the sites' own inlined. */
  *sites(): Iterable<readonly [LoggedFunction, LoggedIcSite]> {
    for (const [logged, sites] of this.#byFunction) for (const site of sites.values()) yield [logged, site];
  }

  /** Yields the functions whose code rows are in. */
  functions(): Iterable<LoggedFunction> {
    return this.#byFunction.keys();
  }

  /** Returns the rows over time. */
  get times(): Omit<IcTimes, "thread"> {
    const { rows, megamorphic } = this.#slices;
    const used = this.#lastSlice + 1;
    return {
      width: this.#width,
      rows: Array.from(rows.subarray(0, used)),
      megamorphic: Array.from(megamorphic.subarray(0, used)),
    };
  }

  /** Returns the site of a row; undefined if there are too many. */
  #siteOf({ kind, line, column, from }: IcRecord, logged: LoggedFunction, time: Micros): Site | undefined {
    let sites = this.#byFunction.get(logged);
    if (sites === undefined) {
      if (this.#count >= IC_SITES) return undefined;
      sites = new Map();
      this.#byFunction.set(logged, sites);
    }
    const key = `${line}:${column}:${kind}`;
    let site = sites.get(key);
    if (site === undefined && this.#count < IC_SITES) {
      this.#count++;
      site = {
        kind,
        line,
        column,
        first: from,
        states: [],
        last: from,
        lastTime: time,
        rows: 0,
        maps: NONE,
        keys: NONE,
        hasMoreKeys: false,
        modifiers: NONE,
        reasons: NONE,
        offsets: NONE,
      };
      sites.set(key, site);
    }
    return site;
  }

  #addTime(time: Micros, isMega: boolean): void {
    while (time >= SLICES * this.#width) this.#doubleWidth();
    const slice = Math.floor(time / this.#width);
    this.#lastSlice = Math.max(this.#lastSlice, slice);
    this.#slices.rows[slice]!++;
    if (isMega) this.#slices.megamorphic[slice]!++;
  }

  #doubleWidth(): void {
    this.#width *= 2;
    this.#lastSlice = this.#lastSlice < 0 ? -1 : Math.floor(this.#lastSlice / 2);
    for (const slices of [this.#slices.rows, this.#slices.megamorphic]) {
      for (let i = 0; i < SLICES; i++) {
        slices[i] = 2 * i < SLICES ? slices[2 * i]! + slices[2 * i + 1]! : 0;
      }
    }
  }
}

const NONE: readonly never[] = [];

/** Returns a list with an item, unless the list is full. */
function withItem<Item>(list: readonly Item[], item: Item, most: number): readonly Item[] {
  return list.length >= most || list.includes(item) ? list : [...list, item];
}

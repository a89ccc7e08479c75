import { columnOf } from "../base/columns.js";
import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import { type IcPlace, type IcSite, type IcStateStep, onlySite } from "../profile/inline-caches.js";
import { NameKeys } from "../profile/long-names.js";
import type { DeoptRow } from "./deopts.js";

/** An inline cache with its price. Caches of several threads at one position are one row. */
export interface IcSiteRow extends Omit<IcSite, "thread"> {
  /** Its ticks. */
  readonly ticks: Ticks;
  /** The part of `ticks` that is inferred: the stack does not have the site, but the log allows no other. */
  readonly inferred: Ticks;
  /** Ticks that are its own or those of another site: they are in no site's `ticks`. */
  readonly shared: Ticks;
  /** The deoptimizations at its position. */
  readonly deopts: readonly DeoptRow[];
}

/** Ticks that belong to one of several sites. */
export interface IcSharedRow {
  readonly sites: readonly IcSiteRow[];
  /** Whether it can also be a site in code that was inlined, which the log does not tell. */
  readonly mayBeInlined: boolean;
  readonly ticks: Ticks;
}

/** Returns the key of a position, by which deoptimizations and sites find each other. */
export function positionKey({ file, line, column }: Pick<IcSite, "file" | "line" | "column">): string {
  return `${line}:${column}:${file ?? ""}`;
}

type MutableRow = { -readonly [Key in keyof IcSiteRow]: IcSiteRow[Key] };

/** Merges sites at one position, and gives each its ticks. */
export class SiteRows {
  readonly rows: MutableRow[] = [];
  /** By site: its row. */
  readonly #rowOf: Int32Array;
  readonly #shared = new Map<
    string,
    { readonly rows: readonly number[]; mayBeInlined: boolean; ticks: Ticks }
  >();

  constructor(sites: readonly IcSite[], deopts: ReadonlyMap<string, readonly DeoptRow[]>) {
    const numbers = new Map<string, number>();
    const names = new NameKeys();
    this.#rowOf = columnOf(Int32Array, sites, (site) => {
      const position = positionKey(site);
      const key = `${site.kind}\0${names.of(site.function)}\0${names.of(position)}`;
      const known = numbers.get(key);
      if (known !== undefined) {
        this.rows[known] = joined(this.rows[known]!, site);
        return known;
      }
      const { thread: _, ...row } = site;
      const found = site.line > 0 ? (deopts.get(position) ?? []) : [];
      const number = this.rows.push({ ...row, ticks: 0, inferred: 0, shared: 0, deopts: found }) - 1;
      numbers.set(key, number);
      return number;
    });
  }

  /** Adds the ticks of a place. Returns whether they are the price of a site. */
  add(place: IcPlace, ticks: Ticks): boolean {
    const rows = Array.from(new Set(place.sites.map((site) => this.#rowOf[site]!)));
    if (rows.length === 0) return false;
    if (onlySite(place) !== undefined) {
      const row = this.rows[rows[0]!]!;
      row.ticks += ticks;
      if (place.isInferred) row.inferred += ticks;
      return true;
    }
    for (const row of rows) this.rows[row]!.shared += ticks;
    const key = `${place.mayBeInlined ? "+" : ""}${rows.join()}`;
    const known = this.#shared.get(key);
    if (known !== undefined) known.ticks += ticks;
    else this.#shared.set(key, { rows, mayBeInlined: place.mayBeInlined, ticks });
    return false;
  }

  /** Returns the ticks that belong to one of several sites, once all are added. */
  shared(): IcSharedRow[] {
    const list = Array.from(this.#shared.values(), ({ rows, mayBeInlined, ticks }) => ({
      sites: rows.map((row) => this.rows[row]!),
      mayBeInlined,
      ticks,
    }));
    return byTicks(list, ({ sites }) => sites.map(positionKey).join());
  }
}

function joined(row: MutableRow, site: IcSite): MutableRow {
  const states = new Map(row.states.map((step) => [step.state, step]));
  for (const step of site.states) {
    const known = states.get(step.state);
    states.set(step.state, known === undefined ? step : sumOf(known, step));
  }
  const union = (one: readonly string[], other: readonly string[]) => Array.from(new Set([...one, ...other]));
  return {
    ...row,
    states: Array.from(states.values()).sort((a, b) => a.time - b.time),
    last: site.lastTime > row.lastTime ? site.last : row.last,
    lastTime: Math.max(row.lastTime, site.lastTime),
    rows: row.rows + site.rows,
    maps: Math.max(row.maps, site.maps),
    keys: union(row.keys, site.keys),
    hasMoreKeys: row.hasMoreKeys || site.hasMoreKeys,
    modifiers: union(row.modifiers, site.modifiers),
    reasons: union(row.reasons, site.reasons),
  };
}

function sumOf(one: IcStateStep, other: IcStateStep): IcStateStep {
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
export function compareSites(a: IcSiteRow, b: IcSiteRow): number {
  return (
    b.ticks - a.ticks ||
    b.shared - a.shared ||
    b.rows - a.rows ||
    compareTexts(a.file ?? "", b.file ?? "") ||
    a.line - b.line ||
    a.column - b.column ||
    compareTexts(a.kind, b.kind) ||
    compareTexts(a.function, b.function)
  );
}

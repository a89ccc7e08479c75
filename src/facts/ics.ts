import { addTo, pushTo, valueAt } from "../base/maps.js";
import type { Ticks } from "../base/units.js";
import type { IcPlace, Ics, IcTimes, NoSiteReason } from "../profile/inline-caches.js";
import { icBuiltin } from "../profile/inline-caches.js";
import { NameKeys } from "../profile/long-names.js";
import type { Profile } from "../profile/profile.js";
import { isBefore } from "../profile/v8-era.js";
import { Analysis } from "./analysis.js";
import { costlyDeopts, type DeoptRow } from "./deopts.js";
import {
  byTicks,
  compareSites,
  type IcSharedRow,
  type IcSiteRow,
  positionKey,
  SiteRows,
} from "./ic-site-rows.js";

/** The ticks in V8's code for the inline caches of a function. */
export interface IcFunctionRow {
  /** As in `JsFrame.name`; undefined if the function is not known. */
  readonly function: string | undefined;
  /** The function that called the unknown one, as in `JsFrame.name`; undefined if that is unknown too. */
  readonly caller: string | undefined;
  readonly ticks: Ticks;
  /** The part of `ticks` in which the sampler skipped the function, and other ticks show that it ran. */
  readonly inferred: Ticks;
}

/** Why a profile has no sites: V8 was not asked for their rows, or its version logs none. */
export type WhyNoSites = "not-asked" | "not-written";

/** The inline caches of a profile and their prices. */
export interface IcView {
  /** The ticks in V8's code for inline caches. */
  readonly ticks: Ticks;
  /** The part of them that is the price of a site. */
  readonly placed: Ticks;
  /** The part that belongs to one of several sites. */
  readonly shared: Ticks;
  /** The rest, by reason, most ticks first. */
  readonly notPlaced: readonly { readonly reason: NoSiteReason; readonly ticks: Ticks }[];
  /** By ticks, then by rows. */
  readonly sites: readonly IcSiteRow[];
  /** By ticks. */
  readonly sharedRows: readonly IcSharedRow[];
  /** By ticks. */
  readonly functions: readonly IcFunctionRow[];
  /** V8's code that the ticks are in, by ticks. */
  readonly builtins: readonly { readonly name: string; readonly ticks: Ticks }[];
  readonly rows: number;
  readonly unknownRows: number;
  /** The rows of all threads over time; undefined if there are none. */
  readonly times: Omit<IcTimes, "thread"> | undefined;
  /** Undefined if there are rows. */
  readonly whyNone: WhyNoSites | undefined;
}

const NO_ICS: Ics = { sites: [], places: [], charges: [], times: [], rows: 0, unknownRows: 0 };

/** Returns the inline caches of a profile that was read with `ics`, with their deoptimizations if it has them. */
export function icView(profile: Profile): IcView {
  const { sites, places, charges, times, rows, unknownRows } = profile.ics ?? NO_ICS;
  const merged = new SiteRows(sites, deoptsByPosition(profile));
  const builtins = new Map<string, Ticks>();
  const functions = new FunctionRows();
  const reasons = new Map<NoSiteReason, Ticks>();
  const ofPlace = new Float64Array(places.length);
  for (const { place, ticks } of charges) ofPlace[place]! += ticks;
  let all = 0;
  let placed = 0;
  for (const [i, place] of places.entries()) {
    const ticks = ofPlace[i]!;
    if (ticks === 0) continue;
    all += ticks;
    addTo(builtins, place.builtin, ticks);
    functions.add(place, ticks);
    if (merged.add(place, ticks)) placed += ticks;
    if (place.reason !== undefined) addTo(reasons, place.reason, ticks);
  }
  const sharedRows = merged.shared();
  return {
    ticks: all,
    placed,
    shared: sharedRows.reduce((sum, { ticks }) => sum + ticks, 0),
    notPlaced: byTicks(
      Array.from(reasons, ([reason, ticks]) => ({ reason, ticks })),
      ({ reason }) => reason,
    ),
    sites: merged.rows.toSorted(compareSites),
    sharedRows,
    functions: functions.list(),
    builtins: byTicks(
      Array.from(builtins, ([name, ticks]) => ({ name, ticks })),
      ({ name }) => name,
    ),
    rows,
    unknownRows,
    times: sumTimes(times),
    whyNone: rows > 0 ? undefined : isBefore(profile.info, 5008) ? "not-written" : "not-asked",
  };
}

/** Returns the sites by position, for reports that name positions; see {@link positionKey}. */
export function sitesByPosition(profile: Profile): ReadonlyMap<string, readonly IcSiteRow[]> {
  const found = new Map<string, IcSiteRow[]>();
  if ((profile.ics?.rows ?? 0) === 0) return found;
  for (const site of icView(profile).sites) {
    const key = positionKey(site);
    const known = found.get(key);
    if (site.line === 0) continue;
    if (known === undefined) found.set(key, [site]);
    else known.push(site);
  }
  return found;
}

/** Returns the ticks in V8's code for inline caches, of any profile. */
export function icTicksOf(profile: Profile): Ticks {
  const {
    frames,
    leaves: { all },
  } = Analysis.of(profile);
  return frames.reduce((sum, frame, i) => (icBuiltin(frame) === undefined ? sum : sum + all[i]!), 0);
}

/** Adds up ticks by function. */
class FunctionRows {
  readonly #rows = new Map<string, { -readonly [Key in keyof IcFunctionRow]: IcFunctionRow[Key] }>();
  readonly #names = new NameKeys();

  add({ function: name, caller, isInferred }: IcPlace, ticks: Ticks): void {
    const shown = name === undefined ? caller : undefined;
    const key = `${this.#names.of(name ?? "")}\0${name === undefined}\0${this.#names.of(shown ?? "")}\0${shown === undefined}`;
    const row = valueAt(this.#rows, key, () => ({ function: name, caller: shown, ticks: 0, inferred: 0 }));
    row.ticks += ticks;
    if (isInferred && name !== undefined) row.inferred += ticks;
  }

  list(): IcFunctionRow[] {
    return byTicks(Array.from(this.#rows.values()), (row) => row.function ?? row.caller ?? "");
  }
}

/** Returns the deoptimizations by the innermost position at which they happened. */
function deoptsByPosition(profile: Profile): Map<string, DeoptRow[]> {
  const found = new Map<string, DeoptRow[]>();
  for (const row of costlyDeopts(profile)) {
    const [at] = row.at;
    if (at === undefined) continue;
    const key = positionKey(at);
    pushTo(found, key, row);
  }
  return found;
}

/** Returns the rows of all threads in slices of the widest width. */
function sumTimes(times: readonly IcTimes[]): Omit<IcTimes, "thread"> | undefined {
  if (times.length === 0) return undefined;
  const width = times.reduce((widest, one) => Math.max(widest, one.width), 0);
  const rows: number[] = [];
  const megamorphic: number[] = [];
  for (const one of times) {
    for (const [i, count] of one.rows.entries()) {
      const slice = Math.floor((i * one.width) / width);
      while (rows.length <= slice) {
        rows.push(0);
        megamorphic.push(0);
      }
      rows[slice]! += count;
      megamorphic[slice]! += one.megamorphic[i]!;
    }
  }
  return { width, rows, megamorphic };
}

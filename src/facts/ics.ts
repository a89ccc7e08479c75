import { addTo, pushTo, valueAt } from "../base/maps.js";
import type { Count, Milliseconds, Percent, Ticks } from "../base/units.js";
import type { IcFamily, IcPlace, Ics, IcTimes, NoSiteReason } from "../profile/inline-caches.js";
import { icBuiltin, icFamily } from "../profile/inline-caches.js";
import { NameKeys } from "../profile/long-names.js";
import type { Profile } from "../profile/profile.js";
import { isBefore } from "../profile/v8-era.js";
import { Analysis } from "./analysis.js";
import { costlyDeopts, type DeoptRow } from "./deopts.js";
import { type InferredData, type NamedFunction, namedFunction } from "./document-parts.js";
import { rolesOf } from "./function-table.js";
import {
  byTicks,
  type IcSiteFacts,
  MILLISECOND,
  positionKey,
  type SharedTicksData,
  SiteRows,
} from "./ic-site-rows.js";
import { percentOf } from "./shares.js";

/** Why a profile has no sites: V8 was not asked for their rows, or its version logs none. */
export type WhyNoSites = "not-asked" | "not-written";

/** The inline caches of a profile and their prices: the document of `ticks ics` below its head. */
export interface IcFacts<Site extends IcSiteFacts = IcSiteFacts> {
  /** The ticks in V8's code for inline caches: placed, shared and notPlaced sum to it. */
  readonly icTicks: Ticks;
  readonly icPercent: Percent;
  /** The sum of the prices of sites. */
  readonly placed: Ticks;
  /** Ticks that belong to one of several sites. */
  readonly shared: Ticks;
  /** The other ticks, by reason. */
  readonly notPlaced: readonly NotPlacedData[];
  /** Why the log has no rows: --log-ic was not given, or this V8 does not write them. null if it has some. */
  readonly whyNoSites: WhyNoSites | null;
  /** All rows of inline caches in the logs. */
  readonly rows: Count;
  /** The rows without a site: their code is not in the log, such as that of Node's snapshot. */
  readonly unknownRows: Count;
  /** The sites: by ticks, then by rows. All of them without --limit: their ticks sum to placed. */
  readonly sites: readonly Site[];
  /** Ticks that belong to one of several sites. */
  readonly sharedTicks: readonly SharedTicksData[];
  /** By function. All of them without --limit: they sum to icTicks. */
  readonly functions: readonly IcFunctionData[];
  /** V8's code that the ticks are in. They sum to icTicks. */
  readonly builtins: readonly IcBuiltinData[];
  /** The rows of all threads over time; null if there are none. */
  readonly times: IcTimesData | null;
}

export interface NotPlacedData {
  /**
   * no-rows: the log has no rows of inline caches. no-caller: no JavaScript function called. unknown-caller: the sampler
   * skipped the function, and nothing tells which one it was. no-site: no row is about a cache there. many-sites: too many
   * sites are possible. unknown-inlining: it is in an inlined function, and the log does not say which.
   */
  readonly reason: NoSiteReason;
  readonly ticks: Ticks;
  readonly percent: Percent;
}

export interface IcFunctionData extends InferredData {
  /** The function that has the cache; null if unknown. */
  readonly function: NamedFunction | null;
  /** What called an unknown function; null if that is unknown too, and for a known function. */
  readonly caller: NamedFunction | null;
  readonly ticks: Ticks;
  readonly percent: Percent;
}

export interface IcBuiltinData {
  /** As logged. */
  readonly name: string;
  /** What it is for; null if its name does not tell. */
  readonly family: IcFamily | null;
  readonly ticks: Ticks;
  readonly percent: Percent;
}

export interface IcTimesData {
  /** The width of a slice. The first one begins when the log was opened. */
  readonly width: Milliseconds;
  /** All rows, by slice. */
  readonly rows: readonly Count[];
  /** Those after which the cache was megamorphic, by slice. */
  readonly megamorphic: readonly Count[];
}

const NO_ICS: Ics = { sites: [], places: [], charges: [], times: [], rows: 0, unknownRows: 0 };

/** Returns the inline caches of a profile that was read with `ics`, with their deoptimizations if it has them. */
export function icFacts(profile: Profile): IcFacts {
  const { sites, places, charges, times, rows, unknownRows } = profile.ics ?? NO_ICS;
  const whole = profile.info.ticks - profile.info.excluded;
  const roles = rolesOf(profile.frames);
  const merged = new SiteRows(sites, { deopts: deoptsByPosition(profile), roles, whole });
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
  const sharedTicks = merged.shared();
  const weight = (ticks: Ticks) => ({ ticks, percent: percentOf(ticks, whole) });
  return {
    icTicks: all,
    icPercent: percentOf(all, whole),
    placed,
    shared: sharedTicks.reduce((sum, { ticks }) => sum + ticks, 0),
    notPlaced: byTicks(
      Array.from(reasons, ([reason, ticks]) => ({ reason, ...weight(ticks) })),
      ({ reason }) => reason,
    ),
    whyNoSites: rows > 0 ? null : isBefore(profile.info, 5008) ? "not-written" : "not-asked",
    rows,
    unknownRows,
    sites: merged.sites(),
    sharedTicks,
    functions: functions.list().map(({ function: name, caller, ticks, inferred }) => ({
      function: name === undefined ? null : namedFunction(name, roles.get(name)),
      caller: caller === undefined ? null : namedFunction(caller, roles.get(caller)),
      ...weight(ticks),
      ...(inferred > 0 && { inferred }),
    })),
    builtins: byTicks(
      Array.from(builtins, ([name, ticks]) => ({ name, family: icFamily(name) ?? null, ...weight(ticks) })),
      ({ name }) => name,
    ),
    times: sumTimes(times),
  };
}

/** Returns the sites by position, for reports that name positions; see {@link positionKey}. */
export function sitesByPosition(profile: Profile): ReadonlyMap<string, readonly IcSiteFacts[]> {
  const found = new Map<string, IcSiteFacts[]>();
  if ((profile.ics?.rows ?? 0) === 0) return found;
  for (const site of icFacts(profile).sites) if (site.line !== null) pushTo(found, positionKey(site), site);
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

/** The ticks in V8's code for the inline caches of a function. */
interface FunctionRow {
  /** As in `JsFrame.name`; undefined if the function is not known. */
  readonly function: string | undefined;
  /** The function that called the unknown one, as in `JsFrame.name`; undefined if that is unknown too. */
  readonly caller: string | undefined;
  ticks: Ticks;
  /** The part of `ticks` in which the sampler skipped the function, and other ticks show that it ran. */
  inferred: Ticks;
}

/** Adds up ticks by function. */
class FunctionRows {
  readonly #rows = new Map<string, FunctionRow>();
  readonly #names = new NameKeys();

  add({ function: name, caller, isInferred }: IcPlace, ticks: Ticks): void {
    const shown = name === undefined ? caller : undefined;
    const key = `${this.#names.of(name ?? "")}\0${name === undefined}\0${this.#names.of(shown ?? "")}\0${shown === undefined}`;
    const row = valueAt(this.#rows, key, () => ({ function: name, caller: shown, ticks: 0, inferred: 0 }));
    row.ticks += ticks;
    if (isInferred && name !== undefined) row.inferred += ticks;
  }

  list(): FunctionRow[] {
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
function sumTimes(times: readonly IcTimes[]): IcTimesData | null {
  if (times.length === 0) return null;
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
  return { width: width / MILLISECOND, rows, megamorphic };
}

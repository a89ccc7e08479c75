import { type IcFamily, icFamily } from "../../profile/ic-builtins.js";
import { isMegamorphic, MOST_MAPS, type NoSiteReason } from "../../profile/inline-caches.js";
import type { Ticks } from "../../profile/units.js";
import type { IcReport } from "../../reports/ics.js";
import type { IcSiteRow } from "../../views/ic-site-rows.js";
import type { WhyNoSites } from "../../views/ics.js";
import { percentOf } from "../../views/shares.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import {
  type Count,
  type InferredData,
  type Integer,
  type JsonHead,
  jsonHead,
  jsonInferred,
  jsonLogged,
  type LoggedFunction,
  type Microseconds,
  type Percent,
  shownTicks,
} from "../layout/json-parts.js";
import { LINE_LENGTH } from "../layout/source-line.js";

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id ics.schema.json
 * @title ticks ics --format json, schema version 1
 */
export interface IcsData extends JsonHead<"ics"> {
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
  readonly sites: readonly IcSiteData[];
  /** Ticks that belong to one of several sites. */
  readonly sharedTicks: readonly SharedTicksData[];
  /** By function. All of them without --limit: they sum to icTicks. */
  readonly functions: readonly IcFunctionData[];
  /** V8's code that the ticks are in. They sum to icTicks. */
  readonly builtins: readonly IcBuiltinData[];
  /** The rows of all threads over time; null if there are none. */
  readonly times: IcTimesData | null;
}

export interface Weight {
  readonly ticks: Ticks;
  readonly percent: Percent;
}

export interface NotPlacedData extends Weight {
  /**
   * no-rows: the log has no rows of inline caches. no-caller: no JavaScript function called. unknown-caller: the sampler
   * skipped the function, and nothing tells which one it was. no-site: no row is about a cache there. many-sites: too many
   * sites are possible. unknown-inlining: it is in an inlined function, and the log does not say which.
   */
  readonly reason: NoSiteReason;
}

/** Where a cache is. */
export interface IcPlaceData {
  /** The function that has the cache. Never null. */
  readonly function: LoggedFunction | null;
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

export interface IcSiteData extends IcPlaceData, InferredData {
  /** The states that it reached, in the order of their times. */
  readonly states: readonly IcStateData[];
  /** The state before the first row. */
  readonly firstState: string;
  /** The state after the last row. */
  readonly lastState: string;
  /** When the last row was written. */
  readonly lastTime: Microseconds;
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
  /** The source line; null if unknown. */
  readonly text: string | null;
}

export interface IcStateData {
  /**
   * V8's mark: X no feedback yet, 0 uninitialized, . premonomorphic, 1 monomorphic, ^ handler recomputed, P polymorphic, N
   * megamorphic, D megamorphic DOM, G generic.
   */
  readonly state: string;
  /** When a row first ended in it. */
  readonly time: Microseconds;
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

export interface SharedTicksData extends Weight {
  /** Whether it can also be a site in inlined code, which the log does not tell up to Node 14. */
  readonly mayBeInlined: boolean;
  /** It is one of these. */
  readonly sites: readonly IcPlaceData[];
}

export interface IcFunctionData extends Weight, InferredData {
  /** The function that has the cache; null if unknown. */
  readonly function: LoggedFunction | null;
  /** What called an unknown function; null if that is unknown too, and for a known function. */
  readonly caller: LoggedFunction | null;
}

export interface IcBuiltinData extends Weight {
  /** As logged. */
  readonly name: string;
  /** What it is for; null if its name does not tell. */
  readonly family: IcFamily | null;
}

export interface IcTimesData {
  /** The width of a slice. The first one begins when the log was opened. */
  readonly width: Microseconds;
  /** All rows, by slice. */
  readonly rows: readonly Count[];
  /** Those after which the cache was megamorphic, by slice. */
  readonly megamorphic: readonly Count[];
}

const MILLISECOND = 1000;

/** Yields inline caches for programs. */
export function icsJson(report: IcReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(icsData(report), layout);
}

export function icsData(report: IcReport): IcsData {
  const { profile, view, limit } = report;
  const whole = shownTicks(profile);
  const weight = (ticks: Ticks): Weight => ({ ticks, percent: percentOf(ticks, whole) });
  return {
    ...jsonHead("ics", profile),
    icTicks: view.ticks,
    icPercent: percentOf(view.ticks, whole),
    placed: view.placed,
    shared: view.shared,
    notPlaced: view.notPlaced.map(({ reason, ticks }) => ({ reason, ...weight(ticks) })),
    whyNoSites: view.whyNone ?? null,
    rows: view.rows,
    unknownRows: view.unknownRows,
    sites: view.sites.slice(0, limit).map((site) => ({
      ...siteOf(site),
      states: site.states.map(({ state, time, rows }) => ({ state, time: time / MILLISECOND, rows })),
      firstState: site.first,
      lastState: site.last,
      lastTime: site.lastTime / MILLISECOND,
      isMegamorphic: site.states.some(({ state }) => isMegamorphic(state)),
      rows: site.rows,
      maps: site.maps,
      hasMoreMaps: site.maps === MOST_MAPS,
      modifiers: site.modifiers,
      slowReasons: site.reasons,
      ...weight(site.ticks),
      ...jsonInferred(site.inferred),
      sharedTicks: site.shared,
      deopts: site.deopts.map(({ reason, count, cost }) => ({ reason, count, cost })),
      text: textOf(site, report),
    })),
    sharedTicks: view.sharedRows.slice(0, limit).map(({ sites, mayBeInlined, ticks }) => ({
      ...weight(ticks),
      mayBeInlined,
      sites: sites.map(siteOf),
    })),
    functions: view.functions.slice(0, limit).map((row) => ({
      function: jsonLogged(row.function),
      caller: jsonLogged(row.caller),
      ...weight(row.ticks),
      ...jsonInferred(row.inferred),
    })),
    builtins: view.builtins.map(({ name, ticks }) => ({
      name,
      family: icFamily(name) ?? null,
      ...weight(ticks),
    })),
    times:
      view.times === undefined
        ? null
        : {
            width: view.times.width / MILLISECOND,
            rows: view.times.rows,
            megamorphic: view.times.megamorphic,
          },
  };
}

function siteOf({ function: name, file, line, column, kind, keys, hasMoreKeys }: IcSiteRow): IcPlaceData {
  return {
    function: jsonLogged(name),
    file: file ?? "",
    line: line === 0 ? null : line,
    column: column === 0 ? null : column,
    kind,
    keys,
    hasMoreKeys,
  };
}

function textOf({ file, line }: IcSiteRow, { sources }: IcReport): string | null {
  const text = line === 0 ? undefined : sources.lineOf(file, line);
  return text === undefined ? null : text.slice(0, LINE_LENGTH);
}

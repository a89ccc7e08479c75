import type { Micros, Ticks } from "../base/units.js";
import type { CodeFrame, Frame } from "./frame.js";
import type { NameChanges } from "./name-changes.js";
import { type Moves, newNumbers, onRows, onThreads } from "./sample-table.js";

/** A state of an inline cache, when it was first reached, and in how many rows. */
export interface IcStateStep {
  /** V8's mark: `0` uninitialized, `1` monomorphic, `P` polymorphic, `N` megamorphic, `X` no feedback, and so on. */
  readonly state: string;
  /** Since the log was opened. Up to Node 14 the time of the tick before. */
  readonly time: Micros;
  /** How many rows end in it. */
  readonly rows: number;
}

/** An inline cache in the source: where, what for, and what it saw, according to a log's rows. */
export interface IcSite {
  /** An index into the profile's threads. */
  readonly thread: number;
  /** The function that it is in, as in `JsFrame.name`. */
  readonly function: string;
  /** The file of the position: that of the function, or of its original source. Undefined if not logged. */
  readonly file: string | undefined;
  /** From 1; 0 if unknown. */
  readonly line: number;
  /** From 1; 0 if unknown. */
  readonly column: number;
  /** What it is for, in V8's words: `LoadIC`, `KeyedStoreIC`. */
  readonly kind: string;
  /** The state before the first row. */
  readonly first: string;
  /** The states that it reached, in the order in which it first did. */
  readonly states: readonly IcStateStep[];
  /** The state after the last row. */
  readonly last: string;
  /** When the last row was written. */
  readonly lastTime: Micros;
  readonly rows: number;
  /** How many different maps, which are shapes of objects, its rows name; at most {@link MOST_MAPS}. */
  readonly maps: number;
  /** The first keys that its rows name. */
  readonly keys: readonly string[];
  /** Whether there are more keys. */
  readonly hasMoreKeys: boolean;
  /** How elements are accessed, in V8's words. */
  readonly modifiers: readonly string[];
  /** Why V8 took the slow way, in its words. */
  readonly reasons: readonly string[];
}

/** Maps are counted up to this number. */
export const MOST_MAPS = 64;

/**
 * Why ticks have no site: the log has no rows of inline caches (`no-rows`); no JavaScript function called the
 * code (`no-caller`); the sampler skipped the function, and nothing tells which one it was (`unknown-caller`); no row
 * is about a cache there (`no-site`); too many caches can be meant (`many-sites`); they can be in inlined functions, which the
 * log does not tell (`unknown-inlining`).
 */
export type NoSiteReason =
  | "no-rows"
  | "no-caller"
  | "unknown-caller"
  | "no-site"
  | "many-sites"
  | "unknown-inlining";

/** What is known of where the ticks of a stack in V8's code for inline caches belong. */
export interface IcPlace {
  /** The name of the code that the ticks are in: `LoadIC_Megamorphic`. */
  readonly builtin: string;
  /** The function whose cache it is, as in `JsFrame.name`; undefined if unknown. */
  readonly function: string | undefined;
  /** The nearest function on the stack, as in `JsFrame.name`; undefined if there is none. */
  readonly caller: string | undefined;
  /** Indices into the sites, ascending: it is one of them. Empty if no site is known. */
  readonly sites: readonly number[];
  /**
   * Whether it can also be another site, in code that was inlined: up to Node 14, the log does not say what was.
   */
  readonly mayBeInlined: boolean;
  /** Whether the function or the site is inferred: the stack does not have it, but other rows allow no others. */
  readonly isInferred: boolean;
  /** Undefined if there are sites. */
  readonly reason: NoSiteReason | undefined;
}

/** Returns the only site that ticks can belong to; undefined if there is none, or several are possible. */
export function onlySite({ sites, mayBeInlined }: IcPlace): number | undefined {
  return sites.length === 1 && !mayBeInlined ? sites[0] : undefined;
}

/** Ticks in V8's code for inline caches. */
export interface IcCharge {
  /** An index into the places of {@link Ics}. */
  readonly place: number;
  /** A row of the profile's samples. */
  readonly sample: number;
  readonly ticks: Ticks;
}

/** The rows of a thread over time, in slices of equal width from the opening of the log. */
export interface IcTimes {
  /** An index into the profile's threads. */
  readonly thread: number;
  /** The width of a slice: 1 ms times a power of two. */
  readonly width: Micros;
  /** All rows, by slice. */
  readonly rows: readonly number[];
  /** Those after which the cache was megamorphic, by slice. */
  readonly megamorphic: readonly number[];
}

/** The inline caches of the logs, regardless of filters, and the remaining samples in V8's code for them. */
export interface Ics {
  readonly sites: readonly IcSite[];
  readonly places: readonly IcPlace[];
  /** They sum to the ticks whose leaf is such code. */
  readonly charges: readonly IcCharge[];
  readonly times: readonly IcTimes[];
  /** All rows of inline caches. */
  readonly rows: number;
  /** The rows without a site: their code is not in the log, such as that of Node's snapshot. */
  readonly unknownRows: number;
}

/** Returns whether a state is megamorphic: the cache gave up on telling maps apart. */
export function isMegamorphic(state: string): boolean {
  return state === "N" || state === "D" || state === "G";
}

/** Returns the inline caches for moved samples and threads. */
export function moveIcs(ics: Ics, moves: Moves): Ics {
  const numbers = newNumbers(ics.sites, moves);
  return {
    ...ics,
    sites: onThreads(ics.sites, moves),
    // Places of threads that are left out have no charges.
    places: ics.places.map((place) => ({
      ...place,
      sites: place.sites.flatMap((site) => (numbers[site]! < 0 ? [] : [numbers[site]!])),
    })),
    charges: onRows(ics.charges, moves),
    times: onThreads(ics.times, moves),
  };
}

/** Returns the inline caches with other names. */
export function renameIcs(ics: Ics, names: NameChanges): Ics {
  return {
    ...ics,
    sites: ics.sites.map((site) => ({
      ...site,
      function: names.functionName(site.function),
      file: site.file && names.file(site.file),
      keys: site.keys.map((key) => names.word("ic-key", key)),
      modifiers: site.modifiers.map((modifier) => names.word("ic-modifier", modifier)),
      reasons: site.reasons.map((reason) => names.word("ic-reason", reason)),
    })),
    places: ics.places.map((place) => ({
      ...place,
      builtin: names.word("ic-builtin", place.builtin),
      function: place.function && names.functionName(place.function),
      caller: place.caller && names.functionName(place.caller),
    })),
  };
}

/** Returns the inline caches of several logs, whose samples and threads have their final numbers. */
export function joinIcs(all: readonly Ics[]): Ics {
  let [firstSite, firstPlace] = [0, 0];
  const parts = all.map(({ sites, places, charges }) => {
    const [siteBefore, placeBefore] = [firstSite, firstPlace];
    firstSite += sites.length;
    firstPlace += places.length;
    return {
      places: places.map((place) => ({ ...place, sites: place.sites.map((site) => site + siteBefore) })),
      charges: charges.map((charge) => ({ ...charge, place: charge.place + placeBefore })),
    };
  });
  return {
    sites: all.flatMap(({ sites }) => sites),
    places: parts.flatMap(({ places }) => places),
    charges: parts.flatMap(({ charges }) => charges),
    times: all.flatMap(({ times }) => times),
    rows: all.reduce((sum, { rows }) => sum + rows, 0),
    unknownRows: all.reduce((sum, { unknownRows }) => sum + unknownRows, 0),
  };
}

/**
 * What an inline cache does: reads or writes a property by its name, an element or a property by a key, or a
 * global variable, or copies an object.
 */
export type IcFamily =
  | "load"
  | "store"
  | "keyed-load"
  | "keyed-store"
  | "global-load"
  | "global-store"
  | "clone";

/** What a piece of V8's code for inline caches works for. */
export interface IcBuiltin {
  readonly name: string;
  /** Undefined for handlers of old versions, which do not say what for. */
  readonly family: IcFamily | undefined;
  /** Whether only megamorphic caches use it. */
  readonly isMegamorphic: boolean;
}

/**
 * The part of a name that tells the family. `LoadSuperIC`, `KeyedHasIC` and the like are variants of these:
 * V8 logs their rows as `LoadIC` and `KeyedLoadIC`.
 */
const FAMILY =
  /^(Enumerated)?(Keyed|LoadIndexed|HasIndexed)?(?:(Load|Lookup)(Global)?|(Store)(Global)?|(Has)|(CloneObject)|(Define)|(StoreInArrayLiteral|StoreFastElement))?(?:Super|Own|NamedOwn|KeyedOwn|Interceptor)?IC(?![a-z])/;

/** The code of one element store that also changes the kind of the elements. */
const ELEMENT_STORE = /^ElementsTransitionAndStore/;

/** Types of code that hold inline caches of old versions: up to Node 8. */
const OLD_TYPE = /^\w*IC$/;

/** Returns the family of a builtin, or of a row's kind, by its name; undefined if it is none. */
export function icFamily(name: string): IcFamily | undefined {
  if (ELEMENT_STORE.test(name)) return "keyed-store";
  const found = FAMILY.exec(name);
  if (found === null) return undefined;
  const [whole, , keyed, load, globalLoad, store, globalStore, has, clone, define, element] = found;
  if (clone !== undefined) return "clone";
  if (globalLoad !== undefined) return "global-load";
  if (globalStore !== undefined) return "global-store";
  if (element !== undefined) return "keyed-store";
  if (define !== undefined) return whole.includes("Keyed") ? "keyed-store" : "store";
  if (store !== undefined) return keyed === undefined ? "store" : "keyed-store";
  if (load !== undefined || has !== undefined)
    return keyed === undefined && has === undefined ? "load" : "keyed-load";
  return keyed?.endsWith("Indexed") ? "keyed-load" : undefined;
}

/** Returns what a frame's code works for if it is V8's code for inline caches; undefined if not. */
export function icBuiltin(frame: Frame): IcBuiltin | undefined {
  return frame.kind === "code" ? icCode(frame) : undefined;
}

/** The same for a type and a name of code. */
export function icCode({ type, name }: Pick<CodeFrame, "type" | "name">): IcBuiltin | undefined {
  if (type === "Handler") return { name: "Handler", family: undefined, isMegamorphic: false };
  const isOld = OLD_TYPE.test(type);
  if (!isOld && type !== "Builtin" && type !== "Stub") return undefined;
  const family = icFamily(name) ?? (isOld ? icFamily(type) : undefined);
  if (family === undefined) return undefined;
  return { name: isOld ? type : name, family, isMegamorphic: name.includes("_Megamorphic") };
}

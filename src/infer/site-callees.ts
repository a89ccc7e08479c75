import { valueAt } from "../base/maps.js";
import type { LoggedFunction } from "../replay/logged-functions.js";
import type { OffsetFrame } from "../replay/replayed-frame.js";
import {
  type Callee,
  type CallSite,
  CallsBySite,
  newSite,
  type OtherAt,
  type ReplayedCalls,
} from "./call-evidence.js";
import type { CallPlace } from "./source-calls.js";

/** A place that calls something, with what all code of its function says of it. */
export interface CalledSite extends CallSite {
  /** The function that calls. */
  readonly caller: LoggedFunction;
  /** The name of what the source calls there; empty if it is not known. */
  readonly name: string;
  /** Whether a function was seen to be called there. Else the callees are those of the whole function. */
  readonly isSeen: boolean;
}

/** The frames of one place. */
interface Place {
  readonly function: LoggedFunction;
  readonly name: string;
  /** Whether it is a place in the source, else in code whose place in the source is not known. */
  readonly isKnown: boolean;
  readonly number: number;
  /** How many frames are there. */
  frames: number;
  /** What these call; undefined until needed. */
  site: CallSite | undefined;
  /** Undefined until needed. */
  called: CalledSite | undefined;
}

interface FunctionPlaces {
  readonly all: readonly Place[];
  /** Those that are not known in the source. */
  readonly unknown: readonly Place[];
  /** By what they call: all of them, and those that are not known in the source. Undefined until needed. */
  calling: ReadonlyMap<LoggedFunction, { readonly all: Place[]; readonly unknown: Place[] }> | undefined;
}

interface SiteCalleesOptions {
  /** By frame: 1 if it calls something. */
  readonly isAbove: Uint8Array;
  readonly otherAt: OtherAt;
  /** Tells where frames are. */
  placeOf(frame: OffsetFrame): CallPlace | undefined;
}

/** With more places that may be the same one, nothing is known. */
const MOST_PLACES = 256;

/**
 * What was called at each place in the source, by all code of the functions there: one piece of code may be older than what
 * another one calls, or have too few ticks for all that is called. Where the place is not known, as in Sparkplug's code before
 * Node 25, the places of the same function count that call one of the same functions; if nothing is known to be called, all
 * do.
 */
export class SiteCallees {
  readonly #calls: ReplayedCalls;
  readonly #otherAt: OtherAt;
  readonly #places: Place[] = [];
  /** By frame: the number of its place; -1 for none. */
  readonly #placeOf: Int32Array;
  /** By frame: how many others were seen there before. */
  readonly #ranks: Int32Array;
  readonly #callsAt: CallsBySite;
  readonly #ofFunction = new Map<LoggedFunction, FunctionPlaces>();

  constructor(calls: ReplayedCalls, { isAbove, otherAt, placeOf }: SiteCalleesOptions) {
    const { frames } = calls.stacks;
    this.#calls = calls;
    this.#otherAt = otherAt;
    this.#placeOf = new Int32Array(frames.length).fill(-1);
    this.#ranks = new Int32Array(frames.length);
    const isSeen = new Uint8Array(frames.length);
    const known = new Map<LoggedFunction, Map<string, Place>>();
    for (let call = 0; call < calls.length; call++) {
      const caller = calls.callerOf(call);
      if (isAbove[caller] === 0 || isSeen[caller] === 1) continue;
      isSeen[caller] = 1;
      const frame = frames[caller] as OffsetFrame;
      const at = placeOf(frame);
      if (at === undefined) continue;
      const places = valueAt(known, at.function, () => new Map<string, Place>());
      const place = valueAt(places, placeKey(at, frame, caller), () => this.#newPlace(at));
      this.#placeOf[caller] = place.number;
      this.#ranks[caller] = place.frames++;
    }
    this.#callsAt = new CallsBySite(calls, this.#placeOf, this.#places.length);
    for (const [logged, places] of known) {
      const all = Array.from(places.values());
      const unknown = all.filter((place) => !place.isKnown);
      this.#ofFunction.set(logged, { all, unknown, calling: undefined });
    }
  }

  #newPlace(at: CallPlace): Place {
    const number = this.#places.length;
    const place = { ...at, isKnown: at.offset >= 0, number, frames: 0, site: undefined, called: undefined };
    this.#places.push(place);
    return place;
  }

  /** Returns what is called at a place, for all that its own frames tell. */
  #siteOf(place: Place): CallSite {
    if (place.site === undefined) {
      place.site = newSite();
      for (const call of this.#callsAt.of(place.number))
        this.#calls.addTo(place.site, call, this.#otherAt, this.#ranks[this.#calls.callerOf(call)]!);
    }
    return place.site;
  }

  /** Returns the function in whose text a frame is; undefined if it is not known. */
  functionAt(frame: number): LoggedFunction | undefined {
    return this.#places[this.#placeOf[frame]!]?.function;
  }

  /** Lets go of what the places of a function call: together, all functions have more callees than frames. */
  forget(logged: LoggedFunction): void {
    const places = this.#ofFunction.get(logged);
    if (places === undefined) return;
    places.calling = undefined;
    for (const place of places.all) place.site = place.called = undefined;
  }

  /** Returns what is called where a frame is; undefined if nothing is known. */
  at(frame: number): CalledSite | undefined {
    const place = this.#places[this.#placeOf[frame]!];
    if (place === undefined) return undefined;
    place.called ??= this.#called(place);
    return place.called;
  }

  #called(place: Place): CalledSite {
    const own = this.#siteOf(place);
    const places = this.#ofFunction.get(place.function)!;
    const others = new Set<Place>();
    if (own.callees.size > 0 && places.unknown.length > 0) {
      places.calling ??= this.#placesByCallee(places.all);
      for (const logged of own.callees.keys())
        for (const other of places.calling.get(logged)?.[place.isKnown ? "unknown" : "all"] ?? []) {
          if (others.size > MOST_PLACES) break;
          others.add(other);
        }
    } else if (!place.isKnown) for (const other of places.all.slice(0, MOST_PLACES + 1)) others.add(other);
    others.delete(place);
    const isSeen = own.callees.size > 0;
    // Of too many places, nothing is known.
    if (others.size > MOST_PLACES)
      return { ...own, callsBuiltin: true, name: "", caller: place.function, isSeen };
    const { callees } =
      others.size === 0 ? own : merged([own, ...Array.from(others, (other) => this.#siteOf(other))]);
    const names = new Set(Array.from(others).flatMap((other) => (other.isKnown ? [other.name] : [])));
    const name = place.isKnown || names.size !== 1 ? place.name : Array.from(names)[0]!;
    return { ...own, callees, name, caller: place.function, isSeen };
  }

  #placesByCallee(all: readonly Place[]) {
    const calling = new Map<LoggedFunction, { readonly all: Place[]; readonly unknown: Place[] }>();
    for (const place of all) {
      for (const logged of this.#siteOf(place).callees.keys()) {
        const found = valueAt(calling, logged, () => ({ all: [], unknown: [] }));
        found.all.push(place);
        if (!place.isKnown) found.unknown.push(place);
      }
    }
    return calling;
  }
}

/** Returns what frames at the same place of a function have in common. */
function placeKey({ offset }: CallPlace, { code, offset: address }: OffsetFrame, number: number): string {
  if (offset >= 0) return `at ${offset}`;
  // Sparkplug makes the same code of the same bytecode each time.
  return code.tier === "^" || code.tier === "~" ? `${code.tier}${address}` : `${number}`;
}

/** Returns what several sites say together. */
function merged(sites: readonly CallSite[]): CallSite {
  const all = new Map<LoggedFunction, Callee>();
  const sum = { callees: all, callsBuiltin: false, total: 0, inBuiltins: 0 };
  for (const { callees, callsBuiltin, total, inBuiltins } of sites) {
    sum.callsBuiltin ||= callsBuiltin;
    sum.total += total;
    sum.inBuiltins += inBuiltins;
    for (const [logged, callee] of callees) {
      const known = all.get(logged);
      if (known === undefined) {
        all.set(logged, { ...callee });
        continue;
      }
      known.called += callee.called;
      known.atTop += callee.atTop;
      if (callee.codeTicks > known.codeTicks) {
        known.code = callee.code;
        known.codeTicks = callee.codeTicks;
      }
    }
  }
  return sum;
}

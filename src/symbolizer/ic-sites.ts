import { type IcBuiltin, icFamily } from "../profile/ic-builtins.js";
import { type IcSite, type IcStateStep, isMegamorphic, MOST_MAPS } from "../profile/inline-caches.js";
import type { LineColumn } from "../profile/line-starts.js";
import { parseLoggedName } from "../profile/logged-name.js";
import type { CodeOffset, IcRows, RecordedIcSite } from "../recorder/ic-rows.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { Code, OffsetFrame } from "../recorder/recorded-frame.js";
import type { Scripts } from "../recorder/scripts.js";
import type { FunctionSources } from "./function-sources.js";
import type { InlineStacks } from "./inline-stacks.js";

/** Each log has one thread. */
const THREAD = 0;

/** V8 has no more caches of different kinds at one place. */
const MOST_AT_ONE_PLACE = 8;

/** A position as source maps return it: `file:line:column`. */
const POSITION = /^(.*):(\d+):(\d+)$/s;

/** A place in a script: the function there, and the offset in its script. */
export interface ScriptPlace {
  readonly function: LoggedFunction;
  /** In UTF-16 units. */
  readonly offset: number;
}

/** What it takes to find out where sites are. */
export interface SiteSources {
  readonly inlineStacks: InlineStacks;
  readonly functions: FunctionSources;
  readonly scripts: Scripts;
}

/** One cache. Rows can be in the bytecode of its function and in code that the function is inlined into. */
interface Site {
  readonly function: LoggedFunction;
  readonly at: LineColumn;
  readonly parts: RecordedIcSite[];
}

/** The sites of a log's inline caches, found by where they are in code and in scripts. A site is a number. */
export class IcSites {
  readonly #sources: SiteSources;
  readonly #sites: Site[] = [];
  readonly #numbers = new Map<LoggedFunction, Map<string, number>>();
  /** The answers of {@link inFunction}. */
  readonly #inFunction = new Map<LoggedFunction, Map<string, readonly number[]>>();
  /** By bytecode and offset. */
  readonly #atOffset = new Map<Code, Map<number, number[]>>();
  /** By function and offset in its script. */
  readonly #atPosition = new Map<LoggedFunction, Map<number, number[]>>();

  constructor(rows: IcRows, sources: SiteSources) {
    this.#sources = sources;
    for (const [outer, site] of rows.sites()) this.#add(outer, site);
  }

  /** Returns the sites at an offset of bytecode that a builtin may work for. */
  atOffset({ code, offset }: CodeOffset, builtin: IcBuiltin): readonly number[] {
    return this.#fitting(this.#atOffset.get(code)?.get(offset), builtin);
  }

  /** Returns the sites at a place in a script that a builtin may work for. */
  atPosition({ function: logged, offset }: ScriptPlace, builtin: IcBuiltin): readonly number[] {
    return this.#fitting(this.#atPosition.get(logged)?.get(offset), builtin);
  }

  /** Returns the sites of a function that a builtin may work for. */
  inFunction(logged: LoggedFunction, builtin: IcBuiltin): readonly number[] {
    const { family = "", isMegamorphic: isMega } = builtin;
    let byFamily = this.#inFunction.get(logged);
    if (byFamily === undefined) {
      byFamily = new Map();
      this.#inFunction.set(logged, byFamily);
    }
    const key = `${family}${isMega ? "+" : ""}`;
    let found = byFamily.get(key);
    if (found === undefined) {
      found = this.#fitting(this.#numbers.get(logged)?.values(), builtin);
      byFamily.set(key, found);
    }
    return found;
  }

  /** Returns the function of a site. */
  functionOf(site: number): LoggedFunction {
    return this.#sites[site]!.function;
  }

  /** Returns all sites, by number. */
  list(): IcSite[] {
    return this.#sites.map((site) => this.#describe(site));
  }

  #fitting(numbers: Iterable<number> | undefined, { family, isMegamorphic: isMega }: IcBuiltin): number[] {
    return Array.from(numbers ?? []).filter((number) => {
      const { parts } = this.#sites[number]!;
      if (family !== undefined && icFamily(parts[0]!.kind) !== family) return false;
      return !isMega || parts.some(({ states }) => states.some(({ state }) => isMegamorphic(state)));
    });
  }

  #add(outer: LoggedFunction, site: RecordedIcSite): void {
    const place = site.offsets[0] && this.#placeOf(site.offsets[0]);
    const logged = place?.function ?? outer;
    // V8 looks up the position of inlined code in the script of the code that it is inlined into.
    const isForeign = place !== undefined && logged.script !== outer.script;
    const at = isForeign ? this.#sources.scripts.position(logged.script, place.offset) : site;
    const number = this.#numberOf(logged, at ?? { line: 0, column: 0 }, site);
    for (const { code, offset } of site.offsets) {
      if (code.tier === "~") addTo(this.#atOffset, code, offset, number);
    }
    if (place !== undefined) addTo(this.#atPosition, logged, place.offset, number);
  }

  #numberOf(logged: LoggedFunction, at: LineColumn, site: RecordedIcSite): number {
    let numbers = this.#numbers.get(logged);
    if (numbers === undefined) {
      numbers = new Map();
      this.#numbers.set(logged, numbers);
    }
    const key = `${at.line}:${at.column}:${site.kind}`;
    let number = numbers.get(key);
    if (number === undefined) {
      number = this.#sites.push({ function: logged, at, parts: [] }) - 1;
      numbers.set(key, number);
    }
    this.#sites[number]!.parts.push(site);
    return number;
  }

  /** Returns the place in a script of a place in code, which may be in an inlined function. */
  #placeOf({ code, offset }: CodeOffset): ScriptPlace | undefined {
    const isReturn = code.tier !== "~";
    const at = isReturn ? offset - 1 : offset;
    const frame: OffsetFrame = { kind: "offset", code, offset: at, isReturn, deopts: 0 };
    return this.#sources.inlineStacks.callAt(frame);
  }

  #describe({ function: logged, at, parts }: Site): IcSite {
    const { functions } = this.#sources;
    const name = functions.nameOf(logged);
    const { file: generated } = parseLoggedName(logged.name);
    const { file } = parseLoggedName(name);
    const original =
      at.line > 0 && at.column > 0 ? functions.originalPosition(generated ?? "", at) : undefined;
    const [, originalFile = file, line = at.line, column = at.column] = POSITION.exec(original ?? "") ?? [];
    const inOrder = parts.toSorted((a, b) => startOf(a) - startOf(b));
    const latest = parts.reduce((last, part) => (part.lastTime > last.lastTime ? part : last));
    const all = <Item>(items: (part: RecordedIcSite) => readonly Item[]) =>
      parts.length === 1 ? items(parts[0]!) : Array.from(new Set(inOrder.flatMap(items)));
    return {
      thread: THREAD,
      function: name,
      file: originalFile,
      line: Math.max(0, Number(line)),
      column: Math.max(0, Number(column)),
      kind: latest.kind,
      first: inOrder[0]!.first,
      states: mergedStates(inOrder),
      last: latest.last,
      lastTime: latest.lastTime,
      rows: parts.reduce((sum, { rows }) => sum + rows, 0),
      maps: Math.min(MOST_MAPS, all(({ maps }) => maps).length),
      keys: all(({ keys }) => keys),
      hasMoreKeys: parts.some(({ hasMoreKeys }) => hasMoreKeys),
      modifiers: all(({ modifiers }) => modifiers),
      reasons: all(({ reasons }) => reasons),
    };
  }
}

function addTo<Key>(index: Map<Key, Map<number, number[]>>, key: Key, offset: number, number: number): void {
  let inner = index.get(key);
  if (inner === undefined) {
    inner = new Map();
    index.set(key, inner);
  }
  const numbers = inner.get(offset);
  if (numbers === undefined) inner.set(offset, [number]);
  else if (numbers.length < MOST_AT_ONE_PLACE && !numbers.includes(number)) numbers.push(number);
}

function startOf({ states }: RecordedIcSite): number {
  return states[0]?.time ?? 0;
}

/** Returns the states of all parts, each from the first time on. */
function mergedStates(parts: readonly RecordedIcSite[]): IcStateStep[] {
  const merged = new Map<string, IcStateStep>();
  for (const { states } of parts) {
    for (const { state, time, rows } of states) {
      const known = merged.get(state);
      merged.set(state, {
        state,
        time: Math.min(time, known?.time ?? time),
        rows: rows + (known?.rows ?? 0),
      });
    }
  }
  return Array.from(merged.values()).sort((a, b) => a.time - b.time);
}

import { valueAt } from "../base/maps.js";
import type { FramesByBuiltin } from "../native/builtin-frames.js";
import { ROOT } from "../profile/call-tree.js";
import { OPTIMIZED_TIERS } from "../profile/frame.js";
import {
  type IcBuiltin,
  type IcCharge,
  type IcPlace,
  type IcSite,
  type IcStateStep,
  type Ics,
  icBuiltin,
  icCode,
  icFamily,
  isMegamorphic,
  MOST_MAPS,
  type NoSiteReason,
} from "../profile/inline-caches.js";
import { parseLoggedName } from "../profile/logged-name.js";
import type { LineColumn } from "../profile/source-lines.js";
import type { BuiltinCopy } from "../replay/builtins.js";
import type { CodeOffset, IcRows, LoggedIcSite } from "../replay/ic-rows.js";
import type { LoggedFunction } from "../replay/logged-functions.js";
import type { Code, OffsetFrame, ReplayedFrame } from "../replay/replayed-frame.js";
import type { ReplayedLog } from "../replay/replayed-log.js";
import {
  callsAt,
  callsBetween,
  ERRORS,
  isCaller,
  isFrameless,
  isUnknown,
  ReplayedCalls,
  type ReplayedStacks,
  topBuiltin,
} from "./call-evidence.js";
import type { FunctionSources } from "./function-sources.js";
import type { InlineStacks } from "./inline-stacks.js";

/** Each log has one thread. */
const THREAD = 0;

/** V8 has no more caches of different kinds at one place. */
const MOST_AT_ONE_PLACE = 8;

/** A position as source maps return it: `file:line:column`. */
const POSITION = /^(.*):(\d+):(\d+)$/s;

/** A place in a script: the function there, and the offset in its script. */
interface ScriptPosition {
  readonly function: LoggedFunction;
  /** In UTF-16 units. */
  readonly offset: number;
}

/** What it takes to find out where sites are. */
interface SiteSources {
  readonly replayed: ReplayedLog;
  readonly inlineStacks: InlineStacks;
  readonly functions: FunctionSources;
}

/** One cache. Rows can be in the bytecode of its function and in code that the function is inlined into. */
interface Site {
  readonly function: LoggedFunction;
  readonly at: LineColumn;
  readonly parts: LoggedIcSite[];
}

/** The sites of a log's inline caches, found by where they are in code and in scripts. A site is a number. */
class IcSites {
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
  atPosition({ function: logged, offset }: ScriptPosition, builtin: IcBuiltin): readonly number[] {
    return this.#fitting(this.#atPosition.get(logged)?.get(offset), builtin);
  }

  /** Returns the sites of a function that a builtin may work for. */
  inFunction(logged: LoggedFunction, builtin: IcBuiltin): readonly number[] {
    const { family = "", isMegamorphic: isMega } = builtin;
    const byFamily = valueAt(this.#inFunction, logged, () => new Map());
    const key = `${family}${isMega ? "+" : ""}`;
    return valueAt(byFamily, key, () => this.#fitting(this.#numbers.get(logged)?.values(), builtin));
  }

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

  #add(outer: LoggedFunction, site: LoggedIcSite): void {
    const place = site.offsets[0] && this.#placeOf(site.offsets[0]);
    const logged = place?.function ?? outer;
    // V8 looks up the position of inlined code in the script of the code that it is inlined into.
    const isForeign = place !== undefined && logged.script !== outer.script;
    const at = isForeign ? this.#sources.replayed.scripts.position(logged.script, place.offset) : site;
    const number = this.#numberOf(logged, at ?? { line: 0, column: 0 }, site);
    for (const { code, offset } of site.offsets) {
      if (code.tier === "~") addTo(this.#atOffset, code, offset, number);
    }
    if (place !== undefined) addTo(this.#atPosition, logged, place.offset, number);
  }

  #numberOf(logged: LoggedFunction, at: LineColumn, site: LoggedIcSite): number {
    const numbers = valueAt(this.#numbers, logged, () => new Map());
    const key = `${at.line}:${at.column}:${site.kind}`;
    const number = valueAt(numbers, key, () => this.#sites.push({ function: logged, at, parts: [] }) - 1);
    this.#sites[number]!.parts.push(site);
    return number;
  }

  /** Returns the place in a script of a place in code, which may be in an inlined function. */
  #placeOf({ code, offset }: CodeOffset): ScriptPosition | undefined {
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
    const all = <Item>(items: (part: LoggedIcSite) => readonly Item[]) =>
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
  const inner = valueAt(index, key, () => new Map());
  const numbers = inner.get(offset);
  if (numbers === undefined) inner.set(offset, [number]);
  else if (numbers.length < MOST_AT_ONE_PLACE && !numbers.includes(number)) numbers.push(number);
}

function startOf({ states }: LoggedIcSite): number {
  return states[0]?.time ?? 0;
}

/** Returns the states of all parts, each from the first time on. */
function mergedStates(parts: readonly LoggedIcSite[]): IcStateStep[] {
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

/** With more sites that ticks can belong to, nothing is known. */
const MOST_SITES = 16;
/** With more functions inlined into those that can have run, nothing is known. */
const MOST_FUNCTIONS = 200;

/** What it takes to find the sites of stacks. */
interface IcKnowledge extends SiteSources {
  /** The copy of the builtins that the log's addresses are in. */
  readonly copy: BuiltinCopy | undefined;
  /** Returns what is known of some builtins. */
  load(wanted: ReadonlySet<string>): FramesByBuiltin;
  /** The stacks with the callers that the sampler skipped, as far as they are known; the samples are the same. */
  readonly stacks: ReplayedStacks;
  /** Whether to name functions and sites that are not on the stacks. */
  readonly inferred: boolean;
}

/** A builtin at the top of a stack. */
interface Top extends IcBuiltin {
  /** Whether it has no frame where it was, so that the sampler skipped the function that called it; undefined if unknown. */
  readonly isFrameless: boolean | undefined;
}

/** Where ticks belong, before names. */
interface Found {
  readonly function?: LoggedFunction | undefined;
  readonly caller?: LoggedFunction | undefined;
  readonly sites?: readonly number[] | undefined;
  readonly isInferred?: boolean | undefined;
  readonly mayBeInlined?: boolean | undefined;
  readonly reason?: NoSiteReason | undefined;
}

/** Returns why no site is known. */
function reasonOf(facts: Record<"hasTooMany" | "mayBeInlined" | "isKnown", boolean>): NoSiteReason {
  if (facts.hasTooMany) return "many-sites";
  if (!facts.isKnown) return "unknown-caller";
  return facts.mayBeInlined ? "unknown-inlining" : "no-site";
}

const NO_CALLER: Found = { reason: "no-caller" };
const UNKNOWN_CALLER: Found = { reason: "unknown-caller" };

/** Finds the sites of stacks. */
class PlaceFinder {
  readonly #replayed: ReplayedLog;
  readonly #knowledge: IcKnowledge;
  readonly #sites: IcSites;
  readonly #frames: FramesByBuiltin;
  /** By frame number of the stacks; undefined if it is no code for inline caches. */
  readonly #tops: readonly (Top | undefined)[];
  /** By frame number: the functions that are called there. */
  readonly #callees: ReadonlyMap<number, readonly LoggedFunction[]>;
  /** By frame number and builtin. */
  readonly #found = new Map<string, Found>();
  /** The functions that are inlined into each one; those that it calls, if the log does not say what is inlined. */
  readonly #inlined = new Map<LoggedFunction, Set<LoggedFunction>>();
  /** The functions with optimized code of which the log does not say what is inlined, as up to Node 14. */
  readonly #opaque = new Set<LoggedFunction>();

  constructor(knowledge: IcKnowledge, sites: IcSites) {
    this.#replayed = knowledge.replayed;
    this.#knowledge = knowledge;
    this.#sites = sites;
    const { frames } = knowledge.stacks;
    const builtins = frames.map((frame) => this.#builtinOf(frame));
    this.#frames = knowledge.load(new Set(builtins.flatMap((builtin) => builtin?.name ?? [])));
    this.#tops = frames.map((frame, i) => builtins[i] && this.#topFor(frame, builtins[i]));
    this.#callees = this.#findCallees();
    for (const frame of frames) if (frame.kind === "offset") this.#addInlined(frame);
    if (this.#opaque.size > 0) this.#guessInlined();
  }

  /** Returns the code for inline caches at the top of a stack; undefined if something else is. */
  topOf(node: number): Top | undefined {
    return node === ROOT ? undefined : this.#tops[this.#knowledge.stacks.tree.frame[node]!];
  }

  /** Returns where ticks below a caller belong: a node of the stacks. */
  find(caller: number, top: Top): Found {
    return caller === ROOT ? NO_CALLER : this.#find(caller, top);
  }

  #find(caller: number, top: Top): Found {
    const { frames, tree } = this.#knowledge.stacks;
    const number = tree.frame[caller]!;
    const frame = frames[number]!;
    // The stacks have what is known of callers below code that is not in the log.
    if (isUnknown(frame)) return UNKNOWN_CALLER;
    const key = `${number} ${top.name} ${top.isFrameless}`;
    return valueAt(this.#found, key, () => this.#findAt(number, frame, top));
  }

  #findAt(number: number, frame: ReplayedFrame, top: Top): Found {
    if (frame.kind === "hidden") {
      const { code, inlined, at } = frame;
      const logged =
        inlined.at(-1) ?? (at && this.#knowledge.inlineStacks.callAt(at)?.function) ?? code.function;
      return this.#inferred([logged], this.#sitesIn([logged], top), undefined);
    }
    return isCaller(frame) ? this.#findBelow(number, frame, top) : NO_CALLER;
  }

  #findBelow(number: number, frame: OffsetFrame, top: Top): Found {
    const place = this.#knowledge.inlineStacks.callAt(frame);
    const running = place?.function ?? frame.code.function;
    const isBytecode = frame.code.tier === "~";
    if (isBytecode) {
      const sites = this.#sites.atOffset(frame, top);
      if (sites.length > 0) return { function: running, caller: running, sites };
    }
    const called = this.#knowledge.inferred ? (this.#callees.get(number) ?? []) : [];
    const mayBeCalled = isBytecode && top.isFrameless === undefined && called.length > 0;
    if (top.isFrameless === true || mayBeCalled) {
      return this.#open(called, this.#sitesIn(called, top), running);
    }
    const exact = isBytecode || place === undefined ? [] : this.#sites.atPosition(place, top);
    if (top.isFrameless === undefined && called.length > 0) {
      const here = place === undefined ? this.#sitesIn([running], top) : exact;
      const all = new Set([...here, ...this.#sitesIn(called, top)]);
      return this.#open([running, ...called], Array.from(all), running);
    }
    if (exact.length > 0 || place !== undefined) return { function: running, caller: running, sites: exact };
    // The position is not known, but the function is.
    return this.#inferred([running], this.#knowledge.inferred ? this.#sitesIn([running], top) : [], running);
  }

  /**
   * Returns the sites that are possible where the stacks lack the function that ran. Which one it was is not inferred here: no
   * report has other callers than the stacks.
   */
  #open(
    functions: readonly (LoggedFunction | undefined)[],
    possible: readonly number[],
    caller: LoggedFunction | undefined,
  ): Found {
    const mayBeInlined = this.#mayBeInlined(functions);
    if (possible.length > MOST_SITES) return { caller, reason: "many-sites" };
    const sites = possible.length === 1 && !mayBeInlined ? [] : possible;
    const reason = mayBeInlined && functions.length === 1 ? "unknown-inlining" : "unknown-caller";
    return { caller, sites, mayBeInlined, reason };
  }

  /** Returns whether something can be inlined in functions that the log does not tell. */
  #mayBeInlined(functions: readonly (LoggedFunction | undefined)[]): boolean {
    return functions.some((logged) => logged !== undefined && this.#opaque.has(logged));
  }

  /** Returns the sites of functions that may have run, and the function if there is one. */
  #inferred(
    functions: readonly (LoggedFunction | undefined)[],
    possible: readonly number[],
    caller: LoggedFunction | undefined,
  ): Found {
    const hasTooMany = possible.length > MOST_SITES;
    const sites = hasTooMany ? [] : possible;
    const mayBeInlined = this.#mayBeInlined(functions);
    const owners = new Set(sites.map((site) => this.#sites.functionOf(site)));
    const known = sites.length > 0 && !mayBeInlined ? Array.from(owners) : functions;
    const only = known.length === 1 ? known[0] : undefined;
    const reason = reasonOf({ hasTooMany, mayBeInlined, isKnown: only !== undefined });
    const isInferred = only !== undefined || sites.length > 0;
    return { function: only, caller, sites, isInferred, mayBeInlined, reason };
  }

  /** Returns the sites of functions, and of those inlined into them; not all if there are too many. */
  #sitesIn(functions: readonly (LoggedFunction | undefined)[], top: Top): number[] {
    const found = new Set<number>();
    const ran = new Set(functions);
    for (const logged of ran) {
      if (logged === undefined) continue;
      for (const site of this.#sites.inFunction(logged, top)) {
        if (found.size > MOST_SITES) break;
        found.add(site);
      }
      // What is inlined into optimized code is known to any depth.
      const isWhole = !functions.includes(logged) && !this.#opaque.has(logged);
      if (isWhole) continue;
      for (const one of this.#inlined.get(logged) ?? []) if (ran.size <= MOST_FUNCTIONS) ran.add(one);
    }
    return ran.size > MOST_FUNCTIONS ? [] : Array.from(found);
  }

  #builtinOf(frame: ReplayedFrame): IcBuiltin | undefined {
    const { copy } = this.#knowledge;
    const top = topBuiltin(frame, copy);
    if (top !== undefined) return icCode({ type: "Builtin", name: top.name });
    return frame.kind === "code" ? icBuiltin(frame) : undefined;
  }

  #topFor(frame: ReplayedFrame, builtin: IcBuiltin): Top {
    const top = topBuiltin(frame, this.#knowledge.copy);
    const known = this.#frames.get(builtin.name);
    return { ...builtin, isFrameless: top && known && isFrameless(known, top.offset) };
  }

  /** Returns the functions that were seen to be called where stacks end in code for inline caches. */
  #findCallees(): Map<number, readonly LoggedFunction[]> {
    const { frames, tree } = this.#replayed;
    const wanted = new Uint8Array(frames.length);
    for (let node = ROOT + 1; node < tree.length; node++) {
      const caller = tree.parent[node]!;
      if (caller === ROOT || this.#tops[tree.frame[node]!] === undefined) continue;
      const number = tree.frame[caller]!;
      if (number < frames.length && isCaller(frames[number]!)) wanted[number] = 1;
    }
    const callees = new Map<number, readonly LoggedFunction[]>();
    if (!wanted.includes(1)) return callees;
    const calls = new ReplayedCalls(this.#replayed);
    const evidence = callsAt(calls, wanted, () => undefined);
    const isCalledBy = callsBetween(calls);
    for (const [number, { callees: seen, total }] of evidence) {
      const all = Array.from(seen.values());
      // At the top, a function that is about to return looks as if its caller's caller had called it.
      const sure = all.filter(
        ({ function: one, called, atTop }) =>
          called > 0 || atTop > total * ERRORS || !all.some(({ function: other }) => isCalledBy(one, other)),
      );
      callees.set(
        number,
        sure.map(({ function: logged }) => logged),
      );
    }
    return callees;
  }

  #addInlined({ code }: OffsetFrame): void {
    const { function: logged, source, tier = "" } = code;
    if (logged !== undefined && source === undefined && OPTIMIZED_TIERS.has(tier)) this.#opaque.add(logged);
    if (logged === undefined || source === undefined || source.functions.length === 0) return;
    const known = valueAt(this.#inlined, logged, () => new Set());
    for (const one of source.functions) if (one !== undefined) known.add(one);
  }

  /** Takes what functions were seen to call for inlined, where the log does not say what is. */
  #guessInlined(): void {
    const { frames, tree } = this.#replayed;
    for (let node = ROOT + 1; node < tree.length; node++) {
      const frame = frames[tree.frame[node]!]!;
      const above = tree.parent[node] === ROOT ? undefined : frames[tree.frame[tree.parent[node]!]!];
      if (frame.kind !== "offset" || above?.kind !== "offset") continue;
      const [callee, caller] = [frame.code.function, above.code.function];
      if (callee === undefined || caller === undefined || !this.#opaque.has(caller)) continue;
      valueAt(this.#inlined, caller, () => new Set()).add(callee);
    }
  }
}

/**
 * Returns the inline caches of a log with the ticks in V8's code for them.
 *
 * The stack has the place of a cache if that code has a frame of its own, or if bytecode called it: the interpreter
 * runs in the frame of the function. Else the sampler skipped the function, and the stack begins with its caller. Where
 * the stacks have the function all the same (see `addHiddenCallers`), the sites are those of it and of what is inlined in it that
 * the code can work for: its name tells what it does, and the rows tell the states of the sites. If there is one, it is
 * inferred; of several, none gets the ticks. Where they do not, the functions that other ticks show there have the possible
 * sites.
 */
export function icTicks(knowledge: IcKnowledge): Ics | undefined {
  const { ics: rows } = knowledge.replayed;
  if (rows === undefined) return undefined;
  const sites = new IcSites(rows, knowledge);
  const finder = new PlaceFinder(knowledge, sites);
  const places: IcPlace[] = [];
  const charges: IcCharge[] = [];
  const placeOf = new Map<number, number>();
  const numbers = new Map<Found, Map<string, number>>();
  const { tree, samples } = knowledge.stacks;
  const hasRows = rows.rows > 0;
  for (let sample = 0; sample < samples.length; sample++) {
    const node = samples.node[sample]!;
    const top = finder.topOf(node);
    if (top === undefined || samples.ticks[sample] === 0) continue;
    let number = placeOf.get(node);
    if (number === undefined) {
      const found = finder.find(tree.parent[node]!, top);
      const known = valueAt(numbers, found, () => new Map<string, number>());
      number = known.get(top.name) ?? places.push(nameOf(found, top, { ...knowledge, hasRows })) - 1;
      known.set(top.name, number);
      placeOf.set(node, number);
    }
    charges.push({ place: number, sample, ticks: samples.ticks[sample]! });
  }
  const used = new Set(charges.flatMap(({ place }) => places[place]!.sites));
  for (const site of used) knowledge.functions.of(sites.functionOf(site)); // So that the profile has its text.
  return {
    sites: sites.list(),
    places,
    charges,
    times: rows.rows === 0 ? [] : [{ thread: THREAD, ...rows.times }],
    rows: rows.rows,
    unknownRows: rows.unknownRows,
  };
}

function nameOf(
  found: Found,
  { name: builtin }: Top,
  { functions, hasRows }: IcKnowledge & { readonly hasRows: boolean },
): IcPlace {
  const name = (logged: LoggedFunction | undefined) => logged && functions.nameOf(logged);
  const { sites = [], isInferred = false, mayBeInlined = false, reason = "no-site" } = found;
  return {
    builtin,
    function: name(found.function),
    caller: name(found.caller),
    sites: sites.toSorted((a, b) => a - b),
    mayBeInlined: mayBeInlined && sites.length > 0,
    isInferred,
    reason: sites.length > 0 ? undefined : hasRows ? reason : "no-rows",
  };
}

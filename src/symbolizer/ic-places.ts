import { ROOT } from "../profile/call-tree.js";
import { OPTIMIZED_TIERS } from "../profile/frame.js";
import { type IcBuiltin, icBuiltin, icCode } from "../profile/ic-builtins.js";
import type { NoSiteReason } from "../profile/inline-caches.js";
import type { BuiltinCopy } from "../recorder/builtins.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { OffsetFrame, RecordedFrame } from "../recorder/recorded-frame.js";
import type { Recording } from "../recorder/recording.js";
import type { FramesByBuiltin } from "../symbols/frames/builtin-frames.js";
import { callEvidence, isCaller } from "./call-evidence.js";
import { callsBetween } from "./hidden-callers.js";
import type { IcSites, SiteSources } from "./ic-sites.js";
import type { RecordedStacks } from "./stack-loops.js";
import { isFrameless, topBuiltin } from "./top-builtins.js";
import { isUnknown } from "./unknown-callers.js";

/** The share of a call site's ticks that may be errors of the sampler. */
const ERRORS = 0.02;
/** With more sites that ticks can belong to, nothing is known. */
const MOST_SITES = 16;
/** With more functions inlined into those that can have run, nothing is known. */
const MOST_FUNCTIONS = 200;

/** What it takes to find the sites of stacks, beside the recording. */
export interface IcKnowledge extends SiteSources {
  /** The copy of the builtins that the log's addresses are in. */
  readonly copy: BuiltinCopy | undefined;
  /** Returns what is known of some builtins. */
  load(wanted: ReadonlySet<string>): FramesByBuiltin;
  /** The stacks with the callers that the sampler skipped, as far as they are known; the samples are the same. */
  readonly stacks: RecordedStacks;
  /** Whether to name functions and sites that are not on the stacks. */
  readonly infers: boolean;
}

/** A builtin at the top of a stack. */
export interface Top extends IcBuiltin {
  /** Whether it has no frame where it was, so that the sampler skipped the function that called it; undefined if unknown. */
  readonly isFrameless: boolean | undefined;
}

/** Where ticks belong, before names. */
export interface Found {
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
export class PlaceFinder {
  readonly #recording: Recording;
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

  constructor(recording: Recording, knowledge: IcKnowledge, sites: IcSites) {
    this.#recording = recording;
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
    const found = this.#found.get(key) ?? this.#findAt(number, frame, top);
    this.#found.set(key, found);
    return found;
  }

  #findAt(number: number, frame: RecordedFrame, top: Top): Found {
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
    const called = this.#knowledge.infers ? (this.#callees.get(number) ?? []) : [];
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
    return this.#inferred([running], this.#knowledge.infers ? this.#sitesIn([running], top) : [], running);
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

  #builtinOf(frame: RecordedFrame): IcBuiltin | undefined {
    const { copy } = this.#knowledge;
    const top = topBuiltin(frame, copy);
    if (top !== undefined) return icCode({ type: "Builtin", name: top.name });
    return frame.kind === "code" ? icBuiltin(frame) : undefined;
  }

  #topFor(frame: RecordedFrame, builtin: IcBuiltin): Top {
    const top = topBuiltin(frame, this.#knowledge.copy);
    const known = this.#frames.get(builtin.name);
    return { ...builtin, isFrameless: top && known && isFrameless(known, top.offset) };
  }

  /** Returns the functions that were seen to be called where stacks end in code for inline caches. */
  #findCallees(): Map<number, readonly LoggedFunction[]> {
    const { frames, tree } = this.#recording;
    const wanted = new Uint8Array(frames.length);
    for (let node = ROOT + 1; node < tree.length; node++) {
      const caller = tree.parent[node]!;
      if (caller === ROOT || this.#tops[tree.frame[node]!] === undefined) continue;
      const number = tree.frame[caller]!;
      if (number < frames.length && isCaller(frames[number]!)) wanted[number] = 1;
    }
    const callees = new Map<number, readonly LoggedFunction[]>();
    if (!wanted.includes(1)) return callees;
    const evidence = callEvidence(this.#recording, wanted, () => undefined);
    const isCalledBy = callsBetween(this.#recording);
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
    const known = this.#inlined.get(logged) ?? new Set();
    this.#inlined.set(logged, known);
    for (const one of source.functions) if (one !== undefined) known.add(one);
  }

  /** Takes what functions were seen to call for inlined, where the log does not say what is. */
  #guessInlined(): void {
    const { frames, tree } = this.#recording;
    for (let node = ROOT + 1; node < tree.length; node++) {
      const frame = frames[tree.frame[node]!]!;
      const above = tree.parent[node] === ROOT ? undefined : frames[tree.frame[tree.parent[node]!]!];
      if (frame.kind !== "offset" || above?.kind !== "offset") continue;
      const [callee, caller] = [frame.code.function, above.code.function];
      if (callee === undefined || caller === undefined || !this.#opaque.has(caller)) continue;
      this.#inlined.set(caller, (this.#inlined.get(caller) ?? new Set()).add(callee));
    }
  }
}

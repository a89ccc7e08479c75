import { columnOf } from "../../base/columns.js";
import { addTo, valueAt } from "../../base/maps.js";
import type { Ticks } from "../../base/units.js";
import type { ThreadInfo } from "../../profile/profile.js";
import type { Analysis } from "../analysis.js";
import type { FindingKind } from "./finding.js";
import { IN_MAIN, IN_SERVER, LOADING, NONE, type NodeMarks, nameOf } from "./marks.js";
import { EVENTS, LEAST_TICKS, MEGAMORPHIC, RULES, SLOW, SORT } from "./rules.js";
import type { Context } from "./words.js";

const DELETES = /^(?:Builtin: DeleteProperty|v8::internal::Runtime_DeleteProperty\()/;

/** Stores that give an object its shape. */
const STORES = /Store|Define/;

/** The rows of which the sampler often skips the caller, since V8's code has no frame; or that Node does before it calls the program. */
const WITHOUT_PLACE = new Set<FindingKind>([
  "megamorphic",
  "generators",
  "promises",
  "copies",
  "spread-call",
  "array-copy",
]);

/** Ticks, by frame of the program or a package that they are at; those of no place are left out there. */
export interface TicksAt {
  readonly ticks: Ticks;
  readonly places: ReadonlyMap<number, Ticks>;
  /** By frame of a place: the frames that called its function, by ticks. */
  readonly calls?: CallTicks;
}

export type CallTicks = Map<number, Map<number, Ticks>>;

/** Counts a call of the function of a place. */
export function addCall(calls: CallTicks, place: number, caller: number, ticks: Ticks): void {
  if (caller >= 0)
    addTo(
      valueAt(calls, place, () => new Map<number, Ticks>()),
      caller,
      ticks,
    );
}

/** What has so much of the ticks, in percent, is done again and again. */
export const MUCH = 3;

/**
 * Counts a kind as part of another one, if there is much of that. If regular expressions are made again and again, what they do is
 * part of that: each is compiled when it runs first. An async function is continued as a generator is.
 */
export function join(
  rules: readonly RuleTicks[],
  share: (ticks: Ticks) => number,
  kinds: { readonly from: FindingKind; readonly to: FindingKind },
): void {
  const ofKind = (wanted: FindingKind) => rules[RULES.findIndex(({ kind }) => kind === wanted)]!;
  const [from, to] = [ofKind(kinds.from), ofKind(kinds.to)];
  if (to.ticks < LEAST_TICKS || share(to.ticks) < MUCH) return;
  to.ticks += from.ticks;
  for (const part of ["places", "names"] as const)
    for (const [frame, ticks] of from[part]) addTo(to[part], frame, ticks);
  for (const [place, callers] of from.calls)
    for (const [caller, ticks] of callers) addCall(to.calls, place, caller, ticks);
  for (const [context, ticks] of from.contexts) addTo(to.contexts, context, ticks);
  from.ticks = 0;
}

export function ranked<Key>(counts: ReadonlyMap<Key, Ticks>): [Key, Ticks][] {
  return Array.from(counts).sort((a, b) => b[1] - a[1]);
}

/** Ticks of a rule. */
interface RuleTicks {
  ticks: Ticks;
  /** By frame of the program or a package. */
  readonly places: Map<number, Ticks>;
  readonly calls: CallTicks;
  /** By frame that tells the rule. */
  readonly names: Map<number, Ticks>;
  readonly contexts: Map<Context, Ticks>;
  /** By frame of a package that the program called: where in it the work is done. */
  readonly inside: Map<number, Ticks>;
  /** By frame: what gives objects their shape, deletes from them, or handles the event. */
  readonly makers: Map<number, Ticks>;
}

/** Ticks of a package, by frame that called it and by its own innermost frame. */
interface PackageTicksAt extends TicksAt {
  readonly inside: ReadonlyMap<number, Ticks>;
}

interface CountedRules {
  /** Indexed as {@link RULES}. */
  readonly rules: readonly RuleTicks[];
  /** By package: its ticks without those of loading modules, and the frames of the program that called it. */
  readonly packages: ReadonlyMap<string, PackageTicksAt>;
  /** The places of the module loader. */
  readonly loading: ReadonlyMap<number, Ticks>;
  /** What of that was while a server served. */
  readonly late: TicksAt;
  /** What of it was in other callbacks. */
  readonly reloading: TicksAt;
  /** The ticks in the code of the program and of packages itself, by frame. */
  readonly own: TicksAt;
  /** By function of the program or a package: the ticks in it below itself, with its frames. */
  readonly recursion: ReadonlyMap<number, TicksAt>;
}

export function countRules(
  { samples, origins, info, tree, frames, table }: Analysis,
  marks: NodeMarks,
): CountedRules {
  const isStore = columnOf(Uint8Array, frames, (one) =>
    one.kind !== "js" && STORES.test(nameOf(one)) ? 1 : 0,
  );
  const isDelete = columnOf(Uint8Array, frames, (one) =>
    one.kind !== "js" && DELETES.test(nameOf(one)) ? 1 : 0,
  );
  const rules = RULES.map(
    (): RuleTicks => ({
      ticks: 0,
      places: new Map(),
      calls: new Map(),
      names: new Map(),
      contexts: new Map(),
      makers: new Map(),
      inside: new Map(),
    }),
  );
  const recursion = new Map<number, { ticks: Ticks; places: Map<number, Ticks> }>();
  const packages = new Map<
    string,
    { ticks: Ticks; places: Map<number, Ticks>; inside: Map<number, Ticks> }
  >();
  const loading = new Map<number, Ticks>();
  const late = { ticks: 0, places: new Map<number, Ticks>() };
  const reloading = { ticks: 0, places: new Map<number, Ticks>() };
  const own = { ticks: 0, places: new Map<number, Ticks>(), calls: new Map() as CallTicks };
  const servers = new Set<number>();
  for (let i = 0; i < samples.length; i++)
    if ((marks.context[samples.node[i]!]! & IN_SERVER) !== 0) servers.add(samples.thread[i]!);
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    const ticks = samples.ticks[i]!;
    const { rule, place } = seenAt(marks, node);
    const inner = marks.inner[node]!;
    const thread = samples.thread[i]!;
    const context = contextOf(marks.context[node]!, info.threads[thread], servers.has(thread));
    if (place >= 0 && rule === LOADING) {
      addTo(loading, place, ticks);
      const found = context === "server" ? late : context === "callback" ? reloading : undefined;
      if (found !== undefined) {
        found.ticks += ticks;
        addTo(found.places, place, ticks);
      }
    }
    const origin = inner < 0 || rule === LOADING ? undefined : origins[inner]!;
    if (origin?.kind === "deps") {
      const found = valueAt(packages, origin.name, () => ({
        ticks: 0,
        places: new Map<number, Ticks>(),
        inside: new Map<number, Ticks>(),
      }));
      found.ticks += ticks;
      addTo(found.inside, inner, ticks);
      if (origins[place]!.kind === "app") addTo(found.places, place, ticks);
    }
    if (marks.isRecursive[node] === 1 && rule === NONE) {
      const found = valueAt(recursion, table.ofFrame[inner]!, () => ({
        ticks: 0,
        places: new Map<number, Ticks>(),
      }));
      found.ticks += ticks;
      addTo(found.places, inner, ticks);
    }
    const leaf = tree.frame[node]!;
    if (rule === NONE && inner === leaf) {
      own.ticks += ticks;
      addTo(own.places, inner, ticks);
      addCall(own.calls, inner, marks.outer[node]!, ticks);
    }
    const handler = marks.handler[node]!;
    if (handler >= 0) addTo(rules[EVENTS]!.makers, handler, ticks);
    if (isDelete[leaf] === 1 && inner >= 0) addTo(rules[SLOW]!.makers, inner, ticks);
    // Node itself, and the recorder, do such work too. Of inline caches the sampler often skips the caller.
    if (rule === NONE || rule === LOADING) continue;
    const found = rules[rule - 1]!;
    if (rule === MEGAMORPHIC + 1 && place >= 0 && isStore[leaf] === 1) addTo(found.makers, place, ticks);
    if (place < 0 && !WITHOUT_PLACE.has(RULES[rule - 1]!.kind)) continue;
    found.ticks += ticks;
    const evidence = marks.rule[node] === rule ? marks.evidence[node]! : calledBack(marks, node, leaf);
    if (evidence >= 0) addTo(found.names, evidence, ticks);
    if (place >= 0) {
      addTo(found.places, place, ticks);
      if (place !== inner && origins[inner]?.kind === "deps") addTo(found.inside, inner, ticks);
      if (place === marks.place[node]) addCall(found.calls, place, marks.outer[node]!, ticks);
    }
    addTo(found.contexts, context, ticks);
  }
  return { rules, packages, loading, late, reloading, recursion, own };
}

/** Returns the frame that was called back, if it called what runs; -1 if it runs itself. */
function calledBack({ called }: NodeMarks, node: number, leaf: number): number {
  return called[node] === leaf ? -1 : called[node]!;
}

/** Returns the rule of a node, and its place: that of what called the program back, if the program does nothing else there. */
function seenAt(marks: NodeMarks, node: number): { readonly rule: number; readonly place: number } {
  const rule = marks.rule[node]!;
  const callback = marks.callback[node]!;
  const isOfSort = callback === SORT + 1 && RULES[rule - 1]?.isOfSort === true;
  if ((rule !== NONE && !isOfSort) || callback === 0) return { rule, place: marks.place[node]! };
  return { rule: callback, place: marks.caller[node]! };
}

function contextOf(bits: number, thread: ThreadInfo | undefined, isServer: boolean): Context {
  if (thread?.kind === "worker") return "worker";
  if ((bits & IN_SERVER) !== 0) return "server";
  if ((bits & IN_MAIN) !== 0) return "main";
  return isServer ? "server" : "callback"; // What comes back from an await has no request above it.
}

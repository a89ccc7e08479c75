import { columnOf } from "../../base/columns.js";
import { addTo } from "../../base/maps.js";
import { shortSymbol } from "../../base/symbols.js";
import { joined, named, type Text, text } from "../../base/text.js";
import type { Ticks } from "../../base/units.js";
import { ROOT } from "../../profile/call-tree.js";
import { GC } from "../../profile/vm-state.js";
import type { Analysis } from "../analysis.js";
import { type ProfiledFunction, UNNAMED } from "../function-table.js";
import { isEntry, labelOf } from "../label.js";
import { addCall, type CallTicks, ranked, type TicksAt } from "./counts.js";
import type { NodeMarks } from "./marks.js";
import { lineOfFrame } from "./places.js";

/** The line that has most ticks with what it calls but for other lines of the program; or a function, if its lines have less each. */
export interface Hottest extends TicksAt {
  readonly function: ProfiledFunction;
  /** The part of its own code: 0 to 1. */
  readonly own: number;
  /** What takes most of it, as the end of a sentence. */
  readonly mostly: Text;
  /** Whether that has a name. */
  readonly isTold: boolean;
}

/** So much is the most of something: a part of 0 to 1. */
const MOST_OF_IT = 0.5;
/** So many names tell what that is. */
const MOST_NAMES = 2;

/** Returns what of the program has most ticks; what of a package if nothing of the program has `least`. */
export function hottestCode(of: Analysis, marks: NodeMarks, least: Ticks): Hottest | undefined {
  const { samples, origins } = of;
  const places = { app: new Map<number, Ticks>(), deps: new Map<number, Ticks>() };
  for (let i = 0; i < samples.length; i++) {
    const place = marks.place[samples.node[i]!]!;
    const kind = place < 0 ? undefined : origins[place]!.kind;
    if (kind === "app" || kind === "deps") addTo(places[kind], place, samples.ticks[i]!);
  }
  const [hottest] = [places.app, places.deps]
    .map((ofFrame) => mostOf(of, ofFrame))
    .filter((frames) => frames.reduce((sum, [, ticks]) => sum + ticks, 0) >= least);
  return hottest === undefined ? undefined : partsOf(of, marks, new Map(hottest));
}

/** Returns the frames of the line with most ticks; those of the function if no line of that has most of it. */
function mostOf(of: Analysis, ticks: ReadonlyMap<number, Ticks>): [frame: number, Ticks][] {
  const all = Array.from(ticks);
  const most = <Key>(among: typeof all, keyOf: (frame: number) => Key) => {
    const sums = new Map<Key, Ticks>();
    for (const [frame, own] of among) addTo(sums, keyOf(frame), own);
    const [first] = ranked(sums);
    return { sum: first?.[1] ?? 0, frames: among.filter(([frame]) => keyOf(frame) === first?.[0]) };
  };
  const lineOf = (frame: number) => lineOfFrame(of, frame);
  const owner = most(all, (frame) => of.table.ofFrame[frame]!);
  const isSplit = most(owner.frames, lineOf).sum < MOST_OF_IT * owner.sum;
  return isSplit ? owner.frames : most(all, lineOf).frames;
}

function partsOf(of: Analysis, marks: NodeMarks, places: ReadonlyMap<number, Ticks>): Hottest {
  const { samples, table, tree } = of;
  /** By node: the frame that its place calls; -1 for none. */
  const called = new Int32Array(tree.length).fill(-1);
  const isEntryFrame = columnOf(Uint8Array, of.frames, (one) => (isEntry(labelOf(one)) ? 1 : 0));
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    const above = called[tree.parent[node]!]!;
    const isBelow = above >= 0 && isEntryFrame[above] === 0;
    called[node] = marks.place[node] === frame ? -1 : isBelow ? above : frame;
  }
  const calls: CallTicks = new Map();
  let ticks = 0;
  const parts = new Map<string, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    const place = marks.place[node]!;
    if (!places.has(place)) continue;
    const own = samples.ticks[i]!;
    ticks += own;
    addCall(calls, place, marks.outer[node]!, own);
    const frame = called[node]!;
    addTo(parts, samples.vmState[i] === GC ? COLLECTED : frame < 0 ? OWN : calledName(of, frame), own);
  }
  const names: Text[] = [];
  let sum = 0;
  for (const [name, part] of ranked(parts).slice(0, MOST_NAMES)) {
    if (sum >= MOST_OF_IT * ticks) break;
    names.push(OURS.has(name) ? name : named(name));
    sum += part;
  }
  const isTold = sum >= MOST_OF_IT * ticks;
  const mostly = isTold ? text`mostly ${joined(names, " and ")}` : "in many functions that it calls";
  const [[first] = [0]] = ranked(places);
  const owner = table.functions[table.ofFrame[first]!]!;
  return { function: owner, ticks, places, calls, own: (parts.get(OWN) ?? 0) / ticks, mostly, isTold };
}

const OWN = "its own code";
const COLLECTED = "garbage collection";
const NATIVE = "native code";
const OURS: ReadonlySet<string> = new Set([OWN, COLLECTED, NATIVE]);

function calledName({ frames, table }: Analysis, index: number): string {
  const frame = frames[index]!;
  if (frame.kind === "unknown") return NATIVE;
  if (frame.kind === "native") return frame.symbol === undefined ? NATIVE : shortSymbol(frame.symbol);
  const { title, file, line } = table.functions[table.ofFrame[index]!]!;
  return title === UNNAMED ? `${file}:${line}` : title;
}

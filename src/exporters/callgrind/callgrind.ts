import { type CallTree, ROOT, visitDepthFirst } from "../../profile/call-tree.js";
import { zeros } from "../../profile/long-column.js";
import { PairNumbers } from "../../profile/pair-numbers.js";
import type { Profile } from "../../profile/profile.js";
import type { SampleTable } from "../../profile/sample-table.js";
import type { Ticks } from "../../profile/units.js";
import { printable } from "../../views/label.js";
import { exportStacks, selfTicks } from "../export-stacks.js";
import { CallgrindFunctions } from "./callgrind-functions.js";

/** Calls from a line of a function to another function. */
interface Call {
  readonly line: number;
  readonly callee: number;
  /**
   * Including all that the callee calls. A stack in which the caller calls the callee several times, from
   * whatever lines, counts once, for the outermost of these calls.
   */
  ticks: Ticks;
  /** Whether it is the outermost one in any stack. */
  isCounted: boolean;
}

/**
 * Writes a profile in callgrind's format. The one event is `Ticks`. Lines are those that ran, 0 if unknown. A
 * sampler does not count calls, so the count of a call is its ticks. Inlined functions are ordinary
 * functions; `(root)` calls the outermost ones.
 *
 * Source: Valgrind, "Callgrind Format Specification".
 */
export function* callgrind(profile: Profile): Iterable<string> {
  const { info, frames, tree } = profile;
  const functions = new CallgrindFunctions(frames);
  const stacks = exportStacks(profile, (node) => tree.frame[node]!);
  const ticks = selfTicks(profile, stacks);
  const self = selfByLine(stacks.tree, ticks, functions);
  let total = 0;
  for (let node = 0; node < ticks.length; node++) total += ticks[node]!;
  const calls = callsOf(stacks.tree, ticks, functions);
  yield "# callgrind format\nversion: 1\ncreator: ticks\n";
  yield `cmd: ${printable(info.title)}\n`;
  yield "desc: Unit: ticks of the sampler\ndesc: Call counts: ticks, as a sampler does not count calls\n";
  yield `positions: line\nevents: Ticks\nsummary: ${total}\n`;
  for (let id = 0; id <= functions.root; id++) {
    if (self[id] === undefined && calls[id] === undefined) continue;
    yield `\n${functions.nameLines(id, "")}`;
    for (const [line, own] of ascending(self[id])) yield `${line} ${own}\n`;
    for (const { line, callee, ticks: all } of calls[id] ?? []) {
      yield `${functions.nameLines(callee, "c")}calls=${all} ${functions.lineOf(callee)}\n${line} ${all}\n`;
    }
  }
  yield `\ntotals: ${total}\n`;
}

/** Returns the self ticks of each function by line; `ticks` are the self ticks of each node. */
function selfByLine(
  { length, frame }: CallTree,
  ticks: SampleTable["ticks"],
  functions: CallgrindFunctions,
): Map<number, Ticks>[] {
  const self: Map<number, Ticks>[] = [];
  for (let node = ROOT + 1; node < length; node++) {
    if (ticks[node] === 0) continue;
    const id = functions.ofFrame(frame[node]!);
    const lines = self[id] ?? new Map<number, Ticks>();
    self[id] = lines;
    const line = functions.lineAt(frame[node]!);
    lines.set(line, (lines.get(line) ?? 0) + ticks[node]!);
  }
  return self;
}

function ascending(lines: Map<number, Ticks> = new Map()): (readonly [number, Ticks])[] {
  return Array.from(lines).sort(([a], [b]) => a - b);
}

/**
 * Returns the calls of each function, in the order of their first occurrence. Overwrites `ticks`, the self ticks of
 * each node.
 */
function callsOf(tree: CallTree, ticks: SampleTable["ticks"], functions: CallgrindFunctions): Call[][] {
  for (let node = tree.length - 1; node > ROOT; node--) ticks[tree.parent[node]!]! += ticks[node]!;
  const byCaller: Call[][] = [];
  const all: Call[] = [];
  const numbers = new PairNumbers();
  /** Caller and callee, whatever the line. */
  const pairs = new PairNumbers();
  const callAt = zeros(Int32Array, tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const parent = tree.parent[node]!;
    const caller = parent === ROOT ? functions.root : functions.ofFrame(tree.frame[parent]!);
    const line = parent === ROOT ? 0 : functions.lineAt(tree.frame[parent]!);
    const callee = functions.ofFrame(tree.frame[node]!);
    const number = numbers.of(pairs.of(caller, callee), line);
    if (number === all.length) {
      const call = { line, callee, ticks: 0, isCounted: false };
      all.push(call);
      const calls = byCaller[caller] ?? [];
      byCaller[caller] = calls;
      calls.push(call);
    }
    callAt[node] = number;
  }
  const onPath = new Int32Array(pairs.length);
  visitDepthFirst(tree, (node, isEntering) => {
    const pair = numbers.first[callAt[node]!]!;
    if (!isEntering) {
      onPath[pair]!--;
    } else if (onPath[pair]!++ === 0) {
      const call = all[callAt[node]!]!;
      call.ticks += ticks[node]!;
      call.isCounted = true;
    }
  });
  return byCaller.map((calls) => calls.filter(({ isCounted }) => isCounted));
}

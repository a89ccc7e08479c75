import type { PackedSamples } from "../../flame-page/page-data.js";
import { columnOf, reaching } from "../../profile/columns.js";
import { PairNumbers } from "../../profile/pair-numbers.js";
import type { Profile } from "../../profile/profile.js";
import type { SampleTable } from "../../profile/sample-table.js";
import { packColumn } from "./pack-column.js";

/** The ticks of a stack in a thread. */
export interface SampleRow {
  readonly node: number;
  readonly thread: number;
  ticks: number;
}

/** The ticks of a page by node and thread, sorted, in columns. */
export interface SampleColumns {
  readonly node: Int32Array;
  readonly thread: Int32Array;
  readonly ticks: Float64Array;
}

/** Returns rows as columns. */
export function sampleColumns(rows: readonly SampleRow[]): SampleColumns {
  return {
    node: Int32Array.from(rows, ({ node }) => node),
    thread: Int32Array.from(rows, ({ thread }) => thread),
    ticks: Float64Array.from(rows, ({ ticks }) => ticks),
  };
}

/** Packs the ticks of a page. */
export function packSamples({ node, thread, ticks }: SampleColumns): PackedSamples {
  const steps = new Int32Array(node.length);
  for (let i = 0; i < node.length; i++) steps[i] = node[i]! - (i === 0 ? 0 : node[i - 1]!);
  return { node: packColumn(steps), thread: packColumn(thread), ticks: packColumn(ticks) };
}

/** Returns the ticks by page node and thread. `nodes` has the page node of each sample row, below `length`. */
export function sumSamples(profile: Profile, nodes: Int32Array, length: number): SampleColumns {
  if (profile.info.threads.length > 1) return sumThreads(profile, nodes);
  return sumOneThread(profile.samples, nodes, length);
}

/** Returns the ticks by node, all of one thread. */
function sumOneThread(samples: SampleTable, nodes: Int32Array, length: number): SampleColumns {
  const sums = new Float64Array(length);
  for (let i = 0; i < samples.length; i++) sums[nodes[i]!]! += samples.ticks[i]!;
  const node = new Int32Array(length);
  const ticks = new Float64Array(length);
  let count = 0;
  for (let at = 0; at < length; at++) {
    if (sums[at] === 0) continue;
    node[count] = at;
    ticks[count++] = sums[at]!;
  }
  return { node: node.subarray(0, count), thread: new Int32Array(count), ticks: ticks.subarray(0, count) };
}

function sumThreads({ samples }: Profile, nodes: Int32Array): SampleColumns {
  const pairs = new PairNumbers();
  let sums = new Float64Array(64);
  for (let i = 0; i < samples.length; i++) {
    if (samples.ticks[i] === 0) continue;
    const row = pairs.of(nodes[i]!, samples.thread[i]!);
    sums = reaching(sums, row);
    sums[row]! += samples.ticks[i]!;
  }
  const { length } = pairs;
  const [node, thread] = [pairs.firsts(), pairs.seconds()];
  const order = Int32Array.from({ length }, (_, row) => row);
  order.sort((a, b) => node[a]! - node[b]! || thread[a]! - thread[b]!);
  return {
    node: order.map((row) => node[row]!),
    thread: order.map((row) => thread[row]!),
    ticks: columnOf(Float64Array, order, (row) => sums[row]!),
  };
}

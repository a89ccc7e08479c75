import type { Transferable } from "node:worker_threads";
import type { Column } from "../../profile/columns.js";
import type { Profile } from "../../profile/profile.js";

/** Returns a profile that can be sent to another thread: plain data, with columns of exactly their length. */
export function portableProfile({ tree, samples, timeline, ...profile }: Profile): Profile {
  const { length } = samples;
  return {
    ...profile,
    tree: {
      length: tree.length,
      parent: exact(tree.parent, tree.length),
      frame: exact(tree.frame, tree.length),
    },
    samples: {
      length,
      node: exact(samples.node, length),
      vmState: exact(samples.vmState, length),
      thread: exact(samples.thread, length),
      ticks: exact(samples.ticks, length),
    },
    timeline: timeline && {
      length: timeline.length,
      sample: exact(timeline.sample, timeline.length),
      timestamp: exact(timeline.timestamp, timeline.length),
    },
  };
}

/** Returns a column with memory of its own, of exactly its length: itself if it is such a column. */
function exact<C extends Column>(column: C, length: number): C {
  const isExact = column.length === length && column.byteLength === column.buffer.byteLength;
  return isExact ? column : (column.slice(0, length) as C);
}

/** Returns the memory of the columns of a {@link portableProfile}, which can be moved to another thread. */
export function columnsOf({ tree, samples, timeline }: Profile): Transferable[] {
  const columns = [tree.parent, tree.frame, samples.node, samples.vmState, samples.thread, samples.ticks];
  const times = timeline === undefined ? [] : [timeline.sample, timeline.timestamp];
  return [...columns, ...times].map(({ buffer }) => buffer as ArrayBuffer);
}

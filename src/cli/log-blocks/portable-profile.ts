import type { Transferable } from "node:worker_threads";
import type { Profile } from "../../profile/profile.js";

/** Returns a profile that can be sent to another thread: plain data, with columns of exactly their length. */
export function portableProfile({ tree, samples, timeline, ...profile }: Profile): Profile {
  const { length } = samples;
  return {
    ...profile,
    tree: {
      length: tree.length,
      parent: tree.parent.slice(0, tree.length),
      frame: tree.frame.slice(0, tree.length),
    },
    samples: {
      length,
      node: samples.node.slice(0, length),
      vmState: samples.vmState.slice(0, length),
      thread: samples.thread.slice(0, length),
      ticks: samples.ticks.slice(0, length),
    },
    timeline: timeline && {
      length: timeline.length,
      sample: timeline.sample.slice(0, timeline.length),
      timestamp: timeline.timestamp.slice(0, timeline.length),
    },
  };
}

/** Returns the memory of the columns of a {@link portableProfile}, which can be moved to another thread. */
export function columnsOf({ tree, samples, timeline }: Profile): Transferable[] {
  const columns = [tree.parent, tree.frame, samples.node, samples.vmState, samples.thread, samples.ticks];
  const times = timeline === undefined ? [] : [timeline.sample, timeline.timestamp];
  return [...columns, ...times].map(({ buffer }) => buffer as ArrayBuffer);
}

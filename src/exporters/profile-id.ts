import { createHash } from "node:crypto";
import { frameTexts } from "../profile/frame-keys.js";
import type { Profile } from "../profile/profile.js";

/** The length of an id in hex digits: too many for two profiles of a fleet to share one. */
const ID_DIGITS = 32;
/** Numbers that are widened at a time. */
const BATCH = 1 << 12;

/**
 * Returns an id of a profile, made of its content: its stacks, ticks, threads and the measured times of its
 * ticks. The same log gives the same id, whatever its name and the format; two runs of one program get two.
 */
export function profileId({ frames, tree, samples, info }: Profile): string {
  const hash = createHash("sha256");
  const textOf = frameTexts();
  for (const frame of frames) hash.update(`${textOf(frame)}\n`);
  for (const column of [tree.parent, tree.frame]) hash.update(bytesOf(column, tree.length));
  for (const column of [samples.node, samples.vmState, samples.thread]) {
    hash.update(bytesOf(column, samples.length));
  }
  // Their width must not matter.
  const ticks = new Float64Array(BATCH);
  for (let start = 0; start < samples.length; start += BATCH) {
    const part = samples.ticks.subarray(start, Math.min(start + BATCH, samples.length));
    ticks.set(part);
    hash.update(bytesOf(ticks, part.length));
  }
  const { sampling, threads, v8 } = info;
  const runs = threads.map(({ pid, isolate, kind, ticks, span }) => [pid, isolate, kind, ticks, span]);
  hash.update(JSON.stringify({ sampling, runs, v8 }));
  return hash.digest("hex").slice(0, ID_DIGITS);
}

/** Returns the first `length` entries of a column as bytes. */
function bytesOf(column: Int32Array | Uint8Array | Uint16Array | Float64Array, length: number): Uint8Array {
  const { buffer, byteOffset, byteLength } = column.subarray(0, length);
  return new Uint8Array(buffer, byteOffset, byteLength);
}

import { slotsFor } from "../../profile/child-table.js";
import type { Profile } from "../../profile/profile.js";
import { Bytes } from "../growing-bytes.js";
import { type KernelStacks, kernelStacks, wideTicks } from "../kernel-stacks.js";
import { inlinedFrames, type PprofCode } from "./pprof-code.js";
import { putSampleTail, type SampleCounts, type SampleLabels } from "./pprof-samples.js";

const BYTES = Int32Array.BYTES_PER_ELEMENT;

/** What samples are written with. */
export interface SampleContext {
  readonly counts: SampleCounts;
  readonly labels: SampleLabels;
  /** Samples are passed on in parts of about this many bytes. */
  readonly partBytes: number;
}

/** Writes the samples in a kernel. Returns undefined if there is none for it. */
export function kernelSamples(
  profile: Profile,
  code: PprofCode,
  context: SampleContext,
): Iterable<Uint8Array> | undefined {
  if (context.counts.areInOrder || !fitIn32Bits(profile.samples)) return undefined;
  let sets = 0;
  const stacks = kernelStacks(
    profile,
    { ofFrame: code.lineOfFrame, count: code.lineCount, isInner: inlinedFrames(profile.frames) },
    {
      onTree(kernel, nodes) {
        sets = context.labels.inKernel(kernel, nodes);
      },
    },
  );
  return stacks && samplesOf(profile, { ...stacks, sets }, { ...context, code });
}

/** Returns whether all ticks, and all sums of them, are integers of 32 bits. */
function fitIn32Bits({ length, ticks }: Profile["samples"]): boolean {
  if (ticks instanceof Uint32Array) return true;
  let sum = 0;
  for (let i = 0; i < length; i++) {
    if (!Number.isInteger(ticks[i])) return false;
    sum += ticks[i]!;
  }
  return sum < 2 ** 32;
}

function* samplesOf(
  { samples }: Profile,
  { kernel, length, parent, frame, nodeOf, wasMerged, pairs, sets }: KernelStacks & { readonly sets: number },
  { code, counts, labels, partBytes }: SampleContext & { readonly code: PprofCode },
): Iterable<Uint8Array> {
  const { exports } = kernel;
  const room = (count: number) => kernel.room(count * BYTES);
  code.setInlined(kernel.copied(pairs.first, pairs.length), kernel.copied(pairs.second, pairs.length));
  const ticks = kernel.place(wideTicks(samples));
  const slots = slotsFor(samples.length);
  const rows = exports.mergeSamples(samples.length, nodeOf, sets, ticks, wasMerged, room(slots), slots);
  const narrow = room(rows);
  exports.narrowTicks(rows, ticks, narrow);
  const [tailOf, setOf, ticksOf] = [room(rows), room(rows), room(rows)];
  const count = exports.numberPairs(rows, sets, narrow, tailOf, setOf, ticksOf, room(slots), slots);
  const tails = new Bytes();
  const ends = new Int32Array(count);
  const [ofSet, own] = [kernel.integers(setOf, count), kernel.integers(ticksOf, count)];
  for (let tail = 0; tail < count; tail++) {
    const { thread, encoded } = labels.sets[ofSet[tail]!]!;
    putSampleTail(tails, counts.valuesOf(own[tail]! >>> 0, thread), encoded);
    ends[tail] = tails.length;
  }
  const lines = code.lineCount + pairs.length;
  const [ids, order, path] = [room(lines), room(lines), room(length)];
  const [bytes, tailEnds] = [kernel.place(tails.written), kernel.place(ends)];
  const to = room(0);
  for (let row = 0; row < rows; ) {
    row = exports.writeSamples(
      row,
      rows,
      nodeOf,
      tailOf,
      parent,
      frame,
      ids,
      order,
      path,
      bytes,
      tailEnds,
      to,
      partBytes,
    );
    yield kernel.bytes(to, exports.written.value).slice();
  }
  const { value: located } = exports.located;
  for (const line of kernel.integers(order, located)) code.locationId(line);
}

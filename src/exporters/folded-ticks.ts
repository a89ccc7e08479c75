import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { exportStacks, selfTicks } from "./export-stacks.js";
import type { ExportOptions } from "./exporter.js";
import { foldedLines } from "./folded-lines.js";
import { type KernelStacks, kernelStacks, treeOf } from "./kernel-stacks.js";
import { PackedNames } from "./packed-names.js";

const BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Bytes that are passed on together. */
const BLOCK_BYTES = 1 << 16;
/** The most bytes of callers in a line that the kernel writes. */
const LINE_BYTES = 1 << 22;
/** The most bytes of names that are put into the kernel. */
const NAME_BYTES = 1 << 25;
/** The largest number that has the same text as an integer of 64 bits. */
const LARGEST = Number.MAX_SAFE_INTEGER;

/** Yields a line for each stack with ticks, as foldedLines() does. `names` has that of each number in `ofFrame`. */
export function* foldedTicks(
  profile: Profile,
  ofFrame: Int32Array,
  names: readonly string[],
  { reusesChunks = false }: ExportOptions = {},
): Iterable<Uint8Array> {
  const inKernel = kernelStacks(profile, { ofFrame, count: names.length }, { hasTicks: true });
  if (inKernel !== undefined) {
    const areCounts = profile.samples.ticks instanceof Uint32Array || areIntegers(inKernel);
    yield* kernelLines(inKernel, names, { areCounts, reusesChunks });
    return;
  }
  const { frame } = profile.tree;
  const stacks = exportStacks(profile, (node) => ofFrame[frame[node]!]!);
  const ticks = selfTicks(profile, stacks);
  yield* foldedLines(stacks.tree, names, (leaf) => (ticks[leaf] === 0 ? undefined : `${ticks[leaf]}`));
}

/** Returns whether all ticks are integers whose text is that of an integer of 64 bits. */
function areIntegers({ kernel, ticks, length }: KernelStacks): boolean {
  return kernel.doubles(ticks, length).every((own) => Number.isInteger(own) && own >= 0 && own <= LARGEST);
}

function* kernelLines(
  stacks: KernelStacks,
  names: readonly string[],
  { areCounts, reusesChunks }: { readonly areCounts: boolean; readonly reusesChunks: boolean },
): Iterable<Uint8Array> {
  const { kernel, length, parent, frame, ticks } = stacks;
  const named = new PackedNames(names);
  let leaf = ROOT + 1;
  if (areCounts && named.bytes.length <= NAME_BYTES) {
    const { bytes, ends, leafStarts, leafEnds } = columnsOf(named, names.length);
    const [text, textEnds] = [kernel.place(bytes), kernel.place(ends)];
    const [starts, stops] = [kernel.place(leafStarts), kernel.place(leafEnds)];
    const [nodes, lineEnds, path] = [0, 0, 0].map(() => kernel.room(length * BYTES)) as [
      number,
      number,
      number,
    ];
    const line = kernel.room(LINE_BYTES);
    const to = kernel.room(0);
    while (leaf >= 0 && leaf < length) {
      leaf = kernel.exports.writeFolded(
        leaf,
        length,
        parent,
        frame,
        ticks,
        text,
        textEnds,
        starts,
        stops,
        line,
        LINE_BYTES,
        nodes,
        lineEnds,
        path,
        to,
        BLOCK_BYTES,
      );
      const lines = kernel.bytes(to, kernel.exports.written.value);
      yield reusesChunks ? lines : copyOf(lines);
    }
    if (leaf >= 0) return;
    leaf = ~leaf;
  }
  const own = kernel.doubles(ticks, length);
  const countOf = (node: number) => (node < leaf || own[node] === 0 ? undefined : `${own[node]}`);
  yield* foldedLines(treeOf(stacks), names, countOf);
}

/** Returns a copy that was not filled with zeros before. */
function copyOf(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Returns names as the kernel takes them; those that only leaves have are behind the others. */
function columnsOf(named: PackedNames, count: number) {
  const ends = Int32Array.from({ length: count }, (_, name) => named.end(name));
  const leafStarts = Int32Array.from({ length: count }, (_, name) => named.start(name));
  const leafEnds = ends.map((end) => end - 1);
  let end = named.bytes.length;
  for (const [name, leaf] of named.leaves) {
    leafStarts[name] = end;
    end += leaf.length;
    leafEnds[name] = end;
  }
  const bytes = new Uint8Array(end);
  bytes.set(named.bytes);
  for (const [name, leaf] of named.leaves) bytes.set(leaf, leafStarts[name]);
  return { bytes, ends, leafStarts, leafEnds };
}

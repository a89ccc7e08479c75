import { type LabelInput, Sample, type StringTable } from "pprof-format";
import { ROOT } from "../../profile/call-tree.js";
import { columnOf } from "../../profile/columns.js";
import { isInferred } from "../../profile/frame.js";
import { PairNumbers } from "../../profile/pair-numbers.js";
import type { Profile } from "../../profile/profile.js";
import type { Ticks } from "../../profile/units.js";
import { VM_STATES } from "../../profile/vm-state.js";
import { printable } from "../../views/label.js";
import { tierNameOf } from "../../views/tier-names.js";
import { Bytes } from "../growing-bytes.js";
import type { Label } from "../labels.js";

// The tags of fields: a number times 8, plus 2 for what has a length. Source: pprof, proto/profile.proto.
const [SAMPLE, LOCATION_ID, VALUE] = [0x12, 0x0a, 0x12];

/** The most bytes of a tag and of the length of a field. */
const FIELD_BYTES = 6;

/** Writes samples of a pprof message: without an object for each, of which a profile can have millions. */
export class SampleWriter {
  readonly bytes = new Bytes();
  readonly #numbers = new Bytes(1 << 10);

  /** Adds a sample. The ids of its locations are below 2^31; `labels` are those of {@link SampleLabels}. */
  add(locations: Int32Array, depth: number, values: readonly number[], labels: Uint8Array): void {
    let size = 0;
    for (let i = 0; i < depth; i++) size += sizeOf(locations[i]!);
    const numbers = this.#numbers;
    numbers.clear();
    for (const value of values) numbers.varint(value);
    const sizes = (depth === 0 ? 0 : 1 + sizeOf(size) + size) + 1 + sizeOf(numbers.length) + numbers.length;
    const bytes = this.bytes.room(sizes + labels.length + 3 * FIELD_BYTES);
    let at = this.bytes.length;
    bytes[at++] = SAMPLE;
    at = putVarint(bytes, at, sizes + labels.length);
    if (depth > 0) {
      bytes[at++] = LOCATION_ID;
      at = putVarint(bytes, at, size);
      for (let i = 0; i < depth; i++) at = putVarint(bytes, at, locations[i]!);
    }
    bytes[at++] = VALUE;
    at = putVarint(bytes, at, numbers.length);
    for (let i = 0; i < numbers.length; i++) bytes[at++] = numbers.at(i);
    for (let i = 0; i < labels.length; i++) bytes[at++] = labels[i]!;
    this.bytes.length = at;
  }
}

/** Returns how many bytes a positive integer of 31 bits takes as a varint. */
function sizeOf(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
}

/** Writes a positive integer of 31 bits. Returns where the next byte goes. */
function putVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes[at++] = rest | 0x80;
  bytes[at++] = rest;
  return at;
}

/** More than there are VM states. */
const STATES = 256;

/** What samples count, and the labels that say of what. */
export interface SampleCounts {
  /** Returns the values of a sample, one for each type. Called once a sample, in the order of the file. */
  valuesOf(ticks: Ticks, thread: number): readonly number[];
  /** The labels of a thread's samples beside those of the samples themselves. */
  labelsOf(thread: number): Readonly<Record<string, string | undefined>>;
}

/** The labels of samples of one thread. */
interface LabelSet {
  readonly thread: number;
  readonly encoded: Uint8Array;
}

/** What {@link SampleLabels} makes labels with. */
interface LabelOptions {
  readonly strings: StringTable;
  readonly counts: SampleCounts;
  /** The labels that all samples have. */
  readonly given: readonly Label[];
}

/** The distinct sets of labels of samples. */
export class SampleLabels {
  readonly sets: LabelSet[] = [];
  readonly #ids = new PairNumbers();
  readonly #profile: Profile;
  readonly #options: LabelOptions;
  /** The names of tiers, and by frame the number of its own. */
  readonly #tiers: readonly (string | null)[];
  readonly #tierOf: Int32Array;
  /** By node: 1 if its stack has an inferred frame. */
  #isInferred: Uint8Array | undefined;

  constructor(profile: Profile, options: LabelOptions) {
    const tiers: (string | null)[] = [];
    this.#tierOf = columnOf(Int32Array, profile.frames, (frame) => {
      const name = tierNameOf(frame);
      const known = tiers.indexOf(name);
      return known < 0 ? tiers.push(name) - 1 : known;
    });
    this.#tiers = tiers;
    this.#profile = profile;
    this.#options = options;
  }

  /** Returns the number of a sample's set of labels. */
  of(sample: number): number {
    const { tree, samples } = this.#profile;
    const node = samples.node[sample]!;
    const tier = this.#tierOf[tree.frame[node]!]!;
    this.#isInferred ??= inferredStacks(this.#profile);
    const inferred = this.#isInferred[node]!;
    const state = samples.vmState[sample]!;
    const thread = samples.thread[sample]!;
    const id = this.#ids.of((tier * STATES + state) * 2 + inferred, thread);
    if (id === this.sets.length)
      this.sets.push({ thread, encoded: this.#encoded({ tier, state, inferred, thread }) });
    return id;
  }

  #encoded(of: { tier: number; state: number; inferred: number; thread: number }): Uint8Array {
    const { strings, counts, given } = this.#options;
    const words = {
      state: VM_STATES[of.state],
      tier: this.#tiers[of.tier],
      inferred: of.inferred === 1 ? "caller" : undefined,
      ...counts.labelsOf(of.thread),
    };
    const label = [...Object.entries(words), ...given].flatMap(([key, word]): LabelInput[] =>
      word == null ? [] : [{ key: strings.dedup(key), str: strings.dedup(printable(word)) }],
    );
    return new Sample({ label }).encode();
  }
}

/** Returns 1 for each node whose stack has an inferred frame. */
function inferredStacks({ frames, tree }: Profile): Uint8Array {
  const isFrameInferred = columnOf(Uint8Array, frames, (frame) => (isInferred(frame) ? 1 : 0));
  const stacks = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    stacks[node] = isFrameInferred[tree.frame[node]!]! | stacks[tree.parent[node]!]!;
  }
  return stacks;
}

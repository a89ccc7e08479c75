import fc from "fast-check";
import { TicksError } from "../../../src/base/errors.ts";
import { topOf } from "../../../src/facts/top.ts";
import { analyzeRuns } from "../../../src/load/analyze.ts";
import { stackOf } from "../../../src/profile/call-tree.ts";
import { mergeProfiles } from "../../../src/profile/merge.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { allSamples, allTicks } from "../../../src/profile/sample-table.ts";
import { type ProfileInput, profileBytes, profileExtension, profileInput } from "../profile-files.ts";
import { broken, expectSame, type Target } from "../target.ts";

interface Input {
  readonly profile: ProfileInput;
  /** The bytes of a chunk. */
  readonly size: number;
}

/** Profiles that are no logs, in each of their formats. */
export const profiles: Target<Input> = {
  name: "profiles",
  about:
    "any CPU profile, heap profile, trace or pprof profile is refused or counts each sample once, in chunks of any size",
  // A chunk has as many bytes as `size` says.
  arbitrary: fc.record({ profile: profileInput, size: fc.constantFrom(1, 3, 64, 1 << 20) }),
  async check({ profile: input, size }) {
    const bytes = plainBytes(input);
    const found = await read(bytes, size);
    expectSame("chunks of any size give the same", summary(found), summary(await read(bytes, bytes.length)));
    if (found === undefined || found.length === 0) return;
    for (const profile of found) checkProfile(profile);
    checkProfile(mergeProfiles(found));
    const whole = input.mutations.length === 0 && input.form === "cpuprofile" && input.samples.length > 0;
    if (whole) expectSame("each sample counts once", allSamples(found[0]!.samples), input.samples.length);
  },
  file: ({ profile }) => ({ extension: profileExtension(profile), bytes: profileBytes(profile) }),
};

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  // One memory for all chunks: a chunk is valid until the next one.
  const chunk = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    chunk.set(part);
    yield chunk.subarray(0, part.length);
  }
}

/** Returns what is read; undefined for what is refused as it should. */
async function read(bytes: Uint8Array, size: number): Promise<readonly Profile[] | undefined> {
  try {
    return await analyzeRuns(chunksOf(bytes, Math.max(1, size)), {
      name: "x",
      timeline: true,
      inlines: true,
    });
  } catch (error) {
    if (error instanceof TicksError) return undefined;
    throw error;
  }
}

function summary(profiles: readonly Profile[] | undefined): unknown {
  return profiles?.map(({ frames, tree, samples, info }) => ({ frames, tree, samples, info }));
}

function checkProfile(profile: Profile): void {
  const { frames, tree, samples, timeline, info } = profile;
  // Sums are exact up to 2^27 ticks: see roundedWeight.
  if (Math.abs(allTicks(samples) - info.ticks) > (info.ticks > 2 ** 27 ? 1e-12 * info.ticks : 0))
    broken("ticks of samples are all ticks", `${allTicks(samples)} ${info.ticks}`);
  for (let node = 1; node < tree.length; node++)
    if (!(tree.parent[node]! < node && frames[tree.frame[node]!] !== undefined)) broken("the tree is one");
  for (let i = 0; i < samples.length; i++) {
    if (samples.node[i] === 0) broken("each sample has a stack");
    const ticks = samples.ticks[i]!;
    if (!(ticks >= 0 && Number.isFinite(ticks))) broken("ticks are valid", String(ticks));
    if (Array.from(stackOf(tree, samples.node[i]!)).length === 0) broken("stacks have frames");
  }
  let before = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < (timeline?.length ?? 0) && info.threads.length === 1; i++) {
    if (timeline!.timestamp[i]! < before) broken("times are in order");
    before = timeline!.timestamp[i]!;
  }
  topOf(profile, 10);
}

/** Files are decompressed before what is tried here. */
function plainBytes(input: ProfileInput): Uint8Array {
  return profileBytes(input.form === "pprof.gz" ? { ...input, form: "pprof" } : input);
}

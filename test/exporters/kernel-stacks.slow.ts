import { describe, expect, it } from "vitest";
import { EXPORTERS } from "../../src/exporters/exporters.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { openTreeKernel } from "../../src/profile/tree-kernel.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { createRandom } from "../helpers/random.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

/** Frames that formats tell apart or not: lines, tiers, inlined and inferred ones, and a name that ends like a count. */
const WORDS = [
  ...["a", "b", "c"].flatMap((name) =>
    ["", "~", "^"].flatMap((tier) => [2, 3].map((line) => `js:${tier}${name}·/app/${name}.js:1:1@${line}`)),
  ),
  ...["inlined:b·/app/b.js:1:1@2", "inlined:b·/app/b.js:1:1@9", "inlined:d·/app/d.js:4:1@5"],
  ...[
    "inferred:a·/app/a.js:1:1@2",
    "js:d·/app/d.js:4:1@5",
    "cpp:f·7",
    "cpp:g;h",
    "libc:read",
    "lib:/lib/x.so",
  ],
  ...["builtin:ArrayMap", "builtin:语"],
];
const STATES = ["", "", "", "gc:", "idle:", "external:"];
const STACKS = 9000;

/** A profile of some ten thousand nodes, with a tick in each sample and more in some. */
function largeProfile(seed: number, more: readonly string[] = []): Profile {
  const random = createRandom(seed);
  const stacks = Array.from({ length: STACKS }, () => {
    const words = Array.from({ length: 1 + random(7) }, () => WORDS[random(WORDS.length)]!);
    return `${STATES[random(STATES.length)]}${words.join(" ")}`;
  });
  const profile = profileFromStacks(...more, ...stacks, ...stacks.slice(0, 500));
  const { samples, info } = profile;
  const timeline = new TimelineBuilder();
  let time = 1000;
  for (let i = 0; i < STACKS; i++) {
    time += 500 + random(2000);
    timeline.add(random(samples.length), time);
  }
  return { ...profile, timeline, info: { ...info, sampling: { ...info.sampling, asked: 1000 } } };
}

async function fileOf(name: string, profile: Profile, reusesChunks: boolean): Promise<Buffer> {
  const parts: Buffer[] = [];
  const exporter = EXPORTERS.find((one) => one.name === name)!;
  for await (const chunk of exporter.export(profile, { reusesChunks })) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}

async function expectSame(name: string, profileOf: () => Profile): Promise<Buffer> {
  expect(openTreeKernel(profileOf().tree)).toBeDefined();
  const expected = await withoutKernels(() => fileOf(name, profileOf(), false));
  for (const reusesChunks of [false, true]) {
    const found = await fileOf(name, profileOf(), reusesChunks);
    expect(found.equals(expected)).toBe(true);
  }
  return expected;
}

describe("exports of large trees", () => {
  it.each(EXPORTERS.map(({ name }) => name))(
    "of %s are the same with the kernel and without",
    async (name) => {
      for (const seed of [1, 2]) {
        const file = await expectSame(name, () => largeProfile(seed));
        expect(file.length).toBeGreaterThan(5000);
      }
    },
  );

  it.each(["pprof", "collapsed", "callgrind"])("of %s have ticks of 32 bits and fractions", async (name) => {
    for (const change of [
      (ticks: Float64Array) => Uint32Array.from(ticks, (own) => own * 3),
      (ticks: Float64Array) => ticks.map((own) => own / 2),
    ]) {
      await expectSame(name, () => {
        const { samples, ...rest } = largeProfile(3);
        const { length, node, vmState, thread } = samples;
        const ticks = change(Float64Array.from(samples.ticks.subarray(0, length)));
        return { ...rest, samples: { length, node, vmState, thread, ticks } };
      });
    }
  });

  it("have lines of callers that are too long for the kernel", async () => {
    const names = Array.from({ length: 70 }, (_, i) => `cpp:${i}${"x".repeat(70_000)}`);
    const file = await expectSame("collapsed", () =>
      largeProfile(4, [names.join(" "), `${names.join(" ")} libc:read`]),
    );
    expect(file.length).toBeGreaterThan(9_000_000);
  });
});

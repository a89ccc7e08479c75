import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { type AnalyzeOptions, analyze } from "../../src/load/analyze.ts";
import { NEWEST_DIALECT } from "../../src/log/dialect.ts";
import { TickRows } from "../../src/log/parser.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { StacksKernel } from "../../src/replay/stack-builder.ts";
import { FIXTURE_NAMES, fixtureLog, fixtureSymbols } from "../helpers/fixtures.ts";
import { generatedLog } from "../helpers/generated-log.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { chunksOf } from "../helpers/logs.ts";

type Options = Partial<AnalyzeOptions>;

/** Each way to count ticks: at once, after they were held, and only some. */
const WAYS: readonly (readonly [string, Options])[] = [
  ["all", {}],
  ["with a timeline", { timeline: true }],
  ["with deopts", { deopts: true }],
  ["between marks", { range: { timedRange: "pairs" }, timeline: true }],
  ["from the first mark to the last, at other times", { range: { timedRange: "all", distortion: 1e6 } }],
  ["of a time", { range: { from: 300, to: 1200 }, timeline: true, deopts: true }],
  ["of a runtime timer", { range: { runtimeTimer: "JS_Execution" }, deopts: true }],
];

/** Every way with functions, and with their places. */
const OPTIONS = WAYS.flatMap(([way, options]): (readonly [string, Options])[] => [
  [way, options],
  [`${way}, inlined functions apart`, { ...options, inlines: true }],
]);

/** All that a profile says, in columns of just their lengths. */
function contentOf({ tree, samples, timeline, ...profile }: Profile) {
  return {
    ...profile,
    tree: [tree.parent, tree.frame].map((column) => column.subarray(0, tree.length)),
    samples: [samples.node, samples.vmState, samples.thread, samples.ticks].map((column) =>
      column.subarray(0, samples.length),
    ),
    timeline:
      timeline && [timeline.sample, timeline.timestamp].map((column) => column.subarray(0, timeline.length)),
  };
}

/** Expects of a log what is found in it without kernels, and returns that. */
async function expectSame(log: Buffer, chunk: number, options: Options): Promise<Profile> {
  const read = () => analyze(chunksOf(log, chunk), options);
  const profile = await read();
  const [found, expected] = [contentOf(profile), contentOf(await withoutKernels(read))];
  // What tells what differs takes as long as all else.
  if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
  return profile;
}

/** A log with rows that ranges go by: four marks, and a timer that comes and goes between the others. */
function withMarks(log: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (let part = 1; part <= 8; part++) {
    const to = log.indexOf("\n", Math.floor((log.length * part) / 9)) + 1;
    const row = part % 2 ? "current-time,1" : `active-runtime-timer,${part % 4 ? "JS_Execution" : "GC"}`;
    parts.push(log.subarray(from, to), Buffer.from(`${row}\n`));
    from = to;
  }
  return Buffer.concat([...parts, log.subarray(from)]);
}

it("has kernels to compare", async () => {
  const open = () => [StacksKernel.open(() => 0, { inlines: false }), TickRows.open(NEWEST_DIALECT)];
  expect(open()).not.toContain(undefined);
  expect(await withoutKernels(open)).toEqual([undefined, undefined]);
});

describe.each(FIXTURE_NAMES)("kernels on %s", (name) => {
  const log = withMarks(fixtureLog(name));
  const recorded = fixtureSymbols(name);
  // Three ways for each log: together the logs go every way several times.
  const first = 3 * FIXTURE_NAMES.indexOf(name);

  it.each([0, 1, 2].map((i) => OPTIONS[(first + i) % OPTIONS.length]!))(
    "find what is found without them: %s",
    async (_, options) => {
      const { info } = await expectSame(log, 2 ** 16, { ...options, recorded });
      expect(info.rangeRows.currentTime).toBeGreaterThanOrEqual(4);
      expect(info.ticks).toBeGreaterThan(0);
    },
  );
});

const SEEDS = Array.from({ length: 10 }, (_, i) => i + 1);

describe.each(SEEDS)("kernels on generated log %i", (seed) => {
  const { log, recorded } = generatedLog(seed, 1500);

  it.each([OPTIONS[(2 * seed) % OPTIONS.length]!, OPTIONS[(2 * seed + 1) % OPTIONS.length]!])(
    "find what is found without them: %s",
    async (_, options) => {
      for (const chunk of [log.length, 1000 * seed + 7]) {
        const { tree, info } = await expectSame(log, chunk, { ...options, recorded });
        expect(tree.length).toBeGreaterThan(100);
        expect(info.ticks).toBeGreaterThan(100);
      }
    },
  );
});

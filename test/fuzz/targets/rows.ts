import fc from "fast-check";
import { TicksError } from "../../../src/base/errors.ts";
import { type AnalyzeOptions, analyze } from "../../../src/load/analyze.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { withoutKernels } from "../../helpers/kernels.ts";
import { chunksOf, parse, profileOf } from "../../helpers/logs.ts";
import { anyRow, type Dialect, type Row, writeLog } from "../log-rows.ts";
import { type Mutation, mutate, mutation } from "../mutation.ts";
import { broken, expectSame, type Target } from "../target.ts";

interface Input {
  readonly dialect: Dialect;
  readonly rows: readonly Row[];
  readonly mutations: readonly Mutation[];
  /** How many bytes come at once. */
  readonly chunk: number;
  readonly options: Partial<AnalyzeOptions>;
  readonly isCrlf: boolean;
}

const DIALECTS = ["v26", "v20", "v16", "v10", "v6", "v4", "v3", "none"] as const;

/** Logs of all versions, and what comes of them when they are torn. */
export const rows: Target<Input> = {
  name: "rows",
  about:
    "any log: nothing throws, kernels = TypeScript, however it is cut into chunks, every tick counts once",
  arbitrary: fc.record({
    dialect: fc.constantFrom(...DIALECTS),
    rows: fc.array(anyRow, { maxLength: 60 }),
    mutations: fc.array(mutation, { maxLength: 5 }),
    chunk: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 400 })),
    options: fc.record({
      inlines: fc.boolean(),
      timeline: fc.boolean(),
      deopts: fc.boolean(),
      range: fc.oneof(
        fc.constant({}),
        fc.constant({ timedRange: "pairs" as const }),
        fc.record({ from: fc.constant(1000), to: fc.constant(1010) }),
      ),
    }),
    isCrlf: fc.oneof(
      { weight: 9, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  }),
  async check({ chunk, options, ...input }) {
    const log = logOf(input);
    const whole = parse(log);
    expectSame("the parser finds the same in chunks", parse(log, chunk), whole);
    expectSame("the parser finds the same without kernels", await withoutKernels(() => parse(log)), whole);
    expectSame(
      "the parser finds the same in chunks without kernels",
      await withoutKernels(() => parse(log, chunk)),
      whole,
    );
    const profile = await profileOrFault(log, options);
    expectSame(
      "a profile is the same without kernels",
      await withoutKernels(() => profileOrFault(log, options)),
      profile,
    );
    expectSame("a profile is the same in chunks", await profileOrFault(log, options, chunk), profile);
    if (typeof profile === "string") return;
    const ticks = whole.records.filter(({ type }) => type === "tick").length;
    const isAll = Object.keys(options.range ?? {}).length === 0;
    checkSums(profile, isAll ? ticks : profile.info.ticks);
  },
  file: (input) => ({ extension: "log", bytes: logOf(input) }),
};

function logOf({
  dialect,
  rows: all,
  mutations,
  isCrlf,
}: Pick<Input, "dialect" | "rows" | "mutations" | "isCrlf">): Buffer {
  const log = writeLog(dialect, all);
  const lines = isCrlf ? Buffer.from(log.toString("latin1").replaceAll("\n", "\r\n"), "latin1") : log;
  return mutate(lines, mutations);
}

/** The profile of a log; what the user is told where it is none. */
async function profileOrFault(
  log: Buffer,
  options: Partial<AnalyzeOptions>,
  chunk = Math.max(1, log.length),
): Promise<Profile | string> {
  try {
    return await (log.length === 0 ? profileOf(log, options) : analyze(chunksOf(log, chunk), options));
  } catch (error) {
    if (error instanceof TicksError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

/** Every tick that could be read is in the profile once, at a stack, in a state. */
export function checkSums(profile: Profile, ticks: number): void {
  const { info, samples, tree, frames } = profile;
  if (info.ticks !== ticks) broken("every tick that can be read is counted", `${info.ticks} of ${ticks}`);
  let sum = 0;
  for (let i = 0; i < samples.length; i++) {
    const count = samples.ticks[i]!;
    if (!(count > 0)) broken("samples have ticks", `sample ${i} has ${count}`);
    const node = samples.node[i]!;
    if (!(node < tree.length)) broken("samples are at stacks", `sample ${i} is at ${node} of ${tree.length}`);
    sum += count;
  }
  if (sum !== info.ticks - info.excluded)
    broken("the ticks of samples add up", `${sum} of ${info.ticks} - ${info.excluded}`);
  const states = info.ticksByState.reduce((a, b) => a + b, 0);
  if (states !== sum) broken("the ticks of states add up", `${states} of ${sum}`);
  for (let node = 1; node < tree.length; node++) {
    if (!(tree.parent[node]! < node) || frames[tree.frame[node]!] === undefined)
      broken("a stack has callers that were there before it", `node ${node} of ${tree.length}`);
  }
}

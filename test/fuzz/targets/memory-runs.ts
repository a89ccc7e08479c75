import fc from "fast-check";
import { LOG } from "../../helpers/command-lines.mjs";
import { type ProfileInput, profileBytes, profileExtension, profileInput } from "../profile-files.ts";
import { runReport, writeWork } from "../program.ts";
import { broken, type Target } from "../target.ts";

interface Input {
  /** Two runs before and two after. */
  readonly runs: readonly ProfileInput[];
  /** Which of the command lines, by number. */
  readonly commands: readonly number[];
}

const [BEFORE, AGAIN, AFTER] = ["BEFORE", "AGAIN", "AFTER"];
const SIDES = [BEFORE, AGAIN, "--", AFTER, LOG];
const GROWTH = [AFTER, LOG, "--against", BEFORE];

const LINES = [
  { args: ["diff", ...SIDES], form: "text" },
  { args: ["diff", "--format", "json", ...SIDES], form: "json" },
  { args: ["diff", "--md", "--by", "file", "--per", "3,5", ...SIDES], form: "markdown" },
  { args: ["diff", BEFORE, AFTER], form: "text" },
  { args: ["check", ...GROWTH, "--max-growth", "/./=5", "--format", "json"], form: "json" },
  { args: ["check", ...GROWTH, "--max-allocated", "/./=1KB", "--max-self", "/./=5"], form: "text" },
  { args: ["flame", ...SIDES, "-o", "-"], form: "html" },
] as const;

const size = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 40 }).map((times) => times * 32_768) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      ...[1, 2 ** 53 - 1, 2 ** 53, 1e300, 1e-300, 0.5, -1, -1e300, null, "7", [], true],
    ),
  },
);

/** A profile of memory, whose samples may have no node and whose nodes may have no sample. */
const memory: fc.Arbitrary<ProfileInput> = fc
  .tuple(
    profileInput,
    fc.constantFrom("heap" as const, "pprof" as const),
    fc.array(size, { minLength: 14, maxLength: 14 }),
  )
  .map(([profile, form, sizes]) => ({
    ...profile,
    form,
    nodes: profile.nodes.map((node, i) => ({ ...node, hits: sizes[i] })),
    types: [["objects", "count"] as const, ["alloc_space", "bytes"] as const],
  }));

/** Comparisons and budgets of any memory. */
export const memoryRuns: Target<Input> = {
  name: "memory-runs",
  about: "diff, check and flame of any profiles of memory: no bug, valid output, every number is one",
  arbitrary: fc.record({
    runs: fc.array(memory, { minLength: 2, maxLength: 4 }),
    commands: fc.uniqueArray(fc.nat(LINES.length - 1), { minLength: 1, maxLength: 3 }),
  }),
  async check({ runs, commands }) {
    const paths = [BEFORE, AGAIN, AFTER, LOG].map((_, i) => {
      const run = runs[i % runs.length]!;
      return writeWork(`run-${i}.${profileExtension(run)}`, profileBytes(run));
    });
    const [before, again, after, last] = paths as [string, string, string, string];
    const pathOf: Readonly<Record<string, string>> = { BEFORE: before, AGAIN: again, AFTER: after };
    for (const number of commands) {
      const { args, form } = LINES[number]!;
      const words = args.map((word) => pathOf[word] ?? word);
      const { stdout, status } = await runReport(
        { args: words, form } as Parameters<typeof runReport>[0],
        last,
      );
      if (status === 2) continue;
      if (form === "json" && args[0] === "diff") checkNumbers(JSON.parse(stdout.toString()));
      else if (form === "text" && /(?:^|[ +-])(?:NaN|Infinity)\b/m.test(stdout.toString()))
        broken("every number is one", args.join(" "));
    }
  },
  file: ({ runs }) => ({ extension: profileExtension(runs[0]!), bytes: profileBytes(runs[0]!) }),
};

/** JSON has null for what is no number. */
function checkNumbers({
  rows,
  perRun,
}: {
  rows: { perRun: Record<string, object> }[];
  perRun: object;
}): void {
  const ofRuns = [perRun, ...rows.flatMap((row) => [row.perRun.self!, row.perRun.total!])];
  for (const one of ofRuns) {
    for (const [name, value] of Object.entries(one)) {
      if (/^(?:before|after|change|low|high)$/.test(name) && typeof value !== "number")
        broken("every number is one", `${name} ${value}`);
    }
  }
}

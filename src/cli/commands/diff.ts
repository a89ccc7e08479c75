import { badOption } from "../../base/errors.js";
import type { Diff } from "../../compare/diff-model.js";
import { matchedProfiles } from "../../compare/matched-profiles.js";
import type { Unit } from "../../compare/scales.js";
import { difffolded, type StackDifference, stackDifference } from "../../exports/folded.js";
import { pprofDifference } from "../../exports/pprof.js";
import { printable } from "../../facts/label.js";
import { type Chunks, writeFile } from "../../io/output.js";
import type { Profile } from "../../profile/profile.js";
import { memoryOf } from "../../reports/diff-words.js";
import { type CommandLine, keptOptions } from "../arguments.js";
import { askDiff, type DiffFlags, printDiff } from "../ask-diff.js";
import { inputFiles } from "../log-input.js";
import type { FormatFlags } from "../options.js";
import { checkOutput, type InputFiles } from "../output-file.js";
import { splitSides } from "../sides.js";
import { warn } from "../terminal.js";

export async function runDiff(
  words: readonly string[],
  flags: DiffFlags & FormatFlags & { output?: string },
  line: CommandLine,
): Promise<void> {
  if (flags.per !== undefined && flags.scale === "unchanged")
    throw badOption("--per does not go with --scale unchanged");
  if ((flags.per !== undefined || flags.scale === "cpu") && flags.idle)
    throw badOption("--idle does not go with --scale cpu: what waits takes no CPU");
  const path = flags.output;
  let output: DifferenceFile | undefined;
  const { report, read, ofFunctions } = await askDiff(splitSides(words), flags, {
    options: keptOptions(line),
    hasStacks: path !== undefined,
    async given(given) {
      if (path === undefined) return;
      const logs = given.flat(2).map((log) => log.path);
      output = new DifferenceFile(path, inputFiles(logs, flags));
    },
  });
  await printDiff(report, flags);
  const [before, after] = read.map((runs) => runs.map(({ profile }) => profile!));
  await output?.write({ diff: ofFunctions(), before: before!, after: after! }, [report.before, report.after]);
}

/** Writes a difference as a file of another tool. */
type Writer = (difference: StackDifference) => Chunks;

const FORMATS: readonly { readonly name: RegExp; readonly write: Writer; readonly isPacked: boolean }[] = [
  { name: /\.(?:pb|pprof)\.gz$/i, write: pprofDifference, isPacked: true },
  { name: /\.folded(?:\.gz)?$/i, write: difffolded, isPacked: false },
];

/** Millionths in a percent, and microseconds in a millisecond. */
const PARTS: Partial<Record<Unit, number>> = { percent: 1e4, ms: 1e3, "ms-per-unit": 1e3 };

/** The runs of both sides, and their functions compared. */
interface ComparedProfiles {
  readonly diff: Diff;
  readonly before: readonly Profile[];
  readonly after: readonly Profile[];
}

/** The file of `--output`. */
class DifferenceFile {
  readonly #path: string;
  readonly #format: (typeof FORMATS)[number];

  /** Throws a {@link TicksError} if no format has such files, or if the file is an input. */
  constructor(path: string, inputs: InputFiles) {
    const format = FORMATS.find(({ name }) => name.test(path));
    if (format === undefined) {
      throw badOption(
        `--output ${printable(path)}: unknown kind of file`,
        "Name it FILE.pb.gz for pprof, or FILE.folded for flamegraph.pl.",
      );
    }
    checkOutput({ path, isTyped: true }, inputs);
    this.#path = path;
    this.#format = format;
  }

  /** Writes the difference, whole or not at all. `titles` are those of the sides. */
  async write({ diff, before, after }: ComparedProfiles, titles: readonly [string, string]): Promise<void> {
    const { scale } = diff;
    const memory = memoryOf(diff);
    // Shares of memory say less than sizes do: all of them change if one does.
    const weighed = (profiles: readonly Profile[], factors: readonly number[]) =>
      profiles.map((profile, run) => ({
        profile,
        factor: profile.info.memory?.tick ?? factors[run]! * (PARTS[scale.unit] ?? 1),
      }));
    const matched = matchedProfiles({ before, after }, diff);
    const [old, now] = [weighed(matched.before, scale.before), weighed(matched.after, scale.after)];
    const difference = stackDifference(old, now, {
      unit: memory ?? (scale.unit === "percent" ? "ppm" : "µs"),
      title: [
        `before: ${titles[0]}, ${before.length} runs`,
        `after: ${titles[1]}, ${after.length} runs`,
        `values: means over the runs, ${memory ? `${memory.of} of a run` : `by scale ${scale.name}`}`,
      ],
    });
    const { write, isPacked } = this.#format;
    const name = printable(this.#path);
    const isCompressed = !isPacked && /\.gz$/i.test(this.#path);
    await writeFile(this.#path, write(difference), { name, isTyped: true, isCompressed });
    warn(`wrote the difference to ${name}`);
  }
}

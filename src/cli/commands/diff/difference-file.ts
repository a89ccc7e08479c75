import type { Diff } from "../../../compare/diff-model.js";
import { matchedProfiles } from "../../../compare/matched-profiles.js";
import { TicksError } from "../../../errors.js";
import { difffolded, type StackDifference, stackDifference } from "../../../exporters/folded.js";
import { pprofDifference } from "../../../exporters/pprof.js";
import { type Chunks, writeFile } from "../../../io/output.js";
import type { Profile } from "../../../profile/profile.js";
import { printable } from "../../../views/label.js";
import { checkOutput, type InputFiles } from "../../output-file.js";
import { warn } from "../../terminal.js";

/** Writes a difference as a file of another tool. */
type Writer = (difference: StackDifference) => Chunks;

const FORMATS: readonly { readonly name: RegExp; readonly write: Writer; readonly isPacked: boolean }[] = [
  { name: /\.(?:pb|pprof)\.gz$/i, write: pprofDifference, isPacked: true },
  { name: /\.folded(?:\.gz)?$/i, write: difffolded, isPacked: false },
];

/** Millionths in a percent, and microseconds in a millisecond. */
const PARTS = { percent: 1e4, ms: 1e3, "ms-per-unit": 1e3 } as const;

/** The runs of both sides, and their functions compared. */
export interface ComparedProfiles {
  readonly diff: Diff;
  readonly before: readonly Profile[];
  readonly after: readonly Profile[];
}

/** The file of `--output`. */
export class DifferenceFile {
  readonly #path: string;
  readonly #format: (typeof FORMATS)[number];

  /** Throws a {@link TicksError} if no format has such files, or if the file is an input. */
  constructor(path: string, inputs: InputFiles) {
    const format = FORMATS.find(({ name }) => name.test(path));
    if (format === undefined) {
      throw new TicksError(
        "BAD_OPTION",
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
    const weighed = (profiles: readonly Profile[], factors: readonly number[]) =>
      profiles.map((profile, run) => ({ profile, factor: factors[run]! * PARTS[scale.unit] }));
    const matched = matchedProfiles(before, after, diff);
    const difference = stackDifference(weighed(matched, scale.before), weighed(after, scale.after), {
      unit: scale.unit === "percent" ? "ppm" : "µs",
      title: [
        `before: ${titles[0]}, ${before.length} runs`,
        `after: ${titles[1]}, ${after.length} runs`,
        `values: means over the runs, by scale ${scale.name}`,
      ],
    });
    const { write, isPacked } = this.#format;
    const name = printable(this.#path);
    const isCompressed = !isPacked && /\.gz$/i.test(this.#path);
    await writeFile(this.#path, write(difference), { name, isTyped: true, isCompressed });
    warn(`wrote the difference to ${name}`);
  }
}

import type { Profile } from "../../profile/profile.js";
import type { SeparateOptions } from "../../views/stack-labels.js";
import type { Style } from "../layout/style.js";

export interface ReportOptions {
  /** What it looks like. Default: without escape sequences. */
  readonly style?: Style | undefined;
  readonly separate?: SeparateOptions | undefined;
  /** Whether ticks of nobody are left out of what percentages are of. Default: false. */
  readonly ignoreUnknown?: boolean | undefined;
  /** Levels of callers in the heavy tree. Default: 5. */
  readonly callGraphSize?: number | undefined;
  /** Only the summary. Default: false. */
  readonly onlySummary?: boolean | undefined;
  /** What a label is shown as, with control characters made visible after it. Default: itself. */
  readonly rename?: ((label: string) => string) | undefined;
}

/** One form of the report. */
export interface Reporter {
  /** What `--format` calls it. */
  readonly name: string;
  readonly title: string;
  /** The lines of the report, without their newlines. */
  report(profile: Profile, options: ReportOptions): Iterable<string>;
}

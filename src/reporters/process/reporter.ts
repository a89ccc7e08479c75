import type { Profile } from "../../profile/profile.js";
import type { SeparateOptions } from "../../views/stack-labels.js";
import type { JsonLayout } from "../layout/json-lines.js";
import type { Style } from "../layout/style.js";

/** How a report looks and what it has. `pretty` is for JSON. */
export interface ReportOptions extends JsonLayout {
  /** Colours. Default: no escape sequences. */
  readonly style?: Style | undefined;
  readonly separate?: SeparateOptions | undefined;
  /** Whether percentages exclude unaccounted ticks. Default: false. */
  readonly ignoreUnknown?: boolean | undefined;
  /** Levels of callers in the heavy tree. Default: 5. */
  readonly callGraphSize?: number | undefined;
  /** Only the summary. Default: false. */
  readonly onlySummary?: boolean | undefined;
  /** Returns what is shown for a label; control characters are made visible afterwards. Default: the label. */
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

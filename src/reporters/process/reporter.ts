import type { Profile } from "../../profile/profile.js";
import type { GroupBy } from "../../views/lanes.js";
import type { SeparateOptions } from "../../views/stack-labels.js";
import type { JsonLayout } from "../layout/json-lines.js";
import type { Style } from "../layout/style.js";
import type { ShownRecording } from "../threads/recordings.js";

/** The options of a report. `pretty` is for JSON. */
export interface ReportOptions extends JsonLayout {
  /** How `ticks threads` groups ticks. Default: category. */
  readonly by?: GroupBy | undefined;
  /** The recordings that the logs are of, for `ticks threads`. Default: none. */
  readonly recordings?: readonly ShownRecording[] | undefined;
  /** Colours. Default: no escape sequences. */
  readonly style?: Style | undefined;
  /** The maximum width of a line with names, in columns. Default: no name is cut. */
  readonly width?: number | undefined;
  readonly separate?: SeparateOptions | undefined;
  /** Whether to exclude unaccounted ticks from percentages. Default: false. */
  readonly ignoreUnknown?: boolean | undefined;
  /** Levels of callers in the heavy tree. Default: 5. */
  readonly callGraphSize?: number | undefined;
  /** Only the summary. Default: false. */
  readonly onlySummary?: boolean | undefined;
  /** Returns the text to show for a label. Control characters are escaped afterwards. Default: the label. */
  readonly rename?: ((label: string) => string) | undefined;
}

/** One output format of a report. */
export interface Reporter {
  /** Its name for `--format`. */
  readonly name: string;
  readonly title: string;
  /** Yields the lines of the report, without newlines. */
  report(profile: Profile, options: ReportOptions): Iterable<string>;
}

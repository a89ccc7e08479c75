import type { Profile } from "../profile/profile.js";
import type { SeparateOptions } from "../views/stack-labels.js";
import type { ViewOptions } from "./view-options.js";

/** How a report is laid out. */
export interface ReportLayout {
  /** Text: whether it has the colours of a terminal. Default: false. */
  readonly color?: boolean | undefined;
  /** Text: how many columns a line takes at most, as far as the report can be cut. Default: 80. */
  readonly width?: number | undefined;
  /** Text: how many columns a line with names takes at most. Default: `width`. */
  readonly nameWidth?: number | undefined;
  /** JSON: whether it is indented. Default: false. */
  readonly pretty?: boolean | undefined;
}

/** The options of a report of stacks. */
export interface StackReportOptions extends ReportLayout, ViewOptions {}

/** The options of a report with lists. */
export interface ListReportOptions extends StackReportOptions {
  /** How many rows a list has. Default: that of the command. */
  readonly limit?: number | undefined;
}

/** The options of `REPORTERS.process`. */
export interface ProcessReportOptions extends ReportLayout {
  /** Which code keeps its own rows. */
  readonly separate?: SeparateOptions | undefined;
  /** Whether percentages exclude unaccounted ticks. Default: false. */
  readonly ignoreUnknown?: boolean | undefined;
  /** Levels of callers in the heavy tree. Default: 5. */
  readonly callGraphSize?: number | undefined;
  /** Only the summary. Default: false. */
  readonly onlySummary?: boolean | undefined;
}

/** The options of `REPORTERS.top`. */
export interface TopReportOptions extends ListReportOptions {
  /** What the next command to type calls the logs. Default: their names in the profile. */
  readonly logs?: readonly string[] | undefined;
}

/** Where the texts of scripts come from that are not in the log. */
export interface ReportSources {
  /** Returns the text of a script by its name, such as `readSource` of `sourceFilesUnder`. Default: none. */
  readonly readSource?: ((file: string) => string | undefined) | undefined;
}

/** The options of `REPORTERS.lines`. */
export interface LinesReportOptions extends ListReportOptions, ReportSources {
  /** A script with its text: its name, or the end of it. Default: the hot lines of all scripts. */
  readonly file?: string | undefined;
  /** What comes first. Default: `self`. */
  readonly sort?: "self" | "total" | undefined;
}

/** The options of `REPORTERS.ics`. */
export interface IcsReportOptions extends ListReportOptions, ReportSources {}

/** The options of `REPORTERS.function`. */
export interface FunctionReportOptions extends StackReportOptions, ReportSources {
  /** A function, as on the command line: its name, `file:line`, `/pattern/`, or a part of its name. */
  readonly name: string;
  /** Whether all functions that match are shown, not only the hottest. Default: false. */
  readonly all?: boolean | undefined;
  /** Callers and callees with less of the function's ticks are summed up, in percent. Default: 1. */
  readonly minPercent?: number | undefined;
}

/** The options of `REPORTERS.timeline`. */
export interface TimelineReportOptions extends ListReportOptions {
  /** The number of slices of time. Default: those that fit the width; at most 100 in JSON. */
  readonly slices?: number | undefined;
}

/** Writes a report as lines, without their newlines. */
export type Reporter<Options = ReportLayout> = (profile: Profile, options?: Options) => AsyncIterable<string>;

import type { SeparateOptions } from "../facts/stack-labels.js";
import type { Until } from "../facts/startup-mark.js";
import type { GroupBy } from "../profile/categories.js";
import type { StackOptions } from "../profile/shown-stacks.js";

/** Which ticks and frames a view has. */
export interface ViewOptions extends StackOptions {
  /**
   * Whether ticks count in which the thread waited: it was idle, or in `Atomics.wait`. They use no CPU, so shares are of the other
   * ticks. Default: false, as on the command line; true for what shows when things happened: `REPORTERS.timeline`, `threads` and
   * `startup`.
   */
  readonly idle?: boolean | undefined;
}

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
  /** A script with its text: its name or the end of it, or this with `:LINE`. Default: the hot lines of all scripts. */
  readonly file?: string | undefined;
  /** Whether all lines are shown, not only the hottest or those near ticks. Default: false. */
  readonly all?: boolean | undefined;
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
  /** The least length of turns of the event loop, in milliseconds. Default: 10. */
  readonly turns?: number | undefined;
  /** The number of slices of time. Default: those that fit the width; at most 100 in JSON. */
  readonly slices?: number | undefined;
  /** How ticks are grouped. Default: by category. */
  readonly by?: GroupBy | undefined;
}

/** The options of `REPORTERS.threads`. */
export interface ThreadsReportOptions extends StackReportOptions {
  /** How ticks are grouped. Default: by category. */
  readonly by?: GroupBy | undefined;
}

/** The options of `REPORTERS.tree`. */
export interface TreeReportOptions extends ListReportOptions {
  /** Whether callers are below the functions that have ticks of their own. Default: callees are below callers. */
  readonly heavy?: boolean | undefined;
  /** The number of levels. Default: all. */
  readonly depth?: number | undefined;
  /** Functions with less of the ticks are left out, in percent. Default: 1. More are if a heavy tree has very many rows. */
  readonly minPercent?: number | undefined;
}

/** The options of `REPORTERS.startup`. */
export interface StartupReportOptions extends ListReportOptions {
  /** Where the start-up ends. Default: the main module and all that it needs are loaded. */
  readonly until?: Until | undefined;
  /** Whether each module has a row. Default: small ones of one folder that one module loads are one row. */
  readonly each?: boolean | undefined;
}

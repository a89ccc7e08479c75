import type { Text } from "../base/text.js";
import type { Analysis } from "../facts/analysis.js";
import type { ThreadTurns, TurnOptions } from "../facts/turns.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { type MarkdownLayout, markdownLines } from "../render/markdown.js";
import type { Block, TextLayout } from "../render/page.js";
import type { Unit } from "../render/spoken.js";
import { textLines } from "../render/text.js";
import { type JsonLayout, jsonLines } from "./json.js";

/** How a report is written: for people, for programs, or for pull requests and language models. */
export type Format = "text" | "json" | "md";

/** A report of something: one document for programs, and one page for people. */
export interface Report<Of> {
  /** Returns the JSON document. Its type is where the schema is made from. */
  data(of: Of): object;
  /** Returns the page, which text and Markdown render. */
  page(of: Of): Iterable<Block>;
  /** Yields the lines of text, if they are not those of the page. */
  text?(of: Of, layout: TextLayout): Iterable<string>;
}

/** What a report needs of logs beside ticks and stacks, as the options of `analyze` have it. */
export interface LogParts {
  readonly deopts?: boolean;
  readonly timeline?: boolean;
  readonly startup?: boolean;
  readonly ics?: boolean | "if-logged";
  /** Default: true. */
  readonly lines?: boolean | "program" | { readonly named: string };
  readonly columns?: boolean | "long-lines";
  /** Whether logs that V8 wrote without its sampler are worth reading. */
  readonly mayLackTicks?: boolean;
  /** What only logs have, and the command that records one. Default: profiles have all that is wanted. */
  readonly onlyInLogs?: { readonly what: string; readonly record: string };
  /** Which turns of event loops. Default: none. */
  readonly turns?: TurnOptions;
  /** Whether the heap profiles beside the logs of a folder are wanted, too. Default: no. */
  readonly memory?: boolean;
}

/** What the file of a recording says. */
export interface RecordingData {
  readonly folder: string;
  /** The command as it was typed. */
  readonly command: readonly string[];
  /** The commit of the working tree; null outside of one. */
  readonly commit: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** How the command ended; null while it runs, and if the recording was killed. */
  readonly outcome: OutcomeData | null;
  readonly processes: readonly ProcessOfRecording[];
}

export interface OutcomeData {
  /** Its exit status; null if a signal ended it. */
  readonly status: number | null;
  readonly signal: string | null;
  /** The option that ended it, such as --duration. */
  readonly stoppedBy: string | null;
  readonly seconds: number;
}

export interface ProcessOfRecording {
  readonly pid: number;
  /** The process that started it. */
  readonly ppid: number;
  /** Its words; long ones are cut. */
  readonly command: readonly string[];
  /** Such as v20.1.0. */
  readonly node: string;
  /** What is missing: such as `not recorded:` and why; null if nothing is. */
  readonly problem: string | null;
}

/** What a report may ask for beside the profile and its options. */
export interface Surroundings {
  readonly format: Format;
  /** How many rows lists have. */
  readonly limit: number;
  /** How many columns a page has. */
  readonly width: number;
  /** Whether the logs are removed after the report: then it names no command that reads them. Default: no. */
  readonly isGone?: boolean;
  /** What the user calls the logs. */
  readonly logs: readonly string[];
  /** The options that say what is read of the logs and counted, as they were given, each with its value. Default: none. */
  readonly options?: readonly (readonly string[])[];
  /** Returns the text of a script that the log does not have; undefined if it may not be read. */
  readonly readSource: (file: string) => string | undefined;
  /** Returns the recordings that the logs are of. */
  readonly recordings: () => readonly RecordingData[];
  /** Returns the command that the user recorded here and the logs are of; undefined for other logs, and for several. */
  readonly command: () => readonly string[] | undefined;
  /** The turns of all ticks, whatever filters leave out; undefined if not asked for, and if they are not known. */
  readonly turns: readonly ThreadTurns[] | undefined;
  /** What the heap profiles beside the logs have, if asked for; undefined if there are none. Default: there are none. */
  readonly memory?: Analysis | undefined;
  /** Tells the user something in one line, in the words of the profile. */
  readonly warn: (words: Text) => void;
}

/** A report of one profile. `Options` are what the library takes; the command line has the same by other names. */
export interface ProfileReport<Of, Options> extends Report<Of> {
  /** Returns what it needs of the logs. Throws a {@link TicksError} for options that cannot be. */
  needs(options: Options): LogParts;
  /** Whether it wants stacks as they are, also with callers that people are not shown. */
  readonly hasAllStacks?: boolean;
  /** Whether no name is cut in a file or a pipe: it is searched for names to ask about. */
  readonly hasWholeNames?: boolean;
  /** Whether it says itself what is wrong with the logs. */
  readonly showsProblems?: boolean;
  /** Whether it says itself that samples may be waits. */
  readonly tellsWaits?: boolean;
  /** Whether its shares are of the ticks that did not wait. */
  readonly sharesWork?: boolean;
  /**
   * Returns what it shows; undefined if nothing has the name that the options ask for, after a warning. Throws a
   * {@link TicksError} for options that cannot be.
   */
  of(profile: Analysis, options: Options, around: Surroundings): Of | undefined;
  /** Whether the exit status is 1. `options`: those of the command line. */
  fails?(of: Of, options: Readonly<Record<string, unknown>>): boolean;
}

/** How each format is laid out. */
export interface ReportLayout extends TextLayout, Omit<JsonLayout, "unit">, MarkdownLayout {}

/** What a report may be of. */
interface Subject {
  readonly profile?: Pick<Profile, "info"> | undefined;
  readonly info?: ProfileInfo | undefined;
  readonly diff?: { readonly before: readonly Pick<ProfileInfo, "input">[] } | undefined;
  readonly runs?: readonly Pick<ProfileInfo, "input">[] | undefined;
}

/** Returns what the page of a report counts: that of its profile; of several runs, what all of them are. */
export function unitOf(of: object): Unit {
  const { profile, info = profile?.info, diff, runs } = of as Subject;
  return info ?? { input: (diff?.before ?? runs)?.[0]?.input };
}

export function reportLines<Of>(
  report: Report<Of>,
  of: Of,
  { format, ...given }: Omit<ReportLayout, "unit"> & { readonly format: Format },
): Iterable<string> {
  const layout = { ...given, unit: unitOf(Object(of)) };
  switch (format) {
    case "json":
      return jsonLines(report.data(of), layout);
    case "md":
      return markdownLines(report.page(of), layout);
    case "text":
      return report.text?.(of, layout) ?? textLines(report.page(of), layout);
  }
}

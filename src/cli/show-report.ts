import { keyOf, namesOf } from "../reports/command-row.js";
import type { Format, ProfileReport } from "../reports/report.js";
import type { AnyReportRow } from "../reports/reports.js";
import { type LoadedView, loadView, warnProblems } from "./load-profile.js";
import { logArguments, wholeFolder } from "./log-paths.js";
import type { FormatFlags, ViewFlags } from "./options.js";
import { checkTokenLimit, printReport, type TokenLimitFlags } from "./print-report.js";
import { commandOfLogs, recordingsOf } from "./recordings.js";
import { type PageStream, terminalWidth, warn } from "./terminal.js";
import { warnDoubts, warnIdle } from "./warnings.js";

/** The options of every report. */
interface ReportFlags extends ViewFlags, FormatFlags, TokenLimitFlags {
  /** Undefined for reports without lists. */
  limit?: number;
}

/** Where a page goes, and what becomes of its logs. */
export interface PageEnd {
  /** Default: standard output. */
  readonly stream?: PageStream;
  /** Whether the logs are removed after it: then it names no command that reads them. */
  readonly isGone?: boolean;
  /** The options that its commands must have to read the same. Default: none. */
  readonly kept?: readonly (readonly string[])[];
}

/**
 * Runs the command of a report. Returns the exit status: 1 if the report fails, or if nothing has the name that was asked for.
 */
export async function showReport(
  row: AnyReportRow,
  words: readonly string[],
  flags: ReportFlags,
  end: PageEnd = {},
): Promise<number> {
  checkTokenLimit(flags);
  const { logs, query } = row.query === undefined ? { logs: words, query: undefined } : logArguments(words);
  const named = (row.options ?? []).flatMap((one) =>
    one.name === undefined ? [] : [[one.name, flags[keyOf(namesOf(one).long) as keyof ReportFlags]]],
  );
  const options = { ...flags, ...Object.fromEntries(named), ...(row.query && { [row.query]: query }) };
  const report = await row.load();
  const { loaded, data } = await askReport(report, logs, { flags, options, ...end });
  const { hasWholeNames } = report;
  if (data !== undefined) await printReport(report, data, flags, { hasWholeNames, stream: end.stream });
  if (!report.showsProblems) {
    warnProblems(loaded);
    if (row.countsIdle && !report.sharesWork) warnIdle(loaded.profile);
    if (!report.tellsWaits) warnDoubts(loaded.profile, "possible-waits");
  }
  return data === undefined || report.fails?.(data, options) ? 1 : 0;
}

/** What is asked of a report. */
interface Asking<Options> extends PageEnd {
  readonly flags: ViewFlags & { readonly format: string; readonly limit?: number };
  readonly options: Options;
}

/** Loads the logs for a report, and asks it: there is no data if nothing has the name that was asked for. */
export async function askReport<Of, Options>(
  report: ProfileReport<Of, Options>,
  logs: readonly string[],
  { flags, options, stream, isGone = false, kept = [] }: Asking<Options>,
): Promise<{ readonly loaded: LoadedView; readonly data: Of | undefined }> {
  const loaded = await loadView(logs, flags, report.needs(options), report.hasAllStacks);
  const { profile, files } = loaded;
  const data = report.of(profile, options, {
    format: flags.format as Format,
    limit: flags.limit ?? Number.POSITIVE_INFINITY,
    width: terminalWidth(stream),
    isGone,
    logs: logs.length > 0 ? wholeFolder(logs) : profile.info.logs,
    options: kept,
    readSource: files.readSource,
    recordings: () => recordingsOf(profile),
    command: () => commandOfLogs(profile.info.threads.map(({ log }) => log)),
    turns: loaded.turns,
    memory: loaded.memory,
    warn: (words) => warn(words, profile.info),
  });
  return { loaded, data };
}

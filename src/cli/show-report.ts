import { dirname } from "node:path";
import { isFile } from "../io/symbols-file.js";
import { keyOf, namesOf } from "../options/command-row.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { problemText, readRecordFile, sourceRootOf } from "../record/recording-file.js";
import { orNull } from "../reports/json.js";
import type { Format, ProfileReport, RecordingData } from "../reports/report.js";
import type { AnyReportRow } from "../reports/reports.js";
import { type LoadedView, loadView, warnProblems } from "./load-profile.js";
import { logArguments } from "./log-paths.js";
import type { FormatFlags, ViewFlags } from "./options.js";
import { checkTokenLimit, printReport, type TokenLimitFlags } from "./print-report.js";
import { type PageStream, terminalWidth, warn } from "./terminal.js";
import { warnIdle } from "./warnings.js";

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
    if (row.countsIdle) warnIdle(loaded.profile);
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
  { flags, options, stream, isGone = false }: Asking<Options>,
): Promise<{ readonly loaded: LoadedView; readonly data: Of | undefined }> {
  const loaded = await loadView(logs, flags, report.needs(options), report.hasAllStacks);
  const { profile, files } = loaded;
  const data = report.of(profile, options, {
    format: flags.format as Format,
    limit: flags.limit ?? Number.POSITIVE_INFINITY,
    width: terminalWidth(stream),
    isGone,
    logs: logs.length > 0 ? logs : profile.info.logs,
    readSource: files.readSource,
    recordings: () => recordingsOf(profile),
    command: () => commandOf(profile.info),
    turns: loaded.turns,
    warn,
  });
  return { loaded, data };
}

/** Returns the recordings that the folders of the logs are, each once. */
export function recordingsOf({ info }: Profile): RecordingData[] {
  const folders = new Set(info.threads.flatMap(({ log }) => (isFile(log) ? [dirname(log)] : [])));
  return Array.from(folders).flatMap((folder) => {
    const facts = readRecordFile(folder);
    if (facts === undefined) return [];
    const { command, commit, labels, outcome } = facts;
    const processes = facts.processes.map(({ problem, pid, ppid, command, node }) => {
      return { pid, ppid, command, node, problem: problem === undefined ? null : problemText(problem) };
    });
    return [
      {
        folder,
        command,
        ...orNull({ commit }),
        labels,
        outcome: outcome ? orNull(outcome) : null,
        processes,
      },
    ];
  });
}

/**
 * Returns the command that `ticks record` ran; undefined for other logs, and if they have several. Only what this user recorded here
 * says what to type: a folder can come from anywhere.
 */
function commandOf({ threads }: ProfileInfo): readonly string[] | undefined {
  const folders = new Set(threads.map(({ log }) => (isFile(log) ? dirname(log) : "")));
  const [command, ...others] = Array.from(folders, (folder) =>
    folder === "" || sourceRootOf(folder) === undefined ? undefined : readRecordFile(folder)?.command,
  );
  return others.every((other) => other?.join("\0") === command?.join("\0")) ? command : undefined;
}

import { badOption } from "../base/errors.js";
import { Analysis } from "../facts/analysis.js";
import { withoutWaits } from "../facts/filter-profile.js";
import { turnsOf } from "../facts/profile-turns.js";
import type { Profile } from "../profile/profile.js";
import { shownStacks } from "../profile/shown-stacks.js";
import { plainly } from "../render/spoken.js";
import { PLAIN } from "../render/style.js";
import { rowsIn } from "../reports/command-row.js";
import type { Format } from "../reports/report.js";
import type { ReportLayout, ReportSources, ViewOptions } from "../reports/report-options.js";
import { type AnyReportRow, REPORTS, type ReportRow } from "../reports/reports.js";

/** How many columns a line takes at most, if nothing is said. */
const WIDTH = 80;

/**
 * Writes a report as lines, without their newlines. Options may be left out unless one of them is needed. Throws a
 * {@link TicksError} if no function or script has the name that they ask for (`BAD_OPTION`).
 */
export type Reporter<Options = ReportLayout> = (
  profile: Profile,
  ...options: Partial<Options> extends Options ? [options?: Options] : [options: Options]
) => AsyncIterable<string>;

/** The reporters of a command. */
export interface Reporters<Options = ReportLayout> {
  /** For people. */
  readonly text: Reporter<Options>;
  /** For programs: the package has a JSON schema for each command, `v8-ticks/top.schema.json` and so on. */
  readonly json: Reporter<Options>;
  /** For pull requests and language models. */
  readonly md: Reporter<Options>;
}

/** What reports may be asked. */
interface AnyOptions extends ReportLayout, ViewOptions, ReportSources {
  readonly limit?: number | undefined;
  readonly logs?: readonly string[] | undefined;
}

function reportersOf(row: AnyReportRow): Reporters<AnyOptions> {
  const as =
    (format: Format): Reporter<AnyOptions> =>
    (profile, options = {}) =>
      linesOf(row, profile, { ...options, format });
  return { text: as("text"), json: as("json"), md: as("md") };
}

/** Yields the lines of a report. Its code is loaded when it is used. */
async function* linesOf(
  row: AnyReportRow,
  profile: Profile,
  options: AnyOptions & { readonly format: Format },
): AsyncGenerator<string> {
  const { format, color = false, width: pageWidth = WIDTH, nameWidth: width = pageWidth, pretty } = options;
  const { idle = row.countsIdle, limit = rowsIn(row, format), readSource = () => undefined } = options;
  const { reportLines } = await import("../reports/report.js");
  const report = await row.load();
  const stacks = report.hasAllStacks ? profile : shownStacks(profile, options);
  const { turns } = report.needs(options);
  let warning: string | undefined;
  const data = report.of(Analysis.of(idle ? stacks : withoutWaits(stacks)), options, {
    format,
    limit,
    width: pageWidth,
    logs: options.logs ?? profile.info.logs,
    readSource,
    recordings: () => [],
    command: () => undefined,
    // Of all ticks, waits too.
    turns: turns && turnsOf(stacks, turns),
    warn: (words) => {
      warning ??= plainly(words, profile.info);
    },
  });
  if (data === undefined) throw badOption(warning ?? "nothing has this name");
  const style = color ? (await import("../render/terminal-style.js")).TERMINAL : PLAIN;
  yield* reportLines(report, data, { format, style, width, pageWidth, pretty });
}

/** The type is written out here, so that declarations do not name the rows. */
function tableOf<Rows extends Readonly<Record<string, AnyReportRow>>>(
  rows: Rows,
): {
  readonly [Name in keyof Rows]: Rows[Name] extends ReportRow<infer _, infer Options>
    ? Reporters<Options>
    : never;
} {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, reportersOf(row)])) as never;
}

/**
 * The reports of the command line, by command and format. The code of each is loaded when it is used. With the
 * profile that the command reads, and its options, a reporter writes what the command prints.
 */
export const REPORTERS = tableOf(REPORTS);

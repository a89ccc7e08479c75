import { Analysis } from "../../src/facts/analysis.ts";
import type { Profile } from "../../src/profile/profile.ts";
import type { Style } from "../../src/render/style.ts";
import { PLAIN } from "../../src/render/style.ts";
import { type Format, type ProfileReport, reportLines, type Surroundings } from "../../src/reports/report.ts";

/** How {@link linesOf} asks a report, and how its lines are laid out. */
export interface Asked<Options> extends Partial<Omit<Surroundings, "options">> {
  readonly options?: Options;
  readonly style?: Style;
  /** Of all that may be cut. Default: as in a file, where nothing is. */
  readonly width?: number;
  /** Default: 80. */
  readonly pageWidth?: number;
}

/** Asks a report of a profile whose logs are gone, so that the page names no commands. Nothing is cut to a number of rows. */
export function asked<Of, Options>(
  report: ProfileReport<Of, Options>,
  profile: Profile,
  { options, ...given }: Asked<Options> = {},
): Of | undefined {
  return report.of(Analysis.of(profile), options ?? ({} as Options), {
    format: "text",
    limit: Number.POSITIVE_INFINITY,
    width: 80,
    isGone: true,
    logs: profile.info.logs,
    turns: undefined,
    warn: () => undefined,
    readSource: () => undefined,
    recordings: () => [],
    command: () => undefined,
    ...given,
  });
}

/** Returns the lines of a report; none if it finds nothing. */
export function linesOf<Of, Options>(
  report: ProfileReport<Of, Options>,
  profile: Profile,
  given: Asked<Options> = {},
): string[] {
  const { format = "text" as Format, style = PLAIN, width = 4000, pageWidth = 80 } = given;
  const of = asked(report, profile, { ...given, format });
  return of === undefined ? [] : Array.from(reportLines(report, of, { format, style, width, pageWidth }));
}

/** Returns the JSON document of a report as a program reads it. */
export function jsonOf<Of, Options>(
  report: ProfileReport<Of, Options>,
  profile: Profile,
  given: Asked<Options> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect in it.
): any {
  return JSON.parse(linesOf(report, profile, { ...given, format: "json" }).join("\n"));
}

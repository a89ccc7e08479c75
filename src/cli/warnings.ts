import { inTicks, LOG, named, percent, TICKS, text } from "../base/text.js";
import { mostlyIdle } from "../facts/coverage.js";
import { type Doubt, doubtTexts } from "../facts/doubts.js";
import { printable } from "../facts/label.js";
import { problemWords } from "../facts/problem-words.js";
import type { UnmatchedFilter } from "../facts/unmatched-filters.js";
import { unnamedLibraries } from "../facts/unnamed-libraries.js";
import type { DiagnosticCode } from "../profile/diagnostics.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import type { Unit } from "../render/spoken.js";
import type { DumpProblems } from "./log-dumps.js";
import { warn } from "./terminal.js";

/** Warns about filters that match nothing. */
export function warnUnmatched(unmatched: readonly UnmatchedFilter[], unit: Unit): void {
  for (const { option, value, matchesOtherCase, suggestions } of unmatched) {
    const list = suggestions.map(printable).join(", ");
    const hint = matchesOtherCase
      ? `; /${value}/i does, it ignores case`
      : list === ""
        ? ""
        : text`; ${option === "only" ? text`the ${LOG} has ${list}` : `did you mean ${list}?`}`;
    warn(text`--${option} ${value} matches nothing${hint}`, unit);
  }
}

/** Tells doubts of a kind, such as callers that are missing from the stacks, where no report does. */
export function warnDoubts(profile: Profile, kind: Doubt["kind"]): void {
  for (const words of doubtTexts(profile, kind)) warn(words, profile.info);
}

/** How many libraries are listed; more are only counted. */
const UNNAMED_LIMIT = 5;

/** Warns about libraries that have ticks but no names. */
export function warnUnnamed(profile: Profile): void {
  const libraries = unnamedLibraries(profile);
  for (const { path, ticks, problem } of libraries.slice(0, UNNAMED_LIMIT)) {
    warn(
      text`no names for ${inTicks(ticks)} in ${named(path)}: ${problemWords(path, problem).sentence}`,
      profile.info,
    );
  }
  const more = libraries.length - UNNAMED_LIMIT;
  if (more > 0) warn(`${more} more libraries have no names; run ticks doctor to list them`);
  else if (libraries.length > 0) warn("run ticks doctor LOG to see what to do about it");
}

/** Mentions `--no-idle` if most ticks are idle. */
export function warnIdle(profile: Profile): void {
  const idle = mostlyIdle(profile);
  if (idle === undefined) return;
  const what = text`${percent(idle.percent, 1)} of the ${TICKS} are idle; to see the others alone, add --no-idle`;
  warn(what, profile.info);
}

/** How many logs with the same diagnostic are listed; more are only counted. */
const LISTED_LIMIT = 3;

/** A log with diagnostics, and its ticks if they are known. */
type DiagnosedLog = Pick<ProfileInfo, "logs" | "diagnostics"> & Partial<Pick<ProfileInfo, "ticks" | "input">>;

/** The diagnostics of a log that ends early: the warning says how much of it was read. */
const ENDS_EARLY: readonly string[] = ["cut-compression", "damaged-compression"] satisfies DiagnosticCode[];

/** Prints the diagnostics of logs, one line for each kind in each log. */
export function warnDiagnostics(infos: readonly DiagnosedLog[]): void {
  const seen = new Map<string, number>();
  for (const { logs, diagnostics, ticks, input } of infos) {
    for (const { code, line, message, count } of diagnostics) {
      // Nothing can be done about it, and nothing is lost.
      if (code === "late-sample") continue;
      const before = seen.get(message) ?? 0;
      seen.set(message, before + 1);
      if (before >= LISTED_LIMIT) continue;
      const times = count > 1 ? ` (${count} times)` : "";
      const read =
        ticks !== undefined && ENDS_EARLY.includes(code) ? text`; ${inTicks(ticks)} were read` : "";
      const at = input === undefined ? `:${line}` : "";
      warn(text`${named(logs.join())}${at}: ${message}${times}${read}`, { input });
    }
  }
  for (const [message, logs] of seen) {
    if (logs > LISTED_LIMIT) warn(`${logs - LISTED_LIMIT} more logs: ${message}`);
  }
}

/** Prints the diagnostics of a converted log, and its libraries without names. */
export function warnDumpProblems({ name, diagnostics, libraries }: DumpProblems): void {
  warnDiagnostics([{ logs: [name], diagnostics }]);
  for (const { path, problem } of libraries) {
    if (problem !== undefined)
      warn(text`no names for ${named(path)}: ${problemWords(path, problem).sentence}`);
  }
}

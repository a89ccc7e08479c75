import type { DiagnosticCode } from "../diagnostics.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { printable } from "../views/label.js";
import { problemWords } from "../views/problem-words.js";
import { unnamedLibraries } from "../views/unnamed-libraries.js";
import type { DumpFaults } from "./log-dumps.js";
import { warn } from "./terminal.js";

/** More libraries than this are counted, not listed. */
const UNNAMED_LIMIT = 5;

/** Warns of the libraries that own ticks and have no names. */
export function warnUnnamed(profile: Profile): void {
  const libraries = unnamedLibraries(profile);
  for (const { path, ticks, problem } of libraries.slice(0, UNNAMED_LIMIT)) {
    warn(
      `${ticks} ticks have no function: no names for ${printable(path)}, ${problemWords(problem).sentence}`,
    );
  }
  const more = libraries.length - UNNAMED_LIMIT;
  if (more > 0) warn(`${more} more libraries have no names: ticks doctor lists them`);
  else if (libraries.length > 0) warn("ticks doctor says what to do about it");
}

/** More logs that have a fault of one kind are counted, not listed. */
const FAULTY_LIMIT = 3;

/** What is said of the faults of a log; its ticks where they are known. */
type FaultyLog = Pick<ProfileInfo, "logs" | "diagnostics"> & Partial<Pick<ProfileInfo, "ticks">>;
/** The faults of a log that ends early: how much of it was read is worth knowing. */
const ENDS_EARLY: readonly string[] = ["cut-compression", "damaged-compression"] satisfies DiagnosticCode[];

/** Prints what is wrong in logs, one line a kind of fault in a log. */
export function warnFaults(infos: readonly FaultyLog[]): void {
  const seen = new Map<string, number>();
  for (const { logs, diagnostics, ticks } of infos) {
    for (const { code, line, message, count } of diagnostics) {
      const before = seen.get(message) ?? 0;
      seen.set(message, before + 1);
      if (before >= FAULTY_LIMIT) continue;
      const times = count > 1 ? ` (${count} times)` : "";
      const read = ticks !== undefined && ENDS_EARLY.includes(code) ? `; ${ticks} ticks were read` : "";
      warn(`${logs.map(printable).join()}:${line}: ${message}${times}${read}`);
    }
  }
  for (const [message, logs] of seen) {
    if (logs > FAULTY_LIMIT) warn(`${logs - FAULTY_LIMIT} more logs: ${message}`);
  }
}

/** Prints what was wrong in a log, and which libraries have no names, after the log was written in another form. */
export function warnDumpFaults({ name, diagnostics, libraries }: DumpFaults): void {
  warnFaults([{ logs: [name], diagnostics }]);
  for (const { path, problem } of libraries) {
    if (problem !== undefined) warn(`no names for ${printable(path)}, ${problemWords(problem).sentence}`);
  }
}

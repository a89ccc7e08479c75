import type { Profile, ProfileInfo } from "../profile/profile.js";
import { printable } from "../views/label.js";
import { unnamedLibraries } from "../views/unnamed-libraries.js";
import type { DumpFaults } from "./preprocess.js";
import { warn } from "./terminal.js";

/** More libraries than this are counted, not listed. */
const UNNAMED_LIMIT = 5;

/** Tells which libraries own ticks and have no names. */
export function tellUnnamed(profile: Profile): void {
  const libraries = unnamedLibraries(profile);
  for (const { path, ticks, problem } of libraries.slice(0, UNNAMED_LIMIT)) {
    warn(`${ticks} ticks have no function: no names for ${printable(path)}, ${problem}`);
  }
  const more = libraries.length - UNNAMED_LIMIT;
  if (more > 0) warn(`${more} more libraries have no names: ticks doctor lists them`);
  else if (libraries.length > 0) warn("ticks doctor says what to do about it");
}

/** Tells what is wrong in logs, one line a kind of fault. */
export function tellFaults(infos: readonly Pick<ProfileInfo, "logs" | "diagnostics">[]): void {
  for (const { logs, diagnostics } of infos) {
    for (const { line, message, count } of diagnostics) {
      warn(`${logs.map(printable).join()}:${line}: ${message}${count > 1 ? ` (${count} times)` : ""}`);
    }
  }
}

/** Tells what was wrong in a log, and which libraries have no names, after the log was written in another form. */
export function tellDumpFaults({ name, diagnostics, libraries }: DumpFaults): void {
  tellFaults([{ logs: [name], diagnostics }]);
  for (const { path, problem } of libraries) {
    if (problem !== undefined) warn(`no names for ${printable(path)}, ${problem}`);
  }
}

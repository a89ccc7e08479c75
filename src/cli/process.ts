import { analyze } from "../analyze.js";
import { TicksError } from "../errors.js";
import { logSize } from "../io/input.js";
import { writeLines } from "../io/output.js";
import { filterStates } from "../profile/filter.js";
import { mergeProfiles } from "../profile/merge.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import type { ReadProgress } from "../read-log.js";
import { REPORTERS } from "../reporters/index.js";
import { printable } from "../views/label.js";
import { unnamedLibraries } from "../views/unnamed-libraries.js";
import { logsOrDefault, openLogInput, tellUnused } from "./log-input.js";
import {
  flagsWithoutEffect,
  flagsWithoutRows,
  type ProcessFlags,
  rangeOptions,
  separateOptions,
  stateFilter,
} from "./options.js";
import { Progress } from "./progress.js";
import { styleOf, warn } from "./terminal.js";

/** Runs `ticks process`; the result is the exit status. */
export async function runProcess(args: readonly string[], flags: ProcessFlags): Promise<number> {
  for (const reason of flagsWithoutEffect(flags)) warn(reason);
  const logs = await logsOrDefault(args);
  if (flags.preprocess || flags.serializeVmSymbols) return runDump(logs, flags);
  const profiles: Profile[] = [];
  for (const log of logs) {
    const { chunks, ...input } = await openLogInput(log, flags);
    const progress = process.stderr.isTTY ? new Progress(process.stderr, logSize(log)) : undefined;
    const onProgress = progress && ((state: ReadProgress) => progress.update(state));
    const profile = await analyze(chunks, { ...input, range: rangeOptions(flags), onProgress });
    progress?.done();
    tellUnused(input.assigned, profile.info.libraries);
    profiles.push(profile);
  }
  const merged = mergeProfiles(profiles);
  for (const reason of flagsWithoutRows(flags, merged.info.rangeRows)) warn(reason);
  const isWanted = stateFilter(flags);
  const profile = isWanted === undefined ? merged : filterStates(merged, isWanted);
  const reporter = REPORTERS.find(({ name }) => name === flags.format)!;
  const lines = reporter.report(profile, {
    style: await styleOf(flags.color),
    separate: separateOptions(flags),
    ignoreUnknown: flags.ignoreUnknown,
    callGraphSize: flags.callGraphSize,
    onlySummary: flags.onlySummary,
    rename:
      flags.sourceMap === undefined
        ? undefined
        : (await import("../io/source-map.js")).loadSourceMap(flags.sourceMap),
  });
  await writeLines(process.stdout, lines);
  tellFaults(profiles.map(({ info }) => info));
  tellUnnamed(profile);
  return flags.strict && merged.info.diagnostics.length > 0 ? 1 : 0;
}

/** Prints what is in one log, without a report. */
async function runDump([log, ...others]: readonly string[], flags: ProcessFlags): Promise<number> {
  const isSymbols = flags.serializeVmSymbols === true;
  if (log === undefined || others.length > 0) {
    const flag = isSymbols ? "--serialize-vm-symbols" : "--preprocess";
    throw new TicksError("BAD_OPTION", `${flag} takes one log`, "Run it once for each of them.");
  }
  const { name, diagnostics, libraries } = isSymbols
    ? await (await import("./vm-symbols.js")).runVmSymbols(log, flags)
    : await (await import("./preprocess.js")).runPreprocess(log, flags);
  tellFaults([{ logs: [name], diagnostics }]);
  for (const { path, problem } of libraries) {
    if (problem !== undefined) warn(`no names for ${printable(path)}, ${problem}`);
  }
  return flags.strict && diagnostics.length > 0 ? 1 : 0;
}

/** More libraries than this are counted, not listed. */
const UNNAMED_LIMIT = 5;

function tellUnnamed(profile: Profile): void {
  const libraries = unnamedLibraries(profile);
  for (const { path, ticks, problem } of libraries.slice(0, UNNAMED_LIMIT)) {
    warn(`${ticks} ticks have no function: no names for ${printable(path)}, ${problem}`);
  }
  const more = libraries.length - UNNAMED_LIMIT;
  if (more > 0) warn(`${more} more libraries have no names: ticks doctor lists them`);
  else if (libraries.length > 0) warn("ticks doctor says what to do about it");
}

function tellFaults(infos: readonly Pick<ProfileInfo, "logs" | "diagnostics">[]): void {
  for (const { logs, diagnostics } of infos) {
    for (const { line, message, count } of diagnostics) {
      warn(`${logs.map(printable).join()}:${line}: ${message}${count > 1 ? ` (${count} times)` : ""}`);
    }
  }
}

import type { Command } from "commander";
import { TicksError } from "../../errors.js";
import { writeLines } from "../../io/output.js";
import type { Reporter } from "../../reporters/process/reporter.js";
import { filterProfile } from "../../views/filter-profile.js";
import { profileFilter } from "../filter-options.js";
import { loadProfile, warnProblems } from "../load-profile.js";
import { logsOrDefault } from "../log-paths.js";
import type { Format } from "../options.js";
import { openSourceFiles } from "../source-roots.js";
import { jsonLayout, styleOf, warn } from "../terminal.js";
import { warnDumpProblems } from "../warnings.js";
import {
  addProcessOptions,
  dumpedTicks,
  flagsWithoutEffect,
  flagsWithoutRows,
  type ProcessFlags,
  rangeOptions,
  separateOptions,
  statesOf,
} from "./process/process-options.js";

/** Adds the options and the action of `ticks process`. */
export function configure(command: Command): void {
  addProcessOptions(command);
  command.action(async (logs: string[], flags: ProcessFlags) => {
    process.exitCode = await runProcess(logs, flags);
  });
}

/** Runs `ticks process`. Returns the exit status. */
async function runProcess(args: readonly string[], flags: ProcessFlags): Promise<number> {
  for (const reason of flagsWithoutEffect(flags)) warn(reason);
  if (flags.preprocess || flags.serializeVmSymbols) return runDump(await logsOrDefault(args), flags);
  const files = openSourceFiles(flags);
  const {
    profile: all,
    infos,
    skipped,
  } = await loadProfile(args, flags, {
    range: rangeOptions(flags),
    inlines: flags.inlines ?? false,
    readSourceMap: flags.sourceMaps && flags.sourceMap === undefined ? files.readMap : undefined,
  });
  for (const reason of flagsWithoutRows(flags, all.info.rangeRows)) warn(reason);
  const profile = filterProfile(all, { ...profileFilter(flags), states: statesOf(flags) });
  const reporter = await reporterOf(flags.format);
  const lines = reporter.report(profile, {
    style: await styleOf(flags.color),
    ...jsonLayout(flags),
    separate: separateOptions(flags),
    ignoreUnknown: flags.ignoreUnknown,
    callGraphSize: flags.callGraphSize,
    onlySummary: flags.onlySummary,
    rename:
      flags.sourceMap === undefined
        ? undefined
        : (await import("./process/source-map-flag.js")).loadSourceMap(flags.sourceMap),
  });
  await writeLines(process.stdout, lines);
  warnProblems({ profile, infos, files });
  return flags.strict && (all.info.diagnostics.length > 0 || skipped > 0) ? 1 : 0;
}

/** Prints the contents of one log as JSON, without a report. */
async function runDump([log, ...others]: readonly string[], flags: ProcessFlags): Promise<number> {
  const isSymbols = flags.serializeVmSymbols === true;
  const flag = isSymbols ? "--serialize-vm-symbols" : "--preprocess";
  if (flags.thread !== undefined) {
    throw new TicksError(
      "BAD_OPTION",
      `${flag} does not support --thread`,
      "Name the log of that thread instead.",
    );
  }
  if (log === undefined || others.length > 0) {
    throw new TicksError("BAD_OPTION", `${flag} takes one log`, "Run it once for each log.");
  }
  const { preprocess, vmSymbols } = await import("../log-dumps.js"); // Most runs do not need it.
  const { lines, problems } = isSymbols
    ? await vmSymbols(log, flags)
    : await preprocess(log, flags, dumpedTicks(flags));
  await writeLines(process.stdout, lines);
  warnDumpProblems(problems);
  return flags.strict && problems.diagnostics.length > 0 ? 1 : 0;
}

async function reporterOf(format: Format): Promise<Reporter> {
  if (format === "json") return (await import("../../reporters/process/json.js")).jsonReporter;
  if (format === "md") return (await import("../../reporters/process/markdown.js")).markdownReporter;
  return (await import("../../reporters/process/text.js")).textReporter;
}

import { existsSync } from "node:fs";
import { TicksError } from "../../errors.js";
import { STDIN } from "../../io/input.js";
import { Analysis } from "../../views/analysis.js";
import { faultsOf, isSampled } from "../../views/coverage.js";
import { filterProfile } from "../../views/filter-profile.js";
import { printable } from "../../views/label.js";
import { findUnmatched, profileFilter } from "../filter-options.js";
import { loadProfile, warnProblems } from "../load-profile.js";
import { logsOrDefault } from "../log-paths.js";
import { printReport } from "../print-report.js";
import { openSourceFiles, sourceRoots } from "../source-roots.js";
import { warn, writeReport } from "../terminal.js";
import { warnDumpProblems, warnIdle } from "../warnings.js";
import {
  dumpedTicks,
  flagsWithoutEffect,
  flagsWithoutRows,
  type ProcessFlags,
  rangeOptions,
  separateOptions,
  statesOf,
} from "./process/process-options.js";

/** Runs `ticks process`. Returns the exit status. */
export async function runProcess(args: readonly string[], flags: ProcessFlags): Promise<number> {
  refuseOutput(args, flags);
  for (const reason of flagsWithoutEffect(flags)) warn(reason);
  if (flags.preprocess || flags.serializeVmSymbols) return runDump(await logsOrDefault(args), flags);
  const files = openSourceFiles(args, flags);
  const loading = import("../../reports/process.js"); // While a second thread starts, not after it.
  const {
    profile: all,
    infos,
    skipped,
    refusedMaps,
  } = await loadProfile(args, flags, {
    range: rangeOptions(flags),
    inlines: flags.inlines ?? false,
    mayLackTicks: flags.strict,
    isNamedByLog: true,
    onlyInLogs: {
      what: "the libraries and C++ functions of this report",
      record: "ticks record -- node app.js. The report of a profile: ticks top FILE",
    },
    inferred: flags.inferred,
    asNm: flags.format === "text",
    mapRoots: flags.sourceMaps && flags.sourceMap === undefined ? sourceRoots(args, flags) : undefined,
  });
  for (const reason of flagsWithoutRows(flags, all.info.rangeRows)) warn(reason);
  // As Node has it: ticks that waited count, unless their state is left out.
  const filter = { ...profileFilter(flags), states: statesOf(flags), idle: true };
  const unmatched = await findUnmatched(all, filter);
  const profile = Analysis.of(filterProfile(all, filter));
  const report = {
    profile,
    separate: separateOptions(flags),
    ignoreUnknown: flags.ignoreUnknown,
    callGraphSize: flags.callGraphSize,
    onlySummary: flags.onlySummary,
    rename:
      flags.sourceMap === undefined
        ? undefined
        : (await import("./process/source-map-flag.js")).loadSourceMap(flags.sourceMap),
  };
  await printReport((await loading).PROCESS, report, flags);
  warnProblems({ profile, infos, files, refusedMaps, unmatched });
  warnIdle(profile);
  if (process.stderr.isTTY) await hintAtInlines(all.info.logs, flags);
  if (!isSampled(all.info)) {
    warn(`${all.info.title} was recorded without --prof: code, deopts and ICs, no samples`);
    return 1;
  }
  return flags.strict && (faultsOf(all.info).length > 0 || skipped > 0) ? 1 : 0;
}

/** Throws a {@link TicksError} if `-o`, which selects a state here, stands before the name of a file that is not there. */
function refuseOutput(args: readonly string[], { other }: ProcessFlags): void {
  const file = other ? args.find((arg) => arg !== STDIN && !existsSync(arg)) : undefined;
  if (file === undefined) return;
  throw new TicksError(
    "BAD_OPTION",
    `${printable(file)}: no such file; -o keeps only ticks in other work of V8, as in --prof-process`,
    `To write the report to a file: ticks process LOG > ${printable(file)}`,
  );
}

/** Mentions `--inlines` if it would say more. */
async function hintAtInlines(logs: readonly string[], flags: ProcessFlags): Promise<void> {
  if (flags.inlines || flags.sourceMap !== undefined || !flags.sourceMaps) return;
  const { hasSourceMaps } = await import("./process/source-map-hint.js"); // Only needed on a terminal.
  if (await hasSourceMaps(logs)) {
    warn("scripts of this log have source maps: --inlines shows the names and lines of their sources");
  }
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
  await writeReport(lines, flags);
  warnDumpProblems(problems);
  return flags.strict && faultsOf(problems).length > 0 ? 1 : 0;
}

import type { Profile } from "../../profile/profile.js";
import { tickInterval } from "../../profile/sampling.js";
import type { Ticks } from "../../profile/units.js";
import { shortFiles } from "../../views/short-files.js";
import type { Startup } from "../../views/startup.js";
import type { StartupAdvice } from "../../views/startup-advice.js";
import { loadRowsOf, type ModuleRow, moduleRows } from "../../views/startup-groups.js";
import { LOAD_PHASES, type LoadCost, type StartupPackage } from "../../views/startup-loads.js";
import type { StartupEnd } from "../../views/startup-mark.js";
import { counted, shareOf } from "../layout/numbers.js";
import type { Column } from "../layout/table.js";

const right = (title: string): Column => ({ title, align: "right" });

/** What the reporters of a start-up show. */
export interface StartupReport {
  readonly profile: Profile;
  readonly startup: Startup;
  /** The number of rows to show of each list. */
  readonly limit: number;
  /** Whether modules that are alike have a row each. */
  readonly each?: boolean | undefined;
  /** What the user named as the end; undefined for none. */
  readonly mark?: string | undefined;
}

/** Returns the short names of all modules of a start-up. */
export function moduleNames({ startup }: StartupReport): (file: string) => string {
  const names = shortFiles([
    ...startup.modules.map(({ file }) => file),
    ...startup.ends.flatMap(({ main = [] }) => main),
    ...(startup.work?.byScript.map(({ file }) => file) ?? []),
  ]);
  return (file) => names.get(file) ?? file;
}

/** Returns the modules to show, as rows. */
export function shownModules({ startup: { modules, ticks }, each }: StartupReport): readonly ModuleRow[] {
  if (!each) return moduleRows(modules, ticks);
  return modules.map((one) => ({ ...one, files: [one.file], depth: 0 }));
}

/** Returns the loads to show, as rows. */
export function shownLoads({ startup: { loads, ticks }, each }: StartupReport): readonly ModuleRow[] {
  if (!each) return loadRowsOf(loads, ticks);
  return loads.map((one) => ({ ...one, files: [one.module.file] }));
}

/** Returns the name of a row: that of its module, or what the names of its modules have in common. */
export function rowName({ files }: ModuleRow, nameOf: (file: string) => string): string {
  const names = files.map(nameOf);
  const [first = ""] = names;
  if (names.length < 2) return first;
  let [start, end] = [0, 0];
  while (start < first.length && names.every((name) => name[start] === first[start])) start++;
  while (
    end < first.length - start &&
    names.every((name) => end < name.length - start && name.at(-1 - end) === first.at(-1 - end))
  )
    end++;
  return `${first.slice(0, start)}*${first.slice(first.length - end)}  (${names.length} modules)`;
}

/** Returns the time that ticks stand for, in milliseconds. */
export function timeOf(ticks: Ticks, { info }: Profile): string {
  const interval = tickInterval(info.sampling);
  const time = (ticks * interval) / 1000;
  return time.toFixed(time < 10 && interval % 1000 !== 0 ? 1 : 0);
}

/** Returns what a package is called. */
export function packageName({ origin }: Pick<StartupPackage, "origin">): string {
  if (origin.kind === "app") return "(the program)";
  if (origin.kind === "recorder") return "(ticks record)";
  return origin.kind === "node" ? "(Node's own modules)" : origin.name;
}

/** Returns the sentence that says until when the ticks count. `show` formats names. */
export function untilSentence(report: StartupReport, show: (name: string) => string): string {
  const { ends, ticks } = report.startup;
  const counts = `${counted(ticks, "tick")} (${timeOf(ticks, report.profile)} ms)`;
  const [first] = ends;
  if (first === undefined) return `${counts}: no thread to look at`;
  if (ends.length > 1)
    return `${counts} in the start-ups of ${ends.length} threads, each until ${reasonOf(first, report, show)}`;
  const time = Number.isFinite(first.time) ? `, ${milliseconds(first.time / 1000)} after the log began` : "";
  return `${counts} until ${reasonOf(first, report, show)}${time}`;
}

function reasonOf({ by, main }: StartupEnd, report: StartupReport, show: (name: string) => string): string {
  switch (by) {
    case "loaded": {
      const isOne = report.startup.ends.length === 1 && main !== undefined;
      return isOne
        ? `${show(moduleNames(report)(main))} and all that it needs were loaded`
        : "its main module was loaded";
    }
    case "time":
      return "the time asked for";
    case "first-idle":
      return "the program first waited";
    case "mark":
      return `the first tick of ${show(report.mark ?? "")}`;
    case "stop":
      return "--until stopped the recording";
    case "log":
      return "the end of the log";
  }
}

/** Returns a time with a unit. */
export function milliseconds(time: number): string {
  return `${time < 10 ? time.toFixed(2) : time.toFixed(time < 100 ? 1 : 0)} ms`;
}

/** A row of the table of phases: what the ticks were spent on. */
export interface PhaseRow {
  readonly title: string;
  readonly ticks: Ticks;
}

/** Returns what the ticks of the start-up were spent on; the rows sum to all of them. */
export function phaseRows({ phases, other }: Startup): PhaseRow[] {
  const rows = [
    { title: "run the code of modules", ticks: phases.run },
    { title: "compile modules and their functions", ticks: phases.compile },
    { title: "read files of modules", ticks: phases.read },
    { title: "find files of modules", ticks: phases.resolve },
    { title: "Node's module loader, other work", ticks: other.loader },
    { title: "Node's own start", ticks: other.start },
    { title: "garbage collection", ticks: other.gc },
    { title: "the program, outside of loads", ticks: other.program },
    { title: "idle", ticks: other.idle },
  ];
  return rows.filter(({ ticks }) => ticks > 0);
}

/** The columns before a text. */
export const TICK_COLUMNS: readonly Column[] = ["ticks", "ms", "share"].map(right);

/** Returns the cells of {@link TICK_COLUMNS}. */
export function tickCells(ticks: Ticks, { startup, profile }: StartupReport): string[] {
  return [String(ticks), timeOf(ticks, profile), shareOf(ticks, startup.ticks)];
}

/** The columns of a cost, before the name. */
export const COST_COLUMNS: readonly Column[] = [
  right("self"),
  right("ms"),
  right("share"),
  right("total"),
  ...["find", "read", "compile", "run"].map(right),
];

/** Returns the cells of {@link COST_COLUMNS}. */
export function costCells({ self, total, phases }: LoadCost, { startup, profile }: StartupReport): string[] {
  return [
    String(self),
    timeOf(self, profile),
    shareOf(self, startup.ticks),
    String(total),
    ...LOAD_PHASES.map((phase) => (phases[phase] === 0 ? "" : String(phases[phase]))),
  ];
}

/** Returns V8's account in short lines. */
export function workLines({ startup: { work } }: StartupReport): string[] {
  if (work === undefined) return [];
  const { parse, preparse, compile, optimize, neverRun, compiledTwice, scripts, lookups } = work;
  const { fromSource, fromCache, nodeFromSource, nodeFromCache } = scripts;
  const never =
    neverRun === undefined
      ? " (this log does not say which of them ran)"
      : `, of which ${neverRun.count} never ran (${milliseconds(neverRun.milliseconds)})`;
  const again =
    compiledTwice.count === 0
      ? ""
      : `; ${compiledTwice.count} compiled again (${milliseconds(compiledTwice.milliseconds)})`;
  return [
    `parse ${milliseconds(parse.milliseconds)}, of which ${milliseconds(preparse.milliseconds)} in ${counted(preparse.count, "function")} only checked`,
    `compile to bytecode ${milliseconds(compile.milliseconds)}, to faster code ${milliseconds(optimize.milliseconds)}`,
    `${counted(work.lazy, "function")} compiled when first called${again}`,
    `${counted(work.eager, "function")} compiled with the code around them${never}`,
    `scripts of the program: ${fromSource} compiled from source, ${fromCache} from a code cache; of Node: ${nodeFromSource} and ${nodeFromCache}`,
    ...(lookups.hits > 0 ? [`${counted(lookups.hits, "hit")} in the cache of the isolate`] : []),
  ];
}

/** Returns a piece of advice: what to do, then why. `show` formats names. */
export function adviceText(
  advice: StartupAdvice,
  show: (name: string) => string,
  nameOf: (file: string) => string,
): string {
  switch (advice.kind) {
    case "bundle":
      return `bundle the program: ${advice.files} files are searched and read one by one`;
    case "compile-cache":
      return advice.isBuiltIn
        ? "call module.enableCompileCache() first: from the second recording on, V8 takes code from a cache"
        : "use a code cache: v8-compile-cache, or module.enableCompileCache() of Node 22";
    case "lazy":
      return `load ${show(packageName(advice.package))} where it is first used: nothing in this start uses it outside of its load`;
    case "replace":
      return `replace ${show(packageName(advice.package))}, or load a part of it: the start uses it, but it costs this to load`;
    case "module":
      return `run less of ${show(nameOf(advice.file))} at once: do its work where it is first needed`;
  }
}

/** The least share of missing callers to tell, in percent. */
const HIDDEN_SHARE = 5;

/** Returns what the report leaves out; empty for nothing. */
export function noteLines({ startup, profile }: StartupReport): string[] {
  const notes: string[] = [];
  if (startup.modules.length === 0 && startup.ticks > 0)
    notes.push("No module is on a stack: was this thread running JavaScript of a file?");
  const { missing = 0, callers = 0 } = profile.info.missingCallers ?? {};
  if (missing * 100 > HIDDEN_SHARE * callers)
    notes.push("Node's snapshot hides parts of its loader: record with --no-node-snapshot to see more.");
  if (startup.work === undefined)
    notes.push("For V8's own account in milliseconds, record with: ticks record --startup -- node app.js");
  return notes;
}

import type { Profile } from "../profile/profile.js";
import { tickInterval } from "../profile/sampling.js";
import type { Ticks } from "../profile/units.js";
import { counted, shareOf } from "../reporters/layout/numbers.js";
import { shortFiles } from "../views/short-files.js";
import type { Startup } from "../views/startup.js";
import type { StartupAdvice } from "../views/startup-advice.js";
import { loadRowsOf, type ModuleRow, moduleRows } from "../views/startup-groups.js";
import { LOAD_PHASES, type LoadCost, type StartupPackage } from "../views/startup-loads.js";
import type { StartupEnd } from "../views/startup-mark.js";
import {
  type Block,
  type CutCell,
  cutMiddleCell,
  type Figure,
  GAP,
  note,
  number,
  type Row,
  type Section,
  type Show,
  section,
  type Table,
  type Words,
} from "./page.js";
import { textLines } from "./text.js";

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

/** Loads with less than this share of the start-up are left out of the tree, in percent. */
const LEAST_SHARE = 1;
/** The most scripts of V8's work that are shown. */
const SCRIPTS = 10;

/** Returns the short name of a module. */
type NameOf = (file: string) => string;

/** Returns the page of `ticks startup`. */
export function startupPage(report: StartupReport): Block[] {
  const { profile, startup } = report;
  const nameOf = moduleNames(report);
  const heading: Block = {
    kind: "heading",
    name: profile.info.title,
    facts: untilWords(report, nameOf),
    isAbove: true,
  };
  if (startup.ticks === 0) return [heading];
  const notes = noteLines(report).map((words) => note(words, "faint"));
  const notesSection: Block = { kind: "section", title: undefined, blocks: notes };
  return [
    heading,
    section("What the time went to", phaseTable(report)),
    ...(startup.advice.length > 0
      ? [section("What may help, and the ticks that it saves at most", adviceTable(report, nameOf))]
      : []),
    section("Packages", packageTable(report)),
    { kind: "section", title: "Modules", blocks: moduleBlocks(report, nameOf) },
    section("Who loads whom", loadTree(report, nameOf)),
    ...(startup.work === undefined ? [] : [workSection(report, nameOf)]),
    ...(notes.length === 0 ? [] : [notesSection]),
  ];
}

function phaseTable(report: StartupReport): Table {
  return {
    kind: "table",
    whole: report.startup.ticks,
    columns: [...TICK_COLUMNS, { title: "" }],
    rows: phaseRows(report.startup).map(({ title, ticks }) => ({
      cells: [...tickCells(ticks, report), title],
      ticks,
    })),
  };
}

function adviceTable(report: StartupReport, nameOf: NameOf): Table {
  return {
    kind: "table",
    columns: [...TICK_COLUMNS, { title: "" }],
    rows: report.startup.advice.map((advice) => ({
      cells: [...tickCells(advice.ticks, report), adviceWords(advice, nameOf)],
      ticks: advice.ticks,
    })),
  };
}

function costTable<One extends LoadCost>(
  report: StartupReport,
  title: string,
  { rows, nameOf }: { readonly rows: readonly One[]; readonly nameOf: (row: One) => CutCell },
): Table {
  return {
    kind: "table",
    whole: report.startup.ticks,
    columns: [...COST_COLUMNS, { title }],
    rows: rows.slice(0, report.limit).map((row) => ({
      cells: [...costCells(row, report), nameOf(row)],
      ticks: row.self,
    })),
    rest: restOf(rows.length - report.limit),
  };
}

function restOf(more: number): string | undefined {
  return more > 0 ? `… ${more} more (--limit)` : undefined;
}

function packageTable(report: StartupReport): Table {
  return costTable(report, "package", {
    rows: report.startup.packages,
    nameOf: (one) => moduleCell(packageName(one), one.modules),
  });
}

function moduleBlocks(report: StartupReport, nameOf: NameOf): Block[] {
  const rows = shownModules(report);
  const table = costTable(report, "module", { rows, nameOf: (row) => rowCell(row, nameOf) });
  const isGrouped = rows.slice(0, report.limit).some(({ files }) => files.length > 1);
  const each: Block = {
    kind: "note",
    words: "(--each lists each module)",
    tone: "faint",
    isTextOnly: true,
  };
  return isGrouped ? [table, each] : [table];
}

/** Returns the loads, each below the one that it is part of. In Markdown only a code block keeps their indentation. */
function loadTree(report: StartupReport, nameOf: NameOf): Figure | Table {
  const { startup, limit } = report;
  const loads = shownLoads(report).filter(({ total }) => total * 100 >= LEAST_SHARE * startup.ticks);
  const rows = loads.slice(0, limit * 2).map(
    (row): Row => ({
      cells: [
        ...tickCells(row.total, report),
        String(row.self),
        { ...rowCell(row, nameOf), indent: 2 * row.depth },
      ],
    }),
  );
  const table: Table = {
    kind: "table",
    columns: [number("total"), number("ms"), number("share"), number("self"), { title: "module" }],
    rows,
    rest: restOf(loads.length - rows.length),
  };
  if (rows.length === 0) return table;
  return { kind: "figure", draw: (layout) => textLines([table], layout) };
}

/** Returns V8's account. */
function workSection(report: StartupReport, nameOf: NameOf): Section {
  const lines = workLines(report).map((line) => note(line));
  const { byScript = [], neverRun } = report.startup.work ?? {};
  const scripts: Table = {
    kind: "table",
    columns: [
      ...[number("parse"), number("compile"), number("functions"), number("never ran")],
      { title: "script" },
    ],
    rows: byScript.slice(0, Math.min(report.limit, SCRIPTS)).map((one) => ({
      cells: [
        milliseconds(one.parse),
        milliseconds(one.compile),
        String(one.compiled),
        neverRun === undefined ? "" : String(one.neverRun),
        cutMiddleCell(nameOf(one.file)),
      ],
    })),
  };
  const blocks = byScript.length === 0 ? lines : [...lines, GAP, scripts];
  return { kind: "section", title: "V8's work", blocks };
}

/** Returns a name, and how many modules have it. */
function moduleCell(text: string, modules: number): CutCell {
  return { text, cut: "middle", ...(modules > 1 && { marks: ` (${modules} modules)` }) };
}

/** Returns the short names of all modules of a start-up. */
function moduleNames({ startup }: StartupReport): NameOf {
  const names = shortFiles([
    ...startup.modules.map(({ file }) => file),
    ...startup.ends.flatMap(({ main = [] }) => main),
    ...(startup.work?.byScript.map(({ file }) => file) ?? []),
  ]);
  return (file) => names.get(file) ?? file;
}

/** Returns the modules to show, as rows. */
function shownModules({ startup: { modules, ticks }, each }: StartupReport): readonly ModuleRow[] {
  if (!each) return moduleRows(modules, ticks);
  return modules.map((one) => ({ ...one, files: [one.file], depth: 0 }));
}

/** Returns the loads to show, as rows. */
function shownLoads({ startup: { loads, ticks }, each }: StartupReport): readonly ModuleRow[] {
  if (!each) return loadRowsOf(loads, ticks);
  return loads.map((one) => ({ ...one, files: [one.module.file] }));
}

/** Returns the name of a row: that of its module, or what the names of its modules have in common. */
function rowCell({ files }: ModuleRow, nameOf: NameOf): CutCell {
  const names = files.map(nameOf);
  const [first = ""] = names;
  if (names.length < 2) return cutMiddleCell(first);
  let [start, end] = [0, 0];
  while (start < first.length && names.every((name) => name[start] === first[start])) start++;
  while (
    end < first.length - start &&
    names.every((name) => end < name.length - start && name.at(-1 - end) === first.at(-1 - end))
  )
    end++;
  return moduleCell(`${first.slice(0, start)}*${first.slice(first.length - end)}`, names.length);
}

/** Returns the time that ticks stand for, in milliseconds. */
function timeOf(ticks: Ticks, { info }: Profile): string {
  const interval = tickInterval(info.sampling);
  const time = (ticks * interval) / 1000;
  return time.toFixed(time < 10 && interval % 1000 !== 0 ? 1 : 0);
}

/** Returns what a package is called. */
function packageName({ origin }: Pick<StartupPackage, "origin">): string {
  if (origin.kind === "app") return "(the program)";
  if (origin.kind === "recorder") return "(ticks record)";
  return origin.kind === "node" ? "(Node's own modules)" : origin.name;
}

/** Returns the sentence that says until when the ticks count. */
function untilWords(report: StartupReport, nameOf: NameOf): Words {
  const { ends, ticks } = report.startup;
  const counts = `${counted(ticks, "tick")} (${timeOf(ticks, report.profile)} ms)`;
  const [first] = ends;
  if (first === undefined) return `${counts}: no thread to look at`;
  if (ends.length > 1)
    return (show) =>
      `${counts} in the start-ups of ${ends.length} threads, each until ${reasonOf(first, report, nameOf, show)}`;
  const time = Number.isFinite(first.time) ? `, ${milliseconds(first.time / 1000)} after the log began` : "";
  return (show) => `${counts} until ${reasonOf(first, report, nameOf, show)}${time}`;
}

function reasonOf({ by, main }: StartupEnd, report: StartupReport, nameOf: NameOf, show: Show): string {
  switch (by) {
    case "loaded": {
      const isOne = report.startup.ends.length === 1 && main !== undefined;
      return isOne ? `${show(nameOf(main))} and all that it needs were loaded` : "its main module was loaded";
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
function milliseconds(time: number): string {
  return `${time < 10 ? time.toFixed(2) : time.toFixed(time < 100 ? 1 : 0)} ms`;
}

/** A row of the table of phases: what the ticks were spent on. */
interface PhaseRow {
  readonly title: string;
  readonly ticks: Ticks;
}

/** Returns what the ticks of the start-up were spent on; the rows sum to all of them. */
function phaseRows({ phases, other }: Startup): PhaseRow[] {
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
const TICK_COLUMNS = ["ticks", "ms", "share"].map(number);

/** Returns the cells of {@link TICK_COLUMNS}. */
function tickCells(ticks: Ticks, { startup, profile }: StartupReport): string[] {
  return [String(ticks), timeOf(ticks, profile), shareOf(ticks, startup.ticks)];
}

/** The columns of a cost, before the name. */
const COST_COLUMNS = ["self", "ms", "share", "total", "find", "read", "compile", "run"].map(number);

/** Returns the cells of {@link COST_COLUMNS}. */
function costCells({ self, total, phases }: LoadCost, { startup, profile }: StartupReport): string[] {
  return [
    String(self),
    timeOf(self, profile),
    shareOf(self, startup.ticks),
    String(total),
    ...LOAD_PHASES.map((phase) => (phases[phase] === 0 ? "" : String(phases[phase]))),
  ];
}

/** Returns V8's account in short lines. */
function workLines({ startup: { work } }: StartupReport): string[] {
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

/** Returns a piece of advice: what to do, then why. */
function adviceWords(advice: StartupAdvice, nameOf: NameOf): Words {
  switch (advice.kind) {
    case "bundle":
      return `bundle the program: ${advice.files} files are searched and read one by one`;
    case "compile-cache":
      return advice.isBuiltIn
        ? "call module.enableCompileCache() first: from the second recording on, V8 takes code from a cache"
        : "use a code cache: v8-compile-cache, or module.enableCompileCache() of Node 22";
    case "lazy":
      return (show) =>
        `load ${show(packageName(advice.package))} where it is first used: nothing in this start uses it outside of its load`;
    case "replace":
      return (show) =>
        `replace ${show(packageName(advice.package))}, or load a part of it: the start uses it, but it costs this to load`;
    case "module":
      return (show) =>
        `run less of ${show(nameOf(advice.file))} at once: do its work where it is first needed`;
  }
}

/** The least share of missing callers to tell, in percent. */
const HIDDEN_SHARE = 5;

/** Returns what the report leaves out; empty for nothing. */
function noteLines({ startup, profile }: StartupReport): Words[] {
  const notes: Words[] = [];
  if (startup.modules.length === 0 && startup.ticks > 0)
    notes.push("No module is on a stack: was this thread running JavaScript of a file?");
  const { missing = 0, callers = 0 } = profile.info.missingCallers ?? {};
  if (missing * 100 > HIDDEN_SHARE * callers)
    notes.push("Node's snapshot hides parts of its loader: record with --no-node-snapshot to see more.");
  if (startup.work === undefined)
    notes.push(
      (show) =>
        `For V8's own account in milliseconds, record with: ${show("ticks record --startup -- node app.js")}`,
    );
  return notes;
}

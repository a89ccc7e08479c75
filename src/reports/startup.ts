import { dirname } from "node:path";
import { badOption } from "../base/errors.js";
import { shellWord } from "../base/shown-text.js";
import {
  amount,
  bare,
  duration,
  inTicks,
  LOG,
  milliseconds,
  named,
  share,
  type Text,
  TICK,
  TICKS,
  type Time,
  text,
  UNIT,
  WEIGHT,
} from "../base/text.js";
import type { Micros, Milliseconds, Ticks } from "../base/units.js";
import type { Analysis } from "../facts/analysis.js";
import { printable } from "../facts/label.js";
import type { LoadedModule } from "../facts/module-loads.js";
import { percentOf } from "../facts/shares.js";
import { shortFiles } from "../facts/short-files.js";
import { type Startup, startupOf } from "../facts/startup.js";
import type { StartupAdvice } from "../facts/startup-advice.js";
import { loadRowsOf, type ModuleRow, moduleRows } from "../facts/startup-groups.js";
import { LOAD_PHASES, type LoadCost, type OtherTicks, type PhaseTicks } from "../facts/startup-loads.js";
import type { StartupEnd, Until } from "../facts/startup-mark.js";
import type { LookupCounts, ScriptCounts, StartupWork } from "../facts/startup-work.js";
import { validInterval } from "../profile/clamped-numbers.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { tickInterval } from "../profile/sampling.js";
import { reportTitle } from "../profile/titles.js";
import {
  type Block,
  type Cell,
  type Column,
  type CutCell,
  cutMiddleCell,
  type Figure,
  GAP,
  note,
  number,
  type Row,
  type Section,
  section,
  type Table,
  ticksColumn,
} from "../render/page.js";
import { plainly } from "../render/spoken.js";
import { textLines } from "../render/text.js";
import { factsReport, type Shown } from "./facts-report.js";
import {
  type Count,
  type Integer,
  type JsonHead,
  jsonHead,
  jsonWeights,
  type Microseconds,
  type OriginName,
  type Percent,
} from "./json.js";
import type { NextCommand } from "./next.js";
import type { RecordingData, Surroundings } from "./report.js";
import type { StartupReportOptions } from "./report-options.js";
import { counted, refuseUntimed } from "./words.js";

/** Loads with less than this share of the start-up are left out of the tree, in percent. */
const LEAST_SHARE = 1;
/** The most scripts of V8's work that are shown. */
const SCRIPTS = 10;

/** Returns the short name of a module. */
type NameOf = (file: string) => string;

/** `ticks startup`. */
export const STARTUP = factsReport<StartupData, StartupReportOptions>({
  needs: () => ({ timeline: true, startup: true }),
  hasAllStacks: true, // The callers that the other views leave out load modules.
  lists: ["packages", "modules", "loads"],
  cut: ({ v8Work: work }, limit) => ({
    v8Work: work && { ...work, byScript: work.byScript.slice(0, limit) },
  }),
  facts: startupFacts,
  page: startupPage,
  next: nextOf,
});

/** What the parts of the page are made of. */
interface Page extends Pick<Shown<StartupReportOptions>, "info" | "limit" | "options"> {
  readonly facts: StartupData;
  readonly nameOf: NameOf;
}

function startupPage(facts: StartupData, { info, limit, options }: Shown<StartupReportOptions>): Block[] {
  const page: Page = { facts, info, limit, options, nameOf: moduleNames(facts) };
  const heading: Block = {
    kind: "heading",
    name: reportTitle(info),
    facts: untilWords(page),
    isAbove: true,
  };
  if (facts.startupTicks === 0) return [heading];
  const notes = noteLines(page).map((words) => note(words, "faint"));
  const notesSection: Block = { kind: "section", title: undefined, blocks: notes };
  return [
    heading,
    section("What the time went to", phaseTable(page)),
    ...(facts.advice.length > 0
      ? [section(text`What may help, and the ${WEIGHT} that it saves at most`, adviceTable(page))]
      : []),
    section("Packages", packageTable(page)),
    { kind: "section", title: "Modules", blocks: moduleBlocks(page) },
    section("Who loads whom", loadTree(page)),
    ...(facts.v8Work === null ? [] : [workSection(page, facts.v8Work)]),
    ...(notes.length === 0 ? [] : [notesSection]),
  ];
}

/** Returns what the costliest package does while its modules run, and when. Stacks do not tell the packages of a bundle. */
function nextOf({ packages, modules }: StartupData): NextCommand[] {
  const bundled = new Set(modules.filter(({ file }) => isBundled(file)).map((one) => one.package));
  const most = packages.find(
    (one) => one.origin === "deps" && one.phases.run > 0 && !bundled.has(one.package),
  );
  return [
    ...(most === undefined
      ? []
      : [
          {
            command: "ticks tree",
            options: `--focus ${shellWord(escaped(most.package))}`,
            why: text`what the code of ${named(most.package)} calls`,
          },
        ]),
    { command: "ticks timeline", why: "what came when" },
  ];
}

/** Whether a module of a package is in a bundle, which is named as if it were a folder. */
function isBundled(file: string): boolean {
  const folder = file.slice(0, Math.max(0, file.lastIndexOf("/node_modules/")));
  return [".js", ".mjs", ".cjs"].some((end) => folder.endsWith(end));
}

/** Returns a regular expression of a name. */
function escaped(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function phaseTable(page: Page): Table {
  return {
    kind: "table",
    whole: page.facts.startupTicks,
    columns: [...tickColumns(page), { title: "" }],
    rows: phaseRows(page).map(({ title, ticks }) => ({
      cells: [...tickCells(ticks, page), title],
      ticks,
    })),
  };
}

function adviceTable(page: Page): Table {
  return {
    kind: "table",
    columns: [...tickColumns(page), { title: "" }],
    rows: page.facts.advice.map((advice) => ({
      cells: [...tickCells(advice.ticks, page), adviceWords(advice, page)],
      ticks: advice.ticks,
    })),
  };
}

function costTable<One extends LoadCost>(
  page: Page,
  title: string,
  { rows, nameOf }: { readonly rows: readonly One[]; readonly nameOf: (row: One) => CutCell },
): Table {
  const { facts, info, limit } = page;
  const [shown, light] = parted(rows, (row) => row.self * measuredInterval(info) < SHORT);
  const tableRows = shown
    .slice(0, limit)
    .map((row): Row => ({ cells: [...costCells(row, page), nameOf(row)], ticks: row.self }));
  if (light.length > 0) tableRows.push(lightRow(page, light, title));
  return {
    kind: "table",
    whole: facts.startupTicks,
    columns: [...costColumns(page), { title }],
    rows: tableRows,
    rest: restOf(shown.length - limit),
  };
}

/** Rows of less time are one, in µs. */
const SHORT = 1000;

/** Returns the rows that are told each, and those that are told together: one alone is not. */
function parted<Item>(
  rows: readonly Item[],
  isLight: (row: Item) => boolean,
): [readonly Item[], readonly Item[]] {
  const light = rows.filter(isLight);
  return light.length < 2 ? [rows, []] : [rows.filter((row) => !isLight(row)), light];
}

/** Returns the row of all modules or packages that took less than 1 ms each. Their totals are in each other. */
function lightRow(page: Page, rows: readonly LoadCost[], noun: string): Row {
  const sum = (of: (row: LoadCost) => Ticks) => rows.reduce((all, row) => all + of(row), 0);
  const self = sum((row) => row.self);
  const phases = LOAD_PHASES.map((phase) => sum((row) => row.phases[phase]));
  return {
    cells: [
      ...[...tickCells(self, page), ""],
      ...phases.map((ticks) => (ticks === 0 ? "" : amount(ticks))),
      `${counted(rows.length, noun)} under 1 ms each`,
    ],
    ticks: self,
    isRest: true,
  };
}

function restOf(more: number): string | undefined {
  return more > 0 ? `… ${more} more (--limit)` : undefined;
}

function packageTable(page: Page): Table {
  return costTable(page, "package", {
    rows: page.facts.packages,
    nameOf: (one) => moduleCell(packageName(one), one.modules),
  });
}

function moduleBlocks(page: Page): Block[] {
  const rows = shownModules(page);
  const table = costTable(page, "module", { rows, nameOf: (row) => rowCell(row, page.nameOf) });
  const isGrouped = rows.slice(0, page.limit).some(({ files }) => files.length > 1);
  const each: Block = {
    kind: "note",
    words: "(--each lists each module)",
    tone: "faint",
    isTextOnly: true,
  };
  return isGrouped ? [table, each] : [table];
}

/** Returns the loads, each below the one that it is part of. In Markdown only a code block keeps their indentation. */
function loadTree(page: Page): Figure | Table {
  const { facts, limit, nameOf } = page;
  const loads = shownLoads(page).filter(({ total }) => total * 100 >= LEAST_SHARE * facts.startupTicks);
  const rows = loads.slice(0, limit * 2).map(
    (row): Row => ({
      cells: [
        ...tickCells(row.total, page),
        amount(row.self),
        { ...rowCell(row, nameOf), indent: 2 * row.depth },
      ],
    }),
  );
  const table: Table = {
    kind: "table",
    columns: [...tickColumns(page, "total"), ticksColumn("self"), { title: "module" }],
    rows,
    rest: restOf(loads.length - rows.length),
  };
  if (rows.length === 0) return table;
  return { kind: "figure", draw: (layout) => textLines([table], layout) };
}

/** Returns V8's account. */
function workSection({ nameOf, limit }: Page, work: V8WorkData): Section {
  const lines = workLines(work).map((line) => note(line));
  const { byScript } = work;
  const [heavy, light] = parted(byScript, (one) => (one.parseMs + one.compileMs) * 1000 < SHORT);
  const rowOf = (one: Omit<ScriptWorkData, "file">, name: Cell): Row => ({
    cells: [
      v8Time(one.parseMs),
      v8Time(one.compileMs),
      String(one.functions),
      one.neverRun === null ? "" : String(one.neverRun),
      name,
    ],
  });
  const scripts: Table = {
    kind: "table",
    columns: [
      ...[number("parse"), number("compile"), number("functions"), number("never ran")],
      { title: "script" },
    ],
    rows: [
      ...heavy.slice(0, Math.min(limit, SCRIPTS)).map((one) => rowOf(one, cutMiddleCell(nameOf(one.file)))),
      ...(light.length > 0
        ? [rowOf(allOf(light), `${counted(light.length, "script")} under 1 ms each`)]
        : []),
    ],
  };
  const blocks = byScript.length === 0 ? lines : [...lines, GAP, scripts];
  return { kind: "section", title: "V8's work", blocks };
}

/** Returns the sum of what V8 did for scripts. */
function allOf(scripts: readonly ScriptWorkData[]): Omit<ScriptWorkData, "file"> {
  const sum = (key: "parseMs" | "compileMs" | "functions") => scripts.reduce((all, one) => all + one[key], 0);
  return {
    parseMs: sum("parseMs"),
    compileMs: sum("compileMs"),
    functions: sum("functions"),
    neverRun: scripts.reduce<number | null>(
      (all, { neverRun: one }) => (one === null ? null : (all ?? 0) + one),
      null,
    ),
  };
}

/** Returns a name, and how many modules have it. */
function moduleCell(text: string, modules: number): CutCell {
  return { text, cut: "middle", ...(modules > 1 && { marks: ` (${modules} modules)` }) };
}

/** Returns the short names of all modules of a start-up. */
function moduleNames({ modules, ends, v8Work }: StartupData): NameOf {
  const names = shortFiles([
    ...modules.map(({ file }) => file),
    ...ends.flatMap(({ main }) => main ?? []),
    ...(v8Work?.byScript.map(({ file }) => file) ?? []),
  ]);
  return (file) => names.get(file) ?? file;
}

/** Returns the modules to show, as rows. */
function shownModules({ facts: { modules, startupTicks }, options }: Page): readonly ModuleRow[] {
  if (!options.each) return moduleRows(modules, startupTicks);
  return modules.map((one) => ({ ...one, files: [one.file], depth: 0 }));
}

/** Returns the loads to show, as rows. */
function shownLoads({ facts: { loads, startupTicks }, options }: Page): readonly ModuleRow[] {
  if (!options.each) return loadRowsOf(loads, startupTicks);
  return loads.map((one) => ({ ...one, files: [one.file] }));
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

/** Returns the mean time between ticks, as `ticks top` says it: what was measured, if it was. */
function measuredInterval({ sampling, tickTime }: Profile["info"]): Micros {
  return tickTime ?? validInterval(sampling.got) ?? tickInterval(sampling);
}

/** Returns the time that ticks stand for, in milliseconds. */
function timeOf(ticks: Ticks, info: ProfileInfo): Time {
  return milliseconds(ticks * measuredInterval(info));
}

/** Returns what a package is called. */
function packageName({ origin, package: name }: Pick<PackageLoadData, "origin" | "package">): string {
  if (origin === "app") return "(the program)";
  if (origin === "recorder") return "(ticks record)";
  return origin === "node" ? "(Node's own modules)" : name;
}

/** Returns the sentence that says until when the ticks count. */
function untilWords(page: Page): Text {
  const { facts, info } = page;
  const { ends, startupTicks: ticks } = facts;
  const counts =
    info.tickTime === undefined ? text`${inTicks(ticks)} (${timeOf(ticks, info)})` : inTicks(ticks);
  const [first] = ends;
  if (first === undefined) return text`${counts}: no thread to look at`;
  if (ends.length > 1)
    return text`${counts} in the start-ups of ${counted(ends.length, "thread")}, each until ${reasonOf(first, page)}`;
  const time = first.untilUs === null ? "" : text`, ${duration(first.untilUs)} after the ${LOG} began`;
  return text`${counts} until ${reasonOf(first, page)}${time}`;
}

function reasonOf({ by, main }: StartupEndData, { facts, options: { until }, nameOf }: Page): Text {
  switch (by) {
    case "loaded":
      return facts.ends.length === 1 && main !== null
        ? text`${named(nameOf(main))} and all that it needs were loaded`
        : "its main module was loaded";
    case "time":
      return "the time asked for";
    case "first-idle":
      return "the program first waited";
    case "mark":
      return text`the first ${TICK} of ${named(until?.kind === "mark" ? until.name : "")}`;
    case "stop":
      return "--until stopped the recording";
    case "log":
      return text`the end of the ${LOG}`;
  }
}

/** Returns a time that V8 measured. */
function v8Time(ms: number): Time {
  return milliseconds(ms * 1e3);
}

/** A row of the table of phases: what the ticks were spent on. */
interface PhaseRow {
  readonly title: string;
  readonly ticks: Ticks;
}

/** Returns what the ticks of the start-up were spent on; the rows sum to all of them. */
function phaseRows({ facts: { phases, other }, info }: Page): PhaseRow[] {
  // Profiles come from other runtimes, too; and (program) of some includes waiting.
  const runtime = info.input === undefined ? "Node" : "the runtime";
  const orWaits = info.threads.some(({ isIdleUnknown }) => isIdleUnknown) ? ", or waiting" : "";
  const rows = [
    { title: "run the code of modules", ticks: phases.run },
    { title: "compile modules and their functions", ticks: phases.compile },
    { title: "read files of modules", ticks: phases.read },
    { title: "find files of modules", ticks: phases.resolve },
    { title: "Node's module loader, other work", ticks: other.loader },
    { title: `${runtime}'s own start${orWaits}`, ticks: other.start },
    { title: "garbage collection", ticks: other.gc },
    { title: "the program, outside of loads", ticks: other.program },
    { title: "idle", ticks: other.idle },
  ];
  return rows.filter(({ ticks }) => ticks > 0);
}

/** The columns before a text. */
function tickColumns({ info }: Page, title: Text = UNIT): Column[] {
  return [ticksColumn(title), ...(hasOwnTimes(info) ? [number("ms")] : []), number("share")];
}

/** Whether ms are other numbers than ticks: those that are a millisecond apart, or weigh their time, are told once. */
function hasOwnTimes(info: ProfileInfo): boolean {
  return info.tickTime === undefined && Math.abs(measuredInterval(info) - 1000) >= SAME_TIME;
}

/** Intervals so near to 1 ms are it, in µs: of a hundred ticks no more than one ms is another number. */
const SAME_TIME = 10;

/** Returns the cells of {@link tickColumns}. Where samples weigh their time, ticks are ms already. */
function tickCells(ticks: Ticks, { facts, info }: Page): Text[] {
  const time = hasOwnTimes(info) ? [bare(timeOf(ticks, info))] : [];
  return [amount(ticks), ...time, share(ticks, facts.startupTicks)];
}

/** Returns the columns of a cost, before the name. */
function costColumns(page: Page): Column[] {
  return [
    ...tickColumns(page, "self"),
    ...["total", "find", "read", "compile", "run"].map((title) => ticksColumn(title)),
  ];
}

/** Returns the cells of {@link costColumns}. */
function costCells({ self, total, phases }: LoadCost, page: Page): Text[] {
  return [
    ...tickCells(self, page),
    amount(total),
    ...LOAD_PHASES.map((phase) => (phases[phase] === 0 ? "" : amount(phases[phase]))),
  ];
}

/** Returns V8's account in short lines. */
function workLines(work: V8WorkData): Text[] {
  const { parse, preparse, compile, optimize, neverRun, compiledTwice, scripts, lookups } = work;
  const { fromSource, fromCache, nodeFromSource, nodeFromCache } = scripts;
  const never =
    neverRun === null
      ? text` (this ${LOG} does not say which of them ran)`
      : text`, of which ${String(neverRun.count)} never ran (${v8Time(neverRun.ms)})`;
  const again =
    compiledTwice.count === 0
      ? ""
      : text`; ${String(compiledTwice.count)} compiled again (${v8Time(compiledTwice.ms)})`;
  return [
    text`parse ${v8Time(parse.ms)}, of which ${v8Time(preparse.ms)} in ${counted(preparse.count, "function")} only checked`,
    text`compile to bytecode ${v8Time(compile.ms)}, to faster code ${v8Time(optimize.ms)}`,
    `${counted(work.lazyFunctions, "function")} compiled when first called${again}`,
    text`${counted(work.eagerFunctions, "function")} compiled with the code around them${never}`,
    `scripts of the program: ${fromSource} compiled from source, ${fromCache} from a code cache; of Node: ${nodeFromSource} and ${nodeFromCache}`,
    ...(lookups.hits > 0 ? [`${counted(lookups.hits, "hit")} in the cache of the isolate`] : []),
  ];
}

/** Returns a piece of advice: what to do, then why. */
function adviceWords(advice: StartupAdviceData, { facts, info, nameOf }: Page): Text {
  const { kind, package: name, file } = advice;
  switch (kind) {
    case "bundle":
      return `bundle the program: ${facts.files} files are searched and read one by one`;
    case "compile-cache":
      return hasCompileCache(info)
        ? "call module.enableCompileCache() first: from the second recording on, V8 takes code from a cache"
        : "use a code cache: v8-compile-cache, or module.enableCompileCache() of Node 22";
    case "lazy":
      return text`load ${named(name ?? "")} where it is first used: nothing in this start uses it outside of its load`;
    case "replace":
      return text`replace ${named(name ?? "")}, or load a part of it: the start uses it, but it costs this to load`;
    case "module":
      return text`run less of ${named(nameOf(file ?? ""))} at once: do its work where it is first needed`;
  }
}

/** Returns whether Node has `module.enableCompileCache`: from 22.1 on. Node 22 has V8 12.4. */
function hasCompileCache({ v8 }: ProfileInfo): boolean {
  return v8.every(({ major, minor }) => major > 12 || (major === 12 && minor >= 4));
}

/** The least share of missing callers to tell, in percent. */
const HIDDEN_SHARE = 5;

/** Returns what the report leaves out; empty for nothing. */
function noteLines({ facts, info }: Page): Text[] {
  const notes: Text[] = [];
  if (facts.modules.length === 0 && facts.startupTicks > 0)
    notes.push("No module is on a stack: was this thread running JavaScript of a file?");
  if (info.input !== undefined && facts.modules.length > 0 && facts.ends.every(({ main }) => main === null))
    notes.push(
      text`The ${LOG} has no main module, so it may have begun later: these modules were loaded by what ran already.`,
    );
  const { missing = 0, callers = 0 } = info.missingCallers ?? {};
  if (missing * 100 > HIDDEN_SHARE * callers)
    notes.push("Node's snapshot hides parts of its loader: record with --no-node-snapshot to see more.");
  if (facts.v8Work === null)
    notes.push(
      text`For V8's own account in milliseconds, record with: ${named("ticks record --startup -- node app.js")}`,
    );
  return notes;
}

/**
 * All weights are numbers of ticks, except those of v8Work, which V8 measured. A tick is not a time. Percentages are of
 * startupTicks.
 * @id startup.schema.json
 * @title ticks startup --format json, schema version 1
 */
export interface StartupData extends JsonHead<"startup"> {
  /** All ticks of the logs but the excluded ones. */
  readonly ticks: Ticks;
  /** Where the start-up of each thread ends. */
  readonly ends: readonly StartupEndData[];
  /** The ticks until then: the self ticks of all modules and all ticks of other. */
  readonly startupTicks: Ticks;
  /** The time that a tick stands for, in microseconds. */
  readonly tickUs: Integer;
  readonly phases: PhaseTicks;
  readonly other: OtherTicks;
  /** How many scripts of the program V8 made code of until then. */
  readonly files: Count;
  /** The most self ticks first. Their self ticks sum to those of all modules. */
  readonly packages: readonly PackageLoadData[];
  /** The most self ticks first. */
  readonly modules: readonly ModuleLoadData[];
  /** The tree of loads: each load stands before those inside of it, the costliest first. */
  readonly loads: readonly LoadData[];
  /** V8's own account. null without --log-function-events. */
  readonly v8Work: V8WorkData | null;
  /** What saves most first. The savings overlap. */
  readonly advice: readonly StartupAdviceData[];
}

export interface StartupEndData {
  /** The name of the thread. */
  readonly thread: string;
  /**
   * What ends the start-up: the main module and all that it needs are loaded; the time of --until; the first wait; the first
   * tick of what --until names; or the log.
   */
  readonly by: StartupEnd["by"];
  /** The last moment that counts, in microseconds since the log began. null for the whole log. */
  readonly untilUs: Microseconds | null;
  /** The first module of the program. null if the log has none. */
  readonly main: string | null;
}

export interface LoadWeights {
  /** Ticks of its own load. */
  readonly self: Ticks;
  readonly selfPercent: Percent;
  /** Ticks of its load and of all that it loads, with Node's loader. */
  readonly total: Ticks;
  readonly totalPercent: Percent;
  readonly phases: PhaseTicks;
}

export interface PackageLoadData extends LoadWeights {
  readonly origin: OriginName;
  /** The npm package, app for the program, or node. */
  readonly package: string;
  /** How many of its modules have ticks. */
  readonly modules: Count;
  /** Ticks in its code, and in what it called, outside of its own loads, in the whole log. */
  readonly used: Ticks;
}

export interface ModuleData {
  /** As logged, or as its source map or bundler names it. */
  readonly file: string;
  readonly origin: OriginName;
  /** The npm package, app for the program, or node. */
  readonly package: string;
}

export interface ModuleLoadData extends ModuleData, LoadWeights {
  /** The module that loaded it; null for none. */
  readonly parent: string | null;
}

export interface LoadData extends ModuleData, LoadWeights {
  /** How many loads are around it. */
  readonly depth: Count;
}

/** How often V8 did something, and how long that took. */
export interface WorkSumData {
  readonly count: Count;
  readonly ms: Milliseconds;
}

export interface V8WorkData {
  /** Parsing of scripts and functions, with what is preparsed inside of them. */
  readonly parse: WorkSumData;
  /** Functions that were only checked; a part of parse. */
  readonly preparse: WorkSumData;
  /** Compiling to bytecode. */
  readonly compile: WorkSumData;
  /** Compiling to faster code. */
  readonly optimize: WorkSumData;
  /** Functions that ran for the first time. */
  readonly firstRuns: Count;
  /** Functions compiled when they were first called. */
  readonly lazyFunctions: Count;
  /** Functions compiled with the code around them. */
  readonly eagerFunctions: Count;
  /** Those of them that never ran, and the time to compile them. null if the log does not say. */
  readonly neverRun: WorkSumData | null;
  /** Functions compiled again, and the time for that. */
  readonly compiledTwice: WorkSumData;
  readonly scripts: ScriptCounts;
  readonly lookups: LookupCounts;
  /** The sums of V8's rows by step. Steps are parts of others: the times do not add up. */
  readonly events: readonly EventSumData[];
  /** The program's scripts, the most time first. */
  readonly byScript: readonly ScriptWorkData[];
}

export interface EventSumData extends WorkSumData {
  /** V8's name of a step. */
  readonly event: string;
}

export interface ScriptWorkData {
  /** As logged. */
  readonly file: string;
  readonly parseMs: Milliseconds;
  readonly compileMs: Milliseconds;
  /** How many functions were compiled. */
  readonly functions: Count;
  /** Those compiled with the code around them that never ran. null if the log does not say. */
  readonly neverRun: Count | null;
}

export interface StartupAdviceData {
  /**
   * What may help: a bundle; a code cache; loading a package where it is first used; replacing a package; doing the work of a
   * module of the program later.
   */
  readonly kind: StartupAdvice["kind"];
  /** What it saves at most. */
  readonly ticks: Ticks;
  /** The package to load later or to replace. */
  readonly package: string | null;
  /** The module of the program. */
  readonly file: string | null;
  readonly percent: Percent;
}

/** Returns the document of `ticks startup`. Throws a {@link TicksError} if no tick has the name that the user gave. */
function startupFacts(
  profile: Analysis,
  { options: { until } }: Shown<StartupReportOptions>,
  { recordings }: Surroundings,
): StartupData {
  refuseUntimed(profile, "what came first");
  if (isOfPage(profile))
    throw badOption(
      "ticks startup reads how a program of Node, Deno or Bun starts: this profile is of a page, which has no main module",
      "ticks timeline shows what came first, and ticks top what took the time.",
    );
  const startup = foundStartup(profile, until ?? usualEnd(profile, recordings()));
  const { ends, ticks: whole, phases, other, files, modules, packages, loads, work, advice } = startup;
  const scale = { whole, tickTime: profile.info.tickTime };
  const cost = (one: LoadCost): LoadWeights => ({ ...jsonWeights(one, scale), phases: one.phases });
  return {
    ...jsonHead("startup", profile),
    ends: ends.map(({ thread, by, time, main }) => ({
      thread: profile.info.threads[thread]!.name,
      by,
      untilUs: Number.isFinite(time) ? time : null,
      main: main ?? null,
    })),
    startupTicks: whole,
    tickUs: Math.round(measuredInterval(profile.info)),
    phases,
    other,
    files,
    packages: packages.map((one) => ({
      origin: one.origin.kind,
      package: one.origin.name,
      modules: one.modules,
      used: one.used,
      ...cost(one),
    })),
    modules: modules.map((one) => ({
      ...moduleOf(one),
      parent: one.parent ?? null,
      ...cost(one),
    })),
    loads: loads.map((one) => ({
      ...moduleOf(one.module),
      depth: one.depth,
      ...cost(one),
    })),
    v8Work: work === undefined ? null : workOf(work),
    advice: advice.map((one) => ({ ...adviceOf(one), percent: percentOf(one.ticks, whole) })),
  };
}

/** Returns whether a profile is of a page in a browser: it has scripts of the web, and none of a runtime or of files. */
function isOfPage({ info, table }: Analysis): boolean {
  if (info.input === undefined) return false;
  const scripts = table.functions.filter(
    ({ frame, file }) => frame.kind === "js" && file !== undefined && file !== "",
  );
  if (scripts.some(({ origin }) => origin.kind === "node")) return false;
  const isOfBrowser = info.threads.some(({ label }) => label !== undefined && /^Cr[A-Z]\w+Main$/.test(label));
  return (
    isOfBrowser ||
    (scripts.length > 0 && scripts.every(({ file }) => /^(?:https?|chrome-extension|blob|data):/.test(file!)))
  );
}

/**
 * Returns where a start-up ends if the user does not say: where `--until` of `ticks record` stopped the program, which is the end
 * of its logs; else where the main module is loaded.
 */
function usualEnd({ info }: Profile, recordings: readonly RecordingData[]): Until {
  const folders = new Set(info.logs.map((log) => dirname(log)));
  const stopped = recordings.filter(({ outcome }) => outcome?.stoppedBy === "--until");
  return { kind: stopped.length > 0 && stopped.length === folders.size ? "stop" : "loaded" };
}

function foundStartup(profile: Profile, end: Until): Startup {
  try {
    const found = startupOf(profile, end);
    if (found !== undefined) return found;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badOption(`--until: invalid regular expression: ${printable(error.message)}`);
  }
  const name = end.kind === "mark" ? printable(end.name) : "";
  throw badOption(
    plainly(text`--until ${named(name)}: no function or file of this name has ${TICKS}`, profile.info),
    "ticks function LOG NAME finds functions. A start-up can also end at a time: --until 500.",
  );
}

function moduleOf({ file, origin }: LoadedModule): ModuleData {
  return { file, origin: origin.kind, package: origin.name };
}

/** V8's times are whole microseconds; sums of doubles are not. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

function sumOf({
  count,
  milliseconds,
}: {
  readonly count: number;
  readonly milliseconds: number;
}): WorkSumData {
  return { count, ms: rounded(milliseconds) };
}

function workOf(work: StartupWork): V8WorkData {
  const { events, parse, preparse, compile, optimize, neverRun, compiledTwice, scripts, lookups } = work;
  return {
    parse: sumOf(parse),
    preparse: sumOf(preparse),
    compile: sumOf(compile),
    optimize: sumOf(optimize),
    firstRuns: work.firstRuns,
    lazyFunctions: work.lazy,
    eagerFunctions: work.eager,
    neverRun: neverRun === undefined ? null : sumOf(neverRun),
    compiledTwice: sumOf(compiledTwice),
    scripts,
    lookups,
    events: events.map(({ event, ...sum }) => ({ event, ...sumOf(sum) })),
    byScript: work.byScript.map((one) => ({
      file: one.file,
      parseMs: rounded(one.parse),
      compileMs: rounded(one.compile),
      functions: one.compiled,
      neverRun: neverRun === undefined ? null : one.neverRun,
    })),
  };
}

function adviceOf(advice: StartupAdvice): Omit<StartupAdviceData, "percent"> {
  const { kind, ticks } = advice;
  const isOfPackage = kind === "lazy" || kind === "replace";
  return {
    kind,
    ticks,
    package: isOfPackage ? advice.package.origin.name : null,
    file: kind === "module" ? advice.file : null,
  };
}

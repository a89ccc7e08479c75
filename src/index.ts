/**
 * The library: reads V8 tick logs for programs.
 *
 *     import { analyze, openLog, defaultSources, textReporter } from "v8-ticks";
 *     const profile = await analyze(openLog("isolate.log"), { sources: defaultSources() });
 *     for (const line of textReporter.report(profile, {})) console.log(line);
 */
export { type AnalyzeOptions, analyze } from "./analyze.js";
export { TicksError, type TicksErrorCode } from "./errors.js";
export type { Exporter } from "./exporters/exporter.js";
export { EXPORTERS } from "./exporters/exporters.js";
export { flameDocument, type PageParts } from "./exporters/flame/flame-document.js";
export { openLog } from "./io/input.js";
export { readPageParts } from "./io/page-parts.js";
export { type SourceFiles, type SourceRoot, sourceFilesUnder } from "./io/source-files.js";
export type { LogChunks, LogRest } from "./log-chunks.js";
export { type CallTree, ROOT, stackOf } from "./profile/call-tree.js";
export type { Deopt, DeoptCharge, Deopts } from "./profile/deopt.js";
export { filterStates } from "./profile/filter.js";
export type {
  CodeFrame,
  Frame,
  JsFrame,
  NativeFrame,
  Tier,
  UnknownFrame,
  UnknownReason,
} from "./profile/frame.js";
export type { LibraryProblem, LogPlatform, SourceProblem } from "./profile/library-problem.js";
export { mergeProfiles, ProfileMerger } from "./profile/merge.js";
export type {
  Diagnostic,
  LibraryInfo,
  Profile,
  ProfileInfo,
  ThreadInfo,
  ThreadKind,
  ThreadOrigin,
} from "./profile/profile.js";
export type { SampleTable } from "./profile/sample-table.js";
export type { Address, LinkAddress, Micros, Ticks } from "./profile/units.js";
export type { V8Version } from "./profile/v8-version.js";
export { VM_STATES, type VmState, type VmStateName, vmState } from "./profile/vm-state.js";
export type { TickRangeOptions } from "./recorder/tick-range.js";
export type { Style } from "./reporters/layout/style.js";
export { TERMINAL } from "./reporters/layout/terminal-style.js";
export { jsonReporter } from "./reporters/process/json.js";
export type { Reporter, ReportOptions } from "./reporters/process/reporter.js";
export { REPORTERS } from "./reporters/process/reporters.js";
export { textReporter } from "./reporters/process/text.js";
export { defaultCacheFolder } from "./symbols/cache/cache-folder.js";
export { SymbolCache } from "./symbols/cache/symbol-cache.js";
export { type RecordedSymbols, readRecordedSymbols } from "./symbols/recorded-symbols.js";
export { defaultSources, type SourceOptions } from "./symbols/sources.js";
export type {
  Library,
  LibraryFile,
  LoadedFunctions,
  SymbolSource,
} from "./symbols/symbol-source.js";
export type { SymbolTable } from "./symbols/table/symbol-table.js";
export { type BottomUpOptions, bottomUp, type HeavyNode } from "./views/bottom-up.js";
export { costlyDeopts, type DeoptRow, type DeoptView, deoptView } from "./views/deopts.js";
export { type EntryPoint, entryPoints } from "./views/entry-points.js";
export { CODE_KINDS, type CodeKind, filterProfile, type ProfileFilter } from "./views/filter-profile.js";
export { type FlatRow, flatRows, type TotaledRow, totaledRows } from "./views/flat.js";
export { type Callable, FunctionStacks } from "./views/function-stacks.js";
export { FunctionTable, type ProfiledFunction } from "./views/function-table.js";
export { functionTicks, type GroupTicks } from "./views/function-ticks.js";
export { type FunctionTree, heavy, topDown } from "./views/function-tree.js";
export { kindOf as categoryOf, labelOf, printable } from "./views/label.js";
export type { GroupBy, Lane } from "./views/lanes.js";
export { type LineTicks, lineTicks } from "./views/line-ticks.js";
export { type ProblemWords, problemWords } from "./views/problem-words.js";
export { type SeparateOptions, StackLabels } from "./views/stack-labels.js";
export { type ThreadTimeline, threadTimelines } from "./views/thread-timelines.js";
export { type HottestFunction, type ThreadTotals, threadTotals } from "./views/thread-totals.js";
export { type Totals, totals } from "./views/totals.js";
export { type TreeLimits, type TreeRow, type TreeRows, treeRows } from "./views/tree-rows.js";

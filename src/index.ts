/**
 * The library: reads V8 tick logs for programs.
 *
 * ```ts
 * import { analyze, defaultSources, openLog, REPORTERS } from "v8-ticks";
 *
 * const profile = await analyze(openLog("isolate.log"), { sources: defaultSources() });
 * for await (const line of REPORTERS.top.text(profile)) console.log(line);
 * ```
 *
 * @packageDocumentation
 */
export { type AnalyzeOptions, analyze } from "./analyze.js";
export type {
  Budget,
  BudgetVerdict,
  CheckedBudget,
  Metric,
} from "./compare/budgets.js";
export type {
  Cause,
  Change,
  ChangedLine,
  Diff,
  DiffRow,
  Part,
  PerRun,
  RunAmount,
  SureAmount,
  Unsettled,
  Verdict,
} from "./compare/diff-model.js";
export type { MatchedBy } from "./compare/row-matches.js";
export type { RowName, RunGroup } from "./compare/run-groups.js";
export type { DeoptCount, RunRow, RunSummary } from "./compare/run-summary.js";
export type { Scale, ScaleName, Unit } from "./compare/scales.js";
export type { Selector } from "./compare/selections.js";
export { TicksError, type TicksErrorCode } from "./errors.js";
export type { Exporter, ExportOptions } from "./exporters/export-options.js";
export { EXPORTERS } from "./exporters/exporters.js";
export type { LabelFilter, LabelPattern } from "./inputs/v8-profile.js";
export { type OpenLogOptions, openLog } from "./io/input.js";
export { type LogOrigin, originOfLog } from "./io/log-origin.js";
export { type SourceFiles, type SourceRoot, sourceFilesUnder } from "./io/source-files.js";
export { type LoadLogsOptions, loadLogs, openSymbolCache, readMapFile } from "./library/load-logs.js";
export {
  type CallTreeOptions,
  type CoverageReport,
  callTree,
  coverageOf,
  deoptsOf,
  flamePage,
  flatRows,
  hotLines,
  icsOf,
  type ThreadSlices,
  timelineOf,
  topOf,
  totals,
} from "./library/profile-views.js";
export { REPORTERS, type Reporter, type Reporters, type ReporterTable } from "./library/reporter-table.js";
export {
  type BudgetInput,
  type CompareOptions,
  checkRuns,
  compareRuns,
  type ReadRunsOptions,
  type RunsToCheck,
  readRuns,
} from "./library/runs.js";
export type { CompressionDiagnostic, LogChunks, LogRest } from "./log-chunks.js";
export type { ReadProgress } from "./log-feeder.js";
export { type CallTree, ROOT, stackOf } from "./profile/call-tree.js";
export type { DemotedFunction, Deopt, DeoptCharge, Deopts } from "./profile/deopt.js";
export type {
  CodeFrame,
  Frame,
  JsFrame,
  NativeFrame,
  Tier,
  UnknownFrame,
  UnknownReason,
} from "./profile/frame.js";
export type { FunctionIdentities, FunctionIdentity } from "./profile/function-identity.js";
export type {
  IcCharge,
  IcPlace,
  IcSite,
  IcStateStep,
  Ics,
  IcTimes,
  NoSiteReason,
} from "./profile/inline-caches.js";
export type { LibraryProblem, LogPlatform, SourceProblem } from "./profile/library-problem.js";
export type { FileTimes } from "./profile/log-start.js";
export type { LoggedName } from "./profile/logged-name.js";
export { mergeProfiles } from "./profile/merge.js";
export type {
  CpuTime,
  Diagnostic,
  InputKind,
  LibraryInfo,
  MissingCallers,
  Profile,
  ProfileInfo,
  RangeRows,
  RecordedTime,
  ScriptHashes,
  SourceText,
  ThreadInfo,
  ThreadKind,
  ThreadOrigin,
  ThreadProgram,
  WaitedTicks,
} from "./profile/profile.js";
export type { SampleTable } from "./profile/sample-table.js";
export type { Sampling, SlowSampling } from "./profile/sampling.js";
export { type StackOptions, shownStacks } from "./profile/shown-stacks.js";
export type {
  CacheLookup,
  FunctionEvents,
  ModuleCode,
  ScriptLoad,
  StartupLog,
} from "./profile/startup-log.js";
export type { TickColumns, Timeline } from "./profile/timeline.js";
export type { Address, LinkAddress, Micros, Ticks } from "./profile/units.js";
export type { V8Version } from "./profile/v8-version.js";
export { VM_STATES, type VmState, type VmStateName } from "./profile/vm-state.js";
export type { DeoptsForm, IcsForm, TimelineForm } from "./recorder/recording.js";
export type { TickRangeOptions } from "./recorder/tick-range.js";
export type {
  FunctionReportOptions,
  IcsReportOptions,
  LinesReportOptions,
  ListReportOptions,
  ProcessReportOptions,
  ReportLayout,
  ReportSources,
  StackReportOptions,
  StartupReportOptions,
  ThreadsReportOptions,
  TimelineReportOptions,
  TopReportOptions,
  TreeReportOptions,
  ViewOptions,
} from "./reports/report-options.js";
export { plainly, type Unit as TextUnit } from "./reports/spoken.js";
export type { ColumnsOf, LinesOf, NamedFunctions } from "./symbolizer/inline-stacks.js";
export type { ReadMapFile } from "./symbolizer/source-maps.js";
export type {
  BinaryFile,
  ElfFile,
  ImageRange,
  MachOFile,
  MachOSymbolTable,
  PdbLink,
  PeFile,
  PeSection,
  Segment,
  StringsRange,
} from "./symbols/binary-file.js";
export type { BuiltinFrames, FramesByBuiltin } from "./symbols/builtin-frames.js";
export type { MappedCode } from "./symbols/process-map.js";
export type { RecordedLibrary } from "./symbols/recorded-symbols.js";
export { type RecordedSymbols, readRecordedSymbols } from "./symbols/recorded-symbols.js";
export type {
  AssignedLibrary,
  AssignedSymbols,
  MappedTable,
  SavedFunctions,
} from "./symbols/saved-symbols.js";
export { defaultSources, type SourceOptions } from "./symbols/sources.js";
export type { SymbolCache } from "./symbols/symbol-cache.js";
export type {
  Library,
  LibraryFile,
  LoadedFunctions,
  SymbolSource,
} from "./symbols/symbol-source.js";
export type { SymbolTable } from "./symbols/symbol-table.js";
export { VERSION } from "./version.js";
export { type BreakdownRow, breakdown, type Category } from "./views/breakdown.js";
export type { ShareRange } from "./views/confidence.js";
export type {
  Coverage,
  CoverageCategory,
  IdleTicks,
  InferredIdle,
  LibraryCoverage,
  SharedFile,
  Warning,
} from "./views/coverage.js";
export type {
  DeoptimizedFunction,
  DeoptRow,
  DeoptView,
  SourcePosition,
  SuspectedFunction,
  WhyNoDeopts,
} from "./views/deopts.js";
export { type CodeKind, filterProfile, type ProfileFilter, withoutWaits } from "./views/filter-profile.js";
export type { Finding, FindingKind, FindingPlace } from "./views/findings.js";
export type { FlatRow, TotaledRow } from "./views/flat.js";
export type { FunctionChain } from "./views/function-chains.js";
export type { FunctionNames, ShownName } from "./views/function-names.js";
export type { Callable } from "./views/function-stacks.js";
export type { FunctionTable, ProfiledFunction } from "./views/function-table.js";
export type { HeavyStack, HeavyStacks } from "./views/heavy-stacks.js";
export type { HotLine, HotLines, NoLineReason } from "./views/hot-lines.js";
export type { IcSharedRow, IcSiteRow } from "./views/ic-site-rows.js";
export type { IcFunctionRow, IcView, WhyNoSites } from "./views/ics.js";
export { type FunctionKind, labelOf } from "./views/label.js";
export type { GroupBy, Lane } from "./views/lanes.js";
export type { LineTicks } from "./views/line-ticks.js";
export type { MissingCallersNote } from "./views/missing-callers.js";
export type { NextStep } from "./views/next-steps.js";
export type { Origin, OriginKind } from "./views/origin.js";
export type { PackageRow, PackageTicks } from "./views/package-ticks.js";
export type { SamplingDoubt } from "./views/sampling-doubts.js";
export { printable } from "./views/shown-text.js";
export type { SeparateOptions } from "./views/stack-labels.js";
export type { Until } from "./views/startup-mark.js";
export type { SystemCallTicks } from "./views/system-calls.js";
export type {
  Amount as TextAmount,
  Code as TextCode,
  Name as TextName,
  Place as TextPlace,
  Segment as TextSegment,
  Share as TextShare,
  Term as TextTerm,
  Text,
  Time as TextTime,
} from "./views/text.js";
export { type HottestFunction, type ThreadTotals, threadTotals } from "./views/thread-totals.js";
export type { TierTicks } from "./views/tier-ticks.js";
export type { RankedThread, Top } from "./views/top.js";
export type { FunctionRow, TopFunctions } from "./views/top-functions.js";
export type { PackageRanges, TopLists, TopRanges, WeightRanges } from "./views/top-ranges.js";
export type { Totals } from "./views/totals.js";
export type { Omitted, TreeRow, TreeRows } from "./views/tree-rows.js";

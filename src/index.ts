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

export { TicksError, type TicksErrorCode } from "./base/errors.js";
export { printable } from "./base/shown-text.js";
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
} from "./base/text.js";
export type { Address, LinkAddress, Micros, Ticks } from "./base/units.js";
export { VERSION } from "./base/version.js";
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
export type { Exporter, ExportOptions } from "./exports/export-options.js";
export { EXPORTERS } from "./exports/exporters.js";
export { type BreakdownRow, breakdown, type Category } from "./facts/breakdown.js";
export type { ShareRange } from "./facts/confidence.js";
export type {
  Coverage,
  CoverageCategory,
  IdleTicks,
  InferredIdle,
  LibraryCoverage,
  SharedFile,
  Warning,
} from "./facts/coverage.js";
export type {
  DeoptimizedFunction,
  DeoptRow,
  DeoptView,
  SourcePosition,
  SuspectedFunction,
  WhyNoDeopts,
} from "./facts/deopts.js";
export { type CodeKind, filterProfile, type ProfileFilter, withoutWaits } from "./facts/filter-profile.js";
export type { Finding, FindingKind, FindingPlace } from "./facts/findings.js";
export type { FlatRow, TotaledRow } from "./facts/flat.js";
export type { FunctionChain } from "./facts/function-chains.js";
export type { FunctionNames, ShownName } from "./facts/function-names.js";
export type { Callable } from "./facts/function-stacks.js";
export type { FunctionTable, ProfiledFunction } from "./facts/function-table.js";
export type { HeavyStack, HeavyStacks } from "./facts/heavy-stacks.js";
export type { HotLine, HotLines, NoLineReason } from "./facts/hot-lines.js";
export type { IcSharedRow, IcSiteRow } from "./facts/ic-site-rows.js";
export type { IcFunctionRow, IcView, WhyNoSites } from "./facts/ics.js";
export { type FunctionKind, labelOf } from "./facts/label.js";
export type { GroupBy, Lane } from "./facts/lanes.js";
export type { LineTicks } from "./facts/line-ticks.js";
export type { MissingCallersNote } from "./facts/missing-callers.js";
export type { NextStep } from "./facts/next-steps.js";
export type { Origin, OriginKind } from "./facts/origin.js";
export type { PackageRow, PackageTicks } from "./facts/package-ticks.js";
export type { SamplingDoubt } from "./facts/sampling-doubts.js";
export type { SeparateOptions } from "./facts/stack-labels.js";
export type { Until } from "./facts/startup-mark.js";
export type { SystemCallTicks } from "./facts/system-calls.js";
export { type HottestFunction, type ThreadTotals, threadTotals } from "./facts/thread-totals.js";
export type { TierTicks } from "./facts/tier-ticks.js";
export type { RankedThread, Top } from "./facts/top.js";
export type { FunctionRow, TopFunctions } from "./facts/top-functions.js";
export type { PackageRanges, TopLists, TopRanges, WeightRanges } from "./facts/top-ranges.js";
export type { Totals } from "./facts/totals.js";
export type { Omitted, TreeRow, TreeRows } from "./facts/tree-rows.js";
export type { ColumnsOf, LinesOf, NamedFunctions } from "./infer/inline-stacks.js";
export type { ReadMapFile } from "./infer/source-maps.js";
export type { LabelFilter, LabelPattern } from "./inputs/v8-profile.js";
export { type OpenLogOptions, openLog } from "./io/input.js";
export type { CompressionDiagnostic, LogChunks, LogRest } from "./io/log-chunks.js";
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
export { type AnalyzeOptions, analyze } from "./load/analyze.js";
export type { ReadProgress } from "./load/log-feeder.js";
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
} from "./native/binary-file.js";
export type { BuiltinFrames, FramesByBuiltin } from "./native/builtin-frames.js";
export type { MappedCode } from "./native/process-map.js";
export type { RecordedLibrary } from "./native/recorded-symbols.js";
export { type RecordedSymbols, readRecordedSymbols } from "./native/recorded-symbols.js";
export type {
  AssignedLibrary,
  AssignedSymbols,
  MappedTable,
  SavedFunctions,
} from "./native/saved-symbols.js";
export { defaultSources, type SourceOptions } from "./native/sources.js";
export type { SymbolCache } from "./native/symbol-cache.js";
export type {
  Library,
  LibraryFile,
  LoadedFunctions,
  SymbolSource,
} from "./native/symbol-source.js";
export type { SymbolTable } from "./native/symbol-table.js";
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
export type { V8Version } from "./profile/v8-version.js";
export { VM_STATES, type VmState, type VmStateName } from "./profile/vm-state.js";
export { plainly, type Unit as TextUnit } from "./render/spoken.js";
export type { DeoptsForm, IcsForm, TimelineForm } from "./replay/recording.js";
export type { TickRangeOptions } from "./replay/tick-range.js";
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

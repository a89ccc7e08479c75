/**
 * The library: reads V8 tick logs for programs. docs/api.md shows each name.
 *
 * ```ts
 * import { analyze, defaultSources, openLog, REPORTERS } from "v8-ticks";
 *
 * const profile = await analyze(openLog("isolate.log"), { sources: defaultSources() });
 * for await (const line of REPORTERS.top.text(profile)) console.log(line);
 * ```
 *
 * Types that only these lead to have no name here: `ReturnType<typeof topOf>["lines"]` is one.
 */

export { TicksError, type TicksErrorCode } from "./base/errors.js";
export { printable } from "./base/shown-text.js";
export type { Text } from "./base/text.js";
export { VERSION } from "./base/version.js";
export type { CheckedBudget } from "./compare/budgets.js";
export type { Diff } from "./compare/diff-model.js";
export type { Exporter, ExportOptions } from "./exports/export-options.js";
export { EXPORTERS } from "./exports/exporters.js";
export { breakdown } from "./facts/breakdown.js";
export { filterProfile, type ProfileFilter, withoutWaits } from "./facts/filter-profile.js";
export { labelOf } from "./facts/label.js";
export { threadTotals } from "./facts/thread-totals.js";
export type { Top } from "./facts/top.js";
export { type OpenLogOptions, openLog } from "./io/input.js";
export { originOfLog } from "./io/log-origin.js";
export { sourceFilesUnder } from "./io/source-files.js";
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
  timelineOf,
  topOf,
  totals,
} from "./library/profile-views.js";
export { REPORTERS, type Reporter, type Reporters } from "./library/reporter-table.js";
export {
  type BudgetInput,
  type CompareOptions,
  checkRuns,
  compareRuns,
  type ReadRunsOptions,
  readRuns,
} from "./library/runs.js";
export { type AnalyzeOptions, analyze } from "./load/analyze.js";
export { type RecordedSymbols, readRecordedSymbols } from "./native/recorded-symbols.js";
export { defaultSources } from "./native/sources.js";
export type { SymbolSource } from "./native/symbol-source.js";
export { type CallTree, ROOT, stackOf } from "./profile/call-tree.js";
export type { Frame } from "./profile/frame.js";
export { mergeProfiles } from "./profile/merge.js";
export type { Diagnostic, Profile, ProfileInfo, ThreadInfo } from "./profile/profile.js";
export type { SampleTable } from "./profile/sample-table.js";
export { shownStacks } from "./profile/shown-stacks.js";
export type { Timeline } from "./profile/timeline.js";
export { VM_STATES } from "./profile/vm-state.js";
export { plainly } from "./render/spoken.js";
export type { ViewOptions } from "./reports/report-options.js";

import { EXPORTERS } from "../../src/exporters/exporters.ts";
import { flameDocument } from "../../src/exporters/flame/flame-document.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { fittedPage, markdownParts } from "../../src/reports/markdown.ts";
import { type Format, type Report, reportLines } from "../../src/reports/report.ts";
import { REPORTS } from "../../src/reports/reports.ts";
import { PLAIN } from "../../src/reports/style.ts";
import { textLines } from "../../src/reports/text.ts";
import { topPage } from "../../src/reports/top.ts";
import { Analysis } from "../../src/views/analysis.ts";
import { deoptView } from "../../src/views/deopts.ts";
import { filterProfile } from "../../src/views/filter-profile.ts";
import { functionDetails } from "../../src/views/function-details.ts";
import { FunctionNames } from "../../src/views/function-names.ts";
import { findFunctions, nearFunctions } from "../../src/views/function-search.ts";
import { FunctionStacks } from "../../src/views/function-stacks.ts";
import { FunctionTable } from "../../src/views/function-table.ts";
import { heavy, topDown } from "../../src/views/function-tree.ts";
import { icView } from "../../src/views/ics.ts";
import { lineTicks } from "../../src/views/line-ticks.ts";
import { listing, placesInLines } from "../../src/views/listing.ts";
import { SourceTexts } from "../../src/views/source-texts.ts";
import { spikesOf } from "../../src/views/spikes.ts";
import { threadTimelines } from "../../src/views/thread-timelines.ts";
import { topOf } from "../../src/views/top.ts";
import { treeRows } from "../../src/views/tree-rows.ts";

type Output = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

const LAYOUT = { style: PLAIN, width: 100 };
const LIMIT = 20;

/** Everything that is made of a profile with a timeline, by name. Pieces of JSON are pieces of a document, other lines have no ends. */
export const OUTPUTS: Readonly<Record<string, (profile: Profile) => Output>> = {
  ...reports("process", await REPORTS.process(), (profile) => ({ profile })),
  ...reports("top", await REPORTS.top(), topReport),
  "top within a limit md": (profile) =>
    fittedPage(markdownParts(topPage(topReport(profile)), { nameColumns: 80 }), 20_000).lines ?? [],
  ...reports("tree", await REPORTS.tree(), (profile) => treeReport(profile, false)),
  ...reports("tree --heavy", await REPORTS.tree(), (profile) => treeReport(profile, true)),
  ...reports("function", await REPORTS.function(), functionReport),
  ...reports("lines", await REPORTS.lines(), linesReport),
  ...reports("lines of a file", await REPORTS.lines(), fileReport),
  ...reports("deopts", await REPORTS.deopts(), (profile) => ({
    profile,
    view: deoptView(profile),
    limit: LIMIT,
  })),
  ...reports("ics", await REPORTS.ics(), (profile) => ({
    ...{ profile, view: icView(profile), sources: sourcesOf(profile), limit: LIMIT },
  })),
  ...reports("timeline", await REPORTS.timeline(), timelineReport),
  ...reports("threads", await REPORTS.threads(), (profile) => ({ profile })),
  ...reports("doctor", await REPORTS.doctor(), (profile) => profile),
  "top of filtered": (profile) =>
    textLines(
      topPage(topReport(filterProfile(profile, { ignore: [/^nothing$/], hide: [/hidden/] }))),
      LAYOUT,
    ),
  flame: (profile) => [
    Array.from(flameDocument(profile, { html: "{{data}}", style: "", script: "" })).join(""),
  ],
  ...Object.fromEntries(EXPORTERS.map((exporter) => [exporter.name, exporter.export])),
};

/** The outputs that are one document of JSON. */
export function isJson(name: string): boolean {
  return /json$|^(?:flame|cpuprofile|speedscope|chrome-trace|gecko)$/.test(name);
}

function views<Report>(
  name: string,
  reportOf: (profile: Profile) => Report,
  forms: Readonly<Record<string, (report: Report) => Iterable<string>>>,
): Record<string, (profile: Profile) => Output> {
  return Object.fromEntries(
    Object.entries(forms).map(([form, write]) => [`${name} ${form}`, (profile) => write(reportOf(profile))]),
  );
}

function reports<Data>(name: string, report: Report<Data>, dataOf: (profile: Profile) => Data) {
  const as = (format: Format) => (data: Data) => reportLines(report, data, { format, ...LAYOUT });
  return views(name, dataOf, { text: as("text"), json: as("json"), md: as("md") });
}

function topReport(profile: Profile) {
  return { profile, top: topOf(profile, LIMIT), limit: LIMIT, logs: profile.info.logs };
}

function treeReport(profile: Profile, isHeavy: boolean) {
  const stacks = new FunctionStacks(profile);
  // As by default: what has less than 1 % of the ticks is summed up.
  const limits = { depth: Number.POSITIVE_INFINITY, least: profile.info.ticks / 100 };
  const tree = treeRows(isHeavy ? heavy(profile, stacks, limits) : topDown(profile, stacks), stacks, limits);
  return { profile, isHeavy, tree, names: new FunctionNames(stacks.table.functions) };
}

function functionReport(profile: Profile) {
  const stacks = new FunctionStacks(profile);
  const { table } = stacks;
  const ticks = Analysis.of(profile).functionTicks;
  const ids = findFunctions("/./", { table, ticks, frames: profile.frames })?.ids ?? [];
  const details = [functionDetails(profile, ids[0]!, { stacks, sources: sourcesOf(profile) })];
  const matches = ids.map((id) => ({
    function: table.functions[id]!,
    self: ticks.self[id]!,
    total: ticks.total[id]!,
  }));
  const suggestions = nearFunctions("f12345", table, ticks);
  const names = new FunctionNames(table.functions);
  const sources = sourcesOf(profile);
  return { profile, query: "/./", matches, details, suggestions, names, sources, least: 0 };
}

function linesReport(profile: Profile) {
  const table = new FunctionTable(profile.frames);
  const lines = lineTicks(profile);
  const names = new FunctionNames(table.functions);
  const sources = sourcesOf(profile);
  const places = placesInLines(profile, sources, {});
  return { profile, order: "self" as const, limit: LIMIT, lines, places, sources, names, script: undefined };
}

function fileReport(profile: Profile) {
  const report = linesReport(profile);
  const file = report.lines[0]?.file ?? "";
  const lines = report.lines.filter((line) => line.file === file);
  const text = report.sources.linesOf(file);
  const script = {
    file,
    listing: listing(lines, text, { places: report.places, context: 2 }),
    origin: text?.origin,
  };
  return { ...report, lines, script };
}

function timelineReport(profile: Profile) {
  const threads = threadTimelines(profile, { most: 70 });
  return { profile, threads, spikes: spikesOf(profile, threads, { spikes: 5, functions: 3 }) };
}

function sourcesOf({ sources }: Profile): SourceTexts {
  return new SourceTexts(sources, () => undefined);
}

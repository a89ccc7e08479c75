import { EXPORTERS } from "../../src/exports/exporters.ts";
import { flameDocument } from "../../src/exports/flame/flame-document.ts";
import { Analysis } from "../../src/facts/analysis.ts";
import { filterProfile } from "../../src/facts/filter-profile.ts";
import { lineTicks } from "../../src/facts/line-ticks.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { fittedPage, markdownParts } from "../../src/render/markdown.ts";
import { PLAIN } from "../../src/render/style.ts";
import { type Format, type ProfileReport, reportLines } from "../../src/reports/report.ts";
import { REPORTS } from "../../src/reports/reports.ts";

type Output = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

const LAYOUT = { style: PLAIN, width: 100 };

/** How reports are asked that need options, or show more with them. */
const ASKED: readonly (readonly [
  title: string,
  name: keyof typeof REPORTS,
  options: (profile: Profile) => object,
])[] = [
  ...Object.keys(REPORTS).map(
    (name) => [name, name as keyof typeof REPORTS, () => ({ name: "/./" })] as const,
  ),
  ["tree --heavy", "tree", () => ({ heavy: true })],
  ["lines of a file", "lines", (profile) => ({ file: lineTicks(profile)[0]?.file })],
];

const TOP = await REPORTS.top.load();

/** Everything that is made of a profile with a timeline, by name. Pieces of JSON are pieces of a document, other lines have no ends. */
export const OUTPUTS: Readonly<Record<string, (profile: Profile) => Output>> = {
  ...Object.fromEntries((await Promise.all(ASKED.map(reports))).flat()),
  "top within a limit md": (profile) =>
    fittedPage(markdownParts(TOP.page(dataOf(TOP, profile, "md")), { nameColumns: 80, unit: {} }), 20_000)
      .lines ?? [],
  "top of filtered": (profile) =>
    linesOf(TOP, filterProfile(profile, { ignore: [/^nothing$/], hide: [/hidden/] }), "text"),
  flame: (profile) => [
    Array.from(flameDocument(profile, { html: "{{data}}", style: "", script: "" })).join(""),
  ],
  ...Object.fromEntries(EXPORTERS.map((exporter) => [exporter.name, exporter.export])),
};

/** The outputs that are one document of JSON. */
export function isJson(name: string): boolean {
  return /json$|^(?:flame|cpuprofile|speedscope|chrome-trace|gecko)$/.test(name);
}

async function reports([title, name, optionsOf]: (typeof ASKED)[number]) {
  const report: ProfileReport<unknown, object> = await REPORTS[name].load();
  return (["text", "json", "md"] as const).map(
    (format) =>
      [
        `${title} ${format}`,
        (profile: Profile) => linesOf(report, profile, format, optionsOf(profile)),
      ] as const,
  );
}

function linesOf<Of>(
  report: ProfileReport<Of, object>,
  profile: Profile,
  format: Format,
  options: object = {},
): Iterable<string> {
  return reportLines(report, dataOf(report, profile, format, options), { ...LAYOUT, format });
}

function dataOf<Of>(
  report: ProfileReport<Of, object>,
  profile: Profile,
  format: Format,
  options: object = {},
): Of {
  const analysis = Analysis.of(profile);
  return report.of(analysis, options, {
    ...{ format, limit: 20, width: LAYOUT.width, logs: profile.info.logs },
    ...{ readSource: () => undefined, recordings: () => [], command: () => undefined, warn: () => {} },
    turns: undefined,
  })!;
}

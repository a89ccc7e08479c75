import type { Ticks } from "../../profile/units.js";
import type { IcSharedRow, IcSiteRow } from "../../views/ic-site-rows.js";
import { printable } from "../../views/label.js";
import { blocksOf } from "../layout/blocks.js";
import { fittedTable } from "../layout/fitted-table.js";
import { waitedLines } from "../layout/left-out.js";
import { namedCell } from "../layout/named-cell.js";
import { emphasize, shareOf } from "../layout/numbers.js";
import { section } from "../layout/section.js";
import { sourceLine } from "../layout/source-line.js";
import type { Style } from "../layout/style.js";
import type { Column } from "../layout/table.js";
import { cutEnd, cutMiddle, shownMiddle } from "../layout/width.js";
import { wrapped } from "../layout/wrapped.js";
import { timeText } from "../timeline/time-axis.js";
import {
  IcNames,
  type IcReport,
  inferredText,
  keysText,
  kindText,
  legendOf,
  mapsText,
  NO_SITE_REASONS,
  notesOf,
  placedLines,
  pricedSites,
  statesText,
  titleOf,
  whyNoneLines,
} from "./ic-words.js";

/** The style and width of a text report. */
export interface IcLayout {
  readonly style: Style;
  /** The maximum width of a line, in columns. */
  readonly width: number;
}

/** Indents what is below a row. */
const INDENT = " ".repeat(7);
/** Two spaces before each line of a section. */
const SECTION = 2;
/** The most of V8's builtins that are shown. */
const BUILTINS = 10;

/** Yields inline caches for people. */
export function* icsText(report: IcReport, layout: IcLayout): Iterable<string> {
  const { profile, view, limit } = report;
  const { style, width } = layout;
  yield style.heading(`${shownMiddle(profile.info.title, width - 1)}:`);
  yield titleOf(report);
  for (const note of waitedLines(profile.info)) yield* wrapped(note, width);
  yield* placedLines(report);
  const why = whyNoneLines(report);
  if (why.length > 0) yield* ["", ...why];
  if (view.ticks === 0 && view.rows === 0) return;
  const text = new IcText(report, layout);
  const sites = pricedSites(view, limit);
  if (view.rows > 0) yield* section(style, "Sites", text.sites(sites));
  if (view.sharedRows.length > 0)
    yield* section(style, "Ticks at one of several sites", text.shared(view.sharedRows.slice(0, limit)));
  if (view.rows > 0 && view.notPlaced.length > 0) yield* section(style, "Not placed", text.notPlaced());
  if (view.functions.length > 0) yield* section(style, "Functions", text.functions());
  if (view.builtins.length > 0) yield* section(style, "V8's code", text.builtins());
  if (view.times !== undefined) yield* section(style, "Rows over time", text.times());
  yield "";
  const legend = sites.length > 0 ? legendOf(report) : [];
  for (const line of legend.flatMap((one) => wrapped(one, width - SECTION))) yield style.faint(`  ${line}`);
}

const right = (title: string): Column => ({ title, align: "right" });

class IcText {
  readonly #report: IcReport;
  readonly #style: Style;
  readonly #width: number;
  readonly #names: IcNames;
  readonly #whole: Ticks;

  constructor(report: IcReport, { style, width }: IcLayout) {
    this.#report = report;
    this.#style = style;
    this.#width = width - SECTION;
    this.#names = new IcNames(report.view);
    this.#whole = report.profile.info.ticks - report.profile.info.excluded;
  }

  sites(shown: readonly IcSiteRow[]): string[] {
    if (shown.length === 0) return [];
    const columns = [
      ...[right("ticks"), right("share"), { title: "" }, { title: "does" }, { title: "states" }],
      ...[right("shapes"), { title: "site, key, function" }],
    ];
    const rows = shown.map((site) => ({
      cells: [
        ...this.#numbers(site.ticks),
        inferredText(site),
        kindText(site),
        statesText(site),
        mapsText(site),
      ],
      last: (free: number) => this.#siteName(site, free),
    }));
    const [head, ...lines] = fittedTable(columns, rows, this.#width);
    const rest = this.#report.view.sites.filter(({ ticks }) => ticks > 0).slice(shown.length);
    return [
      head!,
      ...lines.flatMap((line, i) => [this.#paint(shown[i]!.ticks, line), ...this.#below(shown[i]!)]),
      ...this.#rest(rest, "more site"),
    ];
  }

  shared(shown: readonly IcSharedRow[]): string[] {
    const columns = [right("ticks"), right("share"), right("sites"), { title: "one of" }];
    const rows = shown.map((row) => ({
      cells: [...this.#numbers(row.ticks), `${row.sites.length}${row.mayBeInlined ? "+" : ""}`],
      last: (free: number) => cutMiddle(this.#names.shared(row), free),
    }));
    const rest = this.#report.view.sharedRows.slice(shown.length);
    return [...fittedTable(columns, rows, this.#width), ...this.#rest(rest, "more group")];
  }

  notPlaced(): string[] {
    const rows = this.#report.view.notPlaced.map(({ reason, ticks }) => ({
      cells: this.#numbers(ticks),
      last: (free: number) => cutEnd(NO_SITE_REASONS[reason], free),
    }));
    return fittedTable([right("ticks"), right("share"), { title: "why" }], rows, this.#width);
  }

  functions(): string[] {
    const { view, limit } = this.#report;
    const shown = view.functions.slice(0, limit);
    const rows = shown.map((row) => ({
      cells: [...this.#numbers(row.ticks), inferredText(row)],
      last: (free: number) => namedCell(this.#names.row(row), { columns: free, style: this.#style }),
    }));
    const columns = [right("ticks"), right("share"), { title: "" }, { title: "function" }];
    return [
      ...fittedTable(columns, rows, this.#width),
      ...this.#rest(view.functions.slice(shown.length), "more function"),
    ];
  }

  builtins(): string[] {
    const { builtins } = this.#report.view;
    const rows = builtins.slice(0, BUILTINS).map(({ name, ticks }) => ({
      cells: this.#numbers(ticks),
      last: (free: number) => cutEnd(printable(name), free),
    }));
    return [
      ...fittedTable([right("ticks"), right("share"), { title: "builtin" }], rows, this.#width),
      ...this.#rest(builtins.slice(BUILTINS), "more builtin"),
    ];
  }

  times(): string[] {
    const { width, rows, megamorphic } = this.#report.view.times!;
    const lines = [
      ["all", rows],
      ["megamorphic", megamorphic],
    ] as const;
    const peak = rows.reduce((most, count) => Math.max(most, count), 1);
    const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
    return [
      `a column is ${timeText(width)}; a full block is ${peak} rows`,
      ...lines.map(([title, counts]) => `${title.padEnd(13)}${blocksOf(counts, peak)} ${sum(counts)}`),
    ];
  }

  #siteName(site: IcSiteRow, columns: number): string {
    const key = keysText(site);
    const where = `${printable(this.#names.site(site))}${key === "" ? "" : `  ${key}`}`;
    const { title } = this.#names.function(site.function);
    return cutEnd(`${where}  in ${printable(title)}`, columns);
  }

  /** Returns the source line of a site, and what else is known of it. */
  #below(site: IcSiteRow): string[] {
    const free = this.#width - INDENT.length;
    const text = site.line === 0 ? undefined : this.#report.sources.lineOf(site.file, site.line);
    const source = text === undefined ? [] : [cutEnd(sourceLine(text).trim(), free)];
    const notes = notesOf(site).join("; ");
    const below = notes === "" ? [] : wrapped(notes, free);
    return [...source, ...below.map((line) => this.#style.faint(cutEnd(line, free)))].map(
      (line) => INDENT + line,
    );
  }

  #numbers(ticks: Ticks): string[] {
    return [String(ticks), shareOf(ticks, this.#whole)];
  }

  #paint(ticks: Ticks, line: string): string {
    return emphasize(line, { ticks, whole: this.#whole }, this.#style);
  }

  #rest(rows: readonly { readonly ticks: Ticks }[], what: string): string[] {
    if (rows.length === 0) return [];
    const ticks = rows.reduce((sum, row) => sum + row.ticks, 0);
    const noun = rows.length === 1 ? what : `${what}s`;
    return [this.#style.faint(`${String(ticks).padStart(5)}  in ${rows.length} ${noun}`)];
  }
}

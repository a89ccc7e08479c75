import { badOption } from "../base/errors.js";
import { LONG_LINE } from "../base/limits.js";
import { amount, inTicks, LOG, named, share, type Text, TICKS, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { Analysis } from "../facts/analysis.js";
import { findFiles, nearFiles } from "../facts/file-search.js";
import { FunctionNames } from "../facts/function-names.js";
import { INFERRED, printable } from "../facts/label.js";
import { type LineTicks, lineTicks } from "../facts/line-ticks.js";
import { type LinePlace, type Listing, listing, type PlacesInLine, placesInLines } from "../facts/listing.js";
import { type ScriptLines, SourceTexts } from "../facts/source-texts.js";
import type { Profile } from "../profile/profile.js";
import { inferredMark } from "../render/names.js";
import {
  type Block,
  type Cell,
  type Column,
  cutEndCell,
  cutMiddleCell,
  GAP,
  note,
  number,
  type Row,
} from "../render/page.js";
import { plainly } from "../render/spoken.js";
import {
  type JsonHead,
  jsonHead,
  jsonLine,
  jsonPlaces,
  type LineData,
  scaleOf,
  shownTicks,
  type TextFrom,
  textFrom,
} from "./json.js";
import { listingFigure, listingLegend, placeText, placeTitle } from "./listing.js";
import { functionCommand, type NextCommand, nextSection, type Reading, readingOf } from "./next.js";
import type { ProfileReport, Surroundings } from "./report.js";
import type { LinesReportOptions } from "./report-options.js";
import { lineText, pageHead, scriptsNote, textAround, tickCount } from "./words.js";

/** The ticks that lines are ranked by. */
export type LineOrder = "self" | "total";

/** What `ticks lines` shows. */
export interface LinesReport {
  readonly profile: Profile;
  readonly order: LineOrder;
  /** Hottest first: the lines of all files, or of the one asked for. */
  readonly lines: readonly LineTicks[];
  /** The places in long lines. */
  readonly places: PlacesInLine;
  readonly sources: SourceTexts;
  readonly names: FunctionNames;
  /** The number of lines to show. A single file is shown whole. */
  readonly limit: number;
  /** The file asked for; undefined for all. */
  /** What commands can read. Default: the page names no command. */
  readonly reading?: Reading | undefined;
  readonly script:
    | {
        readonly file: string;
        readonly listing: Listing;
        readonly origin: ScriptLines["origin"] | undefined;
      }
    | undefined;
}

/** The largest parts of a line of text for the position and the function. */
const POSITION_SHARE = 0.25;
const FUNCTION_SHARE = 0.18;
/** Where the source has less than so many columns, it says more than the name of its function. */
const LEAST_SOURCE = 40;
/** Of one row, as many places are shown, those with the most ticks. */
const MOST_PLACES = 5;

/** What the lines `12+` are. */
const IN_LOOPS =
  "12+ is somewhere in the loop at line 12: Maglev's code has lines for the first round of a loop only. Record with --no-maglev-loop-peeling to see the others.";

const INFERRED_LINE = text`${INFERRED} ${TICKS} are inferred: the ${LOG} does not say their line, but allows no other.`;

/** The number of lines shown before and after a line with ticks. */
const CONTEXT = 2;
/** The number of lines shown before and after a line that is asked for. */
const NEIGHBOURS = 10;
/** The number of scripts suggested if none was found. */
const SUGGESTIONS = 5;

function linesOf(
  profile: Analysis,
  options: LinesReportOptions,
  { limit, readSource, warn, ...around }: Surroundings,
): LinesReport | undefined {
  const { file: query, sort: order = "self", all: isAll = false } = options;
  const names = new FunctionNames(profile.table.functions, profile.info);
  const sources = new SourceTexts(profile.sources, readSource);
  const by = { byFunction: query === undefined };
  const bySelf = lineTicks(profile, by);
  // They come sorted by self ticks, which also decides between equal totals.
  const lines = order === "self" ? bySelf : bySelf.toSorted((a, b) => b.total - a.total);
  const places = placesInLines(profile, sources, by);
  const shown = isAll ? Number.POSITIVE_INFINITY : limit;
  const report = { profile, names, sources, order, limit: shown, places, reading: readingOf(around) };
  if (query === undefined) return { ...report, lines, script: undefined };
  const asked = placeOf(query, lines);
  const file = fileOf(asked.file, lines, { names, warn });
  if (file === undefined) return undefined;
  return { ...report, ...scriptOf({ file, line: asked.line }, lines, { sources, places, isAll, warn }) };
}

/** A script and a line of it, from 1. */
interface Place {
  readonly file: string;
  readonly line: number | undefined;
}

/** Returns what a query asks for: `app.js`, or `app.js:36` if no script has this name. */
function placeOf(query: string, lines: readonly LineTicks[]): Place {
  const [, file, line] = /^(.+?):([1-9]\d{0,8})(?::\d+)?$/s.exec(query) ?? [];
  const files = lines.flatMap((one) => one.file ?? []);
  const isFile = file === undefined || findFiles(query, files).length > 0;
  return isFile ? { file: query, line: undefined } : { file, line: Number(line) };
}

/** Returns the lines of a script, and the script. */
function scriptOf(
  { file, line }: Place & { readonly file: string },
  all: readonly LineTicks[],
  {
    sources,
    places,
    isAll,
    warn,
  }: { sources: SourceTexts; places: PlacesInLine; isAll: boolean; warn: Surroundings["warn"] },
): Pick<LinesReport, "lines" | "script"> {
  const lines = all.filter((line) => line.file === file);
  const found = sources.linesOf(file);
  const isWhole = isAll || line !== undefined;
  const context = isWhole ? Number.POSITIVE_INFINITY : CONTEXT;
  const from = line === undefined ? undefined : Math.max(1, line - NEIGHBOURS);
  const to = line === undefined ? undefined : line + NEIGHBOURS;
  const isNear = ({ line: at, loop, function: owner }: LineTicks) => {
    const shown = at > 0 ? at : (loop ?? owner.line ?? 0);
    return shown >= (from ?? 0) && shown <= (to ?? Number.POSITIVE_INFINITY);
  };
  const count = found?.lines.length;
  if (line !== undefined && count !== undefined && line > count)
    warn(`${printable(file)} has only ${count} lines`);
  return {
    lines,
    script: {
      file,
      listing: listing(lines.filter(isNear), found, { places, context, from, to }),
      origin: found?.origin,
    },
  };
}

/**
 * Returns the file that a query matches. Warns and returns undefined for no match; throws if there are
 * several.
 */
function fileOf(
  query: string,
  lines: readonly LineTicks[],
  { names, warn }: { names: FunctionNames; warn: Surroundings["warn"] },
): string | undefined {
  const files = new Set(lines.flatMap(({ file }) => file ?? []));
  const [found, ...others] = findFiles(query, files);
  if (found === undefined) {
    warn(`no script named ${printable(query)} has ticks`);
    const known = Array.from(files, (file) => names.file(file));
    const near = nearFiles(query, known);
    const hottest = known.slice(0, SUGGESTIONS);
    if (near.length > 0) warn(`did you mean ${near.map(printable).join(", ")}?`);
    else if (hottest.length > 0) warn(`the hottest scripts are ${hottest.map(printable).join(", ")}`);
  } else if (others.length > 0) {
    const list = [found, ...others].map((file) => {
      const ticks = selfOf(lines.filter((line) => line.file === file));
      return `  ${String(ticks).padStart(5)}  ${printable(file)}`;
    });
    throw badOption(
      `several scripts match ${printable(query)}:\n   self  script\n${list.join("\n")}`,
      "Give more of the path.",
    );
  }
  return found;
}

/** `ticks lines`. */
export const LINES: ProfileReport<LinesReport, LinesReportOptions> = {
  needs: () => ({ columns: "long-lines" }),
  of: linesOf,
  data: linesData,
  page: linesPage,
};

/** Returns the page of `ticks lines`. */
export function linesPage(report: LinesReport): Block[] {
  const { profile, script, sources } = report;
  const head = [...pageHead(profile, tickCount(profile)), GAP];
  if (script === undefined)
    return [...head, ...hotLines(report), ...nextSection(report.reading, nextOf(report))];
  const { file, listing, origin } = script;
  const legend = listingLegend(listing);
  const scripts = scriptsNote([{ file, scripts: sources.scriptsOf(file) }]);
  return [
    ...head,
    note(text`source of ${named(file)}: ${inTicks(selfOf(report.lines))} in its lines`, "heading"),
    ...(scripts === undefined ? [] : [note(`${scripts}.`)]),
    ...(origin === "log" ? [] : [note(TEXT_FROM[origin ?? "none"])]),
    listingFigure(listing, { whole: shownTicks(profile) }),
    { kind: "sources", files: [file], sources },
    ...(legend.length === 0 ? [] : [{ kind: "legend" as const, lines: legend }]),
    ...nextSection(report.reading, nextOf(report)),
  ];
}

/** Returns what to look at after lines: the function of the hottest one, and its file if that is not the page. */
function nextOf({ lines, order, names, script, sources }: LinesReport): NextCommand[] {
  const hottest = lines
    .toSorted((a, b) => b[order] - a[order])
    .find(({ function: { origin } }) => origin.kind !== "node");
  if (hottest === undefined || hottest[order] === 0) return [];
  const { function: owner, file = "" } = hottest;
  const next = [functionCommand(owner, names, "callers and callees of the function of the hottest line")];
  if (script !== undefined || file === "" || sources.linesOf(file) === undefined) return next;
  return [
    { command: "ticks lines", operands: [names.file(file)], why: "the file of the hottest line" },
    ...next,
  ];
}

/** Where a text is from that is not in the log. */
const TEXT_FROM = {
  none: text`No source text: it is neither in the ${LOG} nor under a --source-root.`,
  map: "The source text is from a source map on disk; it may have changed since.",
  disk: "The source text is from disk; it may have changed since.",
} as const;

/** Returns the hottest lines, then the ticks of the others and those outside JS functions, so that all add up. */
function hotLines(report: LinesReport): Block[] {
  const { profile, order, sources, limit } = report;
  const whole = shownTicks(profile);
  const shown = report.lines.filter((line) => line[order] > 0).slice(0, limit);
  const least = Math.max(5, plainly(amount(whole), profile.info).length);
  const scripts = severalScripts(shown, report);
  const notes: (Text | false | undefined)[] = [
    lacksText(shown, sources) && NO_TEXT,
    scripts,
    shown.some(({ loop }) => loop !== undefined) && IN_LOOPS,
    shown.some(({ inferred }) => inferred > 0) && INFERRED_LINE,
  ];
  return [
    {
      kind: "table",
      whole,
      least: LEAST_SOURCE,
      columns: [
        ...numberColumns(order).map((column) => ({ ...column, least })),
        { title: "where", share: POSITION_SHARE },
        { title: "function", share: FUNCTION_SHARE, dropped: 1 },
        { title: "source" },
      ],
      rows: [...shown.flatMap((line) => rowsOf(line, report)), ...restRows(report, shown)],
    },
    ...notes.flatMap((words) => (words ? [note(words, "faint")] : [])),
    {
      kind: "sources",
      files: shown.flatMap(({ file, line }) =>
        line > 0 && sources.lineOf(file, line) !== undefined ? (file ?? []) : [],
      ),
      sources,
    },
  ];
}

/** Returns the row of a line, and those of the places in it. */
function rowsOf(line: LineTicks, report: LinesReport): Row[] {
  const { profile, order, places, sources } = report;
  const whole = shownTicks(profile);
  const isProgram = line.function.origin.kind === "app";
  const row = (weights: LineTicks | LinePlace, cells: readonly Cell[], own: Ticks): Row => ({
    cells: [...numbersOf(weights, order, whole), ...cells],
    ticks: weights[order],
    own,
    isProgram,
  });
  const first = row(line, cellsOf(line, report), line.self);
  const all = places(line);
  if (all.length === 0) return [first];
  const hottest = new Set(all.toSorted((a, b) => b.total - a.total).slice(0, MOST_PLACES));
  const source = sources.lineOf(line.file, line.line) ?? "";
  return [
    first,
    ...all
      .filter((place) => hottest.has(place) || place.column === undefined)
      .map((place) => row(place, [placeTitle(place), "", cutEndCell(placeText(place, source))], 0)),
  ];
}

function restRows(report: LinesReport, shown: readonly LineTicks[]): Row[] {
  const whole = shownTicks(report.profile);
  return restOf(report, shown).map(([self, what]) => ({
    cells: [...numbersOf({ self, total: undefined }, report.order, whole), "", "", what],
    tone: "faint",
    isRest: true,
  }));
}

/** Returns the sum of the self ticks. */
function selfOf(lines: readonly LineTicks[]): Ticks {
  return lines.reduce((sum, { self }) => sum + self, 0);
}

/** What a row without a source is. */
const NO_TEXT = text`Without a source: the ${LOG} and its source maps have no text of the line, and no --source-root has its file.`;

/** Returns whether a known line has no source text. */
function lacksText(lines: readonly LineTicks[], sources: SourceTexts): boolean {
  return lines.some(({ file, line, loop }) => {
    const first = loop ?? line;
    return file !== undefined && first > 0 && sources.lineOf(file, first) === undefined;
  });
}

/** Returns which of some lines are of several scripts, as a sentence; undefined if none is. */
function severalScripts(
  lines: readonly LineTicks[],
  { names, sources }: Pick<LinesReport, "names" | "sources">,
): string | undefined {
  const note = scriptsNote(
    lines.map(({ file = "" }) => ({ file: names.file(file), scripts: sources.scriptsOf(file) })),
  );
  return note && `${note}.`;
}

/** Returns the self ticks of the lines that are not shown, and those outside JS functions. */
function restOf(
  { profile, lines, order }: Pick<LinesReport, "profile" | "lines" | "order">,
  shown: readonly LineTicks[],
): [Ticks, string][] {
  const { ticks, excluded } = profile.info;
  const isShown = new Set(shown);
  const left = lines.filter((line) => line[order] > 0 && !isShown.has(line));
  const rest: [Ticks, string][] = [
    [selfOf(left), `… ${left.length} more`],
    [ticks - excluded - selfOf(lines), "outside JS functions"],
  ];
  return rest.filter(([self]) => self > 0);
}

/** Returns the columns of {@link numbersOf}. */
function numberColumns(order: LineOrder): Column[] {
  const [self, part, total] = [number("self"), number("share"), number("total")];
  return order === "self" ? [self, part, total] : [total, part, self];
}

/** Returns a line's ticks: those it is ranked by, their share, and the others. */
function numbersOf(
  line: { readonly self: Ticks; readonly total: Ticks | undefined },
  order: LineOrder,
  whole: Ticks,
): Text[] {
  const first = line[order];
  const other = order === "self" ? line.total : line.self;
  return [amountIn(first), first === undefined ? "" : share(first, whole), amountIn(other)];
}

function amountIn(ticks: Ticks | undefined): Text {
  return ticks === undefined ? "" : amount(ticks);
}

/** Returns a line's position, function and source text. */
function cellsOf(
  { file, line, loop, function: owner, total, inferred, isShared }: LineTicks,
  { names, sources }: Pick<LinesReport, "names" | "sources">,
): Cell[] {
  const { title, position } = names.function(owner);
  const first = loop ?? line;
  if (first === 0 || file === undefined)
    return [cutMiddleCell(position), cutEndCell(title), "(line unknown)"];
  const found = sources.lineOf(file, first);
  // What the function begins with tells rows of one line apart, and is where a long line is worth reading.
  const begins = owner.line === first ? owner.column : undefined;
  const isLong = found !== undefined && found.length > LONG_LINE;
  const column = (isShared || isLong) && begins !== undefined ? `:${begins}` : "";
  const place = `${loop === undefined ? line : `${loop}+`}${column}`;
  return [
    { ...cutMiddleCell(`${names.file(file)}:${place}`), marks: inferredMark(inferred, total) },
    cutEndCell(title),
    cutEndCell(lineText(found === undefined ? undefined : textAround(found, begins ?? 1), loop)),
  ];
}

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id lines.schema.json
 * @title ticks lines --format json, schema version 1
 */
export interface LinesData extends JsonHead<"lines"> {
  /** The script asked for; null for all. */
  readonly script: ScriptData | null;
  /** The sum of the lines. For all scripts: the ticks whose leaf is a JavaScript function. */
  readonly self: Ticks;
  /** Every line with ticks: hottest first, or those of one script in its order. */
  readonly lines: readonly LineData[];
}

export interface ScriptData {
  /** As logged. */
  readonly file: string;
  readonly textFrom: TextFrom;
  /** Whether ticks lie past the end of the text: it is not the text that ran. */
  readonly isPastEnd: boolean;
}

export function linesData({ profile, lines, places, sources, script }: LinesReport): LinesData {
  const scale = scaleOf(profile);
  const rows = script === undefined ? lines : lines.toSorted((a, b) => a.line - b.line);
  return {
    ...jsonHead("lines", profile),
    script:
      script === undefined
        ? null
        : { file: script.file, textFrom: textFrom(script.origin), isPastEnd: script.listing.isPastEnd },
    self: selfOf(lines),
    lines: rows.map((line) => ({
      ...jsonLine(line, { sources, scale }),
      ...jsonPlaces(places(line), scale),
    })),
  };
}

import { badOption } from "../base/errors.js";
import { amount, inTicks, LOG, named, share, type Text, TICKS, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { Analysis } from "../facts/analysis.js";
import { findFiles, nearFiles } from "../facts/file-search.js";
import type { FunctionNames } from "../facts/function-names.js";
import { INFERRED, printable } from "../facts/label.js";
import { placesInLines } from "../facts/line-places.js";
import { type LineTicks, lineTicks } from "../facts/line-ticks.js";
import { SourceTexts } from "../facts/source-texts.js";
import type { ProfileInfo } from "../profile/profile.js";
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
import { factsReport, type Shown } from "./facts-report.js";
import {
  type FromOne,
  type JsonHead,
  jsonHead,
  jsonLine,
  type LineData,
  type PlaceData,
  scaleOf,
  shownFunction,
  type TextFrom,
  textFrom,
} from "./json.js";
import {
  isPastEnd,
  listing,
  listingFigure,
  listingLegend,
  placeText,
  placeTitle,
  startOf,
} from "./listing.js";
import { functionCommand, type NextCommand } from "./next.js";
import type { Surroundings } from "./report.js";
import type { LinesReportOptions } from "./report-options.js";
import { CHANGEABLE_TEXT, lineText, PEELED_LOOPS, pageHead, scriptsNote, textAround } from "./words.js";

/** The ticks that lines are ranked by. */
export type LineOrder = "self" | "total";

/** The largest parts of a line of text for the position and the function. */
const POSITION_SHARE = 0.25;
const FUNCTION_SHARE = 0.18;
/** Where the source has less than so many columns, it says more than the name of its function. */
const LEAST_SOURCE = 40;
/** Of one row, as many places are shown, those with the most ticks. */
const MOST_PLACES = 5;

/** What the lines `12+` are. */
const IN_LOOPS = `12+ is somewhere in the loop at line 12: ${PEELED_LOOPS.why}. ${PEELED_LOOPS.advice}.`;

const INFERRED_TICKS = text`${INFERRED} ${TICKS} are inferred: the ${LOG} does not say their line, but allows no other.`;

/** The number of lines shown before and after a line with ticks. */
const CONTEXT = 2;
/** The number of lines shown before and after a line that is asked for. */
const NEIGHBOURS = 10;
/** The number of scripts suggested if none was found. */
const SUGGESTIONS = 5;

/** `ticks lines`. */
export const LINES = factsReport<LinesData, LinesReportOptions>({
  needs: () => ({ columns: "long-lines" }),
  facts: linesFacts,
  page: (facts, shown) => [
    ...pageHead(shown, shown.tickCount),
    GAP,
    ...(facts.script === null ? hotLines(facts, shown) : scriptBlocks(facts, facts.script, shown)),
  ],
  next: nextOf,
});

/** Returns a script with the ticks of its lines. */
function scriptBlocks(
  { lines, self, ticks }: LinesData,
  { file, line }: ScriptData,
  { options, sources }: Shown<LinesReportOptions>,
): Block[] {
  const found = sources.linesOf(file);
  const isWhole = options.all === true || line !== undefined;
  const bounds = { context: isWhole ? Number.POSITIVE_INFINITY : CONTEXT, ...near(line) };
  const rows = listing(lines.filter(isNear(line)), found, bounds);
  const legend = listingLegend(rows);
  const scripts = scriptsNote([{ file, scripts: sources.scriptsOf(file) }]);
  return [
    note(text`source of ${named(file)}: ${inTicks(self)} in its lines`, "heading"),
    ...(scripts === undefined ? [] : [note(`${scripts}.`)]),
    ...(found?.origin === "log" ? [] : [note(TEXT_FROM[found?.origin ?? "none"])]),
    listingFigure(rows, { whole: ticks }),
    { kind: "sources", files: [file], sources },
    ...(legend.length === 0 ? [] : [{ kind: "legend" as const, lines: legend }]),
  ];
}

/** Returns which lines are shown of a script; all if none is asked for. */
function near(line: number | undefined) {
  return line === undefined ? {} : { from: Math.max(1, line - NEIGHBOURS), to: line + NEIGHBOURS };
}

/** Returns whether a line is one of them, by where it is or begins. */
function isNear(line: number | undefined): (ticks: LineData) => boolean {
  const { from = 0, to = Number.POSITIVE_INFINITY } = near(line);
  return (ticks) => startOf(ticks) >= from && startOf(ticks) <= to;
}

/** Returns what to look at after lines: the function of the hottest one, and its file if that is not the page. */
function nextOf(
  { lines, script }: LinesData,
  _: Analysis,
  { options: { sort: order = "self" }, names, sources }: Shown<LinesReportOptions>,
): NextCommand[] {
  const hottest = lines
    .toSorted((a, b) => b[order] - a[order] || b.self - a.self || b.total - a.total)
    .find(({ function: { origin } }) => origin !== "node");
  if (hottest === undefined || hottest[order] === 0) return [];
  const { function: owner, file } = hottest;
  const asked = { name: owner.name, ...shownFunction(owner) };
  const next = [functionCommand(asked, names, "callers and callees of the function of the hottest line")];
  if (script !== null || file === "" || sources.linesOf(file) === undefined) return next;
  return [
    { command: "ticks lines", operands: [names.file(file)], why: "the file of the hottest line" },
    ...next,
  ];
}

/** Where a text is from that is not in the log. */
const TEXT_FROM = {
  none: text`No source text: it is neither in the ${LOG} nor under a --source-root.`,
  map: `The source text is ${CHANGEABLE_TEXT.map}.`,
  disk: `The source text is ${CHANGEABLE_TEXT.disk}.`,
} as const;

/** Returns the hottest lines, then the ticks of the others and those outside JS functions, so that all add up. */
function hotLines(facts: LinesData, shown: Shown<LinesReportOptions>): Block[] {
  const { info, sources, limit, options } = shown;
  const { all = false, sort: order = "self" } = options;
  const { ticks: whole } = facts;
  const ranked = facts.lines.filter((line) => line[order] > 0);
  const lines = all ? ranked : ranked.slice(0, limit);
  const least = Math.max(5, plainly(amount(whole), info).length);
  const scripts = scriptsNote(
    lines.map(({ file, scripts: count = 1 }) => ({ file: shown.names.file(file), scripts: count })),
  );
  const notes: (Text | false | undefined)[] = [
    lines.some((line) => lacksText(line, sources)) && NO_TEXT,
    scripts && `${scripts}.`,
    lines.some(({ loop }) => loop !== undefined) && IN_LOOPS,
    lines.some(({ inferred }) => inferred !== undefined) && INFERRED_TICKS,
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
      rows: [
        ...lines.flatMap((line) => rowsOf(line, { whole, order, shown })),
        ...restRows(facts, { order, left: ranked.slice(lines.length) }),
      ],
    },
    ...notes.flatMap((words) => (words ? [note(words, "faint")] : [])),
    {
      kind: "sources",
      files: lines.flatMap(({ file, text: source }) => (source === null ? [] : file)),
      sources,
    },
  ];
}

/** Returns the row of a line, and those of the places in it. */
function rowsOf(
  line: LineData,
  {
    whole,
    order,
    shown,
  }: { readonly whole: Ticks; readonly order: LineOrder; readonly shown: Shown<LinesReportOptions> },
): Row[] {
  const isProgram = line.function.origin === "app";
  const row = (weights: LineData | PlaceData, cells: readonly Cell[], own: Ticks): Row => ({
    cells: [...numbersOf(weights, order, whole), ...cells],
    ticks: weights[order],
    own,
    isProgram,
  });
  const first = row(line, cellsOf(line, shown), line.self);
  const { places = [], file, line: number } = line;
  if (places.length === 0 || number === null) return [first];
  const hottest = new Set(places.toSorted((a, b) => b.total - a.total).slice(0, MOST_PLACES));
  const source = shown.sources.lineOf(file, number) ?? "";
  return [
    first,
    ...places
      .filter((place) => hottest.has(place) || place.column === null)
      .map((place) => row(place, [placeTitle(place), "", cutEndCell(placeText(place, source))], 0)),
  ];
}

/** Returns the self ticks of the lines that are not shown, and those outside JS functions. */
function restRows(
  { ticks, self: all }: LinesData,
  { order, left }: { readonly order: LineOrder; readonly left: readonly LineData[] },
): Row[] {
  const rest: [Ticks, string][] = [
    [selfOf(left), `… ${left.length} more`],
    [ticks - all, "outside JS functions"],
  ];
  return rest
    .filter(([self]) => self > 0)
    .map(([self, what]) => ({
      cells: [...numbersOf({ self, total: undefined }, order, ticks), "", "", what],
      tone: "faint",
      isRest: true,
    }));
}

function selfOf(lines: readonly { readonly self: Ticks }[]): Ticks {
  return lines.reduce((sum, { self }) => sum + self, 0);
}

/** What a row without a source is. */
const NO_TEXT = text`Without a source: the ${LOG} and its source maps have no text of the line, and no --source-root has its file.`;

/** Returns whether a known line has no source text. */
function lacksText({ file, line, loop, text: source }: LineData, sources: SourceTexts): boolean {
  return loop === undefined ? line !== null && source === null : sources.lineOf(file, loop) === undefined;
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
function cellsOf(line: LineData, { names, sources }: Shown<LinesReportOptions>): Cell[] {
  const { file, loop, function: owner, total, inferred = 0, column } = line;
  const shown = shownFunction(owner);
  const { title } = names.function(shown);
  const first = loop ?? line.line;
  if (first === null) return [cutMiddleCell(names.position(shown)), cutEndCell(title), "(line unknown)"];
  const found = loop === undefined ? line.text : (sources.lineOf(file, loop) ?? null);
  const place = `${loop === undefined ? first : `${loop}+`}${column === undefined ? "" : `:${column}`}`;
  return [
    { ...cutMiddleCell(`${names.file(file)}:${place}`), marks: inferredMark(inferred, total) },
    cutEndCell(title),
    cutEndCell(lineText(found === null ? undefined : textAround(found, column ?? 1), loop)),
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
  /** The line that was asked for. Absent if none was. */
  readonly line?: FromOne;
  readonly textFrom: TextFrom;
  /** Whether ticks lie past the end of the text: it is not the text that ran. */
  readonly isPastEnd: boolean;
}

/** Returns the document of `ticks lines`; undefined if no script has the name. The page shows the text of no line after the limit. */
function linesFacts(
  profile: Analysis,
  { options, limit, names, sources }: Shown<LinesReportOptions>,
  { format, warn }: Surroundings,
): LinesData | undefined {
  const { file: query, sort: order = "self", all = false } = options;
  const by = { byFunction: query === undefined };
  const bySelf = lineTicks(profile, by);
  const places = placesInLines(profile, sources, by);
  const scale = scaleOf(profile);
  const full = { sources, scale, places };
  const head = jsonHead("lines", profile);
  if (query === undefined) {
    // They come sorted by self ticks, which also decides between equal totals.
    const lines = order === "self" ? bySelf : bySelf.toSorted((a, b) => b.total - a.total);
    const most = all || format === "json" ? lines.length : limit;
    const bare = { ...full, sources: new SourceTexts([], () => undefined), places: () => [] };
    const rows = lines.map((line, i) => jsonLine(line, i < most ? full : bare));
    return { ...head, script: null, self: selfOf(lines), lines: rows };
  }
  const { file: name, line } = positionOf(query, bySelf);
  const file = fileOf(name, bySelf, { names, warn, info: profile.info });
  if (file === undefined) return undefined;
  const lines = bySelf.filter((one) => one.file === file).toSorted((a, b) => a.line - b.line);
  const rows = lines.map((one) => jsonLine(one, full));
  const found = sources.linesOf(file);
  const count = found?.lines.length;
  if (line !== undefined && count !== undefined && line > count)
    warn(`${printable(file)} has only ${count} lines`);
  return {
    ...head,
    script: {
      file,
      ...(line !== undefined && { line }),
      textFrom: textFrom(found?.origin),
      isPastEnd: isPastEnd(rows.filter(isNear(line)), found),
    },
    self: selfOf(lines),
    lines: rows,
  };
}

/** A script and a line of it, from 1. */
interface Position {
  readonly file: string;
  readonly line: number | undefined;
}

/** Returns what a query asks for: `app.js`, or `app.js:36` if no script has this name. */
function positionOf(query: string, lines: readonly LineTicks[]): Position {
  const [, file, line] = /^(.+?):([1-9]\d{0,8})(?::\d+)?$/s.exec(query) ?? [];
  const files = lines.flatMap((one) => one.file ?? []);
  const isFile = file === undefined || findFiles(query, files).length > 0;
  return isFile ? { file: query, line: undefined } : { file, line: Number(line) };
}

/**
 * Returns the file that a query matches. Warns and returns undefined for no match; throws if there are
 * several.
 */
function fileOf(
  query: string,
  lines: readonly LineTicks[],
  { names, warn, info }: { names: FunctionNames; warn: Surroundings["warn"]; info: ProfileInfo },
): string | undefined {
  const files = new Set(lines.flatMap(({ file }) => file ?? []));
  const [found, ...others] = findFiles(query, files);
  if (found === undefined) {
    warn(text`no script named ${named(printable(query))} has ${TICKS}`);
    const known = Array.from(files, (file) => names.file(file));
    const near = nearFiles(query, known);
    const hottest = known.slice(0, SUGGESTIONS);
    if (near.length > 0) warn(`did you mean ${near.map(printable).join(", ")}?`);
    else if (hottest.length > 0) warn(`the hottest scripts are ${hottest.map(printable).join(", ")}`);
  } else if (others.length > 0) {
    const list = [found, ...others].map((file) => {
      const ticks = selfOf(lines.filter((line) => line.file === file));
      return `  ${plainly(amount(ticks), info).padStart(5)}  ${printable(file)}`;
    });
    throw badOption(
      `several scripts match ${printable(query)}:\n   self  script\n${list.join("\n")}`,
      "Give more of the path.",
    );
  }
  return found;
}

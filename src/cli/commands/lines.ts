import { TicksError } from "../../errors.js";
import type { LineOrder, LinesReport } from "../../reports/lines.js";
import { REPORTS } from "../../reports/reports.js";
import { findFiles, nearFiles } from "../../views/file-search.js";
import { FunctionNames } from "../../views/function-names.js";
import { printable } from "../../views/label.js";
import { type LineTicks, lineTicks } from "../../views/line-ticks.js";
import { listing, type PlacesInLine, placesInLines } from "../../views/listing.js";
import { SourceTexts } from "../../views/source-texts.js";
import { loadView, warnProblems } from "../load-profile.js";
import { logArguments } from "../log-paths.js";
import type { ViewFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { warn } from "../terminal.js";
import { checkTokenLimit, type TokenLimitFlags } from "../token-limit.js";

interface LinesFlags extends ViewFlags, TokenLimitFlags {
  all?: boolean;
  limit: number;
  sort: LineOrder;
}

/** The number of lines shown before and after a line with ticks. */
const CONTEXT = 2;
/** The number of lines shown before and after a line that is asked for. */
const NEIGHBOURS = 10;
/** The number of scripts suggested if none was found. */
const SUGGESTIONS = 5;

/** Runs `ticks lines`. Returns the exit status: 1 if no script of that name has ticks. */
export async function runLines(words: readonly string[], flags: LinesFlags): Promise<number> {
  checkTokenLimit(flags);
  const { logs, query } = logArguments(words);
  const loaded = await loadView(logs, flags, { columns: "long-lines" });
  const { profile } = loaded;
  const table = profile.table;
  const names = new FunctionNames(table.functions, profile.info);
  const sources = new SourceTexts(profile.sources, loaded.files.readSource);
  const options = { byFunction: query === undefined };
  const lines = sorted(lineTicks(profile, options), flags.sort);
  const places = placesInLines(profile, sources, options);
  const asked = placeOf(query, lines);
  const file = asked.file === undefined ? undefined : await fileOf(asked.file, lines, names);
  if (query !== undefined && file === undefined) {
    warnProblems(loaded);
    return 1;
  }
  const report: LinesReport = {
    profile,
    names,
    sources,
    order: flags.sort,
    limit: flags.all ? Number.POSITIVE_INFINITY : flags.limit,
    places,
    ...linesOf({ file, line: asked.line }, lines, { sources, flags, places }),
  };
  await printReport(REPORTS.lines, report, flags);
  warnProblems(loaded);
  return 0;
}

/** Sorts lines, hottest first. They come sorted by self ticks, which also decides between equal totals. */
function sorted(lines: readonly LineTicks[], order: LineOrder): readonly LineTicks[] {
  return order === "self" ? lines : lines.toSorted((a, b) => b.total - a.total);
}

/** A script and a line of it, from 1. */
interface Place {
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/** Returns what a query asks for: `app.js`, or `app.js:36` if no script has this name. */
function placeOf(query: string | undefined, lines: readonly LineTicks[]): Place {
  const [, file, line] = /^(.+?):([1-9]\d{0,8})(?::\d+)?$/s.exec(query ?? "") ?? [];
  const files = lines.flatMap((one) => one.file ?? []);
  const isFile = file === undefined || findFiles(query!, files).length > 0;
  return isFile ? { file: query, line: undefined } : { file, line: Number(line) };
}

function linesOf(
  { file, line }: Place,
  all: readonly LineTicks[],
  { sources, flags, places }: { sources: SourceTexts; flags: LinesFlags; places: PlacesInLine },
): Pick<LinesReport, "lines" | "script"> {
  if (file === undefined) return { lines: all, script: undefined };
  const lines = all.filter((line) => line.file === file);
  const text = sources.linesOf(file);
  const isWhole = flags.all || line !== undefined;
  const context = isWhole ? Number.POSITIVE_INFINITY : CONTEXT;
  const from = line === undefined ? undefined : Math.max(1, line - NEIGHBOURS);
  const to = line === undefined ? undefined : line + NEIGHBOURS;
  const isNear = ({ line: at, loop, function: owner }: LineTicks) => {
    const shown = at > 0 ? at : (loop ?? owner.line ?? 0);
    return shown >= (from ?? 0) && shown <= (to ?? Number.POSITIVE_INFINITY);
  };
  const count = text?.lines.length;
  if (line !== undefined && count !== undefined && line > count)
    warn(`${printable(file)} has only ${count} lines`);
  return {
    lines,
    script: {
      file,
      listing: listing(lines.filter(isNear), text, { places, context, from, to }),
      origin: text?.origin,
    },
  };
}

/**
 * Returns the file that a query matches. Warns and returns undefined for no match; throws if there are
 * several.
 */
async function fileOf(
  query: string,
  lines: readonly LineTicks[],
  names: FunctionNames,
): Promise<string | undefined> {
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
    const { selfOf } = await import("../../reports/lines.js");
    const list = [found, ...others].map((file) => {
      const ticks = selfOf(lines.filter((line) => line.file === file));
      return `  ${String(ticks).padStart(5)}  ${printable(file)}`;
    });
    throw new TicksError(
      "BAD_OPTION",
      `several scripts match ${printable(query)}:\n   self  script\n${list.join("\n")}`,
      "Give more of the path.",
    );
  }
  return found;
}

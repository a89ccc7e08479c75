import { inPercent, named, percent, share, type Text, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { FindingKind } from "../facts/findings/finding.js";
import type { FunctionNames } from "../facts/function-names.js";
import {
  type Cell,
  cutEndCell,
  cutMiddleCell,
  isBlank,
  number,
  type Row,
  type Table,
} from "../render/page.js";
import { shownMiddle } from "../render/width.js";
import { isSameFunction } from "./json.js";
import { functionInStack } from "./stack-text.js";
import type { FindingData, FindingPlaceData } from "./top-facts.js";
import { counted, lineText } from "./words.js";

/** Findings of which the ticks are not at their places, but beside: what stands before the place. */
const BESIDE: Partial<Record<FindingKind, string>> = {
  gc: "just after ",
  loading: "for ",
  package: "called at ",
};

/** What stands before the place of what makes it; of other kinds, that is "made at". */
const MADE: Partial<Record<FindingKind, string>> = {
  megamorphic: "written at ",
  "slow-properties": "deleted at ",
  events: "handler at ",
};

/** Findings of which much is at no place, and has rows of its own in other tables. */
const ELSEWHERE: ReadonlySet<FindingKind> = new Set<FindingKind>(["loading", "package", "tick-chain"]);

/** Whether all of a finding is at one line: then that stands before its share. */
function isAtOnePlace({ kind, ticks, places }: FindingData): boolean {
  return BESIDE[kind] === undefined && places.length === 1 && places[0]!.ticks === ticks;
}

/** Returns a finding as a sentence. It has one share: what a fix would save. */
export function findingText(finding: FindingData, names: FunctionNames): Text {
  const { kind, percent: all, place, advice, makesGarbage } = finding;
  const what = finding.what.text;
  const garbage = makesGarbage ? " The garbage that it makes comes on top." : "";
  const end = `${advice === null ? "" : `; ${advice}`}.${garbage}`;
  if (kind === "spinning") return text`${named(placeText(names, place!))}: ${percent(all)} ${what}${end}`;
  if (kind === "idle") return text`${percent(all)}: ${what}${end}`;
  if (!isAtOnePlace(finding)) {
    // Its lines are below.
    const owner =
      isHotCode(kind) && place !== null
        ? text`${named(shownMiddle(functionInStack(names, place.function), NAME_COLUMNS))}, `
        : "";
    return text`${inPercent(all)}: ${owner}${what}${end}`;
  }
  return text`${named(placeText(names, place!))} ${inPercent(all)}: ${what}${end}`;
}

/** Whether a finding is about a function, and no kind of work. */
function isHotCode(kind: FindingKind): boolean {
  return kind === "own-code" || kind === "hot-code";
}

/** The rest of the places has a row if it has so much of the ticks, in percent. */
const LEAST_REST = 2;
/** Names after positions are cut to so many columns. */
const NAME_COLUMNS = 60;
/** The largest part of a line that positions take. */
export const POSITION_SHARE = 0.35;
/** Stands for the source of a line that is not known. */
export const NO_SOURCE = "(no line)";
/** Stands for a source that a row above has: of a finding, or of another function in the line. */
const ABOVE = "(above)";

/** So many threads of a finding have a row. */
const MOST_THREADS = 4;
/** So many places of a finding have a row. */
const MOST_PLACES = 3;
/** A place with so much of a package, or of start-up, has no share of its own: a part of 0 to 1. */
const NEARLY_ALL = 0.9;
/** Places with less of a finding have none, in percent of it. */
const LEAST_PART = 10;

/** Returns the places of a finding with their source, and the line that calls the first of them. */
export function findingRows(
  { kind, ticks, places, caller, made, likely, inPackage, threads, ...finding }: FindingData,
  {
    whole,
    names,
    printed,
  }: { readonly whole: Ticks; readonly names: FunctionNames; readonly printed: PrintedLines },
): Table[] {
  if (kind === "spinning") return [];
  const isAlone = isAtOnePlace({ kind, ticks, places, ...finding } as FindingData);
  const isLarge = (one: FindingPlaceData) => kind === "tick-chain" || one.ticks * 100 >= ticks * LEAST_PART;
  const shown = places.slice(0, MOST_PLACES).filter(isLarge);
  const hasOtherLine = (one: FindingPlaceData) =>
    places.some((other) => other !== one && isSameFunction(other.function, one.function));
  const rowOf = (one: FindingPlaceData, before: string, part: Text): PlaceRow => {
    const isUnknown = !one.isLineKnown && (hasOtherLine(one) || isMainCode(one));
    return {
      cells: [part, text`${before}${named(placeText(names, one, isUnknown))}`],
      ...(isUnknown ? { beside: NO_SOURCE } : { source: sourceOf(one) }),
      ticks: one.ticks,
    };
  };
  const hasOwnRow = kind === "package" || kind === "loading";
  const isNearlyAll = (one: FindingPlaceData) => hasOwnRow && one.ticks >= ticks * NEARLY_ALL;
  const rows = shown.map((one) =>
    rowOf(
      one,
      BESIDE[kind] ?? "at ",
      (isAlone && one.isRow) || isNearlyAll(one) ? "" : share(one.ticks, whole),
    ),
  );
  // The sentence has the place already, and the table below begins with the line.
  const [first] = rows;
  const isSaid =
    first !== undefined &&
    isBlank(first.cells[0]!) &&
    first.source === undefined &&
    first.beside === undefined;
  const isRepeated = isSaid || isHotCode(kind) || (likely !== null && !places[0]!.isLineKnown);
  if (isAlone && isRepeated) rows.shift();
  const rest = places.slice(shown.length).reduce((sum, one) => sum + one.ticks, 0);
  if (shown.length > 0 && rest > 0 && share(rest, whole).percent! >= LEAST_REST) {
    const more = counted(places.length - shown.length, "more line");
    rows.push({ cells: [share(rest, whole), `in ${more}`], ticks: rest, isRest: true });
  }
  const nowhere = ticks - places.reduce((sum, one) => sum + one.ticks, 0);
  if (!ELSEWHERE.has(kind) && shown.length > 0 && share(nowhere, whole).percent! >= LEAST_REST)
    rows.push({ cells: [share(nowhere, whole), "at no known line"], ticks: nowhere, isRest: true });
  for (const { name, ticks: own, busyPercent } of threads.slice(0, MOST_THREADS))
    rows.push({
      cells: [share(own, whole), cutMiddleCell(name)],
      beside: text`busy ${percent(busyPercent)} of its time`,
      ticks: own,
    });
  if (kind === "one-worker" && caller !== null) rows.push(rowOf(caller, "posted to at ", ""));
  const isNowhere = (one: FindingPlaceData) =>
    !one.isLineKnown && (isMainCode(one) || (one.text === null && one.function.name === ""));
  const calledRow = (one: FindingPlaceData) =>
    one.isLineKnown ? rowOf(one, "called at ", "") : { ...rowOf(one, "called by ", ""), source: undefined }; // That is where it begins.
  if (caller !== null && !isNowhere(caller) && shown.length > 0)
    rows.splice(Math.min(1, rows.length), 0, calledRow(caller));
  if (made !== null) {
    const position = text`${MADE[kind] ?? "made at "}${named(`${names.file(made.file)}:${made.line}`)}`;
    rows.splice(Math.min(1, rows.length), 0, {
      cells: ["", position],
      source: sourceOf(made),
      ticks,
    });
  }
  if (inPackage !== null)
    if (kind === "package") rows.push(rowOf(inPackage, "most at ", share(inPackage.ticks, whole)));
    else rows.splice(Math.min(1, rows.length), 0, rowOf(inPackage, "done at ", ""));
  if (likely !== null) rows.unshift(rowOf(likely, "most likely at ", ""));
  if (rows.length === 0) return [];
  const columns = [
    { ...number("share"), isIfAny: true },
    { title: "place", share: POSITION_SHARE },
    { title: "source", isIfAny: true },
  ];
  const shownRows = rows.map(({ cells, source, beside = "", ...row }): Row => {
    const last = source === undefined ? beside : printed.once(source, row.ticks ?? 0);
    return { ...row, cells: [...cells, last], isProgram: true };
  });
  return [{ kind: "table", whole, columns, rows: shownRows, isHeadless: true }];
}

/** Whether a place is in the code of a whole script: where that begins tells nothing. */
function isMainCode({ function: { name, line } }: FindingPlaceData): boolean {
  return name === "" && line === 1;
}

/** A row of a finding. Its last cell is still to come: the source, or without one what else is known. */
interface PlaceRow extends Row {
  readonly source?: SourceLine | undefined;
  readonly beside?: Text;
}

/** A line of a source, with what to show of it. */
interface SourceLine {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

function sourceOf({
  file,
  line,
  text,
}: Pick<FindingPlaceData, "file" | "line" | "text">): SourceLine | undefined {
  return text === null ? undefined : { file, line, text: lineText(text, undefined) };
}

/** The lines of sources that the page has so far: the text of each is there once. */
export class PrintedLines {
  /** By line: the ticks of the row that has its text. */
  readonly #ticks = new Map<string, Ticks>();

  /** Returns the text of a line, or what stands for it if a row further up has it that is not dropped sooner (`--limit-tokens`). */
  once({ file, line, text }: SourceLine, ticks: Ticks): Cell {
    const key = `${file}:${line}:${text}`;
    const isAbove = (this.#ticks.get(key) ?? -1) >= ticks;
    if (text.length > ABOVE.length && isAbove) return { ...cutEndCell(ABOVE), tone: "faint" };
    this.#ticks.set(key, ticks);
    return cutEndCell(text);
  }
}

/** Returns `app.js:5 (hash)`; functions without a name have only the position. */
function placeText(
  names: FunctionNames,
  { function: owner, line }: FindingPlaceData,
  isUnknown = false,
): string {
  const position = `${names.file(owner.file)}:${isUnknown ? "?" : line}`;
  return owner.name === "" ? position : `${position} (${shownMiddle(owner.name, NAME_COLUMNS)})`;
}

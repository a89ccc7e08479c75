import {
  amount,
  inPercent,
  inTicks,
  inTime,
  isEmpty,
  joined,
  LOG,
  named,
  percent,
  share,
  type Text,
  TICK,
  TICKS,
  type Time,
  text,
  WEIGHT,
} from "../base/text.js";
import type { Micros, Ticks } from "../base/units.js";
import type { ShareRange } from "../facts/confidence.js";
import { doubtText, doubtTexts, type Warning, type Weight, weightOf } from "../facts/doubts.js";
import type { Finding, FindingKind, FindingPlace } from "../facts/findings.js";
import type { FunctionChain } from "../facts/function-chains.js";
import type { Callable } from "../facts/function-stacks.js";
import { type ProfiledFunction, UNNAMED } from "../facts/function-table.js";
import type { HeavyStack } from "../facts/heavy-stacks.js";
import type { HotLine, HotLines, NoLineReason } from "../facts/hot-lines.js";
import { INFERRED, printable } from "../facts/label.js";
import { codeMadeAt, programTexts } from "../facts/made-at.js";
import type { NextStep } from "../facts/next-steps.js";
import { type Origin, runtimeTitle } from "../facts/origin.js";
import { percentOf } from "../facts/shares.js";
import { SourceTexts } from "../facts/source-texts.js";
import { type TierNames, tierNamesOf } from "../facts/tier-names.js";
import type { TierTicks } from "../facts/tier-ticks.js";
import { type Top, topOf } from "../facts/top.js";
import type { FunctionRow } from "../facts/top-functions.js";
import type { WeightRanges } from "../facts/top-ranges.js";
import { type ThreadTurns, TURNS } from "../facts/turns.js";
import type { Category } from "../profile/categories.js";
import { TIERS, type Tier } from "../profile/frame.js";
import { isEvaluated } from "../profile/logged-name.js";
import type { Profile } from "../profile/profile.js";
import { nodeText, reportTitle } from "../profile/titles.js";
import { versionText } from "../profile/v8-version.js";
import { inferredMark, listedName, listedSymbol, shortSymbol } from "../render/names.js";
import {
  type Block,
  type Cell,
  type Column,
  code,
  cutEndCell,
  cutMiddleCell,
  isBlank,
  type Note,
  note,
  number,
  type PathCell,
  type Row,
  section,
  type Table,
  ticksColumn,
} from "../render/page.js";
import { plainly, type Unit } from "../render/spoken.js";
import { cutMiddle, endsOf, fits, widthOf } from "../render/width.js";
import { type CostData, costOf, PositionNames } from "./deopts.js";
import {
  type CallableData,
  type FromOne,
  type FunctionData,
  type InferredData,
  type JsonHead,
  jsonCallable,
  jsonFunction,
  jsonHead,
  jsonInferred,
  jsonMissingCallers,
  jsonScripts,
  jsonTiers,
  jsonTimes,
  type Microseconds,
  type MissingCallersData,
  type Percent,
  type PositionData,
  type Scale,
  type ScriptsData,
  scaleOf,
  type TierShares,
  type TimesData,
} from "./json.js";
import { commandLine, logsNote, nameToAskFor, onPage, type Reading } from "./next.js";
import type { ProfileReport } from "./report.js";
import type { TopReportOptions } from "./report-options.js";
import { hottestAlike, hottestCell } from "./threads.js";
import { type HolderData, holderData, longestPeriodicTurn, longTurnNotes } from "./turns.js";
import {
  counted,
  filteredTicks,
  lineText,
  moreText,
  SOME_COMMAND,
  scriptsNote,
  shellCommand,
  textAround,
  tickCount,
  tierTitlesOf,
  waitedLines,
} from "./words.js";

/** What the reporters of `ticks top` show. */
export interface TopReport {
  readonly profile: Profile;
  readonly top: Top;
  /** Undefined if they are not known. */
  readonly turns?: readonly ThreadTurns[] | undefined;
  /** The number of rows to show of each list. */
  readonly limit: number;
  /** What its commands read. */
  readonly reading: Reading;
  /** The command that `ticks record` ran, if it made the logs. */
  readonly command?: readonly string[] | undefined;
}

/** `ticks top`. */
export const TOP: ProfileReport<TopReport, TopReportOptions> = {
  needs: () => ({ deopts: true, timeline: true, lines: "program", turns: TURNS }),
  hasWholeNames: true,
  of: (profile, _, { limit, logs, options = [], turns, command, isGone }) => {
    const top = topOf(profile, limit);
    return {
      ...{ profile, top: isGone ? { ...top, steps: [] } : top, turns, limit, reading: { logs, options } },
      command: command(),
    };
  },
  data: topData,
  page: topPage,
};

/**
 * Returns the page of `ticks top`: short, ranked, and the same for each run of the command. First comes what it found, then what may
 * be wrong with it: only a doubt that makes all else worthless comes before.
 */
export function* topPage(report: TopReport): Iterable<Block> {
  const { profile, top, limit } = report;
  const reading = onPage(report.reading);
  const [ticks = "", ...facts] = factsOf(report);
  yield { kind: "heading", name: reportTitle(profile.info), facts: ticks };
  if (facts.length > 0) yield note(joined(facts, ", "));
  yield* waitedLines(profile.info).map((line) => note(line));
  if (top.ticks > 0 && waitedLines(profile.info).length === 0)
    yield { ...note(sharesNote(report)), isMarkdownOnly: true };
  const doctor = named(shellCommand("ticks doctor", reading.logs.map(printable)));
  const words = (doubt: Warning) => doubtText(doubt, profile.info, doctor);
  const weighing = (...weights: readonly Weight[]) =>
    top.warnings.filter((one) => weights.includes(weightOf(one, top.ticks)));
  const [grave] = weighing("first");
  if (grave !== undefined) yield { ...note(words(grave), "hot"), isWhole: true };
  if (top.ticks === 0) {
    if (top.warnings.length > 0) yield* logsNote(report.reading.logs);
    yield note(emptyText(report));
    return;
  }
  const printed = new PrintedLines();
  const tables = new TopTables(report, printed);
  const [found, idle] = [false, true].map((isIdle) =>
    top.findings
      .filter(({ kind }) => (kind === "idle") === isIdle)
      .flatMap((one): Block[] => [note(findingText(report, one)), ...findingRows(report, one, printed)]),
  );
  const findings = [
    ...weighing("finding").map((one) => note(words(one))),
    ...found!,
    ...longTurnNotes(heldOf(report), top.names),
    ...idle!,
  ];
  if (findings.length > 0) yield { kind: "section", title: "What stands out", blocks: findings };
  if (top.app.lines.length > 0)
    yield isWithoutLines(report)
      ? { kind: "section", title: YOUR_FUNCTIONS, blocks: tables.ownFunctions(top.app, top.ranges.app) }
      : section(YOUR_LINES, ...tables.lines(top.app, top.ranges.app, "your code"));
  yield section(text`Where the ${WEIGHT} went`, tables.breakdown());
  if (top.threads.length > 0) yield section("Threads", tables.threads());
  if (tables.hasPackages()) yield section(PACKAGES, tables.packages());
  const stacks = tables.stacks();
  if (stacks.rows.length > 0) yield section("Heaviest stacks, outermost first", stacks);
  yield section("Functions by total", tables.byTotal());
  yield { kind: "section", title: "Functions by self", blocks: tables.bySelf() };
  const hasPackageLines = percentOf(top.packageLines.lines[0]?.ticks ?? 0, top.ticks) >= LIGHT_LINE;
  if (hasPackageLines)
    yield section(
      PACKAGE_LINES,
      ...tables.lines(top.packageLines, top.ranges.packageLines, "the lines of packages"),
    );
  const ofPackages = hasPackageLines ? top.packageLines.lines.slice(0, limit) : [];
  const withText = [...top.app.lines.slice(0, limit), ...ofPackages].filter(({ text }) => text !== undefined);
  yield {
    kind: "sources",
    files: Array.from(new Set(withText.map(({ file }) => file))),
    sources: new SourceTexts(profile.sources, () => undefined),
  };
  if (top.deopts.length > 0)
    yield section(text`Deoptimizations, by ${TICKS} in slower code until optimized again`, tables.deopts());
  const others = weighing("first", "uncertain").filter((one) => one !== grave);
  const doubts = [...marginDoubt(report), ...others.map((one) => ({ ...note(words(one)), isWhole: true }))];
  if (doubts.length > 0) yield { kind: "section", title: "Uncertain", blocks: doubts };
  const legend = tables.legend();
  if (legend.length > 0) yield { kind: "legend", lines: legend };
  const lines = nextCommands({ ...report, reading });
  if (lines.length > 0) yield section("Next", { kind: "commands", lines });
  if (top.warnings.length + lines.length > 0) yield* logsNote(report.reading.logs);
}

/** The lines of packages are left out if none has so much of the ticks, in percent: then no line is to blame. */
const LIGHT_LINE = 2;

/** Margins of less points than this change no decision. */
const WIDE_MARGIN = 5;

/** Doubts beside which a margin says nothing: that samples are few was said above, and more of them tell no wait from work. */
const BEYOND_MARGINS: ReadonlySet<Warning["kind"]> = new Set<Warning["kind"]>([
  "few-ticks",
  "possible-waits",
]);

/** Says how far the first share of the page may be off, if that is far. */
function marginDoubt({ top }: TopReport): Note[] {
  if (top.warnings.some(({ kind }) => BEYOND_MARGINS.has(kind))) return [];
  const [line] = top.app.lines;
  const ticks = line?.ticks ?? top.functions.bySelf[0]?.self;
  const range = line === undefined ? top.ranges.bySelf[0]?.self : top.ranges.app[0];
  if (ticks === undefined || range === undefined) return [];
  const percent = (ticks * 100) / top.ticks;
  if (range.low <= 0 && range.high >= 100) return []; // Nothing is known, and said above.
  const margin = Math.ceil(Math.max(range.high - percent, percent - range.low) - 1e-9);
  if (margin < WIDE_MARGIN || margin * 5 < percent) return [];
  return [note(`The first share may be off by ±${margin}: record longer, or several runs.`)];
}

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

/** Whether all of a finding is at one line: then that stands before its share. */
function isAtOnePlace({ kind, ticks, places }: Finding): boolean {
  return BESIDE[kind] === undefined && places.length === 1 && places[0]!.ticks === ticks;
}

/** Returns a finding as a sentence. It has one share: what a fix would save. */
function findingText(report: TopReport, finding: Finding): Text {
  const { kind, percent: all, place, what, advice, makesGarbage } = finding;
  const garbage = makesGarbage ? " The garbage that it makes comes on top." : "";
  const end = `${advice === undefined ? "" : `; ${advice}`}.${garbage}`;
  if (kind === "spinning") return text`${named(placeText(report, place!))}: ${percent(all)} ${what}${end}`;
  if (kind === "idle") return text`${percent(all)}: ${what}${end}`;
  if (!isAtOnePlace(finding)) return text`${inPercent(all)}: ${what}${end}`;
  return text`${named(placeText(report, place!))} ${inPercent(all)}: ${what}${end}`;
}

/** So many threads of a finding have a row. */
const MOST_THREADS = 4;
/** So many places of a finding have a row. */
const MOST_PLACES = 3;
/** Places with less of a finding have none, in percent of it. */
const LEAST_PART = 10;

/** Returns the places of a finding with their source, and the line that calls the first of them. */
function findingRows(report: TopReport, finding: Finding, printed: PrintedLines): Table[] {
  const { kind, ticks, places, caller, made, likely, inPackage, threads } = finding;
  if (kind === "spinning") return [];
  const { top, profile } = report;
  const texts = new SourceTexts(profile.sources, () => undefined);
  const isAlone = isAtOnePlace(finding);
  const isLarge = (one: FindingPlace) => kind === "tick-chain" || one.ticks * 100 >= ticks * LEAST_PART;
  const shown = places.slice(0, MOST_PLACES).filter(isLarge);
  const hasOtherLine = (one: FindingPlace) =>
    places.some((other) => other !== one && other.function === one.function);
  const rowOf = (one: FindingPlace, before: string, part: Text): PlaceRow => {
    const isUnknown = !one.isLineKnown && hasOtherLine(one);
    return {
      cells: [part, text`${before}${named(placeText(report, one, isUnknown))}`],
      ...(isUnknown ? { beside: NO_SOURCE } : { source: sourceAt(texts, one.function.file ?? "", one) }),
      ticks: one.ticks,
    };
  };
  const rows = shown.map((one) =>
    rowOf(one, BESIDE[kind] ?? "at ", isAlone && one.isRow ? "" : share(one.ticks, top.ticks)),
  );
  // The sentence has the place already, and the table below begins with the line.
  const [first] = rows;
  const isSaid =
    first !== undefined &&
    isBlank(first.cells[0]!) &&
    first.source === undefined &&
    first.beside === undefined;
  const isTold = isSaid || kind === "own-code" || (likely !== undefined && !places[0]!.isLineKnown);
  if (isAlone && isTold) rows.shift();
  const rest = places.slice(shown.length).reduce((sum, one) => sum + one.ticks, 0);
  if (shown.length > 0 && rest > 0 && share(rest, top.ticks).percent! >= LIGHT) {
    const more = counted(places.length - shown.length, "more line");
    rows.push({ cells: [share(rest, top.ticks), `in ${more}`], ticks: rest, isRest: true });
  }
  for (const { name, ticks: own, busy } of threads.slice(0, MOST_THREADS))
    rows.push({
      cells: [share(own, top.ticks), cutMiddleCell(name)],
      beside: text`busy ${percent(busy)} of its time`,
      ticks: own,
    });
  if (kind === "one-worker" && caller !== undefined) rows.push(rowOf(caller, "posted to at ", ""));
  if (caller !== undefined && shown.length > 0)
    rows.splice(Math.min(1, rows.length), 0, rowOf(caller, "called at ", ""));
  if (made !== undefined) {
    const position = text`${MADE[kind] ?? "made at "}${named(`${top.names.file(made.file)}:${made.line}`)}`;
    rows.splice(Math.min(1, rows.length), 0, {
      cells: ["", position],
      source: sourceAt(texts, made.file, made),
      ticks,
    });
  }
  if (inPackage !== undefined) rows.splice(Math.min(1, rows.length), 0, rowOf(inPackage, "done at ", ""));
  if (likely !== undefined) rows.unshift(rowOf(likely, "most likely at ", ""));
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
  return [{ kind: "table", whole: top.ticks, columns, rows: shownRows, isHeadless: true }];
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

/** Returns the source of a place, around its column; undefined if there is none. */
function sourceAt(
  texts: SourceTexts,
  file: string,
  { line, column }: { readonly line: number; readonly column: number | undefined },
): SourceLine | undefined {
  const source = texts.lineOf(file, line);
  if (source === undefined) return undefined;
  return { file, line, text: lineText(textAround(source, column ?? 1), undefined) };
}

/** The lines of sources that the page has so far: the text of each is there once. */
class PrintedLines {
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
function placeText({ top }: TopReport, { function: owner, line }: FindingPlace, isUnknown = false): string {
  const position = `${top.names.file(owner.file ?? "")}:${isUnknown ? "?" : line}`;
  return owner.name === "" ? position : `${position} (${endsOf(owner.name, REASON_COLUMNS)})`;
}

/** How far a share may be off. */
const MARGIN: Column = { title: "±", isIfAny: true };

/** The largest parts of a line that names take. */
const POSITION_SHARE = 0.35;
const LINE_FUNCTION_SHARE = 0.15;
const THREAD_SHARE = 0.4;
const DEOPT_SHARE = 0.45;
/** The functions of lines are left out if they leave less than this for the source. */
const SOURCE_COLUMNS = 30;

/** Rows with a smaller share, in percent, are left out, unless more rows were asked for. */
const LIGHT = 2;
/** So many times that share is the least of stacks, and of functions that are not the program's. */
const LIGHT_FOREIGN = 2;
/** But so many rows stay, if they have half of that share or no row has. */
const LEAST_ROWS = 3;
/** The rows of a list if nobody asks for more. */
export const USUAL_ROWS = 10;

const PACKAGES = "Packages, with all that they call of Node and native code";

/** The tables of the page. */
class TopTables {
  readonly #report: TopReport;
  readonly #top: Top;
  /** The marks that are in the tables made so far. */
  readonly #marks = new Set<Mark>();

  readonly #printed: PrintedLines;

  constructor(report: TopReport, printed: PrintedLines) {
    this.#report = report;
    this.#top = report.top;
    this.#printed = printed;
  }

  breakdown(): Table {
    const { breakdown, ranges } = this.#top;
    return this.#list({
      columns: [ticksColumn(), number("share"), MARGIN, { title: "what" }],
      rows: breakdown.filter(({ ticks }) => ticks > 0),
      noun: "kind",
      ticksOf: ({ ticks }) => ticks,
      cellsOf: ({ title, ticks, percent: part, tiers }, i) => {
        const marks = this.#tiers(tiers);
        return [
          ...[amount(ticks), inPercent(part), this.#margin(ticks, ranges.breakdown[i])],
          isEmpty(marks) ? title : text`${title}  ${code(marks)}`,
        ];
      },
    });
  }

  threads(): Table {
    const { threads } = this.#top;
    const { info } = this.#report.profile;
    const alike = hottestAlike(threads.slice(0, this.#report.limit));
    // Which of the ticks that are left out are waits is known by thread if no others are.
    const hasWaits = info.waited !== undefined && info.waited.ticks > 0 && filteredTicks(info) === 0;
    return this.#list({
      columns: [
        ...[ticksColumn(), number("share"), ...(hasWaits ? [ticksColumn("waited")] : []), number("#")],
        ...[{ title: "thread", share: THREAD_SHARE }, { title: "hottest function" }],
      ],
      rows: threads,
      noun: "thread",
      ticksOf: ({ ticks }) => ticks,
      cellsOf: (thread) => [
        ...[amount(thread.ticks), this.#share(thread.ticks)],
        ...[...(hasWaits ? [amount(thread.excluded)] : []), String(thread.number)],
        ...[cutMiddleCell(thread.name), cutMiddleCell(hottestCell(thread, alike))],
      ],
    });
  }

  /** Whether there are packages beside the program: without, the table says nothing that others do not. */
  hasPackages(): boolean {
    const least = this.#leastTicks();
    return this.#top.packages.rows.some(({ origin, total }) => origin?.kind === "deps" && total >= least);
  }

  packages(): Table {
    const { packages, ranges } = this.#top;
    return this.#list({
      columns: [
        ...[ticksColumn(), number("share"), MARGIN, ticksColumn("self")],
        ...[ticksColumn("called"), ticksColumn("total"), { title: "package" }],
      ],
      rows: packages.rows,
      noun: "package",
      ticksOf: ({ ticks }) => ticks,
      cellsOf: ({ origin, ticks, percent: part, self, throughNative, total }, i) => [
        ...[amount(ticks), inPercent(part), this.#margin(ticks, ranges.packages[i]?.ticks)],
        ...[amount(self), amount(throughNative), amount(total), cutMiddleCell(packageTitle(origin))],
      ],
    });
  }

  /** Leaves out what is no stack, but a state that V8 was in: the table of categories has it. */
  stacks(): Table {
    const { stacks, ticks: whole, ranges } = this.#top;
    const rows = stacks.stacks
      .map((stack, i) => ({ ...stack, range: ranges.stacks[i] }))
      .filter(({ path }) => path.length > 1 || path[0]!.kind !== "state")
      .filter((stack, i) => i < LEAST_ROWS || stack.ticks >= this.#leastTicks(LIGHT_FOREIGN));
    const rest = rows.reduce((left, { ticks }) => left - ticks, whole);
    return {
      kind: "table",
      whole,
      columns: [ticksColumn(), number("share"), MARGIN, { title: "stack" }],
      rows: rows.map(({ ticks, path, range }, i) => ({
        cells: [...this.#weight(ticks, range), this.#path(path, sharedCallers(i, rows))],
        ticks,
      })),
      rest: rest === 0 ? undefined : text`… ${inTicks(rest)} in other stacks`,
    };
  }

  byTotal(): Table {
    const { ticks: whole, ranges } = this.#top;
    const chains = this.#top.chains.map((chain, i) => ({ ...chain, range: ranges.chains[i] }));
    const isOwn = ({ rows }: FunctionChain) => rows.some((row) => isProgram(row.function));
    const least = this.#leastTicks(LIGHT_FOREIGN);
    const isTold = (chain: FunctionChain) => isOwn(chain) || (chain.total >= least && isNoLeaf(chain));
    const shown = this.#shown(
      this.#report.limit > USUAL_ROWS ? chains : chains.filter(isTold),
      ({ total }) => total,
    );
    return {
      kind: "table",
      whole,
      columns: [
        ...[ticksColumn("total"), number("share"), MARGIN],
        ...[{ ...ticksColumn("self"), isIfAny: true }, { title: "function" }],
      ],
      rows: shown.map(({ rows, total, self, range }) => {
        const [first] = rows;
        const marks = rows.length === 1 ? this.#inferred(first!.inferred, total) : "";
        if (rows.length > 1) this.#marks.add("→");
        return {
          cells: [
            ...[...this.#weight(total, range), self === 0 ? "" : amount(self)],
            rows.length === 1
              ? { ...listedName(this.#top.names.function(first!.function)), marks }
              : this.#path(rows.map((row) => ({ kind: "function", function: row.function }))),
          ],
          ticks: total,
          isProgram: rows.some((row) => isProgram(row.function)),
        };
      }),
    };
  }

  bySelf(): Block[] {
    const { functions, ranges, names, explained } = this.#top;
    const all = functions.bySelf.map((row, i) => ({ ...row, range: ranges.bySelf[i]?.self }));
    // Who asks for more rows wants all of them.
    const isLeftOut = (row: FunctionRow) => explained.has(row.function) && this.#report.limit <= USUAL_ROWS;
    const left = all.filter(isLeftOut).reduce((sum, row) => sum + row.self, 0);
    const table = this.#list({
      columns: [
        ...[ticksColumn("self"), number("share"), MARGIN, { ...ticksColumn("total"), isIfAny: true }],
        ...[{ title: "tiers", isIfAny: true }, { title: "function" }],
      ],
      rows: all.filter((row) => !isLeftOut(row)),
      noun: "function",
      ticksOf: ({ self }) => self,
      cellsOf: ({ function: fn, self, total, tiers, inferred, range }) => [
        ...this.#weight(self, range),
        ...[total === self ? "" : amount(total), code(this.#tiers(tiers))],
        { ...listedName(names.function(fn)), marks: self === total ? this.#inferred(inferred, self) : "" },
      ],
      isProgram: (row) => isProgram(row.function),
    });
    if (left === 0) return [table];
    const words = text`… ${inTicks(left)} in C++ that your code called: -n ${String(2 * USUAL_ROWS)} lists it`;
    return [table, note(words, "faint")];
  }

  /** `whose`: where the ticks would be that these lines do not have. */
  lines(hot: HotLines, ranges: readonly ShareRange[], whose: string): Block[] {
    const table = this.#list({
      columns: [
        ...[ticksColumn(), number("share"), MARGIN, ticksColumn("self"), ticksColumn("total")],
        { title: "line", share: POSITION_SHARE },
        { title: "function", share: LINE_FUNCTION_SHARE, dropped: 1 },
        { title: "source" },
      ],
      rows: hot.lines,
      noun: "line",
      ticksOf: ({ ticks }) => ticks,
      cellsOf: (line, i) => [
        ...[...this.#weight(line.ticks, ranges[i]), amount(line.self), amount(line.total)],
        { text: this.#lineTitle(line), cut: "middle", tone: "faint" },
        cutMiddleCell(lineFunction(this.#report, line)),
        this.#sourceOf(line),
      ],
      isProgram: (line) => isProgram(line.function),
    });
    const notes = [
      ...lineNotes(this.#report, hot, this.#leastTicks()),
      ...madeNote(this.#report, hot),
      ...(hot.outside >= this.#leastTicks() ? [text`${inTicks(hot.outside)} outside ${whose}`] : []),
    ];
    return [{ ...table, least: SOURCE_COLUMNS }, ...notes.map((words) => note(text`… ${words}`, "faint"))];
  }

  #sourceOf({ text, file, line, loop, column, ticks }: HotLine): Cell {
    if (line === 0 && loop === undefined) return NO_SOURCE;
    const source = lineText(text && textAround(text, column ?? 1), loop);
    if (line > 0) return this.#printed.once({ file, line, text: source }, ticks);
    return { ...cutEndCell(source), tone: "faint" };
  }

  /** The same of a profile without lines, as V8's heap profiles are. */
  ownFunctions(hot: HotLines, ranges: readonly ShareRange[]): Block[] {
    const { names } = this.#top;
    const table = this.#list({
      columns: [
        ...[ticksColumn(), number("share"), MARGIN, ticksColumn("self"), ticksColumn("total")],
        { title: "function" },
      ],
      rows: hot.lines,
      noun: "function",
      ticksOf: ({ ticks }) => ticks,
      cellsOf: (line, i) => [
        ...[...this.#weight(line.ticks, ranges[i]), amount(line.self), amount(line.total)],
        listedName(names.function(line.function)),
      ],
      isProgram: (line) => isProgram(line.function),
    });
    if (hot.outside < this.#leastTicks()) return [table];
    return [table, note(text`… ${inTicks(hot.outside)} outside your code`, "faint")];
  }

  deopts(): Table {
    const { deopts, ranges } = this.#top;
    const names = new PositionNames(deopts.slice(0, this.#report.limit));
    return this.#list({
      columns: [
        ...[ticksColumn(), number("share"), MARGIN, number("times")],
        ...[{ title: "function", share: DEOPT_SHARE }, { title: "reason" }],
      ],
      rows: deopts,
      noun: "deoptimization",
      ticksOf: ({ cost }) => cost,
      cellsOf: (row, i) => [
        ...[...this.#weight(row.cost, ranges.deopts[i]), String(row.count)],
        ...[{ title: row.title, position: names.function(row) }, cutEndCell(row.reason)],
      ],
    });
  }

  /** Returns the first rows of a list, and how many ticks are in the others, so that all add up. */
  #list<Item>({ columns, rows, noun, ticksOf, cellsOf, isProgram }: List<Item>): Table {
    const shown = this.#shown(rows, ticksOf, isProgram);
    return {
      kind: "table",
      whole: this.#top.ticks,
      columns,
      rows: shown.map(
        (row, i): Row => ({
          cells: cellsOf(row, i),
          ticks: ticksOf(row),
          isProgram: isProgram?.(row) ?? false,
        }),
      ),
      rest: moreText(rows.slice(shown.length), ticksOf, noun),
    };
  }

  /** Returns the first rows of a ranked list: without the last ones that are {@link LIGHT}, or foreign and light. */
  #shown<Item>(
    rows: readonly Item[],
    ticksOf: (row: Item) => Ticks,
    isOwn: (row: Item) => boolean = () => true,
  ): readonly Item[] {
    const { limit } = this.#report;
    const [least, leastForeign] = [this.#leastTicks(), this.#leastTicks(LIGHT_FOREIGN)];
    const heavy = rows.findLastIndex((row) => ticksOf(row) >= (isOwn(row) ? least : leastForeign)) + 1;
    const others = rows.findLastIndex((row) => ticksOf(row) >= least / 2) + 1;
    const few = others === 0 ? LEAST_ROWS : Math.min(others, LEAST_ROWS);
    return rows.slice(0, Math.min(limit, Math.max(heavy, few)));
  }

  /** Returns the ticks that rows are for; all are if more rows were asked for than usual. */
  #leastTicks(times = 1): Ticks {
    return this.#report.limit > USUAL_ROWS ? 1 : Math.max(1, (this.#top.ticks * times * LIGHT) / 100);
  }

  /** Returns ticks, their share and its margin, as three cells. */
  #weight(ticks: Ticks, range: ShareRange | undefined): Text[] {
    return [amount(ticks), this.#share(ticks), this.#margin(ticks, range)];
  }

  #share(ticks: Ticks): Text {
    return share(ticks, this.#top.ticks);
  }

  #margin(ticks: Ticks, range: ShareRange | undefined): string {
    const margin = marginOf(ticks, this.#top.ticks, range);
    if (margin !== "") this.#marks.add("±");
    return margin;
  }

  #inferred(inferred: Ticks, ticks: Ticks): Text {
    if (inferred > 0) this.#marks.add(INFERRED);
    return inferredMark(inferred, ticks);
  }

  #tiers(tiers: readonly TierTicks[]): Text {
    for (const { tier } of tiers) if (tier !== "") this.#marks.add(tier);
    return tierText(tiers);
  }

  /**
   * Returns the position of a line. Code made at run time has no file; `?` is an unknown line, and `12+` one in
   * the loop that begins at line 12.
   */
  #lineTitle({ file, line, loop, column, inferred, ticks }: HotLine): string {
    const number = loop !== undefined ? `${loop}+` : line === 0 ? "?" : line;
    const name = file === "" ? "<no file>" : printable(this.#top.names.file(file));
    const place = column === undefined ? number : `${number}:${column}`;
    return `${name}:${place} ${plainly(this.#inferred(inferred, ticks), this.#report.profile.info)}`.trimEnd();
  }

  /** Returns what the marks in the tables made so far mean. */
  legend(): Text[] {
    const has = (mark: Mark) => this.#marks.has(mark);
    const titles = tierTitlesOf(this.#report.profile.info);
    const tiers = TIERS.filter((tier) => tier !== "" && has(tier)).map((tier) => `${tier} ${titles[tier]}`);
    return [
      ...(has("±") ? [MARGIN_NOTE] : []),
      ...(has(INFERRED) ? [text`${INFERRED}: inferred, not in the ${LOG}: nothing else is possible`] : []),
      ...(has("→") ? [text`→: functions that own the same ${TICKS}`] : []),
      ...(tiers.length > 0 ? [`tiers: ${tiers.join(", ")}`] : []),
    ];
  }

  /** `known`: how many of the outermost names are in a row above. */
  #path(path: readonly Callable[], known = 0): PathCell {
    const shown: PathPart[] = known < 2 ? foldNode(path) : [LEFT_OUT, ...foldNode(path.slice(known - 1))];
    return {
      path: shown.map((one) => nameInStack(this.#report, one)),
      fit: (columns) => stackText(this.#report, shown, columns),
    };
  }
}

/** A function or state of a stack, or {@link LEFT_OUT}. */
type PathPart = Callable | typeof LEFT_OUT;

/** Longer lists of stacks have all callers of each: to compare each with all others would take too long. */
const MOST_COMPARED = 50;

/**
 * Returns how many outermost callers of a stack are a whole stack above it. The last of them must have the same callers in all
 * stacks, so that its name alone says which they are.
 */
function sharedCallers(index: number, stacks: readonly HeavyStack[]): number {
  if (stacks.length > MOST_COMPARED) return 0;
  const { path } = stacks[index]!;
  const isSame = (a: Callable | undefined, b: Callable | undefined) =>
    a?.kind === "function" && b?.kind === "function" && a.function === b.function;
  const hasCallers = (other: readonly Callable[], count: number) =>
    path.slice(0, count).every((one, i) => isSame(one, other[i]));
  const isAlone = (count: number) =>
    stacks.every(
      ({ path: other }) => !other.some((one) => isSame(one, path[count - 1])) || hasCallers(other, count),
    );
  const known = stacks.slice(0, index).map((stack) => stack.path.length);
  const whole = (count: number, i: number) =>
    count < path.length && hasCallers(stacks[i]!.path, count) && isAlone(count);
  return Math.max(0, ...known.filter(whole));
}

/** So many functions of Node in a row are shown. */
const MOST_OF_NODE = 4;

/** Leaves out the middle of many functions of Node in a row. */
function foldNode(path: readonly Callable[]): PathPart[] {
  const isNode = (one: Callable | undefined) =>
    one?.kind === "function" && one.function.origin.kind === "node";
  const shown: PathPart[] = [];
  for (let from = 0; from < path.length; ) {
    let to = from + 1;
    while (isNode(path[from]) && isNode(path[to])) to++;
    const run = path.slice(from, to);
    shown.push(...(run.length > MOST_OF_NODE ? [...run.slice(0, 2), LEFT_OUT, run.at(-1)!] : run));
    from = to;
  }
  return shown;
}

/** A list of rows that may be longer than what is shown. */
interface List<Item> {
  readonly columns: readonly Column[];
  readonly rows: readonly Item[];
  /** What a row is. */
  readonly noun: string;
  readonly ticksOf: (row: Item) => Ticks;
  readonly cellsOf: (row: Item, index: number) => readonly Cell[];
  /** Default: none is. */
  readonly isProgram?: (row: Item) => boolean;
}

/** Whether a row by total is not one by self too: builtins that call nothing have the same numbers in both. */
function isNoLeaf({ rows, total, self }: FunctionChain): boolean {
  return rows.length > 1 || self < total || !isBuiltin(rows[0]!.function);
}

function isBuiltin({ origin }: ProfiledFunction): boolean {
  return origin.kind === "v8" || origin.kind === "native";
}

/** What the legend explains. */
type Mark = "±" | "→" | typeof INFERRED | Tier;

function isProgram({ origin }: ProfiledFunction): boolean {
  return origin.kind === "app";
}

const NO_SOURCE = "(no line)";
/** Stands for a source that a row above has: of a finding, or of another function in the line. */
const ABOVE = "(above)";

/** Smaller shares, in percent, have no margin: nobody acts on them. */
const LEAST_SHARE = 5;

const MARGIN_NOTE = "±: the 95 % margin of a share, in points, if over a tenth of it";

/** Whether a profile of memory knows no line: V8 says only where the functions begin. */
function isWithoutLines({ profile, top }: TopReport): boolean {
  return profile.info.memory !== undefined && top.app.lines.every(({ line }) => line === 0);
}

/** Returns what shares are of, for those who cannot ask for the help. */
function sharesNote({ profile, top }: TopReport): Text {
  return profile.info.excluded === 0
    ? text`Shares are of all ${TICKS}.`
    : text`Shares are of the ${inTicks(top.ticks)} that passed the filters.`;
}

/** Returns the facts of a profile: ticks, threads, span, interval, V8 version. */
function factsOf({ profile, top }: TopReport): Text[] {
  const { v8, sampling, threads } = profile.info;
  const { asked, got, hasTimes } = sampling;
  const span = hasTimes ? sampling.span : 0;
  const filtered = filteredTicks(profile.info);
  const facts: Text[] = [
    filtered === 0 || profile.info.tickTime !== undefined || profile.info.memory !== undefined
      ? tickCount(profile)
      : text`${amount(top.ticks)} of ${inTicks(top.ticks + filtered)}`,
  ];
  if (threads.length > 1) facts.push(counted(threads.length, "thread"));
  // Samples may weigh their time without telling when that was.
  if (profile.info.memory?.is === "alive") facts.push("what was collected before is not in it");
  else if (!hasTimes && profile.info.tickTime === undefined && profile.info.memory === undefined)
    facts.push(threads.length > 1 ? "some without times" : text`this ${LOG} has no times`);
  const longest = hasTimes ? longestThread(profile) : 0;
  if (threads.length > 1 && longest > 0) facts.push(text`${seconds(longest)} from first to last`);
  if (span > 0) facts.push(threads.length > 1 ? text`${seconds(span)} of thread-time` : seconds(span));
  if (got !== undefined && !profile.info.isCountUnknown)
    facts.push(
      text`a ${TICK} every ${milliseconds(got)}${asked === undefined ? "" : text` (asked: ${milliseconds(asked)})`}`,
    );
  if (v8.length > 0 && nodeText(profile.info) === undefined)
    facts.push(
      text`V8 ${joined(
        v8.map((version) => named(versionText(version))),
        " and ",
      )}`,
    );
  return facts;
}

/** Returns the longest time from the first tick of a thread to its last. */
export function longestThread({ info }: Profile): Micros {
  return info.threads.reduce((most, thread) => Math.max(most, thread.span), 0);
}

/** Returns the text for a profile without ticks. */
function emptyText({ profile }: TopReport): Text {
  const { ticks, waited } = profile.info;
  if (ticks === 0) return joined(doubtTexts(profile, "no-samples"));
  return waited?.ticks === ticks
    ? "Nothing else ran: it used no CPU when it was sampled. Run it under load."
    : text`No ${TICKS} pass the filters.`;
}

/**
 * The titles of the tables of lines. Each tick is in one row of each at most, so that the shares add up; `total` is what
 * `ticks lines` says of the line.
 */
const YOUR_LINES = text`Your code, each ${TICK} at its innermost line`;
const YOUR_FUNCTIONS = text`Your code, with what it called of packages, Node and native code`;
const PACKAGE_LINES = text`Lines of packages, each ${TICK} at the innermost line of a package or of your code`;

/** Returns the title of a package. Libraries are marked, since a package can have the same name. */
function packageTitle(origin: Origin | undefined): string {
  if (origin === undefined) return "no JavaScript on the stack";
  const { kind, name } = origin;
  switch (kind) {
    case "app":
      return "the program";
    case "node":
      return runtimeTitle(origin);
    case "recorder":
      return "the profiler's recorder (ticks record)";
    case "v8":
      return "V8's builtins, stubs and regular expressions";
    case "native":
      return `${printable(name)} (native)`;
    case "deps":
      return printable(name);
    case "unknown":
      return "unknown";
  }
}

/** The most names of a stack that are shown: V8 logs no longer ones. */
const LONGEST_STACK = 255;

/**
 * Returns a stack in at most `columns` columns. Names are shortened only if it does not fit; of the names of
 * native functions first their arguments and template arguments.
 */
function stackText(report: TopReport, path: readonly PathPart[], columns: number): string {
  const shown = path.length > LONGEST_STACK ? path.slice(-LONGEST_STACK) : path;
  const names = (isWhole: boolean) => shown.map((one) => nameInStack(report, one, { columns, isWhole }));
  const start = shown === path ? "" : `…${ARROW}`;
  if (columns === Number.POSITIVE_INFINITY) return start + stackLine(names(true), columns);
  const whole = names(true);
  const isFitting = whole.every((name) => fits(name, columns)) && fits(whole.join(ARROW), columns);
  return isFitting && start === "" ? whole.join(ARROW) : stackLine(names(false), columns);
}

/** Stands for names that are left out. */
const LEFT_OUT = "…" as const;

/** Stands between the names of a stack. */
const ARROW = " → ";

/** Names are cut to these widths, one after the other, before any is left out. */
const NAME_WIDTHS = [40, 32, 24];

/**
 * Returns a stack in at most `columns` columns: names joined by arrows, outermost first. If they do not fit,
 * long names are cut; then names after the outermost are left out.
 */
export function stackLine(names: readonly string[], columns: number): string {
  for (const limit of [Number.POSITIVE_INFINITY, ...NAME_WIDTHS]) {
    if (widthUpTo(names, limit, columns) > columns) continue;
    return names.map((name) => cutMiddle(name, limit)).join(ARROW);
  }
  const limit = names.length > 1 ? Math.floor((columns - 2 * ARROW.length) / 2) : columns;
  const cut = (name: string) => cutMiddle(name, Math.min(limit, NAME_WIDTHS[0]!));
  const first = cut(names[0] ?? "");
  const last: string[] = [];
  let left = columns - widthOf(first) - ARROW.length - widthOf(LEFT_OUT);
  for (let i = names.length - 1; i > 1; i--) {
    const name = cut(names[i]!);
    left -= ARROW.length + widthOf(name);
    if (left < 0) break;
    last.push(name);
  }
  if (last.length > 0) return [first, LEFT_OUT, ...last.reverse()].join(ARROW);
  return cutMiddle([first, ...names.slice(1).slice(-1).map(cut)].join(ARROW), columns);
}

/** Returns the width of a stack, or any larger number once it exceeds `columns`. */
function widthUpTo(names: readonly string[], limit: number, columns: number): number {
  let width = -ARROW.length;
  for (const name of names) {
    if (limit === Number.POSITIVE_INFINITY && !fits(name, columns)) return columns + 1;
    width += ARROW.length + widthOf(cutMiddle(name, limit));
    if (width > columns) break;
  }
  return width;
}

/** How to show a name. */
interface NameOptions {
  /** Of far longer names only the ends are kept. Default: all. */
  readonly columns?: number;
  /** Whether a native name has its arguments. Default: true. */
  readonly isWhole?: boolean;
}

/** Returns a stack entry: a function's name, or its position if nothing tells what it is for, or a VM state. */
function nameInStack(
  { top }: TopReport,
  callable: PathPart,
  { columns = Number.POSITIVE_INFINITY, isWhole = true }: NameOptions = {},
): string {
  if (callable === LEFT_OUT) return LEFT_OUT;
  if (callable.kind === "state") return top.names.callable(callable).title;
  const { title: named, file, line, kind } = callable.function;
  const isUnnamed = named === UNNAMED;
  const isAlike = top.names.isAlike(callable.function);
  if (isAlike) {
    const { title, position } = top.names.function(callable.function);
    return printable(endsOf(isUnnamed && position !== "" ? position : `${title} ${position}`, columns));
  }
  if (!isUnnamed || file === undefined || file === "") {
    const { title } = top.names.function(callable.function);
    const shorten = isWhole ? listedSymbol : shortSymbol;
    return printable(endsOf(kind === "native" ? shorten(title) : title, columns));
  }
  const short = endsOf(top.names.file(file), columns);
  return printable(line === 1 ? short : `${short}:${line}`);
}

/** Returns the name of a line's function, or its position if it has none; empty for the code of the file itself. */
function lineFunction(report: TopReport, line: HotLine): string {
  const { title, line: start, column } = line.function;
  if (title === UNNAMED && start === 1 && (column ?? 1) === 1) return "";
  return nameInStack(report, { kind: "function", function: line.function });
}

/** Why ticks have no line, in words. */
const NO_LINE: Readonly<Record<NoLineReason, Text>> = {
  sparkplug: "V8 logs no positions of Sparkplug code before Node 26",
  interpreter: "V8's interpreter saves its position only before calls",
  "peeled-loop": "Maglev's code has lines for the first round of a loop only",
  "old-node": "V8 logs no positions before Node 16",
  webassembly: "WebAssembly has no lines",
  "not-logged": text`the ${LOG} has no positions of their code`,
};

/** Returns notes on the lines shown: which are of several scripts, and for each reason why ticks have no line. */
function lineNotes({ top, limit }: TopReport, { lines, withoutLine }: HotLines, least: Ticks): Text[] {
  const helps = top.steps.some(({ kind }) => kind === "no-sparkplug");
  const reasons = Array.from(withoutLine)
    .filter(([, ticks]) => ticks >= least)
    .sort((a, b) => b[1] - a[1]);
  const unknown = reasons.map(([reason, ticks]) => {
    const flag = reason === "peeled-loop" ? "--no-maglev-loop-peeling" : helps ? "--no-sparkplug" : "";
    const isHelp = reason === "peeled-loop" || (reason === "sparkplug" && helps);
    const advice = isHelp ? `. Record with ${flag} to see them` : "";
    return text`${inTicks(ticks)} (${share(ticks, top.ticks)}) without a line: ${NO_LINE[reason]}${advice}`;
  });
  const named = lines.slice(0, limit).map((line) => ({ ...line, file: top.names.file(line.file) }));
  return [scriptsNote(named) ?? [], unknown].flat();
}

/** Says where the code was made that has no file. */
function madeNote({ profile, top, limit }: TopReport, { lines }: HotLines): Text[] {
  const files = new Set(lines.slice(0, limit).flatMap(({ file }) => (isEvaluated(file) ? [file] : [])));
  if (files.size === 0) return [];
  const texts = programTexts(profile.sources, top.table);
  const made = codeMadeAt(texts);
  if (made === undefined) return [];
  const what = files.size === 1 ? named(Array.from(files)[0]!) : "code without a file";
  return [text`${what} is made at ${named(`${top.names.file(made.file)}:${made.line}`)}`];
}

/** Returns ticks by tier: `~12 ^3 +40 *510`; empty for code without tiers, such as stubs. */
function tierText(tiers: readonly TierTicks[]): Text {
  if (tiers.every(({ tier }) => tier === "")) return "";
  return joined(
    tiers.map(({ tier, ticks }) => text`${tier}${amount(ticks)}`),
    " ",
  );
}

/**
 * Returns how far the true share may be from this one, in percentage points: `±0.4`, `±12`. Empty if that is no more than a
 * tenth of the share, and for small shares.
 */
function marginOf(ticks: Ticks, whole: Ticks, range: ShareRange | undefined): string {
  if (whole === 0 || ticks === 0 || range === undefined) return "";
  const percent = (ticks * 100) / whole;
  if (range.low <= 0 && range.high >= 100) return "";
  const margin = Math.max(range.high - percent, percent - range.low);
  if (percent < LEAST_SHARE || margin <= percent / 10) return "";
  return margin > 1 ? `±${Math.ceil(margin - 1e-9)}` : `±${(Math.ceil(margin * 10 - 1e-9) / 10).toFixed(1)}`;
}

function seconds(micros: Micros): Time {
  return inTime(micros, "s", 2);
}

function milliseconds(micros: Micros): Time {
  return inTime(micros, "ms", 2);
}

/** A command to run next. */
export interface NextCommand {
  readonly kind: NextStep["kind"];
  /** A command line for a shell. */
  readonly command: string;
  /** Why, in a few words. */
  readonly why: string;
}

/** Returns the commands to run next; none that could not be typed. */
export function nextCommands(report: TopReport): NextCommand[] {
  const { top, turns, reading } = report;
  const of = heldOf(report);
  const turn = longestPeriodicTurn(of);
  const held =
    turn && turns?.find(({ thread }) => thread === of.holder?.thread)?.holder?.longest.lines[0]?.function;
  // Who asked for a part of the code has seen all of it.
  const isPart = reading.options.some(([name = ""]) => name.split("=", 1)[0] === "--only");
  const steps = top.steps
    .filter(({ kind }) => kind !== "only-deps" || !isPart)
    .map((step) => (step.kind === "function" && held !== undefined ? { ...step, function: held } : step));
  const commands = steps.flatMap((step): NextCommand[] => {
    const { isRecording = false, why, ...line } = commandOf(report, step);
    const command = commandLine(isRecording ? { logs: [], options: [] } : reading, line);
    return command === undefined ? [] : [{ kind: step.kind, command, why }];
  });
  const timeline = commandLine(reading, { command: "ticks timeline" });
  if (commands.length === 0 || timeline === undefined || turn === undefined) return commands;
  const why = "when the event loop was held, and by what each time";
  const first: NextCommand = { kind: "timeline", command: timeline, why };
  return [first, ...commands.filter(({ kind }) => kind !== "timeline")].slice(0, MOST_STEPS);
}

function heldOf({ profile: { info }, turns }: TopReport) {
  return { ...holderData(turns, info.threads), threads: info.threads };
}

/** The most commands of the page. */
const MOST_STEPS = 3;

/** A command of {@link commandLine}. */
interface StepCommand {
  readonly command: string;
  readonly operands?: readonly string[];
  readonly options?: string;
  readonly why: string;
  /** Whether it runs the program again, and reads no logs. */
  readonly isRecording?: boolean;
}

/** Names in reasons are cut to this many columns. */
const REASON_COLUMNS = 60;

function commandOf(report: TopReport, step: NextStep): StepCommand {
  const { top, command: recorded = SOME_COMMAND } = report;
  const line = (command: string, why: string, operands: readonly string[] = []) => ({
    command,
    operands,
    why,
  });
  if (step.kind === "function") {
    const callable = { kind: "function", function: step.function } as const;
    const name = nameInStack(report, callable, { columns: REASON_COLUMNS, isWhole: false });
    const why = `callers, callees and lines of ${cutMiddle(name, REASON_COLUMNS)}`;
    return line("ticks function", why, [nameToAskFor(step.function, top.names)]);
  }
  const percent = `${step.percent.toFixed(1)}%`;
  switch (step.kind) {
    case "lines": {
      const why = `the source, with the line that has ${percent}`;
      // Without a source root, the page would end in "No source text".
      const options = step.isWithoutSource ? "--source-root ." : "";
      return { ...line("ticks lines", why, [top.names.file(step.file)]), options };
    }
    case "no-sparkplug": {
      const why = `record again: ${percent} have no line, which Sparkplug hides`;
      return { ...line("ticks record --no-sparkplug --", why, recorded), isRecording: true };
    }
    case "record-deopts": {
      const why = `record again: why V8 optimizes so much, which takes ${percent}`;
      return { ...line("ticks record --deopts --", why, recorded), isRecording: true };
    }
    case "allocations": {
      const why = `record again: what allocates, as garbage collection takes ${percent}`;
      return { ...line("ticks record --allocations --", why, recorded), isRecording: true };
    }
    case "threads":
      return line("ticks threads", `what each thread did: one has ${percent}`);
    case "deopts":
      return line("ticks deopts", `deoptimizations cost up to ${percent}`);
    case "ics":
      return line("ticks ics", `inline caches take ${percent}: which property accesses are slow`);
    case "timeline":
      return line("ticks timeline", `when it was idle: ${percent}`);
    case "startup":
      return line(
        "ticks startup",
        step.isCompiling === true
          ? `which modules V8 compiles: its parser and bytecode compiler take ${percent}`
          : `which modules took ${percent} to load`,
      );
    case "only-deps":
      return line("ticks top --only deps", `packages alone: ${percent} are theirs`);
  }
}

/**
 * All weights are numbers of ticks. A tick is not a time. Every list is ranked, most ticks first.
 * @id top.schema.json
 * @title ticks top --format json, schema version 1
 */
export interface TopData extends JsonHead<"top">, HotLinesData {
  readonly sampling: TopSamplingData;
  readonly missingCallers: MissingCallersData;
  /** What held an event loop. Absent if no turn is over 50 ms. */
  readonly holder?: HolderData;
  /** Reasons to doubt the numbers. */
  readonly warnings: readonly Warning[];
  /** What stands out and is known well enough to say what it means, the largest share first. */
  readonly findings: readonly FindingData[];
  /** What the ticks were spent on. Each tick is in exactly one row. */
  readonly breakdown: readonly BreakdownData[];
  /**
   * Where the innermost function of the program itself was, whatever it called. Each tick is in one row, or in
   * ticksWithoutProgram.
   */
  readonly app: HotLinesData;
  /**
   * Each tick is in the innermost package of its stack: the program or an npm package. Node's JavaScript has only the ticks of
   * stacks without one.
   */
  readonly packages: readonly PackageData[];
  /** Ticks of the packages that the limit leaves out. */
  readonly otherPackages: Ticks;
  /** The heaviest stacks, folded. No tick is in two of them. */
  readonly stacks: readonly StackData[];
  /** Ticks in no row of stacks. */
  readonly otherStacks: Ticks;
  readonly functions: TopFunctionsData;
  /** Deoptimizations that cost ticks, the costliest first. `ticks deopts` has all. */
  readonly deopts: readonly TopDeoptData[];
  /** The command line about the function to look at. null if there is none. */
  readonly next: string | null;
  /**
   * Up to three commands that fit what was found, the most telling first.
   * @maxItems 3
   */
  readonly nextSteps: readonly NextCommand[];
}

export interface FindingData {
  readonly kind: FindingKind;
  /** What a fix would save. */
  readonly ticks: Ticks;
  /** Of the ticks that are shown; of idle, of all ticks, or of the time. */
  readonly percent: Percent;
  /** The line of the program, or of a package, with most of it. null if the log does not tell. */
  readonly place: FindingPlaceData | null;
  /** All such lines, most ticks first. */
  readonly places: readonly FindingPlaceData[];
  /** The workers of one-worker, with the part of their time that they were busy; empty for other kinds. */
  readonly threads: readonly {
    readonly name: string;
    readonly ticks: Ticks;
    readonly busyPercent: Percent;
  }[];
  /** Where the regular expression is made, or the code that place is in. null if it is made there, or not known. */
  readonly made: { readonly file: string; readonly line: FromOne } | null;
  /** The line that calls the function of place most often. null if none does, or the log does not tell. */
  readonly caller: FindingPlaceData | null;
  /** The hottest line near it, where the log does not tell the places of most ticks. null otherwise. */
  readonly likely: FindingPlaceData | null;
  /** The line of a package that does most of it, if the program only calls that. null otherwise. */
  readonly inPackage: FindingPlaceData | null;
  /** Whether much garbage is collected just after place: these ticks are not in ticks. */
  readonly makesGarbage: boolean;
  /** What it is and does. */
  readonly what: string;
  /** What to do instead, or how to see more. null if nothing general can be said. */
  readonly advice: string | null;
}

export interface FindingPlaceData {
  readonly file: string;
  /** The line that called it, or where the function begins if that is not known. */
  readonly line: FromOne;
  readonly function: FunctionData;
  /** Of the finding, at this line; of gc, in the ticks that came next. */
  readonly ticks: Ticks;
}

export interface TopSamplingData {
  /** The interval asked for. null if the log does not say. */
  readonly intervalAskedUs: number | null;
  /** The mean time between ticks, without gaps. null with fewer than two ticks. */
  readonly intervalUs: number | null;
  /** From the first tick of a thread to its last; of several threads, the longest. */
  readonly spanUs: Microseconds;
  /** The sum of these times of all threads. */
  readonly threadTimeUs: Microseconds;
  /** The CPU time of all threads of the processes, as ticks record measured it; null if it is not known. */
  readonly cpuUs: number | null;
}

/**
 * The lower end of the 95 % confidence interval of this percentage. Wilson score interval, wider where ticks come in bursts.
 * @minimum 0
 * @maximum 100
 */
export type LowPercent = number;

/**
 * The upper end of that interval.
 * @minimum 0
 * @maximum 100
 */
export type HighPercent = number;

/** A share of the ticks. */
export interface ShareData {
  readonly ticks: Ticks;
  readonly percent: Percent;
  readonly percentLow: LowPercent;
  readonly percentHigh: HighPercent;
}

export interface SelfData {
  /** In its own JavaScript; of a function, in the function itself. */
  readonly self: Ticks;
  readonly selfPercent: Percent;
  readonly selfPercentLow: LowPercent;
  readonly selfPercentHigh: HighPercent;
}

export interface TotalData {
  /** In its code and all that it called. A stack counts once, with recursion too. */
  readonly total: Ticks;
  readonly totalPercent: Percent;
  readonly totalPercentLow: LowPercent;
  readonly totalPercentHigh: HighPercent;
}

export interface BreakdownData extends ShareData {
  readonly category: Category;
  readonly title: string;
  /**
   * With one decimal. The rows sum to exactly 100.0, or to 0 without ticks.
   * @minimum 0
   * @maximum 100
   */
  readonly percent: number;
  readonly tiers: TierShares;
}

export interface HotLinesData {
  /** Where the innermost function of the program or of a package was. No tick is in two of them. */
  readonly lines: readonly HotLineData[];
  /**
   * Functions of the program or of a package whose lines are unknown. lines and this list are ranked together, so they share
   * the limit.
   */
  readonly functionsWithoutLine: readonly FunctionWithoutLine[];
  /** Of them, at unknown lines. */
  readonly ticksWithoutLine: Ticks;
  /** In stacks without a function of the program, and for all lines also without one of a package. */
  readonly ticksWithoutProgram: Ticks;
  /** In rows that the limit leaves out. */
  readonly ticksOfOtherRows: Ticks;
}

export interface HotLineData extends ShareData, ScriptsData {
  /** As logged. */
  readonly file: string;
  readonly line: FromOne;
  /**
   * Where the function begins, if that is in this line and the line is longer than 200 characters; `text` is then what is
   * around it.
   */
  readonly column?: FromOne;
  /** The function with most ticks in the line. */
  readonly function: FunctionData;
  /** In the line, or in what it called of Node, V8 and native code: each tick is at the innermost line only. */
  readonly ticks: Ticks;
  /** In the line's own code. */
  readonly self: Ticks;
  /** In the line and in all that it called, as ticks lines has it. A stack counts once. */
  readonly total: Ticks;
  /** Of ticks, those whose line is not in the log, but the only one possible. Absent if there are none. */
  readonly inferred?: Ticks;
  /** The line, or 160 characters of a line longer than 200. null if the log has no source. */
  readonly text: string | null;
}

export interface FunctionWithoutLine extends ShareData, ScriptsData {
  readonly function: FunctionData;
  /**
   * sparkplug: V8 logs no positions of Sparkplug code before Node 26; peeled-loop: Maglev's code has lines for the first round
   * of a loop only; interpreter: it knows where it is only while it calls; old-node: none at all before Node 16; webassembly:
   * it has no lines; not-logged: the log has none of this function.
   */
  readonly reason: NoLineReason;
  /** The line where the loop begins that the ticks are in. Only for peeled-loop; a function has a row for each loop. */
  readonly loop?: FromOne;
  /** In the function's own code. */
  readonly self: Ticks;
  /** At these lines and in all that they called. A stack counts once. */
  readonly total: Ticks;
}

export interface PackageData extends ShareData, SelfData, TotalData {
  /** An npm package, app, node or ticks record. Empty for stacks without JavaScript. */
  readonly name: string;
  /** null for stacks without JavaScript. */
  readonly origin: "app" | "deps" | "node" | "recorder" | null;
  /** self and throughNative. */
  readonly ticks: Ticks;
  /**
   * With one decimal. All packages sum to exactly 100.0.
   * @minimum 0
   * @maximum 100
   */
  readonly percent: number;
  /** In Node's JavaScript, native code and V8 that it called, with no other package between. */
  readonly throughNative: Ticks;
  readonly throughNativePercent: Percent;
  readonly throughNativePercentLow: LowPercent;
  readonly throughNativePercentHigh: HighPercent;
}

export interface StackData extends ShareData {
  /** In this stack, and in the lighter ones that continue it. */
  readonly ticks: Ticks;
  /**
   * Outermost first: functions of the program, what they called of Node, and the leaf or what V8 did.
   * @minItems 1
   */
  readonly path: readonly CallableData[];
}

export interface TopFunctionsData {
  readonly bySelf: readonly TopFunctionData[];
  /** Self ticks of the functions that the limit leaves out of bySelf. */
  readonly otherSelf: Ticks;
  /** Without the Node functions that are mostly above the program. */
  readonly byTotal: readonly TopFunctionData[];
  /**
   * The functions by total. Functions that own the same ticks are one chain: each has less than 1 % of the ticks without the
   * next. Without Node's module loader, V8's entry to C++ functions, and native functions that are in bySelf.
   */
  readonly chains: readonly ChainData[];
}

export interface TopFunctionData extends FunctionData, SelfData, TotalData, InferredData, TimesData {
  readonly tiers: TierShares;
}

export interface ChainData extends TotalData {
  /**
   * Outermost first.
   * @minItems 1
   */
  readonly functions: readonly FunctionData[];
  /** In the functions themselves. */
  readonly self: Ticks;
  /** The most of a function of the chain. */
  readonly total: Ticks;
}

export interface TopDeoptData extends CostData {
  /** The function's name, or what is shown for it. */
  readonly title: string;
  readonly functionPosition: PositionData | null;
  /** Where it happened, innermost first: each position is inlined at the next. */
  readonly position: readonly PositionData[];
  readonly reason: string;
  readonly count: FromOne;
  readonly costPercentLow: LowPercent;
  readonly costPercentHigh: HighPercent;
  readonly costByTier: TierShares;
  readonly isLoop: boolean;
}

export function topData(report: TopReport): TopData {
  const { profile, top, limit } = report;
  const { ranges } = top;
  const scale = scaleOf(profile);
  const { whole } = scale;
  const { asked, got, span } = profile.info.sampling;
  const next = nextCommands(report);
  const names = tierNamesOf(profile.info);
  const functions = (rows: readonly FunctionRow[], weights: readonly WeightRanges[]) =>
    rows.slice(0, limit).map((row, i) => functionRow(row, { ...scale, names }, weights[i]!));
  return {
    ...jsonHead("top", profile),
    ...holderData(report.turns, profile.info.threads),
    sampling: {
      intervalAskedUs: asked ?? null,
      intervalUs: got ?? null,
      spanUs: longestThread(profile),
      threadTimeUs: span,
      cpuUs: profile.info.cpu?.all ?? null,
    },
    missingCallers: jsonMissingCallers(profile),
    warnings: top.warnings,
    findings: top.findings.map((one) => findingData(one, profile.info)),
    breakdown: top.breakdown.map(({ category, title, ticks, percent, tiers }, i) => ({
      category,
      title,
      ticks,
      percent,
      ...rangeOf("percent", ranges.breakdown[i]!),
      tiers: jsonTiers(tiers, names),
    })),
    app: linesOf(top.app, ranges.app, { whole, limit }),
    packages: top.packages.rows.slice(0, limit).map((row, i) => ({
      name: row.origin?.name ?? "",
      origin: (row.origin?.kind ?? null) as PackageData["origin"],
      ticks: row.ticks,
      percent: row.percent,
      ...rangeOf("percent", ranges.packages[i]!.ticks),
      ...weight("self", row.self, whole, ranges.packages[i]!.self),
      ...weight("throughNative", row.throughNative, whole, ranges.packages[i]!.throughNative),
      ...weight("total", row.total, whole, ranges.packages[i]!.total),
    })),
    otherPackages: ticksAfter(top.packages.rows, limit, ({ ticks }) => ticks),
    stacks: top.stacks.stacks.map(({ ticks, path }, i) => ({
      ticks,
      percent: percentOf(ticks, whole),
      ...rangeOf("percent", ranges.stacks[i]!),
      path: path.map(jsonCallable),
    })),
    otherStacks: top.stacks.rest,
    functions: {
      bySelf: functions(top.functions.bySelf, ranges.bySelf),
      otherSelf: ticksAfter(top.functions.bySelf, limit, ({ self }) => self),
      byTotal: functions(top.functions.byTotal, ranges.byTotal),
      chains: top.chains.slice(0, limit).map(({ rows, self, total }, i) => ({
        functions: rows.map((row) => jsonFunction(row.function)),
        self,
        ...weight("total", total, whole, ranges.chains[i]!),
      })),
    },
    ...linesOf(top.lines, ranges.lines, { whole, limit }),
    deopts: top.deopts
      .slice(0, limit)
      .map(({ title, position, at, reason, count, cost, costByTier, isLoop }, i) => ({
        title,
        functionPosition: position ?? null,
        position: at,
        reason,
        count,
        ...costOf(cost, whole),
        ...rangeOf("costPercent", ranges.deopts[i]!),
        costByTier: jsonTiers(costByTier, names),
        isLoop,
      })),
    next: next.find(({ kind }) => kind === "function")?.command ?? null,
    nextSteps: next,
  };
}

function placeData({ function: owner, line, ticks }: FindingPlace): FindingPlaceData {
  return { file: owner.file ?? "", line, function: jsonFunction(owner), ticks };
}

function findingData({ kind, ticks, percent: part, what, advice, ...at }: Finding, unit: Unit): FindingData {
  return {
    kind,
    ticks,
    percent: Number(part.toFixed(1)),
    place: at.place === undefined ? null : placeData(at.place),
    places: at.places.map(placeData),
    caller: at.caller === undefined ? null : placeData(at.caller),
    threads: at.threads.map(({ name, ticks, busy }) => ({
      name,
      ticks,
      busyPercent: Number(busy.toFixed(1)),
    })),
    made: at.made === undefined ? null : { file: at.made.file, line: at.made.line },
    likely: at.likely === undefined ? null : placeData(at.likely),
    inPackage: at.inPackage === undefined ? null : placeData(at.inPackage),
    makesGarbage: at.makesGarbage,
    what: plainly(what, unit),
    advice: advice ?? null,
  };
}

interface Shown {
  readonly whole: Ticks;
  readonly limit: number;
}

/** Returns the ticks of the rows of a list that the limit leaves out. */
function ticksAfter<T>(rows: readonly T[], limit: number, ticksOf: (row: T) => Ticks): Ticks {
  return rows.slice(limit).reduce((sum, row) => sum + ticksOf(row), 0);
}

/** Returns lines, and the functions without lines. */
function linesOf(hot: HotLines, ranges: readonly ShareRange[], { whole, limit }: Shown): HotLinesData {
  const rows = hot.lines.map((row, i) => ({ ...row, range: ranges[i] })).slice(0, limit);
  const weights = ({ ticks, self, total, range }: HotLine & { readonly range: ShareRange | undefined }) => ({
    ticks,
    percent: percentOf(ticks, whole),
    ...rangeOf("percent", range!),
    self,
    total,
  });
  return {
    lines: rows
      .filter(({ line }) => line > 0)
      .map((row) => ({
        file: row.file,
        line: row.line,
        ...(row.column === undefined ? {} : { column: row.column }),
        function: jsonFunction(row.function),
        ...weights(row),
        ...jsonInferred(row.inferred),
        ...jsonScripts(row.scripts),
        text: row.text === undefined ? null : textAround(row.text, row.column ?? 1).trim(),
      })),
    functionsWithoutLine: rows
      .filter(({ line }) => line === 0)
      .map((row) => ({
        function: jsonFunction(row.function),
        reason: row.reason!,
        ...jsonScripts(row.scripts),
        ...(row.loop !== undefined && { loop: row.loop }),
        ...weights(row),
      })),
    ticksWithoutLine: Array.from(hot.withoutLine.values()).reduce((sum, ticks) => sum + ticks, 0),
    ticksWithoutProgram: hot.outside,
    ticksOfOtherRows: ticksAfter(hot.lines, limit, ({ ticks }) => ticks),
  };
}

function functionRow(
  { function: fn, self, total, inferred, tiers }: FunctionRow,
  { whole, names, ...sizes }: Scale & { readonly names: TierNames },
  range: WeightRanges,
): TopFunctionData {
  return {
    ...jsonFunction(fn),
    ...weight("self", self, whole, range.self),
    ...weight("total", total, whole, range.total),
    ...jsonTimes({ self, total }, sizes),
    ...jsonInferred(inferred),
    tiers: jsonTiers(tiers, names),
  };
}

/** Returns ticks with their percentage and its interval. */
function weight<Key extends string>(key: Key, ticks: Ticks, whole: Ticks, range: ShareRange) {
  const percent = `${key}Percent` as const;
  return {
    ...({ [key]: ticks, [percent]: percentOf(ticks, whole) } as Record<Key | typeof percent, number>),
    ...rangeOf(percent, range),
  };
}

/** Returns the interval of a percentage. */
function rangeOf<Key extends string>(key: Key, { low, high }: ShareRange) {
  return { [`${key}Low`]: low, [`${key}High`]: high } as Record<`${Key}Low` | `${Key}High`, number>;
}

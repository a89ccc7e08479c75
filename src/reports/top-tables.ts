import { compareTexts } from "../base/sorted.js";
import {
  amount,
  bare,
  inPercent,
  inTicks,
  isEmpty,
  joined,
  LOG,
  measured,
  named,
  share,
  type Text,
  TICKS,
  text,
} from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { ShareRange } from "../facts/confidence.js";
import type { FunctionNames } from "../facts/function-names.js";
import { nameAt, shownTitle, UNNAMED } from "../facts/function-table.js";
import type { NoLineReason } from "../facts/hot-lines.js";
import { INFERRED, printable } from "../facts/label.js";
import { packageTitle } from "../facts/origin.js";
import { tierMark } from "../facts/tier-names.js";
import { compareFunctions } from "../facts/top-functions.js";
import { TIERS, type Tier } from "../profile/frame.js";
import { isEvaluated } from "../profile/logged-name.js";
import { inferredMark, listedName } from "../render/names.js";
import {
  type Block,
  type Cell,
  type Column,
  code,
  cutEndCell,
  cutMiddleCell,
  note,
  number,
  type Row,
  type Table,
  ticksColumn,
} from "../render/page.js";
import { plainly } from "../render/spoken.js";
import { PositionNames } from "./deopts.js";
import type { Shown } from "./facts-report.js";
import { type FunctionData, isSameFunction, shownFunction, type TierShares } from "./json.js";
import { functionInStack, sharedCallers, stackCell } from "./stack-text.js";
import { hotThread, hottestAlike, hottestCell } from "./threads.js";
import {
  type ChainData,
  type FunctionWithoutLine,
  type HotLineData,
  type HotLinesData,
  isShownByTotal,
  LIGHT_FOREIGN,
  leastTicks,
  type OtherRows,
  type StackData,
  type TopData,
  type TopFunctionData,
} from "./top-facts.js";
import { NO_SOURCE, POSITION_SHARE, type PrintedLines } from "./top-findings.js";
import { filteredTicks, lineText, PEELED_LOOPS, restText, scriptsNote, tierTitlesOf } from "./words.js";

/** How far a share may be off. */
const MARGIN: Column = { title: "±", isIfAny: true };

/** The largest parts of a line that names take. */
const LINE_FUNCTION_SHARE = 0.15;
const THREAD_SHARE = 0.4;
const DEOPT_SHARE = 0.45;
/** The functions of lines are left out if they leave less than this for the source. */
const SOURCE_COLUMNS = 30;

/** So many rows stay that are light, if they have half of the least share or no row has. */
const LEAST_ROWS = 3;
/** The rows of a list if nobody asks for more. */
const USUAL_ROWS = 10;
/** Smaller parts of a row, in percent, have no mark: of its tiers, and of what is inferred. */
const LEAST_MARK = 5;
/** So many ticks more or less are the same, in percent of all. */
const SAME = 1;

/** Whether all functions of a chain are on a stack, and have its ticks or about that. */
function isOfStack({ functions, total }: ChainData, { path, ticks }: StackData, whole: Ticks): boolean {
  const isOn = (one: FunctionData) =>
    path.some((part) => part.function && isSameFunction(part.function, one));
  return Math.abs(total - ticks) * 100 <= whole * SAME && functions.every(isOn);
}

/** V8's builtins that go on with a function: what this does is not theirs. */
const RESUMING: ReadonlySet<string> = new Set([
  "AsyncFunctionAwaitResolveClosure",
  "AsyncFunctionAwaitRejectClosure",
  "AsyncGeneratorAwaitResolveClosure",
  "AsyncGeneratorPrototypeNext",
  "GeneratorPrototypeNext",
]);
/** What has less of its own only runs others, in percent of its ticks. */
const LEAST_OWN = 5;

/** Whether a chain does next to nothing itself: V8 going on with a function, or the code of a script that stacks begin with. */
function onlyRuns({ functions, self, total }: ChainData, stacks: readonly StackData[]): boolean {
  const [one] = functions;
  if (functions.length !== 1 || self * 100 >= total * LEAST_OWN) return false;
  if (one!.kind === "builtin" && RESUMING.has(one!.name)) return true;
  const isFirst = ({ path: [first] }: StackData) => first!.function && isSameFunction(first!.function, one!);
  return isMainCode(one!) && stacks.some(isFirst);
}

/** Whether a function is the code of a file itself. */
function isMainCode({ name, role, line, column }: FunctionData): boolean {
  return shownTitle(name, role) === UNNAMED && line === 1 && (column ?? 1) === 1;
}

/** The tables of the page. */
export class TopTables {
  readonly #facts: TopData;
  readonly #shown: Shown<unknown>;
  readonly #names: FunctionNames;
  readonly #limit: number;
  /** The marks that are in the tables made so far. */
  readonly #marks = new Set<Mark>();

  readonly #printed: PrintedLines;

  constructor(facts: TopData, shown: Shown<unknown>, printed: PrintedLines) {
    this.#facts = facts;
    this.#shown = shown;
    this.#names = shown.names;
    this.#limit = shown.limit;
    this.#printed = printed;
  }

  breakdown(): Table {
    return this.#list({
      columns: [ticksColumn(), number("share"), MARGIN, { title: "what" }],
      rows: this.#facts.breakdown.filter(({ ticks }) => ticks > 0),
      noun: "kind",
      ticksOf: ({ ticks }) => ticks,
      cellsOf: ({ title, ticks, percent: part, tiers, ...row }) => {
        const marks = this.#tiers(tiers);
        return [
          ...[amount(ticks), inPercent(part), this.#margin(ticks, ofPercent(row))],
          isEmpty(marks) ? title : text`${title}  ${code(marks)}`,
        ];
      },
    });
  }

  threads(): Table {
    const { info } = this.#shown;
    const threads = this.#facts.threads
      .map((thread, i) => ({ ...thread, number: i + 1, hot: hotThread(thread) }))
      .sort((a, b) => b.ticks - a.ticks);
    const alike = hottestAlike(threads.slice(0, this.#limit).map(({ hot }) => hot));
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
        ...[...(hasWaits ? [amount(thread.excludedTicks)] : []), String(thread.number)],
        ...[cutMiddleCell(thread.name), cutMiddleCell(hottestCell(thread.hot, alike))],
      ],
    });
  }

  /** Whether there are packages beside the program: without, the table says nothing that others do not. */
  hasPackages(): boolean {
    const least = this.#leastTicks();
    return this.#facts.packages.some(({ origin, total }) => origin === "deps" && total >= least);
  }

  packages(): Table {
    const { packages, otherPackages, otherPackageRows } = this.#facts;
    return this.#list({
      columns: [
        ...[ticksColumn(), number("share"), MARGIN, ticksColumn("self")],
        ...[ticksColumn("called"), ticksColumn("total"), { title: "package" }],
      ],
      rows: packages,
      others: { rows: otherPackageRows, ticks: otherPackages },
      noun: "package",
      ticksOf: ({ ticks }) => ticks,
      cellsOf: ({ ticks, percent: part, self, throughNative, total, ...row }) => [
        ...[amount(ticks), inPercent(part), this.#margin(ticks, ofPercent(row))],
        ...[amount(self), amount(throughNative), amount(total), cutMiddleCell(printable(packageTitle(row)))],
      ],
    });
  }

  /** Leaves out what is no stack, but a state that V8 was in: the table of categories has it. */
  stacks(): Table {
    const { ticks: whole } = this.#facts;
    const rows = this.#stackRows();
    const rest = rows.reduce((left, { ticks }) => left - ticks, whole);
    return {
      kind: "table",
      whole,
      columns: [ticksColumn(), number("share"), MARGIN, { title: "stack" }],
      rows: rows.map(({ ticks, path, ...row }, i) => ({
        cells: [...this.#weight(ticks, ofPercent(row)), stackCell(this.#names, path, sharedCallers(i, rows))],
        ticks,
      })),
      rest: rest === 0 ? undefined : text`… ${inTicks(rest)} in other stacks`,
    };
  }

  #stackRows(): readonly StackData[] {
    return this.#facts.stacks
      .filter(({ path }) => path.length > 1 || path[0]!.state === null)
      .filter((stack, i) => i < LEAST_ROWS || stack.ticks >= this.#leastTicks(LIGHT_FOREIGN));
  }

  /** Leaves out chains that are on a stack above, and have about the same ticks, and what only runs the rest. */
  byTotal(): Table {
    const { ticks: whole, functions } = this.#facts;
    const stacks = this.#stackRows();
    const chains = functions.chains.filter(
      (chain) =>
        this.#limit > USUAL_ROWS ||
        (!stacks.some((stack) => isOfStack(chain, stack, whole)) &&
          !onlyRuns(chain, stacks) &&
          isShownByTotal(
            chain.functions.map(({ origin }) => origin),
            chain,
            whole,
          )),
    );
    return {
      kind: "table",
      whole,
      columns: [
        ...[ticksColumn("total"), number("share"), MARGIN],
        ...[{ ...ticksColumn("self"), isIfAny: true }, { title: "function" }],
      ],
      rows: this.#first(chains, ({ total }) => total).map(
        ({ functions: path, total, self, inferred = 0, ...row }) => {
          const marks = this.#inferred(inferred, total);
          if (path.length > 1) this.#marks.add("→");
          const range = { low: row.totalPercentLow, high: row.totalPercentHigh };
          return {
            cells: [
              ...[...this.#weight(total, range), self === 0 ? "" : amount(self)],
              path.length === 1
                ? { ...this.#name(path[0]!), marks }
                : stackCell(
                    this.#names,
                    path.map((one) => ({ function: one, state: null })),
                  ),
            ],
            ticks: total,
            isProgram: path.some(isProgram),
          };
        },
      ),
    };
  }

  bySelf(): Block[] {
    const { ticks, functions } = this.#facts;
    const { bySelf, selfRows, explained } = functions;
    // Who asks for more rows wants all of them.
    const left: OtherRows = this.#limit > USUAL_ROWS ? { rows: 0, ticks: 0 } : explained;
    // Beside what the code of the program explains, light functions that are not its own tell nothing.
    const isTelling = ({ origin, self }: TopFunctionData) =>
      origin === "app" || self >= this.#leastTicks(origin === "native" ? LIGHT_FOREIGN : 1);
    const rows = bySelf.filter((row) => left.rows === 0 || (!row.isExplained && isTelling(row)));
    const table = this.#list<TopFunctionData>({
      columns: [
        ...[ticksColumn("self"), number("share"), MARGIN, { ...ticksColumn("total"), isIfAny: true }],
        ...[{ title: "tiers", isIfAny: true }, { title: "function" }],
      ],
      rows,
      others: {
        rows: selfRows - left.rows - rows.length,
        ticks: rows.reduce((rest, { self }) => rest - self, ticks - left.ticks),
      },
      noun: "function",
      ticksOf: ({ self }) => self,
      cellsOf: ({ self, total, tiers, inferred = 0, ...row }) => [
        ...this.#weight(self, { low: row.selfPercentLow, high: row.selfPercentHigh }),
        ...[total === self ? "" : amount(total), code(this.#tiers(tiers))],
        { ...this.#name(row), marks: self === total ? this.#inferred(inferred, self) : "" },
      ],
      isProgram,
    });
    if (left.ticks === 0) return [table];
    const called = text`in C++ your code calls (-n ${String(2 * USUAL_ROWS)})`;
    const rest = andRest(table.rest, left.ticks, called);
    return table.rows.length === 0 ? [note(rest, "faint")] : [{ ...table, rest }];
  }

  /** `whose`: where the ticks would be that these lines do not have. */
  lines(hot: HotLinesData, whose: string): Block[] {
    const rows = rankedLines(hot);
    const outside = hot.ticksWithoutProgram;
    const table = this.#list<LineRow>({
      columns: [
        ...[ticksColumn(), number("share"), MARGIN, ticksColumn("self"), ticksColumn("total")],
        { title: "line", share: POSITION_SHARE },
        { title: "function", share: LINE_FUNCTION_SHARE, dropped: 1 },
        { title: "source" },
      ],
      rows,
      others: { rows: hot.otherRows, ticks: hot.ticksOfOtherRows },
      noun: "line",
      ticksOf: ({ ticks }) => ticks,
      cellsOf: (line) => [
        ...[...this.#weight(line.ticks, ofPercent(line)), amount(line.self), amount(line.total)],
        { text: this.#lineTitle(line), cut: "middle", tone: "faint" },
        cutMiddleCell(this.#lineFunction(line)),
        this.#sourceOf(line),
      ],
      isProgram: (line) => isProgram(line.function),
    });
    const notes = [...this.#lineNotes(hot, rows), ...this.#madeNote(rows)];
    const rest =
      outside >= this.#leastTicks() ? andRest(table.rest, outside, text`outside ${whose}`) : table.rest;
    return [
      { ...table, rest, least: SOURCE_COLUMNS },
      ...notes.map((words) => note(text`… ${words}`, "faint")),
    ];
  }

  #sourceOf({ text, file, line, loop, ticks }: LineRow): Cell {
    if (line === 0 && loop === undefined) return NO_SOURCE;
    const source = lineText(text ?? undefined, loop);
    if (line > 0) return this.#printed.once({ file, line, text: source }, ticks);
    return { ...cutEndCell(source), tone: "faint" };
  }

  /** The same of a profile without lines, as V8's heap profiles are. */
  ownFunctions(hot: HotLinesData): Block[] {
    const table = this.#list<LineRow>({
      columns: [
        ...[ticksColumn(), number("share"), MARGIN, ticksColumn("self"), ticksColumn("total")],
        { title: "function" },
      ],
      rows: rankedLines(hot),
      others: { rows: hot.otherRows, ticks: hot.ticksOfOtherRows },
      noun: "function",
      ticksOf: ({ ticks }) => ticks,
      cellsOf: (line) => [
        ...[...this.#weight(line.ticks, ofPercent(line)), amount(line.self), amount(line.total)],
        this.#name(line.function),
      ],
      isProgram: (line) => isProgram(line.function),
    });
    const outside = hot.ticksWithoutProgram;
    if (outside < this.#leastTicks()) return [table];
    return [{ ...table, rest: andRest(table.rest, outside, "outside your code") }];
  }

  deopts(): Table {
    const { deopts, otherDeopts } = this.#facts;
    const rows = deopts.map(({ functionPosition, position: at, ...row }) => {
      return { ...row, position: functionPosition ?? undefined, at };
    });
    const names = new PositionNames(rows);
    return this.#list({
      columns: [
        ...[ticksColumn(), number("share"), MARGIN, number("times")],
        ...[{ title: "function", share: DEOPT_SHARE }, { title: "reason" }],
      ],
      rows,
      others: otherDeopts,
      noun: "deoptimization",
      ticksOf: ({ cost }) => cost,
      cellsOf: (row) => [
        ...this.#weight(row.cost, { low: row.costPercentLow, high: row.costPercentHigh }),
        String(row.count),
        ...[nameAt(row.title, names.function(row)), cutEndCell(row.reason)],
      ],
    });
  }

  /** Returns the first rows of a list, and how many ticks are in the others, so that all add up. */
  #list<Item>({ columns, rows, others = NO_ROWS, noun, ticksOf, cellsOf, isProgram }: List<Item>): Table {
    const shown = this.#first(rows, ticksOf, isProgram);
    const rest = rows.slice(shown.length);
    return {
      kind: "table",
      whole: this.#facts.ticks,
      columns,
      rows: shown.map(
        (row): Row => ({ cells: cellsOf(row), ticks: ticksOf(row), isProgram: isProgram?.(row) ?? false }),
      ),
      rest: restText(
        {
          rows: rest.length + others.rows,
          ticks: rest.reduce((sum, row) => sum + ticksOf(row), others.ticks),
        },
        noun,
      ),
    };
  }

  /** Returns the first rows of a ranked list: without the last ones that are light, or foreign and light. */
  #first<Item>(
    rows: readonly Item[],
    ticksOf: (row: Item) => Ticks,
    isOwn: (row: Item) => boolean = () => true,
  ): readonly Item[] {
    const [least, leastForeign] = [this.#leastTicks(), this.#leastTicks(LIGHT_FOREIGN)];
    const heavy = rows.findLastIndex((row) => ticksOf(row) >= (isOwn(row) ? least : leastForeign)) + 1;
    const others = rows.findLastIndex((row) => ticksOf(row) >= least / 2) + 1;
    const few = others === 0 ? LEAST_ROWS : Math.min(others, LEAST_ROWS);
    return rows.slice(0, Math.min(this.#limit, Math.max(heavy, few)));
  }

  /** Returns the ticks that rows are for; all are if more rows were asked for than usual. */
  #leastTicks(times = 1): Ticks {
    return this.#limit > USUAL_ROWS ? 1 : leastTicks(this.#facts.ticks, times);
  }

  /** Returns ticks, their share and its margin, as three cells. */
  #weight(ticks: Ticks, range: ShareRange): Text[] {
    return [amount(ticks), this.#share(ticks), this.#margin(ticks, range)];
  }

  #share(ticks: Ticks): Text {
    return share(ticks, this.#facts.ticks);
  }

  #margin(ticks: Ticks, range: ShareRange): Text {
    const margin = marginOf(ticks, this.#facts.ticks, range);
    if (margin !== "") this.#marks.add("±");
    return margin;
  }

  #inferred(inferred: Ticks, ticks: Ticks): Text {
    if (this.#isFew(inferred, ticks)) return "";
    if (inferred > 0) this.#marks.add(INFERRED);
    return inferredMark(inferred, ticks);
  }

  #tiers(tiers: TierShares): Text {
    const all = tiers.reduce((sum, { ticks }) => sum + ticks, 0);
    const shown = tiers.filter(({ ticks }) => !this.#isFew(ticks, all));
    for (const { tier } of shown) if (tier !== null) this.#marks.add(tierMark(tier));
    return tierText(shown);
  }

  /** Whether a part is too small for a mark of its own, unless more rows were asked for. */
  #isFew(part: Ticks, all: Ticks): boolean {
    return this.#limit <= USUAL_ROWS && part * 100 < all * LEAST_MARK;
  }

  #name(one: FunctionData) {
    return listedName(this.#names.function(shownFunction(one)));
  }

  /** Returns the name of a line's function, or its position if it has none; empty for the code of the file itself. */
  #lineFunction({ function: one }: LineRow): string {
    return isMainCode(one) ? "" : functionInStack(this.#names, one);
  }

  /**
   * Returns the position of a line. Code made at run time has no file; `?` is an unknown line, and `12+` one in
   * the loop that begins at line 12.
   */
  #lineTitle({ file, line, loop, column, inferred, ticks }: LineRow): string {
    const number = loop !== undefined ? `${loop}+` : line === 0 ? "?" : line;
    const name = file === "" ? "<no file>" : printable(this.#names.file(file));
    const place = column === undefined ? number : `${number}:${column}`;
    return `${name}:${place} ${plainly(this.#inferred(inferred, ticks), this.#shown.info)}`.trimEnd();
  }

  /** Returns notes on the lines shown: which are of several scripts, and for each reason why ticks have no line. */
  #lineNotes({ withoutLine }: HotLinesData, rows: readonly LineRow[]): Text[] {
    const { ticks: whole } = this.#facts;
    const unknown = withoutLine
      .filter(({ ticks }) => ticks >= this.#leastTicks())
      .map(({ reason, ticks }) => {
        // [Next] has the command for what Sparkplug hides.
        const advice = reason === "peeled-loop" ? `. ${PEELED_LOOPS.advice}` : "";
        return text`${inTicks(ticks)} (${share(ticks, whole)}) without a line: ${NO_LINE[reason]}${advice}`;
      });
    const files = rows.map(({ file, scripts = 1 }) => ({ file: this.#names.file(file), scripts }));
    return [scriptsNote(files) ?? [], unknown].flat();
  }

  /** Says where the code was made that has no file. */
  #madeNote(rows: readonly LineRow[]): Text[] {
    const made = this.#facts.codeMadeAt;
    const files = new Set(rows.flatMap(({ file }) => (isEvaluated(file) ? [file] : [])));
    if (files.size === 0 || made === undefined) return [];
    const what = files.size === 1 ? named(Array.from(files)[0]!) : "code without a file";
    return [text`${what} is made at ${named(`${this.#names.file(made.file)}:${made.line}`)}`];
  }

  /** Returns what the marks in the tables made so far mean. */
  legend(): Text[] {
    const has = (mark: Mark) => this.#marks.has(mark);
    const titles = tierTitlesOf(this.#shown.info);
    const tiers = TIERS.filter((tier) => tier !== "" && has(tier)).map((tier) => `${tier} ${titles[tier]}`);
    return [
      ...(has("±") ? [MARGIN_NOTE] : []),
      ...(has(INFERRED) ? [text`${INFERRED}: inferred, as nothing else is possible`] : []),
      ...(has("→") ? [text`→: functions that own the same ${TICKS}`] : []),
      ...(tiers.length > 0 ? [`tiers: ${tiers.join(", ")}`] : []),
    ];
  }
}

/** A list of rows that may be longer than what is shown. */
interface List<Item> {
  readonly columns: readonly Column[];
  readonly rows: readonly Item[];
  /** Those that the document does not have. Default: none. */
  readonly others?: OtherRows;
  /** What a row is. */
  readonly noun: string;
  readonly ticksOf: (row: Item) => Ticks;
  readonly cellsOf: (row: Item) => readonly Cell[];
  /** Default: none is. */
  readonly isProgram?: (row: Item) => boolean;
}

const NO_ROWS: OtherRows = { rows: 0, ticks: 0 };

/** A line, or a function or loop without one: its line is 0. */
type LineRow = Omit<HotLineData, "line" | "inferred"> & {
  readonly line: number;
  readonly inferred: Ticks;
} & Pick<FunctionWithoutLine, "loop">;

/** Returns lines and functions without one, ranked together. */
export function rankedLines({ lines, functionsWithoutLine }: HotLinesData): LineRow[] {
  const all = [
    ...lines.map((row): LineRow => ({ ...row, inferred: row.inferred ?? 0 })),
    ...functionsWithoutLine.map(
      (row): LineRow => ({ ...row, file: row.function.file, line: 0, inferred: 0 }),
    ),
  ];
  return all.sort(
    (a, b) =>
      b.ticks - a.ticks ||
      b.self - a.self ||
      compareTexts(a.file, b.file) ||
      a.line - b.line ||
      (a.loop ?? 0) - (b.loop ?? 0) ||
      compareFunctions(shownFunction(a.function), shownFunction(b.function)),
  );
}

/** Returns the interval of a share. */
function ofPercent({
  percentLow: low,
  percentHigh: high,
}: {
  percentLow: number;
  percentHigh: number;
}): ShareRange {
  return { low, high };
}

/** Returns what is in no row, of two kinds: `… 43 ticks in 11 more lines, 123 outside your code`. */
function andRest(rest: Text | undefined, ticks: Ticks, where: Text): Text {
  return rest === undefined ? text`… ${inTicks(ticks)} ${where}` : text`${rest}, ${measured(ticks)} ${where}`;
}

/** What the legend explains. */
type Mark = "±" | "→" | typeof INFERRED | Tier;

function isProgram({ origin }: FunctionData): boolean {
  return origin === "app";
}

/** Smaller shares, in percent, have no margin: nobody acts on them. */
const LEAST_SHARE = 5;

const MARGIN_NOTE = "±: 95 % margin in points, if over a tenth of the share";

/** Why ticks have no line, in words. */
const NO_LINE: Readonly<Record<NoLineReason, Text>> = {
  sparkplug: "V8 logs no positions of Sparkplug code before Node 26",
  interpreter: "V8's interpreter saves its position only before calls",
  "peeled-loop": PEELED_LOOPS.why,
  "old-node": "V8 logs no positions before Node 16",
  webassembly: "WebAssembly has no lines",
  "not-logged": text`the ${LOG} has no positions of their code`,
};

/** Returns ticks by tier: `~12 ^3 +40 *510`; empty for code without tiers, such as stubs. */
function tierText(tiers: TierShares): Text {
  if (tiers.every(({ tier }) => tier === null)) return "";
  return joined(
    tiers.map(({ tier, ticks }) => text`${tierMark(tier)}${amount(ticks)}`),
    " ",
  );
}

/**
 * Returns how far the true share may be from this one, in percentage points: `±0.4`, `±12`. Empty if that is no more than a
 * tenth of the share, and for small shares.
 */
function marginOf(ticks: Ticks, whole: Ticks, range: ShareRange): Text {
  if (whole === 0 || ticks === 0) return "";
  const percent = (ticks * 100) / whole;
  if (range.low <= 0 && range.high >= 100) return "";
  const margin = Math.max(range.high - percent, percent - range.low);
  if (percent < LEAST_SHARE || margin <= percent / 10) return "";
  const decimals = margin > 1 ? 0 : 1;
  const points = Math.ceil(margin * 10 ** decimals - 1e-9) / 10 ** decimals;
  return text`±${bare(inPercent(points, decimals))}`;
}

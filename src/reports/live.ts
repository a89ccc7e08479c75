import { shortSymbol } from "../base/symbols.js";
import { amount, counted, inTicks, moment, percent, share, type Text, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { ShownName } from "../facts/function-names.js";
import { printable } from "../facts/label.js";
import { percentOf } from "../facts/shares.js";
import { tierNamesOf } from "../facts/tier-names.js";
import {
  LIVE_SORTS,
  type LiveCategory,
  type LiveDeopt,
  type LiveRow,
  type LiveSecond,
  type LiveSort,
  type LiveThread,
  type LiveView,
  RECENT_SECONDS,
  type RecentAndAll,
} from "../live/live-view.js";
import { CATEGORIES, type Category, COMPILING } from "../profile/categories.js";
import { namedCell } from "../render/names.js";
import { plainly } from "../render/spoken.js";
import { emphasize, type Style } from "../render/style.js";
import { type Column, type FittedRow, fittedTable } from "../render/table.js";
import { cutEnd, cutMiddle, shownMiddle, widthOf } from "../render/width.js";
import { PositionNames } from "./deopts.js";
import {
  type CategoryTicks,
  type Count,
  type FunctionData,
  type Integer,
  type JsonDocument,
  jsonCategories,
  jsonDocument,
  jsonFunction,
  jsonLines,
  jsonLogged,
  type LoggedFunction,
  type Microseconds,
  type Percent,
  type PositionData,
  type ThreadData,
  type TierOrNone,
} from "./json.js";
import { blocksOf } from "./words.js";

/** Returns a text for lines that are drawn. Logs alone grow, so that it counts ticks. */
function drawn(words: Text): string {
  return plainly(words, {});
}

function drawnShare(part: Ticks, whole: Ticks): string {
  return drawn(share(part, whole));
}

function rate(ticksPerSecond: number): Text {
  return text`${amount(Math.round(ticksPerSecond))}/s`;
}

/** Returns how much is read, and how many logs are followed of all; nothing if it is all. */
function progressOf(
  { threads }: Pick<LiveView, "threads">,
  { readPercent, leftLogs }: Pick<PageState, "readPercent" | "leftLogs">,
): string[] {
  return [
    ...(readPercent === undefined ? [] : [drawn(text`reading ${percent(readPercent)}`)]),
    ...(leftLogs === 0
      ? []
      : [`the newest ${threads.length} of ${counted(threads.length + leftLogs, "log")}`]),
  ];
}

/** What functions are ranked by, in words. */
const SORT_WORDS: Readonly<Record<LiveSort, string>> = {
  "recent-own": `total, your own first, last ${RECENT_SECONDS} s`,
  "recent-self": `self, last ${RECENT_SECONDS} s`,
  "recent-total": `total, last ${RECENT_SECONDS} s`,
  self: "self, all",
  total: "total, all",
};

/** Returns the next way to rank functions. */
export function nextSort(sort: LiveSort): LiveSort {
  return LIVE_SORTS[(LIVE_SORTS.indexOf(sort) + 1) % LIVE_SORTS.length]!;
}

/** Returns the recent ticks of a thread in some categories. */
export function ticksIn({ recentCategories }: LiveThread, categories: readonly Category[]): number {
  return CATEGORIES.reduce(
    (sum, { category }, i) => sum + (categories.includes(category) ? recentCategories[i]! : 0),
    0,
  );
}

/** What is on the page beside the view. */
export interface PageState {
  readonly title: string;
  readonly isPaused: boolean;
  /** What the user types as a filter; undefined if not typing. */
  readonly typing: string | undefined;
  /** A line about what happened; empty for none. */
  readonly message: string;
  /** Whether to show the keys in place of everything else. */
  readonly isHelp: boolean;
  /** How much of the logs has been read, in percent; undefined if all was read. */
  readonly readPercent: number | undefined;
  /** The number of logs that are left out, because others are newer. */
  readonly leftLogs: number;
}

/** The size and style of the page. */
export interface PageLayout {
  readonly columns: number;
  readonly rows: number;
  readonly style: Style;
}

/** The rows from which a page has each part beside functions, and gaps between them. */
const LEAST_ROWS = { gaps: 10, history: 15, categories: 19, deopts: 21, threads: 23 };
const RECENT = `${RECENT_SECONDS} s`;

/** The keys, and what they do. */
export const KEYS: readonly (readonly [key: string, does: string])[] = [
  ["q", "quit, and print the top page"],
  ["space", "pause"],
  ["s", "sort: your own code first; self or total ticks, of the last seconds or all"],
  ["/", "filter functions by name or file; Enter applies, Esc clears"],
  ["t", "next thread; 1 to 9 picks one, 0 shows all"],
  ["r", "reset: count all from now"],
  ["f", "write the flame graph and open it in the browser"],
  ["?", "show or hide this help"],
];

/** Returns the lines of the page: exactly as many as fit, none too wide. */
export function livePage(view: LiveView, state: PageState, layout: PageLayout): string[] {
  return new LivePage(view, state, layout).lines();
}

class LivePage {
  readonly #view: LiveView;
  readonly #state: PageState;
  readonly #columns: number;
  readonly #rows: number;
  readonly #style: Style;
  readonly #tables: LiveTables;

  constructor(view: LiveView, state: PageState, { columns, rows, style }: PageLayout) {
    this.#view = view;
    this.#state = state;
    this.#columns = Math.max(1, columns);
    this.#rows = Math.max(1, rows);
    this.#style = style;
    this.#tables = new LiveTables(view, { columns: this.#columns, style });
  }

  lines(): string[] {
    const room = this.#rows - 1;
    const body = this.#state.isHelp ? this.#help() : this.#body(room);
    const lines = body.slice(0, room);
    while (lines.length < room) lines.push("");
    return [...lines, this.#footer()];
  }

  #body(room: number): string[] {
    const view = this.#view;
    const head = this.#head(this.#state.title);
    if (view.ticks.all + view.ticks.recent === 0) return [...head, "", ...this.#waiting()];
    const from = (rows: number) => this.#rows >= rows;
    const history = from(LEAST_ROWS.history) ? this.#history(view.seconds) : [];
    const left = room - head.length - history.length - 2;
    const part = (share: number, least = 3) => Math.max(least, Math.floor(left * share));
    const categories = from(LEAST_ROWS.categories) ? this.#tables.categories(view.categories, part(0.2)) : [];
    const hasThreads = from(LEAST_ROWS.threads) && view.threads.length > 1;
    const threads = hasThreads ? this.#tables.threads(view.threads, part(0.2)) : [];
    const deopts = from(LEAST_ROWS.deopts) ? this.#tables.deopts(view.deopts, part(0.1, 1)) : [];
    const above = [history, categories, threads].filter((lines) => lines.length > 0);
    const hasGaps = from(LEAST_ROWS.gaps);
    const gap = hasGaps ? [""] : [];
    const used = [head, ...above, deopts].reduce((sum, lines) => sum + lines.length, 0);
    const gaps = (above.length + 1 + Number(deopts.length > 0)) * gap.length;
    const functions = this.#tables.functions(view.rows, room - used - gaps);
    const below = deopts.length > 0 ? [functions, deopts] : [functions];
    return [...head, ...[...above, ...below].flatMap((lines) => [...gap, ...lines])];
  }

  #head(title: string): string[] {
    const { query, ticks, threads, span, ticksPerSecond } = this.#view;
    const { isPaused } = this.#state;
    const marks = [
      ...(isPaused ? ["paused"] : []),
      ...progressOf(this.#view, this.#state),
      ...(query.thread === undefined ? [] : [printable(threads[query.thread]?.name ?? "")]),
    ];
    const tail = marks.length === 0 ? "" : `  [${marks.join(", ")}]`;
    const mark = cutEnd(tail, Math.floor(this.#columns / 2));
    const name = cutMiddle(printable(title), this.#columns - widthOf(mark));
    const facts = drawn(
      text`${inTicks(ticks.all)} in ${moment(span)}, ${rate(ticksPerSecond)} in the last ${RECENT}`,
    );
    return [this.#style.heading(name) + this.#style.hot(mark), cutEnd(facts, this.#columns)];
  }

  #waiting(): string[] {
    const { threads } = this.#view;
    const text =
      this.#state.readPercent !== undefined
        ? "Reading."
        : threads.length === 0
          ? "No log yet: waiting for one."
          : "No ticks yet: the program has not worked.";
    return [cutEnd(text, this.#columns)];
  }

  /** Returns what the last minute was like, second by second. */
  #history(all: readonly LiveSecond[]): string[] {
    const { ticks, categories } = this.#view;
    const recentOf = (names: readonly Category[]) =>
      categories.reduce((sum, one) => sum + (names.includes(one.category) ? one.recent : 0), 0);
    const shareIn = (names: readonly Category[]) => drawnShare(recentOf(names), ticks.recent);
    const width = Math.max(0, Math.min(all.length, this.#columns - 19));
    const shown = width === 0 ? [] : all.slice(-width);
    const most = shown.reduce((peak, second) => Math.max(peak, second.ticks), 1);
    const row = (title: string, number: string, blocks: string) =>
      cutEnd(`${title.padEnd(8)} ${number.padStart(7)}  ${blocks}`.trimEnd(), this.#columns);
    // GC and compilers are drawn in the ticks of the same second.
    const part = (of: (second: LiveSecond) => number) => {
      const parts = shown.map((second) => (second.ticks === 0 ? 0 : of(second) / second.ticks));
      return blocksOf(parts, 1);
    };
    const ticksOf = shown.map((second) => second.ticks);
    const [gc, compiling] = [part((second) => second.gc), part((second) => second.compile)];
    return [
      row("ticks", drawn(rate(this.#view.ticksPerSecond)), blocksOf(ticksOf, most)),
      row("GC", shareIn(["gc"]), gc),
      row("compile", shareIn(COMPILING), compiling),
    ];
  }

  #help(): string[] {
    return KEYS.map(([key, does]) => cutEnd(`${key.padEnd(6)} ${does}`, this.#columns));
  }

  #footer(): string {
    const { typing, message } = this.#state;
    if (typing !== undefined) return cutMiddle(`/${printable(typing)}_`, this.#columns);
    if (message !== "") return cutEnd(printable(message), this.#columns);
    const keys = "q quit  space pause  s sort  / filter  t thread  r reset  f flame  ? help";
    return this.#style.faint(cutEnd(keys, this.#columns));
  }
}

/** Narrower pages leave columns out. */
const WIDE = 76;
const MEDIUM = 48;
const TINY = 30;
/** The least width of a name. */
const NAME_COLUMNS = 8;

/** The tables of the page. Each has at most `room` lines, with its titles. */
export class LiveTables {
  readonly #view: LiveView;
  readonly #columns: number;
  readonly #style: Style;

  /** `columns` is the width of the page. */
  constructor(view: LiveView, { columns, style }: { readonly columns: number; readonly style: Style }) {
    this.#view = view;
    this.#columns = columns;
    this.#style = style;
  }

  /** Returns what the ticks were spent on. */
  categories(all: readonly LiveCategory[], room: number): string[] {
    const { ticks } = this.#view;
    const rows = all
      .filter((row) => row.recent > 0 || row.all > 0)
      .sort((a, b) => b.recent - a.recent || b.all - a.all)
      .slice(0, Math.max(0, room - 1));
    return this.#table(
      [NUMBER(RECENT), NUMBER("all"), { title: "what" }],
      rows.map(({ title, recent, all }) => {
        const paint = this.#painter(recent, ticks.recent);
        return {
          cells: [drawnShare(recent, ticks.recent), drawnShare(all, ticks.all)].map(paint),
          last: (columns) => paint(cutEnd(title, columns)),
        };
      }),
    );
  }

  /** Returns the threads, the busiest ones first. */
  threads(all: readonly LiveThread[], room: number): string[] {
    const numbered = all.map((thread, i) => ({ thread, number: i + 1 }));
    const rows = numbered
      .sort((a, b) => b.thread.ticks.recent - a.thread.ticks.recent || a.number - b.number)
      .slice(0, Math.max(0, room - 1));
    const whole = all.reduce((sum, thread) => sum + thread.ticks.recent, 0);
    const columns = [
      NUMBER("#"),
      NUMBER("ticks/s"),
      NUMBER(RECENT),
      NUMBER("GC"),
      NUMBER("compile"),
      NUMBER("all"),
    ];
    const isWide = this.#columns >= MEDIUM;
    return this.#table(
      [...columns.filter((_, i) => isWide || i < 3), { title: "thread" }],
      rows.map(({ thread, number }) => {
        const recent = thread.ticks.recent;
        const paint = this.#painter(recent, whole);
        const cells = [
          String(number),
          drawn(amount(Math.round(thread.ticksPerSecond))),
          drawnShare(recent, whole),
          drawnShare(ticksIn(thread, ["gc"]), recent),
          drawnShare(ticksIn(thread, COMPILING), recent),
          drawn(amount(thread.ticks.all)),
        ];
        const name = `${printable(thread.name)}${thread.isEnded ? " (ended)" : ""}`;
        return {
          cells: cells.filter((_, i) => isWide || i < 3).map(paint),
          last: (width) => paint(cutMiddle(name, width)),
        };
      }),
    );
  }

  functions(all: readonly LiveRow[], room: number): string[] {
    const { ticks, names, query } = this.#view;
    const isSelf = query.sort.endsWith("self");
    const isWide = this.#columns >= WIDE;
    const isMedium = this.#columns >= MEDIUM;
    const columns = [
      { column: NUMBER(`self ${RECENT}`), isShown: isMedium || isSelf },
      { column: NUMBER("all"), isShown: isMedium && (isWide || isSelf) },
      { column: NUMBER(`total ${RECENT}`), isShown: isMedium || !isSelf },
      { column: NUMBER("all"), isShown: isMedium && (isWide || !isSelf) },
      { column: { title: "trend" }, isShown: isWide },
    ];
    const filter = query.filter === "" ? "" : `, with ${printable(query.filter)}`;
    const title = `functions by ${SORT_WORDS[query.sort]}${filter}`;
    const rows = all.slice(0, Math.max(0, room - 1));
    const lines = this.#table(
      [...columns.filter(({ isShown }) => isShown).map(({ column }) => column), { title }],
      rows.map(({ function: found, tier, self, total, history, trend }) => {
        const [own, whole] = query.sort.startsWith("recent")
          ? [isSelf ? self.recent : total.recent, ticks.recent]
          : [isSelf ? self.all : total.all, ticks.all];
        const paint = this.#painter(own, whole);
        const peak = history.reduce((most, number) => Math.max(most, number), 1);
        const cells = [
          drawnShare(self.recent, ticks.recent),
          drawnShare(self.all, ticks.all),
          drawnShare(total.recent, ticks.recent),
          drawnShare(total.all, ticks.all),
          `${blocksOf(history, peak)} ${ARROWS[trend]}`,
        ];
        const { title: name, ...rest } = names.function(found);
        return {
          cells: cells.filter((_, i) => columns[i]!.isShown).map(paint),
          last: (width) => this.#name({ title: `${tier}${name}`, ...rest }, width, paint),
        };
      }),
    );
    return rows.length === 0 && query.filter !== "" ? [cutEnd(`no function${filter}`, this.#columns)] : lines;
  }

  /** Returns the latest deoptimizations, newest first. */
  deopts(all: readonly LiveDeopt[], room: number): string[] {
    const shown = room < 1 ? [] : all.slice(-room);
    if (shown.length === 0) return [];
    const names = new PositionNames(shown.map(({ row }) => row));
    return shown.reverse().map(({ time, row }) => {
      const [at = ""] = names.at(row);
      const where = [printable(names.function(row)), at].filter((part) => part !== "").join(" at ");
      const what = `${drawn(moment(time))}  deopt ${row.tiers.join("")}${printable(row.title)}  ${where}  ${printable(row.reason)}`;
      return this.#style.faint(cutEnd(what, this.#columns));
    });
  }

  #table(columns: readonly Column[], rows: readonly FittedRow[]): string[] {
    const isTiny = this.#columns < TINY;
    const [titles, ...lines] = fittedTable(
      isTiny ? columns.slice(-1) : columns,
      isTiny ? rows.map(({ last }) => ({ cells: [], last })) : rows,
      this.#columns,
      Math.min(this.#columns, NAME_COLUMNS),
    );
    return [cutEnd(titles!, this.#columns), ...lines];
  }

  /** Returns a function's name in at most `columns` columns. */
  #name(name: ShownName, columns: number, paint: (text: string) => string): string {
    return columns < MEDIUM / 2
      ? paint(cutMiddle(printable(name.title), columns))
      : namedCell(name, { columns, style: this.#style, paint });
  }

  #painter(ticks: number, whole: number): (text: string) => string {
    return (text) => emphasize(text, { ticks, whole }, this.#style);
  }
}

const ARROWS: Readonly<Record<LiveRow["trend"], string>> = { rising: "▲", falling: "▼", steady: " " };

function NUMBER(title: string): Column {
  return { title, align: "right" };
}

/** Functions on a line. */
const FUNCTIONS = 3;
/** The width of a name, and of a position. */
const LINE_NAME_COLUMNS = 60;
/** Categories on a line that have at least this share of the ticks. */
const LEAST_SHARE = 0.01;

/**
 * Returns one line for people: the time of the logs, the ticks of all the time and a second, then, of the last ten
 * seconds, what they were spent on and the functions with most self ticks.
 */
export function liveText({ view, ...state }: LiveReport): string {
  const { ticks, categories, rows, names } = view;
  const parts = [
    drawn(text`${moment(view.span)}  ${inTicks(ticks.all)}, ${rate(view.ticksPerSecond)}`),
    ...progressOf(view, state),
    categories
      .filter(({ recent }) => recent > 0 && recent >= LEAST_SHARE * ticks.recent)
      .sort((a, b) => b.recent - a.recent)
      .map(({ category, recent }) => `${category} ${drawnShare(recent, ticks.recent)}`)
      .join(" "),
    rows
      .slice(0, FUNCTIONS)
      .map(({ function: found, self }) => {
        const { title, position, isSymbol } = names.function(found);
        const name = shownMiddle(isSymbol ? shortSymbol(title) : title, LINE_NAME_COLUMNS);
        const where = shownMiddle(position, LINE_NAME_COLUMNS);
        return `${drawnShare(self.recent, ticks.recent)} ${name} ${where}`.trimEnd();
      })
      .join(", "),
    ...(view.deoptCount > 0 ? [counted(view.deoptCount, "deopt")] : []),
  ];
  return parts.filter((part) => part !== "").join("  ");
}

/** What the reporters of `ticks live` show. */
export interface LiveReport {
  readonly view: LiveView;
  /** Since the command was started, in milliseconds. */
  readonly elapsed: number;
  /** How much of the logs has been read, in percent, while it has to catch up; undefined if all was read. */
  readonly readPercent: number | undefined;
  /** The number of logs that are left out, because others are newer. */
  readonly leftLogs: number;
  /** The deoptimizations since the last line: those with a higher number. */
  readonly lastDeopt: number;
}

/**
 * One document a line, one line a second. The last line of the command is a document of ticks top instead.
 * @id live.schema.json
 * @title a line of ticks live --format json, schema version 1
 */
export interface LiveData extends JsonDocument<"live"> {
  /** Milliseconds since the command was started. */
  readonly elapsedMs: Count;
  /** How much of the logs has been read: below 100 while the command catches up with logs that were there before. */
  readonly readPercent: Percent;
  /** The seconds that keys with recent are about. */
  readonly recentSeconds: Integer;
  /** All ticks read so far. */
  readonly ticks: Ticks;
  /** Those of the last ten seconds. */
  readonly recentTicks: Ticks;
  /**
   * Ticks a second in the last ten seconds.
   * @minimum 0
   */
  readonly ticksPerSecond: number;
  /** The longest time that a log has been written, in microseconds. */
  readonly spanUs: Microseconds;
  /** Ticks by category. */
  readonly categories: CategoryTicks;
  /** Ticks of the last ten seconds by category. */
  readonly recentCategories: CategoryTicks;
  /** The functions with most self ticks in the last ten seconds. An inlined function counts as its caller. */
  readonly functions: readonly LiveFunctionData[];
  /** One per log, in the order of their names. */
  readonly threads: readonly LiveThreadData[];
  /** The number of logs that are not followed, because others are newer. Only those that are followed are threads. */
  readonly leftLogs: Count;
  /** How many deoptimizations were read. */
  readonly deoptCount: Count;
  /** Those since the line before, the latest 50 at most. */
  readonly deopts: readonly LiveDeoptData[];
}

export interface LiveFunctionData extends FunctionData {
  /** The tier of its last tick. */
  readonly tier: TierOrNone;
  /** All ticks in the function itself. */
  readonly self: Ticks;
  /** Of ticks. */
  readonly selfPercent: Percent;
  /** Those of the last ten seconds. */
  readonly recentSelf: Ticks;
  /** Of recentTicks. */
  readonly recentSelfPercent: Percent;
  /** All ticks in the function and what it called. */
  readonly total: Ticks;
  /** Of ticks. */
  readonly totalPercent: Percent;
  /** Those of the last ten seconds. */
  readonly recentTotal: Ticks;
  /** Of recentTicks. */
  readonly recentTotalPercent: Percent;
  /** Whether its share of the ticks changed in the last seconds, beyond chance. */
  readonly trend: LiveRow["trend"];
}

export interface LiveThreadData extends Pick<ThreadData, "name" | "kind" | "pid" | "isolate" | "log"> {
  readonly ticks: Ticks;
  /** Those of the last ten seconds. */
  readonly recentTicks: Ticks;
  /**
   * Ticks a second in the last ten seconds.
   * @minimum 0
   */
  readonly ticksPerSecond: number;
  /** Ticks of the last ten seconds by category. */
  readonly recentCategories: CategoryTicks;
  /** Whether V8 has written the end of the profile. */
  readonly isEnded: boolean;
}

export interface LiveDeoptData {
  /** Since the log was opened, in microseconds. */
  readonly timeUs: Microseconds;
  /** null if the log does not name it. */
  readonly function: LoggedFunction | null;
  /** Where it happened, innermost first. */
  readonly position: readonly PositionData[];
  /** In V8's words. */
  readonly reason: string;
  readonly kind: string;
  /** The tier of the abandoned code. */
  readonly tier: TierOrNone;
}

/** V8 that can be watched is new enough for today's names of tiers. */
const TIERS = tierNamesOf({ v8: [] });

/** Returns one line for programs. */
export function liveJson(report: LiveReport): string {
  return Array.from(jsonLines(liveData(report))).join(""); // A long document is several lines, cut after commas.
}

export function liveData({ view, elapsed, readPercent, leftLogs, lastDeopt }: LiveReport): LiveData {
  const { ticks, threads } = view;
  return {
    ...jsonDocument("live"),
    elapsedMs: Math.round(elapsed),
    readPercent: readPercent ?? 100,
    recentSeconds: RECENT_SECONDS,
    ticks: ticks.all,
    recentTicks: ticks.recent,
    ticksPerSecond: rounded(view.ticksPerSecond),
    spanUs: view.span,
    categories: jsonCategories(view.categories.map(({ all }) => all)),
    recentCategories: jsonCategories(view.categories.map(({ recent }) => recent)),
    functions: view.rows.map((row) => functionOf(row, ticks)),
    threads: threads.map(threadOf),
    leftLogs,
    deoptCount: view.deoptCount,
    deopts: view.deopts.filter(({ number }) => number > lastDeopt).map(deoptOf),
  };
}

function functionOf(
  { function: fn, tier, self, total, trend }: LiveRow,
  ticks: RecentAndAll,
): LiveFunctionData {
  return {
    ...jsonFunction(fn),
    tier: TIERS[tier],
    self: self.all,
    selfPercent: percentOf(self.all, ticks.all),
    recentSelf: self.recent,
    recentSelfPercent: percentOf(self.recent, ticks.recent),
    total: total.all,
    totalPercent: percentOf(total.all, ticks.all),
    recentTotal: total.recent,
    recentTotalPercent: percentOf(total.recent, ticks.recent),
    trend,
  };
}

function threadOf(thread: LiveThread): LiveThreadData {
  const { name, kind = null, pid = null, isolate = null, log, ticks, isEnded } = thread;
  return {
    name,
    kind,
    pid,
    isolate,
    log,
    ticks: ticks.all,
    recentTicks: ticks.recent,
    ticksPerSecond: rounded(thread.ticksPerSecond),
    recentCategories: jsonCategories(thread.recentCategories),
    isEnded,
  };
}

function deoptOf({ time, row }: LiveDeopt): LiveDeoptData {
  const { function: logged, at, reason, kinds, tiers } = row;
  return {
    timeUs: time,
    function: jsonLogged(logged),
    position: at,
    reason,
    kind: kinds[0] ?? "",
    tier: TIERS[tiers[0] ?? ""],
  };
}

function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}

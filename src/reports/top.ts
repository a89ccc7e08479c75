import type { Profile } from "../profile/profile.js";
import { soundTime } from "../profile/sound-numbers.js";
import type { Micros, Ticks } from "../profile/units.js";
import { versionText } from "../profile/v8-version.js";
import { filteredTicks, waitedLines } from "../reporters/layout/left-out.js";
import { inferredMark } from "../reporters/layout/named-cell.js";
import { counted, shareOf } from "../reporters/layout/numbers.js";
import { shellCommand, shellWord } from "../reporters/layout/shell-word.js";
import { shortSymbol } from "../reporters/layout/short-symbol.js";
import { lineText, scriptsNote, textAround } from "../reporters/layout/source-line.js";
import { cutMiddle, endsOf, fits, widthOf } from "../reporters/layout/width.js";
import type { ShareRange } from "../views/confidence.js";
import { inferredIdleText, sharedFileText, slowReason, type Warning } from "../views/coverage.js";
import type { FunctionNames } from "../views/function-names.js";
import type { Callable } from "../views/function-stacks.js";
import type { ProfiledFunction } from "../views/function-table.js";
import type { HotLine, HotLines, NoLineReason } from "../views/hot-lines.js";
import { printable } from "../views/label.js";
import { missingCallersText } from "../views/missing-callers.js";
import type { NextStep } from "../views/next-steps.js";
import type { Origin } from "../views/origin.js";
import { samplingDoubtText } from "../views/sampling-doubts.js";
import { SourceTexts } from "../views/source-texts.js";
import type { TierTicks } from "../views/tier-ticks.js";
import type { Top } from "../views/top.js";
import { cpuText, UNSAMPLED } from "../views/unsampled-cpu.js";
import { PositionNames } from "./deopts.js";
import {
  type Block,
  type Cell,
  type Column,
  code,
  cutEndCell,
  cutMiddleCell,
  type Note,
  note,
  number,
  type PathCell,
  type Row,
  type Show,
  section,
  type Table,
} from "./page.js";
import { hottestAlike, hottestCell } from "./threads.js";

/** What the reporters of `ticks top` show. */
export interface TopReport {
  readonly profile: Profile;
  readonly top: Top;
  /** The number of rows to show of each list. */
  readonly limit: number;
  /** The logs, as named on the command line. */
  readonly logs: readonly string[];
}

/** Returns the page of `ticks top`: short, ranked, and the same for each run of the command. */
export function* topPage(report: TopReport): Iterable<Block> {
  const { profile, top, limit } = report;
  const logs = namedLogs(report);
  const [ticks = "", ...facts] = factsOf(report, printable);
  yield { kind: "heading", name: profile.info.title, facts: ticks };
  if (facts.length > 0) yield note((show) => factsOf(report, show).slice(1).join(", "));
  yield* waitedLines(profile.info).map((line) => note(line));
  if (top.ticks > 0) yield { ...note(sharesNote(report)), isMarkdownOnly: true };
  yield* logsNote(report);
  for (const warning of top.warnings)
    yield { ...note((show) => warningText(warning, logs, show), "hot"), isWhole: true };
  if (top.ticks === 0) {
    yield note(emptyText(report));
    return;
  }
  const tables = new TopTables(report);
  if (top.app.lines.length > 0)
    yield section(YOUR_LINES, ...tables.lines(top.app, top.ranges.app, "your code"));
  yield section("Where the ticks went", tables.breakdown());
  if (top.threads.length > 0) yield section("Threads", tables.threads());
  yield section("Packages, with the native code that they call", tables.packages());
  yield section("Heaviest stacks, outermost first", tables.stacks());
  yield section("Functions by total", ...tables.byTotal());
  yield section("Functions by self", tables.bySelf());
  if (top.packageLines.lines.length > 0)
    yield section(
      PACKAGE_LINES,
      ...tables.lines(top.packageLines, top.ranges.packageLines, "the lines of packages"),
    );
  const shownLines = [...top.app.lines.slice(0, limit), ...top.packageLines.lines.slice(0, limit)];
  const withText = shownLines.filter(({ text }) => text !== undefined);
  yield {
    kind: "sources",
    files: Array.from(new Set(withText.map(({ file }) => file))),
    sources: new SourceTexts(profile.sources, () => undefined),
  };
  if (top.deopts.length > 0)
    yield section("Deoptimizations, by ticks in slower code until optimized again", tables.deopts());
  const lines = nextCommands({ ...report, logs });
  if (lines.length > 0) yield section("Next", { kind: "commands", lines });
}

/** How far a share may be off. */
const MARGIN: Column = { title: "±", isIfAny: true };

/** The largest parts of a line that names take. */
const POSITION_SHARE = 0.35;
const LINE_FUNCTION_SHARE = 0.15;
const THREAD_SHARE = 0.4;
const DEOPT_SHARE = 0.45;
/** The functions of lines are left out if they leave less than this for the source. */
const SOURCE_COLUMNS = 18;

/** The tables of the page. */
class TopTables {
  readonly #report: TopReport;
  readonly #top: Top;

  constructor(report: TopReport) {
    this.#report = report;
    this.#top = report.top;
  }

  breakdown(): Table {
    const { breakdown, ticks: whole, ranges } = this.#top;
    const rows = breakdown.filter(({ ticks }) => ticks > 0);
    return {
      kind: "table",
      whole,
      columns: [number("ticks"), number("share"), MARGIN, { title: "what" }],
      rows: rows.map(({ title, ticks, percent, tiers }, i) => {
        const marks = tierText(tiers);
        return {
          cells: [
            ...[String(ticks), `${percent.toFixed(1)}%`, this.#margin(ticks, ranges.breakdown[i])],
            marks === "" ? title : (show) => `${title}  ${show(marks)}`,
          ],
          ticks,
        };
      }),
    };
  }

  threads(): Table {
    const { threads } = this.#top;
    const alike = hottestAlike(threads.slice(0, this.#report.limit));
    return this.#list({
      columns: [
        ...[number("ticks"), number("share"), number("#")],
        ...[{ title: "thread", share: THREAD_SHARE }, { title: "hottest function" }],
      ],
      rows: threads,
      noun: "thread",
      ticksOf: ({ ticks }) => ticks,
      cellsOf: (thread) => [
        ...[String(thread.ticks), this.#share(thread.ticks), String(thread.number)],
        ...[cutMiddleCell(thread.name), cutMiddleCell(hottestCell(thread, alike, (text) => text))],
      ],
    });
  }

  packages(): Table {
    const { packages, ranges } = this.#top;
    return this.#list({
      columns: [
        ...[number("ticks"), number("share"), MARGIN, number("self")],
        ...[number("through native"), number("total"), { title: "package" }],
      ],
      rows: packages.rows,
      noun: "package",
      ticksOf: ({ ticks }) => ticks,
      cellsOf: ({ origin, ticks, percent, self, throughNative, total }, i) => [
        ...[String(ticks), `${percent.toFixed(1)}%`, this.#margin(ticks, ranges.packages[i]?.ticks)],
        ...[String(self), String(throughNative), String(total), cutMiddleCell(packageTitle(origin))],
      ],
    });
  }

  stacks(): Table {
    const { stacks, ticks: whole, ranges } = this.#top;
    return {
      kind: "table",
      whole,
      columns: [number("ticks"), number("share"), MARGIN, { title: "stack" }],
      rows: stacks.stacks.map(({ ticks, path }, i) => ({
        cells: [...this.#weight(ticks, ranges.stacks[i]), this.#path(path)],
        ticks,
      })),
      rest: stacks.rest === 0 ? undefined : `… ${counted(stacks.rest, "tick")} in other stacks`,
    };
  }

  byTotal(): Block[] {
    const { chains, ticks: whole, ranges } = this.#top;
    const shown = chains.slice(0, this.#report.limit);
    const table: Table = {
      kind: "table",
      whole,
      columns: [number("total"), number("share"), MARGIN, number("self"), { title: "function" }],
      rows: shown.map(({ rows, total, self }, i) => {
        const [first] = rows;
        const marks = inferredMark(first!.inferred, total);
        return {
          cells: [
            ...[...this.#weight(total, ranges.chains[i]), String(self)],
            rows.length === 1
              ? { ...this.#top.names.function(first!.function), marks }
              : this.#path(rows.map((row) => ({ kind: "function", function: row.function }))),
          ],
          ticks: total,
          isProgram: rows.some((row) => isProgram(row.function)),
        };
      }),
    };
    return [table, ...(shown.some(({ rows }) => rows.length > 1) ? [note(CHAIN_NOTE, "faint")] : [])];
  }

  bySelf(): Table {
    const { functions, ranges, names } = this.#top;
    return this.#list({
      columns: [
        ...[number("self"), number("share"), MARGIN, number("total")],
        ...[{ title: "tiers", isIfAny: true }, { title: "function" }],
      ],
      rows: functions.bySelf,
      noun: "function",
      ticksOf: ({ self }) => self,
      cellsOf: ({ function: fn, self, total, tiers, inferred }, i) => [
        ...[...this.#weight(self, ranges.bySelf[i]?.self), String(total), code(tierText(tiers))],
        { ...names.function(fn), marks: self === total ? inferredMark(inferred, self) : "" },
      ],
      isProgram: (row) => isProgram(row.function),
    });
  }

  /** `whose`: where the ticks would be that these lines do not have. */
  lines(hot: HotLines, ranges: readonly ShareRange[], whose: string): Block[] {
    const table = this.#list({
      columns: [
        ...[number("ticks"), number("share"), MARGIN, number("self"), number("total")],
        { title: "line", share: POSITION_SHARE },
        { title: "function", share: LINE_FUNCTION_SHARE, dropped: 1 },
        { title: "source" },
      ],
      rows: hot.lines,
      noun: "line",
      ticksOf: ({ ticks }) => ticks,
      cellsOf: (line, i) => [
        ...[...this.#weight(line.ticks, ranges[i]), String(line.self), String(line.total)],
        { text: lineTitle(this.#report, line), cut: "middle", tone: "faint" },
        cutMiddleCell(lineFunction(this.#report, line)),
        sourceOf(line),
      ],
      isProgram: (line) => isProgram(line.function),
    });
    const notes = [
      ...lineNotes(this.#report, hot),
      ...(hot.outside > 0 ? [`${counted(hot.outside, "tick")} outside ${whose}`] : []),
    ];
    return [{ ...table, least: SOURCE_COLUMNS }, ...notes.map((text) => note(`… ${text}`, "faint"))];
  }

  deopts(): Table {
    const { deopts, ranges } = this.#top;
    const names = new PositionNames(deopts.slice(0, this.#report.limit));
    return this.#list({
      columns: [
        ...[number("ticks"), number("share"), MARGIN, number("times")],
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
    const { limit } = this.#report;
    const rest = rows.slice(limit);
    const ticks = rest.reduce((sum, row) => sum + ticksOf(row), 0);
    return {
      kind: "table",
      whole: this.#top.ticks,
      columns,
      rows: rows.slice(0, limit).map(
        (row, i): Row => ({
          cells: cellsOf(row, i),
          ticks: ticksOf(row),
          isProgram: isProgram?.(row) ?? false,
        }),
      ),
      rest:
        rest.length === 0
          ? undefined
          : `… ${counted(ticks, "tick")} in ${counted(rest.length, `more ${noun}`)}`,
    };
  }

  /** Returns ticks, their share and its margin, as three cells. */
  #weight(ticks: Ticks, range: ShareRange | undefined): string[] {
    return [String(ticks), this.#share(ticks), this.#margin(ticks, range)];
  }

  #share(ticks: Ticks): string {
    return shareOf(ticks, this.#top.ticks);
  }

  #margin(ticks: Ticks, range: ShareRange | undefined): string {
    return marginOf(ticks, this.#top.ticks, range);
  }

  #path(path: readonly Callable[]): PathCell {
    return {
      path: path.map((one) => nameInStack(this.#report, one)),
      fit: (columns) => stackText(this.#report, path, columns),
    };
  }
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

const CHAIN_NOTE = "→ joins functions that own the same ticks; ticks tree shows all of them";

function isProgram({ origin }: ProfiledFunction): boolean {
  return origin.kind === "app";
}

function sourceOf({ text, line, loop, column }: HotLine): Cell {
  if (line === 0 && loop === undefined) return NO_SOURCE;
  const source = cutEndCell(lineText(text && textAround(text, column ?? 1), loop));
  return line === 0 ? { ...source, tone: "faint" } : source;
}

const NO_SOURCE = "(no line)";

const MARGIN_NOTE =
  "± is how far a share may be off, in 95 of 100 cases, where that is more than a tenth of it; few ticks: more than all of it.";

/** Returns what shares are of, for those who cannot ask for the help. */
function sharesNote({ profile, top }: TopReport): string {
  if (waitedLines(profile.info).length > 0) return MARGIN_NOTE;
  return profile.info.excluded === 0
    ? `Shares are of all ticks. ${MARGIN_NOTE}`
    : `Shares are of the ${counted(top.ticks, "tick")} that passed the filters. ${MARGIN_NOTE}`;
}

/**
 * Returns the facts of a profile: ticks, threads, span, interval, V8 version. `show` escapes texts of the
 * log.
 */
function factsOf({ profile, top }: TopReport, show: Show): string[] {
  const { v8, sampling, threads } = profile.info;
  const { asked, got, hasTimes } = sampling;
  const span = hasTimes ? sampling.span : 0;
  const filtered = filteredTicks(profile.info);
  const facts = [
    filtered === 0 ? counted(top.ticks, "tick") : `${top.ticks} of ${counted(top.ticks + filtered, "tick")}`,
  ];
  if (threads.length > 1) facts.push(counted(threads.length, "thread"));
  if (!hasTimes) facts.push(threads.length > 1 ? "some without times" : "this log has no times");
  const longest = hasTimes ? longestThread(profile) : 0;
  if (threads.length > 1 && longest > 0) facts.push(`${seconds(longest)} from first to last`);
  if (span > 0) facts.push(threads.length > 1 ? `${seconds(span)} of thread-time` : seconds(span));
  if (got !== undefined)
    facts.push(
      `a tick every ${milliseconds(got)}${asked === undefined ? "" : ` (asked: ${milliseconds(asked)})`}`,
    );
  if (v8.length > 0) facts.push(`V8 ${v8.map((version) => show(versionText(version))).join(" and ")}`);
  return facts;
}

/** Returns the longest time from the first tick of a thread to its last. */
export function longestThread({ info }: Profile): Micros {
  return info.threads.reduce((most, thread) => Math.max(most, thread.span), 0);
}

/** Returns the text for a profile without ticks. */
function emptyText({ profile }: TopReport): string {
  const { ticks, waited } = profile.info;
  if (ticks === 0) return "No samples. Run longer, or under load.";
  return waited?.ticks === ticks
    ? "Nothing else ran: it used no CPU when it was sampled. Run it under load."
    : "No ticks pass the filters.";
}

/** Of more logs than this, commands name none: they are listed once. */
const MOST_NAMED = 3;
/** What stands for many logs in commands. */
const LOGS = "LOGS";

/** Returns the logs as commands of the page name them. */
function namedLogs({ logs }: Pick<TopReport, "logs">): readonly string[] {
  return logs.length > MOST_NAMED ? [LOGS] : logs;
}

/** Says what stands for the logs in the commands of the page; nothing if they are named, or if there are none. */
function logsNote({ logs, top }: TopReport): Note[] {
  if (logs.length <= MOST_NAMED || top.warnings.length + top.steps.length === 0) return [];
  const words = `${LOGS} in commands: ${logs.map((log) => shellWord(printable(log))).join(" ")}`;
  return [{ ...note(code(words)), isWhole: true }];
}

/** Returns a warning as a sentence; `show` formats the commands in it. */
export function warningText(warning: Warning, logs: readonly string[], show: Show): string {
  const doctor = show(shellCommand("ticks doctor", logs.map(printable)));
  switch (warning.kind) {
    case "no-function":
      return `${warning.percent.toFixed(1)} % of the ticks have no function: ${doctor} says why.`;
    case "idle":
      return `${warning.percent.toFixed(1)} % of the ticks are idle: without --idle, shares are of the others.`;
    case "unsampled-cpu":
      return `${cpuText(warning.all)} of CPU, ${cpuText(warning.sampled)} of it in JavaScript threads, which this page is of; the rest is ${UNSAMPLED}.`;
    case "inferred-idle":
      return inferredIdleText(warning, (name) => show(printable(name)));
    case "no-times":
      return `This log has no times: its ticks count as ${milliseconds(warning.interval)} apart, as asked for.`;
    case "few-ticks":
      return `Only ${counted(warning.ticks, "tick")}: run longer, or sample more often with --prof-sampling-interval=100.`;
    case "slow-sampling":
      return `Samples came every ${milliseconds(warning.got)} instead of every ${milliseconds(warning.asked)}: ${slowReason(warning)}.`;
    case "lost-ticks":
      return `Ticks were lost ${counted(warning.times, "time")}: V8's buffer was full.`;
    case "bursts":
    case "no-cpu":
    case "system-calls":
    case "dependent-ticks":
      return samplingDoubtText(warning, (name) => show(printable(name)));
    case "missing-callers":
      return missingCallersText(warning);
    case "shared-file":
      return sharedFileText(warning);
    case "diagnostics":
      return `The log has ${counted(warning.count, "error")}: ${doctor} lists them.`;
  }
}

/**
 * The titles of the tables of lines. Each tick is in one row of each at most, so that the shares add up; `total` is what
 * `ticks lines` says of the line.
 */
const YOUR_LINES = "Your code, each tick at its innermost line";
const PACKAGE_LINES = "Lines of packages, each tick at the innermost line of a package or of your code";

/** Returns the title of a package. Libraries are marked, since a package can have the same name. */
function packageTitle(origin: Origin | undefined): string {
  if (origin === undefined) return "no JavaScript on the stack";
  const { kind, name } = origin;
  switch (kind) {
    case "app":
      return "the program";
    case "node":
      return name === "deno" ? "Deno's JavaScript" : "Node's JavaScript";
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
function stackText(report: TopReport, path: readonly Callable[], columns: number): string {
  const shown = path.length > LONGEST_STACK ? path.slice(-LONGEST_STACK) : path;
  const names = (isWhole: boolean) => shown.map((one) => nameInStack(report, one, { columns, isWhole }));
  const start = shown === path ? "" : `…${ARROW}`;
  if (columns === Number.POSITIVE_INFINITY) return start + stackLine(names(true), columns);
  const whole = names(true);
  const isFitting = whole.every((name) => fits(name, columns)) && fits(whole.join(ARROW), columns);
  return isFitting && start === "" ? whole.join(ARROW) : stackLine(names(false), columns);
}

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

/** Stands for names that are left out. */
const LEFT_OUT = "…";

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

/** Returns a stack entry: a function's name, or its position if it has none, or a VM state. */
function nameInStack(
  { top }: TopReport,
  callable: Callable,
  { columns = Number.POSITIVE_INFINITY, isWhole = true }: NameOptions = {},
): string {
  if (callable.kind === "state") return top.names.callable(callable).title;
  const { name, file, line, kind } = callable.function;
  const isAlike = top.names.isAlike(callable.function);
  if (isAlike) {
    const { title, position } = top.names.function(callable.function);
    return printable(endsOf(name === "" && position !== "" ? position : `${title} ${position}`, columns));
  }
  if (name !== "" || file === undefined || file === "") {
    const { title } = top.names.function(callable.function);
    return printable(endsOf(kind === "native" && !isWhole ? shortSymbol(title) : title, columns));
  }
  const short = endsOf(top.names.file(file), columns);
  return printable(line === 1 ? short : `${short}:${line}`);
}

/**
 * Returns the position of a line. Code made at run time has no file; `?` is an unknown line, and `12+` one in
 * the loop that begins at line 12.
 */
function lineTitle({ top }: TopReport, { file, line, loop, column, inferred, ticks }: HotLine): string {
  const number = loop !== undefined ? `${loop}+` : line === 0 ? "?" : line;
  const name = file === "" ? "<no file>" : printable(top.names.file(file));
  const place = column === undefined ? number : `${number}:${column}`;
  return `${name}:${place} ${inferredMark(inferred, ticks)}`.trimEnd();
}

/** Returns the name of a line's function, or its position if it has none. */
function lineFunction(report: TopReport, line: HotLine): string {
  return nameInStack(report, { kind: "function", function: line.function });
}

/** Why ticks have no line, in words. */
const NO_LINE: Readonly<Record<NoLineReason, string>> = {
  sparkplug: "V8 logs no positions of Sparkplug code before Node 26",
  interpreter: "V8's interpreter saves its position only before calls",
  "peeled-loop": "Maglev's code has lines for the first round of a loop only",
  "old-node": "V8 logs no positions before Node 16",
  webassembly: "WebAssembly has no lines",
  "not-logged": "the log has no positions of their code",
};

/** Returns notes on the lines shown: which are of several scripts, and for each reason why ticks have no line. */
function lineNotes({ top, limit }: TopReport, { lines, withoutLine }: HotLines): string[] {
  const helps = top.steps.some(({ kind }) => kind === "no-sparkplug");
  const reasons = Array.from(withoutLine).sort((a, b) => b[1] - a[1]);
  const unknown = reasons.map(([reason, ticks]) => {
    const flag = reason === "peeled-loop" ? "--no-maglev-loop-peeling" : helps ? "--no-sparkplug" : "";
    const isHelp = reason === "peeled-loop" || (reason === "sparkplug" && helps);
    const advice = isHelp ? `. Record with ${flag} to see them` : "";
    return `${counted(ticks, "tick")} (${shareOf(ticks, top.ticks)}) without a line: ${NO_LINE[reason]}${advice}`;
  });
  const named = lines.slice(0, limit).map((line) => ({ ...line, file: top.names.file(line.file) }));
  return [scriptsNote(named) ?? [], unknown].flat();
}

/** Returns ticks by tier: `~12 ^3 +40 *510`; empty for code without tiers, such as stubs. */
function tierText(tiers: readonly TierTicks[]): string {
  if (tiers.every(({ tier }) => tier === "")) return "";
  return tiers.map(({ tier, ticks }) => `${tier}${ticks}`).join(" ");
}

/**
 * Returns how far the true share may be from this one, in percentage points: `±0.4`. Empty if that is no more
 * than a tenth of the share; `few ticks` if it is more than the share itself, which then says little.
 */
function marginOf(ticks: Ticks, whole: Ticks, range: ShareRange | undefined): string {
  if (whole === 0 || ticks === 0 || range === undefined) return "";
  const percent = (ticks * 100) / whole;
  const margin = Math.max(range.high - percent, percent - range.low);
  if (margin <= percent / 10) return "";
  const shown = Math.ceil(margin * 10 - 1e-9) / 10;
  return shown > Number(percent.toFixed(1)) ? "few ticks" : `±${shown.toFixed(1)}`;
}

function seconds(micros: number): string {
  return `${(soundTime(micros) / 1e6).toFixed(2)} s`;
}

function milliseconds(micros: number): string {
  return `${(soundTime(micros) / 1000).toFixed(2)} ms`;
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
  return report.top.steps.flatMap((step) => {
    const { program, operands } = commandOf(report, step);
    if (operands.some((word) => printable(word) !== word)) return [];
    return [{ kind: step.kind, command: shellCommand(program, operands), why: whyOf(report, step) }];
  });
}

interface CommandLine {
  /** What comes before the operands. */
  readonly program: string;
  readonly operands: readonly string[];
}

function commandOf({ top, logs }: TopReport, step: NextStep): CommandLine {
  const shorten = (file: string) => top.names.file(file);
  switch (step.kind) {
    case "function":
      return { program: "ticks function", operands: [...logs, nameToAskFor(step.function, top.names)] };
    case "lines":
      return { program: "ticks lines", operands: [...logs, shorten(step.file)] };
    case "no-sparkplug":
      return { program: "node --prof --no-sparkplug", operands: ["app.js"] };
    case "deopts":
      return { program: "ticks deopts", operands: logs };
    case "ics":
      return { program: "ticks ics", operands: logs };
    case "timeline":
      return { program: "ticks timeline", operands: logs };
    case "startup":
      return { program: "ticks startup", operands: logs };
    case "only-deps":
      return { program: "ticks top --only deps", operands: logs };
  }
}

/** Names in reasons are cut to this many columns. */
const REASON_COLUMNS = 60;

function whyOf(report: TopReport, step: NextStep): string {
  if (step.kind === "function") {
    const name = nameInStack(
      report,
      { kind: "function", function: step.function },
      { columns: REASON_COLUMNS, isWhole: false },
    );
    return `callers, callees and lines of ${cutMiddle(name, REASON_COLUMNS)}`;
  }
  const percent = `${step.percent.toFixed(1)}%`;
  switch (step.kind) {
    case "lines":
      return `the source, with the line that has ${percent}`;
    case "no-sparkplug":
      return `record again: ${percent} have no line, which Sparkplug hides`;
    case "deopts":
      return `deoptimizations cost up to ${percent}`;
    case "ics":
      return `inline caches take ${percent}: property accesses that see many shapes of objects`;
    case "timeline":
      return `when ${step.cause === "gc" ? "garbage was collected" : "it was idle"}: ${percent}`;
    case "startup":
      return `loading packages and Node's modules took ${percent}`;
    case "only-deps":
      return `packages alone: ${percent} are theirs`;
  }
}

/**
 * Returns a name that `ticks function` finds: the function's own, part of a C++ name, or a position for no
 * name.
 */
function nameToAskFor(next: ProfiledFunction, names: FunctionNames): string {
  const { name, title, kind, file, line } = next;
  if (name === "" || names.isAlike(next)) {
    return !file || line === undefined ? title : names.function(next).position;
  }
  const short = kind === "native" ? shortSymbol(name) : name;
  return name.includes(short) ? short : name;
}

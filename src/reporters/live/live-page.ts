import { COMPILING, type LiveSecond, type LiveView, RECENT_SECONDS } from "../../live/live-view.js";
import type { Category } from "../../views/breakdown.js";
import { printable } from "../../views/label.js";
import { blocksOf } from "../layout/blocks.js";
import { counted, shareOf } from "../layout/numbers.js";
import type { Style } from "../layout/style.js";
import { cutEnd, cutMiddle, widthOf } from "../layout/width.js";
import { LiveTables } from "./live-tables.js";
import { newestOf, seconds, shownRate } from "./live-words.js";

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
  ["s", "sort by self or total ticks, of the last seconds or all"],
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
    const { isPaused, readPercent, leftLogs } = this.#state;
    const marks = [
      ...(isPaused ? ["paused"] : []),
      ...(readPercent === undefined ? [] : [`reading ${readPercent} %`]),
      ...(leftLogs === 0 ? [] : [newestOf(this.#view, leftLogs)]),
      ...(query.thread === undefined ? [] : [printable(threads[query.thread]?.name ?? "")]),
    ];
    const tail = marks.length === 0 ? "" : `  [${marks.join(", ")}]`;
    const mark = cutEnd(tail, Math.floor(this.#columns / 2));
    const name = cutMiddle(printable(title), this.#columns - widthOf(mark));
    const facts = `${counted(ticks.all, "tick")} in ${seconds(span)}, ${shownRate(ticksPerSecond)} in the last ${RECENT}`;
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
    const share = (names: readonly Category[]) => shareOf(recentOf(names), ticks.recent);
    const width = Math.max(0, Math.min(all.length, this.#columns - 19));
    const shown = width === 0 ? [] : all.slice(-width);
    const most = shown.reduce((peak, second) => Math.max(peak, second.ticks), 1);
    const row = (title: string, number: string, blocks: string) =>
      cutEnd(`${title.padEnd(8)} ${number.padStart(7)}  ${blocks}`.trimEnd(), this.#columns);
    // GC and compilers are drawn in the ticks of the same second.
    const part = (of: (second: LiveSecond) => number) =>
      blocksOf(
        shown.map((second) => (second.ticks === 0 ? 0 : of(second) / second.ticks)),
        1,
      );
    return [
      row(
        "ticks",
        shownRate(this.#view.ticksPerSecond),
        blocksOf(
          shown.map((second) => second.ticks),
          most,
        ),
      ),
      row(
        "GC",
        share(["gc"]),
        part((second) => second.gc),
      ),
      row(
        "compile",
        share(COMPILING),
        part((second) => second.compile),
      ),
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

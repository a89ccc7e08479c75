import { MATCHED_NAME_LENGTH } from "../base/limits.js";
import type { Micros, Ticks } from "../base/units.js";
import { costlyDeopts, type DeoptRow } from "../facts/deopts.js";
import { FunctionNames } from "../facts/function-names.js";
import { FunctionTable } from "../facts/function-table.js";
import { CATEGORIES, COMPILING } from "../profile/categories.js";
import type { Deopt } from "../profile/deopt.js";
import type { Frame } from "../profile/frame.js";
import { nameThreads } from "../profile/threads.js";
import { HISTORY_SECONDS, LiveFunctions, LiveLog, type LiveLogOptions, TickCounts } from "./live-log.js";
import {
  type LiveDeopt,
  type LiveQuery,
  type LiveRow,
  type LiveSecond,
  type LiveSort,
  type LiveThread,
  type LiveView,
  RECENT_SECONDS,
} from "./live-view.js";

/** Deoptimizations that are kept. */
const KEPT_DEOPTS = 50;
const GC = CATEGORIES.findIndex(({ category }) => category === "gc");
const COMPILE = CATEGORIES.flatMap(({ category }, i) => (COMPILING.includes(category) ? [i] : []));

/** Ticks in the last ten seconds. */
interface Recent {
  self: Ticks;
  total: Ticks;
}

/** Several logs that grow, and what can be asked of them in between. */
export class LiveLogs {
  readonly #logs: LiveLog[] = [];
  readonly #functions = new LiveFunctions();
  readonly #deopts: LiveDeopt[] = [];
  #deoptCount = 0;
  /** The longest time that a log had been written at the last reset. */
  #resetAt: Micros = 0;

  /** Adds a log of which nothing was read yet. */
  add(options: LiveLogOptions): LiveLog {
    const log = this.#open(options);
    this.#logs.push(log);
    return log;
  }

  /** Forgets a log and its ticks, because its file is another one now, and returns the log that takes its place. */
  replace(old: LiveLog, options: LiveLogOptions): LiveLog {
    const log = this.#open(options);
    this.#logs[this.#logs.indexOf(old)] = log;
    return log;
  }

  /** Forgets a log and its ticks. */
  remove(log: LiveLog): void {
    this.#logs.splice(this.#logs.indexOf(log), 1);
  }

  /** Counts from now on: only the last ten seconds stay. */
  reset(): void {
    this.#resetAt = this.#span(this.#logs);
    for (const { counts } of this.#logs) counts.clear();
  }

  /** Returns the logs as they are at a moment of the clock, in milliseconds. */
  view(query: LiveQuery, clock: number): LiveView {
    const one = query.thread === undefined ? undefined : this.#logs[query.thread];
    const logs = one === undefined ? this.#logs : [one];
    const counts = new TickCounts();
    for (const log of logs) counts.addAll(log.counts);
    const threads = this.#threads(clock);
    const shown = one === undefined ? threads : [threads[query.thread!]!];
    const recent = (i: number) => shown.reduce((sum, thread) => sum + thread.recentCategories[i]!, 0);
    const seconds = this.#seconds(logs, clock);
    const { rows, names } = this.#rows(query, { logs, counts, clock, seconds });
    return {
      query,
      ticks: { recent: shown.reduce((sum, { ticks }) => sum + ticks.recent, 0), all: counts.ticks },
      span: Math.max(0, this.#span(logs) - this.#resetAt),
      ticksPerSecond: shown.reduce((sum, thread) => sum + thread.ticksPerSecond, 0),
      categories: CATEGORIES.map(({ category, title }, i) => {
        return { category, title, recent: recent(i), all: counts.categories[i]! };
      }),
      rows,
      names,
      threads,
      seconds,
      deopts: this.#deopts.slice(),
      deoptCount: this.#deoptCount,
    };
  }

  #span(logs: readonly LiveLog[]): Micros {
    return logs.reduce((most, { time }) => Math.max(most, time), 0);
  }

  #open(options: LiveLogOptions): LiveLog {
    return new LiveLog(options, {
      functions: this.#functions,
      onDeopt: (deopt) => this.#addDeopt(deopt),
    });
  }

  #addDeopt(deopt: Deopt): void {
    this.#deopts.push(describeDeopt(deopt, ++this.#deoptCount));
    if (this.#deopts.length > KEPT_DEOPTS) this.#deopts.shift();
  }

  #threads(clock: number): LiveThread[] {
    const infos = this.#logs.map(({ name, origin, kind, counts }) => {
      return { name, log: name, ...origin, kind, ticks: counts.ticks, span: 0 };
    });
    return nameThreads(infos).map(({ name, log, pid, isolate, kind }, i) => {
      const thread = this.#logs[i]!;
      const now = thread.now(clock);
      const recentCategories = new Array<Ticks>(CATEGORIES.length).fill(0);
      thread.recent.visitSeconds(now, (age, categories) => {
        if (age >= RECENT_SECONDS) return;
        for (const [category, ticks] of categories.entries()) recentCategories[category]! += ticks;
      });
      const recent = recentCategories.reduce((sum, ticks) => sum + ticks, 0);
      // The first of these seconds began that long ago.
      const seconds = Math.min(now / 1e6, RECENT_SECONDS - 1 + (now / 1e6 - Math.floor(now / 1e6)));
      return {
        name,
        log,
        pid,
        isolate,
        kind,
        ticks: { recent, all: thread.counts.ticks },
        ticksPerSecond: seconds > 0 ? recent / seconds : 0,
        recentCategories,
        isEnded: thread.isEnded,
      };
    });
  }

  /** Returns the ticks of the last seconds, but for the one that has only begun. */
  #seconds(logs: readonly LiveLog[], clock: number): LiveSecond[] {
    const seconds = Array.from({ length: HISTORY_SECONDS - 1 }, () => ({ ticks: 0, gc: 0, compile: 0 }));
    for (const log of logs) {
      log.recent.visitSeconds(log.now(clock), (age, categories) => {
        const second = seconds[HISTORY_SECONDS - 1 - age];
        if (age === 0 || second === undefined) return;
        second.ticks += categories.reduce((sum, ticks) => sum + ticks, 0);
        second.gc += categories[GC]!;
        second.compile += COMPILE.reduce((sum, category) => sum + categories[category]!, 0);
      });
    }
    return seconds;
  }

  #rows(
    query: LiveQuery,
    { logs, counts, clock, seconds }: Pick<LiveView, "seconds"> & RowSources,
  ): Pick<LiveView, "rows" | "names"> {
    const recent = new Map<number, Recent>();
    for (const log of logs) {
      log.recent.visitFunctions(log.now(clock), (id, { self, total }) => {
        const known = recent.get(id);
        if (known === undefined) recent.set(id, { self, total });
        else {
          known.self += self;
          known.total += total;
        }
      });
    }
    const isShown = this.#filterOf(query, counts);
    const ids = this.#ranked(query.sort, { recent, isShown, counts }).slice(0, query.limit);
    const frames = ids.map((id) => this.#functions.get(id).frame);
    const table = new FunctionTable(frames);
    const isSelf = query.sort.endsWith("self");
    const rows = ids.map((id, i): LiveRow => {
      const history = { self: zeros(), total: zeros() };
      for (const log of logs) log.recent.addHistory(log.now(clock), id, history);
      const past = (isSelf ? history.self : history.total).slice(0, -1);
      const { self = 0, total = 0 } = recent.get(id) ?? {};
      return {
        function: table.functions[table.ofFrame[i]!]!,
        tier: this.#functions.get(id).tier,
        self: { recent: self, all: counts.self(id) },
        total: { recent: total, all: counts.total(id) },
        history: past,
        trend: trendOf(
          past,
          seconds.slice(-past.length).map(({ ticks }) => ticks),
        ),
      };
    });
    return { rows, names: new FunctionNames(table.functions) };
  }

  #ranked(sort: LiveSort, { recent, isShown, counts }: Ranking): number[] {
    const isRecent = sort.startsWith("recent");
    const ids = isRecent
      ? Array.from(recent.keys())
      : Array.from({ length: this.#functions.length }, (_, id) => id);
    return ranked(ids.filter(isShown), (id) => {
      const { self, total } = recent.get(id) ?? { self: 0, total: 0 };
      switch (sort) {
        case "recent-own":
          return this.#functions.get(id).isOwn ? OWN_FIRST + total : self;
        case "recent-self":
          return self;
        case "recent-total":
          return total;
        case "self":
          return counts.self(id);
        case "total":
          return counts.total(id);
      }
    });
  }

  /** Returns whether to show a function: as in `ticks top`, what is in every stack is not ranked by total. */
  #filterOf({ sort, filter }: LiveQuery, counts: TickCounts): (id: number) => boolean {
    const wanted = filter.toLowerCase();
    const isTotal = sort.endsWith("total");
    return (id) => {
      const { frame, isNode } = this.#functions.get(id);
      if (isTotal && (frame.kind === "unknown" || (isNode && counts.isLeadIn(id)))) return false;
      return wanted === "" || textOf(frame).toLowerCase().includes(wanted);
    };
  }
}

interface RowSources {
  readonly logs: readonly LiveLog[];
  readonly counts: TickCounts;
  readonly clock: number;
}

/** What functions are ranked with. */
interface Ranking extends Pick<RowSources, "counts"> {
  readonly recent: ReadonlyMap<number, Recent>;
  readonly isShown: (id: number) => boolean;
}

function zeros(): Ticks[] {
  return new Array<Ticks>(RECENT_SECONDS).fill(0);
}

/** Returns what a filter looks into. */
function textOf(frame: Frame): string {
  switch (frame.kind) {
    case "js":
      return frame.name.slice(0, MATCHED_NAME_LENGTH);
    case "code":
      return `${frame.type}: ${frame.name.slice(0, MATCHED_NAME_LENGTH)}`;
    case "native":
      return (frame.symbol ?? frame.library).slice(0, MATCHED_NAME_LENGTH);
    case "unknown":
      return "UNKNOWN";
  }
}

/** Returns a deoptimization whose texts are only parsed if they are shown. */
function describeDeopt(deopt: Deopt, number: number): LiveDeopt {
  let row: DeoptRow | undefined;
  return {
    number,
    time: deopt.times?.[0] ?? 0,
    get row() {
      row ??= costlyDeopts({ deopts: { entries: [deopt], charges: [], demoted: [] } })[0]!;
      return row;
    },
  };
}

/** More ticks than there are in ten seconds. */
const OWN_FIRST = 2 ** 32;

/** Returns functions by rank, without those that have none. */
function ranked(ids: readonly number[], rankOf: (id: number) => number): number[] {
  const ranks = ids.map((id) => ({ id, rank: rankOf(id) })).filter(({ rank }) => rank > 0);
  return ranks.sort((a, b) => b.rank - a.rank || a.id - b.id).map(({ id }) => id);
}

/** Differences below this many standard errors are chance. */
const SURE = 2;

/**
 * Compares the share of a function in the later half of some seconds with that in the earlier half. `wholes` has the
 * ticks of all functions in the same seconds, oldest first.
 */
function trendOf(ticks: readonly Ticks[], wholes: readonly Ticks[]): LiveRow["trend"] {
  const half = Math.floor(ticks.length / 2);
  const sum = (numbers: readonly Ticks[]) => numbers.reduce((total, number) => total + number, 0);
  const [before, after] = [sum(ticks.slice(-2 * half, -half)), sum(ticks.slice(-half))];
  const [allBefore, allAfter] = [sum(wholes.slice(-2 * half, -half)), sum(wholes.slice(-half))];
  if (allBefore === 0 || allAfter === 0) return "steady";
  const share = (before + after) / (allBefore + allAfter);
  const error = Math.sqrt(share * (1 - share) * (1 / allBefore + 1 / allAfter));
  const difference = after / allAfter - before / allBefore;
  if (Math.abs(difference) <= SURE * error) return "steady";
  return difference > 0 ? "rising" : "falling";
}

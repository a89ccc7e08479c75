import { amount, inTicks, joined, named, share, type Text, TICKS, text, UNIT } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import { Analysis } from "../facts/analysis.js";
import {
  type DeoptimizedFunction,
  type DeoptRow,
  type DeoptView,
  deoptView,
  type WhyNoDeopts,
} from "../facts/deopts.js";
import { FunctionNames } from "../facts/function-names.js";
import { type IcSiteRow, positionKey } from "../facts/ic-site-rows.js";
import { sitesByPosition } from "../facts/ics.js";
import { printable } from "../facts/label.js";
import { lookAlikes } from "../facts/look-alikes.js";
import { percentOf } from "../facts/shares.js";
import { shortFiles } from "../facts/short-files.js";
import { type TierNames, tierNamesOf } from "../facts/tier-names.js";
import type { TierTicks } from "../facts/tier-ticks.js";
import type { Profile } from "../profile/profile.js";
import { hasCrankshaft } from "../profile/v8-era.js";
import { type Block, type Column, code, GAP, note, number, section, type Table } from "../render/page.js";
import { keysText, kindText, statesText } from "./ics.js";
import {
  type FromOne,
  type JsonHead,
  jsonHead,
  jsonLogged,
  jsonTiers,
  type LoggedFunction,
  loggedFunction,
  type Percent,
  type PositionData,
  shownTicks,
  type TierOrNone,
  type TierShares,
} from "./json.js";
import { functionCommand, functionNamed, logsToName, type NextCommand, nextSection } from "./next.js";
import type { ProfileReport } from "./report.js";
import type { ListReportOptions } from "./report-options.js";
import { counted, moreText, pageHead } from "./words.js";

/** What the reporters of deoptimizations show. */
export interface DeoptReport {
  readonly profile: Profile;
  readonly view: DeoptView;
  /** The number of rows to show of each list. */
  readonly limit: number;
  /** The logs as commands name them. Default: the page names no command. */
  readonly logs?: readonly string[] | undefined;
  /** The inline caches by position: `sitesByPosition` returns them. Default: none. */
  readonly caches?: ReadonlyMap<string, readonly IcSiteRow[]> | undefined;
}

/** `ticks deopts`. */
export const DEOPTS: ProfileReport<DeoptReport, ListReportOptions> = {
  needs: () => ({
    deopts: true,
    ics: "if-logged",
    ...{ lines: false, callers: false },
    mayLackTicks: true,
    onlyInLogs: { what: "deoptimizations", record: "ticks record --deopts -- node app.js" },
  }),
  of: (profile, _, { limit, ...around }) => ({
    profile,
    view: deoptView(profile),
    limit,
    caches: sitesByPosition(profile),
    logs: logsToName(around),
  }),
  data: deoptsData,
  page: deoptsPage,
};

/** Returns the page of `ticks deopts`. */
export function deoptsPage(report: DeoptReport): Block[] {
  const { profile, view } = report;
  const head = pageHead(profile, titleOf(report), true);
  if (view.rows.length === 0) {
    const notes = suspectLines(report).map((line) => note(line));
    return [
      ...head,
      GAP,
      ...whyNoneBlocks(view),
      ...(notes.length > 0 ? [GAP, ...notes] : []),
      ...(view.suspects.length > 0 ? [section("Suspects", suspectTable(report))] : []),
      ...nextSection(report.logs, nextOf(report, view.suspects[0]?.function)),
    ];
  }
  const functions = functionTable(report, new PositionNames(view.rows));
  return [
    ...head,
    note(costLine(report)),
    ...(view.functions.length < view.rows.length ? [section("Functions", functions)] : []),
    section("Positions", positionTable(report, new PositionNames(view.rows))),
    { kind: "legend", lines: costLegend(report) },
    ...nextSection(report.logs, nextOf(report, view.rows[0]?.function)),
  ];
}

/** Returns what to look at after deoptimizations: the costliest function, and the inline caches if the log has them. */
function nextOf({ profile, view, caches }: DeoptReport, name: string | undefined): NextCommand[] {
  const owner = functionNamed(profile, name);
  const hasCaches = caches !== undefined && caches.size > 0 && view.rows.length > 0;
  const names = new FunctionNames(Analysis.of(profile).table.functions, profile.info);
  return [
    ...(owner === undefined
      ? []
      : [functionCommand(owner, names, "callers, tiers and lines of the first one")]),
    ...(hasCaches ? [{ command: "ticks ics", why: "which shapes of objects the functions see" }] : []),
  ];
}

const NUMBERS = [number("cost"), number("share"), number("times")];
const TIERS: readonly Column[] = [{ title: "left" }, { title: "slower code" }];

function functionTable({ profile, view, limit }: DeoptReport, names: PositionNames): Table {
  const whole = shownTicks(profile);
  return {
    kind: "table",
    whole,
    columns: [...NUMBERS, number("positions"), ...TIERS, { title: "function" }],
    rows: view.functions.slice(0, limit).map((one) => ({
      cells: [
        ...numbersOf(one, whole),
        String(one.rows),
        code(one.tiers.join(" ")),
        code(costByTierText(one)),
        { title: one.title, position: names.function(one) },
      ],
      ticks: one.cost,
    })),
    rest: moreText(view.functions.slice(limit), ({ cost }) => cost),
  };
}

function positionTable(report: DeoptReport, names: PositionNames): Table {
  const { profile, view, limit } = report;
  const whole = shownTicks(profile);
  return {
    kind: "table",
    whole,
    columns: [...NUMBERS, ...TIERS, { title: "function, where, reason" }],
    rows: view.rows.slice(0, limit).map((one) => ({
      cells: [
        ...numbersOf(one, whole),
        code(one.tiers.join(" ")),
        code(costByTierText(one)),
        { title: one.title, position: names.function(one) },
      ],
      ticks: one.cost,
      below: [{ words: whereOf(one, names), beside: whyOf(one) }, code(cachesText(report, one))],
    })),
    rest: moreText(view.rows.slice(limit), ({ cost }) => cost),
  };
}

function numbersOf({ cost, count }: Pick<DeoptRow, "cost" | "count">, whole: Ticks): Text[] {
  return [amount(cost), share(cost, whole), String(count)];
}

function whereOf(row: DeoptRow, names: PositionNames): Text {
  const at = names.at(row);
  return at.length === 0 ? "" : text`at ${joined(at.map(named), ", inlined at ")}: `;
}

function whyOf(row: DeoptRow): Text {
  const kinds = kindsText(row);
  const how = kinds === "" ? "" : text` (${named(kinds)})`;
  return text`${named(row.reason)}${how}${row.isLoop ? ", a bailout loop" : ""}`;
}

function suspectTable({ view, limit }: DeoptReport): Table {
  const names = new PositionNames(view.suspects);
  const more = view.suspects.length - limit;
  return {
    kind: "table",
    columns: [number(UNIT), number("optimized again"), { title: "function" }],
    rows: view.suspects.slice(0, limit).map((one) => ({
      cells: [
        amount(one.ticks),
        String(one.optimizedAgain),
        { title: one.title, position: names.function(one) },
      ],
      ticks: one.ticks,
    })),
    rest: more > 0 ? `… ${counted(more, "more function")}` : undefined,
  };
}

/** Returns the inline caches where a deoptimization happened. */
export function cachesAt({ caches }: DeoptReport, { at }: Pick<DeoptRow, "at">): readonly IcSiteRow[] {
  return (at[0] && caches?.get(positionKey(at[0]))) ?? [];
}

/** Returns what is known of them: `inline cache: load .price, 1 P N, 12 ticks, see ticks ics`; empty for none. */
function cachesText(report: DeoptReport, row: Pick<DeoptRow, "at">): Text {
  const caches = cachesAt(report, row).map((site) => {
    const what = `${kindText(site)} ${keysText(site)}`.trimEnd();
    return text`${what}, ${statesText(site)}${site.ticks > 0 ? text`, ${inTicks(site.ticks)}` : ""}`;
  });
  return caches.length === 0 ? "" : text`inline cache: ${joined(caches, "; ")}; see ticks ics`;
}

/** Returns the legend below the tables. */
function costLegend({ profile }: DeoptReport): Text[] {
  const tiers = hasCrankshaft(profile.info) ? "~ full-codegen" : "~ Ignition, ^ Sparkplug, + Maglev";
  return [
    text`cost: ${TICKS} in the function's slower code until it was optimized again`,
    "left: the tier of the abandoned code",
    `slower code: ${tiers}; … = not optimized again`,
  ];
}

/** Returns how many deoptimizations there are. */
function titleOf({ view }: DeoptReport): string {
  if (view.whyNone === "none") return "no deoptimizations";
  if (view.whyNone !== undefined) return "no deoptimizations logged";
  return `${counted(view.count, "deoptimization")} in ${counted(view.functions.length, "function")}`;
}

/** Returns what they all cost. */
function costLine({ profile, view }: DeoptReport): Text {
  const whole = shownTicks(profile);
  return text`${amount(view.cost)} of ${inTicks(whole)} (${share(view.cost, whole)}) in slower code until optimized again`;
}

/** Returns why there are none, and what to do about it. */
function whyNoneBlocks({ whyNone }: DeoptView): Block[] {
  switch (whyNone) {
    case "none":
      return [note("This version of V8 logs each without being asked: there were none.")];
    case "not-asked":
      return [
        note("Since Node 16, V8 logs deoptimizations only on request:"),
        { kind: "commands", lines: [{ command: "node --prof --log-deopt app.js" }], isApart: true },
        GAP,
        note("(Node 16 to 24 then also print a line for each to standard output.)"),
      ];
    case "not-written":
      return [
        note("This version of V8 does not log deoptimizations with --prof. Node 8 is the first that does."),
      ];
    default:
      return [];
  }
}

/** Returns what the ticks tell of deoptimizations that the log does not have; nothing if it would have them. */
function suspectLines({ profile, view }: DeoptReport): Text[] {
  if (view.whyNone === undefined || view.whyNone === "none" || profile.info.ticks === 0) return [];
  const suspects = counted(view.suspects.length, "function");
  if (view.suspects.length === 0)
    return [
      text`No function had ${TICKS} in slower code after ${TICKS} in optimized code: nothing suggests any.`,
    ];
  const ticks = view.suspects.reduce((sum, one) => sum + one.ticks, 0);
  return [
    text`${suspects} had ${TICKS} in slower code after ${TICKS} in optimized code, ${amount(ticks)} of ${inTicks(profile.info.ticks)} in all.`,
    "V8 may have thrown that code away; code optimized for one long loop, or for another closure, looks the same.",
  ];
}

/** Formats positions as V8 does, with short file names. */
export class PositionNames {
  readonly #files: ReadonlyMap<string, string>;
  /** Functions that their line does not tell apart, as logged. */
  readonly #alike: ReadonlySet<string>;

  constructor(
    rows: readonly (Pick<DeoptRow, "function" | "title" | "position"> & Partial<Pick<DeoptRow, "at">>)[],
  ) {
    const named = rows.flatMap(({ function: name, title, position }) =>
      name === undefined || position === undefined ? [] : [{ name, title, ...position }],
    );
    this.#alike = new Set(Array.from(lookAlikes(named), ({ name }) => name));
    this.#files = shortFiles(
      rows.flatMap(({ position, at = [] }) =>
        (position === undefined ? at : [position, ...at]).map(({ file }) => file),
      ),
    );
  }

  /** Returns the function's file and line, and its column if another one looks like it; empty if no position was logged. */
  function({ position, function: name = "" }: Pick<DeoptRow, "position" | "function">): string {
    if (position === undefined) return "";
    const column = this.#alike.has(name) ? `:${position.column}` : "";
    return `${this.#file(position.file)}:${position.line}${column}`;
  }

  /**
   * Returns where it happened, innermost first. The file is left out if it is that of the position before or,
   * for the first, of the function.
   */
  at({ position, at }: Pick<DeoptRow, "position" | "at">): string[] {
    return at.map(({ file, line, column }, i) => {
      const before = i === 0 ? position : at[i - 1];
      const isSame = before !== undefined && (before.file || NO_FILE) === (file || NO_FILE);
      return `${isSame ? "" : `${this.#file(file)}:`}${line}:${column}`;
    });
  }

  #file(file: string): string {
    return file === "" ? NO_FILE : printable(this.#files.get(file) ?? file);
  }
}

/** What V8 writes for code that has no file. */
const NO_FILE = "unknown";

/** Returns the cost by tier as `~12 ^3`, with `…` if the function was not optimized again. */
export function costByTierText({ costByTier, isOpen }: Pick<DeoptRow, "costByTier" | "isOpen">): Text {
  const tiers = costByTier.map(({ tier, ticks }: TierTicks) => text`${tier}${amount(ticks)}`);
  return joined([...tiers, ...(isOpen ? ["…"] : [])], " ");
}

/** Returns the kinds as words: `eager, lazy`. */
export function kindsText({ kinds }: Pick<DeoptRow, "kinds">): string {
  return kinds.map((kind) => printable(kind).replace("-", " ")).join(", ");
}

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id deopts.schema.json
 * @title ticks deopts --format json, schema version 1
 */
export interface DeoptsData extends JsonHead<"deopts"> {
  /** How many deoptimizations are in the logs. */
  readonly count: Ticks;
  /** The sum of all costs. */
  readonly cost: Ticks;
  readonly costPercent: Percent;
  /**
   * Why there are none: nothing was deoptimized, --log-deopt was not given, or this V8 does not log them. null if there are
   * some.
   */
  readonly whyNone: WhyNoDeopts | null;
  /** How many functions had a tick in a lower tier after one in optimized code. */
  readonly demotedFunctions: Ticks;
  /**
   * Only without deopts, where the log would not have them: these functions, most ticks first. Each may have been
   * deoptimized.
   */
  readonly suspects?: readonly SuspectData[];
  /** By function, the costliest first. All of them without --limit: their costs sum to cost. */
  readonly functions: readonly DeoptimizedData[];
  /** By function, position and reason, the costliest first. All of them without --limit. */
  readonly deopts: readonly DeoptData[];
}

export interface SuspectData {
  readonly function: LoggedFunction;
  /** In a lower tier after the first tick in optimized code, regardless of filters. */
  readonly ticks: Ticks;
  /** How often it was optimized after that. */
  readonly optimizedAgain: Ticks;
}

/** What deoptimizations cost. */
export interface CostData {
  /** Ticks in slower code until the function was optimized again. */
  readonly cost: Ticks;
  readonly costPercent: Percent;
}

/** How often a function was deoptimized, and what that cost. */
export interface DeoptWeights extends CostData {
  /** null if no code is known at the logged address. */
  readonly function: LoggedFunction | null;
  /** How often it happened. */
  readonly count: FromOne;
  /** The tiers of the code that was left. */
  readonly tiers: readonly TierOrNone[];
  /** The cost by tier of the slower code. */
  readonly costByTier: TierShares;
  /** Whether a log ends before the function was optimized again. */
  readonly isOpen: boolean;
}

export interface DeoptimizedData extends DeoptWeights {
  /** How many of the deopts below are in this function. */
  readonly positions: FromOne;
}

export interface DeoptData extends DeoptWeights {
  /** Where it happened, innermost first: each position is inlined at the next. Empty if the log does not say. */
  readonly position: readonly PositionData[];
  /** In V8's words. */
  readonly reason: string;
  /** eager, lazy, soft, dependency-change. */
  readonly kinds: readonly string[];
  /** Whether it happened at least five times and is not part of how V8 works. */
  readonly isLoop: boolean;
  /** The inline caches at its position, which ticks ics has. Only if there are some. */
  readonly ics?: readonly DeoptIcData[];
}

export interface DeoptIcData {
  /** What the cache is for, in V8's words. */
  readonly kind: string;
  readonly keys: readonly string[];
  /** V8's marks of the states, from the first on. */
  readonly states: readonly string[];
  readonly ticks: Ticks;
}

export function deoptsData(report: DeoptReport): DeoptsData {
  const { profile, view, limit } = report;
  const about = { whole: shownTicks(profile), names: tierNamesOf(profile.info) };
  return {
    ...jsonHead("deopts", profile),
    count: view.count,
    ...costOf(view.cost, about.whole),
    whyNone: view.whyNone ?? null,
    demotedFunctions: view.demoted,
    ...suspectsOf(report),
    functions: view.functions.slice(0, limit).map((one) => ({
      function: jsonLogged(one.function),
      ...weightsOf(one, about),
      positions: one.rows,
    })),
    deopts: view.rows.slice(0, limit).map((row) => ({
      function: jsonLogged(row.function),
      position: row.at,
      reason: row.reason,
      kinds: row.kinds,
      ...weightsOf(row, about),
      isLoop: row.isLoop,
      ...cachesOf(report, row),
    })),
  };
}

/** Returns the inline caches at a position; nothing if there are none. */
function cachesOf(report: DeoptReport, row: DeoptRow): Pick<DeoptData, "ics"> {
  const caches = cachesAt(report, row);
  if (caches.length === 0) return {};
  return {
    ics: caches.map(({ kind, keys, first, states, ticks }) => ({
      kind,
      keys,
      states: [first, ...states.map(({ state }) => state)],
      ticks,
    })),
  };
}

/** Returns the functions that may have been deoptimized; nothing if there are none. */
function suspectsOf({ view, limit }: DeoptReport): Pick<DeoptsData, "suspects"> {
  if (view.suspects.length === 0) return {};
  return {
    suspects: view.suspects.slice(0, limit).map((one) => ({
      function: loggedFunction(one.function),
      ticks: one.ticks,
      optimizedAgain: one.optimizedAgain,
    })),
  };
}

function weightsOf(
  { count, cost, costByTier, tiers, isOpen }: Omit<DeoptimizedFunction, "rows">,
  { whole, names }: { readonly whole: Ticks; readonly names: TierNames },
): Omit<DeoptWeights, "function"> {
  return {
    count,
    tiers: tiers.map((tier) => names[tier]),
    ...costOf(cost, whole),
    costByTier: jsonTiers(costByTier, names),
    isOpen,
  };
}

/** Returns a cost in ticks and percent. */
export function costOf(cost: Ticks, whole: Ticks): CostData {
  return { cost, costPercent: percentOf(cost, whole) };
}

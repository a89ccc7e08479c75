import { amount, inTicks, joined, named, share, type Text, TICKS, text, UNIT } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { Analysis } from "../facts/analysis.js";
import {
  type DeoptimizedFunction,
  type DeoptRow,
  deoptView,
  UNKNOWN_FUNCTION,
  type WhyNoDeopts,
} from "../facts/deopts.js";
import { type NamedFunction, namedFunction } from "../facts/document-parts.js";
import { FunctionNames } from "../facts/function-names.js";
import { nameAt, shownTitle } from "../facts/function-table.js";
import { type IcSiteFacts, positionKey } from "../facts/ic-site-rows.js";
import { sitesByPosition } from "../facts/ics.js";
import { printable } from "../facts/label.js";
import { LookAlikes } from "../facts/look-alikes.js";
import { percentOf } from "../facts/shares.js";
import { shortFiles } from "../facts/short-files.js";
import { type TierNames, tierMark, tierNamesOf } from "../facts/tier-names.js";
import type { Profile } from "../profile/profile.js";
import { type Block, type Column, code, GAP, note, number, section, type Table } from "../render/page.js";
import { factsReport, type Shown } from "./facts-report.js";
import { keysText, kindText, statesText } from "./ics.js";
import {
  type FromOne,
  type JsonHead,
  jsonHead,
  jsonTiers,
  type Percent,
  type PositionData,
  shownTicks,
  type TierOrNone,
  type TierShares,
} from "./json.js";
import { functionAt, functionCommand, type NextCommand } from "./next.js";
import type { ListReportOptions } from "./report-options.js";
import { counted, moreText, notLogged } from "./words.js";

/** `ticks deopts`. */
export const DEOPTS = factsReport<DeoptsData, ListReportOptions>({
  needs: () => ({
    deopts: true,
    ics: "if-logged",
    ...{ lines: false, callers: false },
    mayLackTicks: true,
    onlyInLogs: { what: "deoptimizations", record: "ticks record --deopts -- node app.js" },
  }),
  lists: ["suspects", "functions", "deopts"],
  facts: deoptsFacts,
  heading: titleOf,
  page: deoptsPage,
  next: nextOf,
});

/** Returns the page of `ticks deopts`, without its heading. */
function deoptsPage(facts: DeoptsData, { limit }: Shown<ListReportOptions>): Block[] {
  if (facts.deopts.length === 0) {
    const notes = suspectLines(facts).map((line) => note(line));
    return [
      GAP,
      ...whyNoneBlocks(facts),
      ...(notes.length > 0 ? [GAP, ...notes] : []),
      ...(facts.suspects === undefined ? [] : [section("Suspects", suspectTable(facts.suspects, limit))]),
    ];
  }
  return [
    note(costLine(facts)),
    ...(facts.functions.length < facts.deopts.length
      ? [section("Functions", functionTable(facts, limit))]
      : []),
    section("Positions", positionTable(facts, limit)),
    { kind: "legend", lines: costLegend(facts) },
  ];
}

/** Returns what to look at after deoptimizations: the costliest function, and the inline caches if the log has them. */
function nextOf({ deopts, suspects = [] }: DeoptsData, profile: Analysis): NextCommand[] {
  const first = (deopts[0] ?? suspects[0])?.function;
  const owner = first ? functionAt(profile, first) : undefined;
  const hasCaches = deopts.length > 0 && profile.ics?.sites.some(({ line }) => line > 0);
  const names = new FunctionNames(profile.table.functions, profile.info);
  return [
    ...(owner === undefined
      ? []
      : [functionCommand(owner, names, "callers, tiers and lines of the first one")]),
    ...(hasCaches ? [{ command: "ticks ics", why: "which shapes of objects the functions see" }] : []),
  ];
}

const NUMBERS = [number("cost"), number("share"), number("times")];
const TIERS: readonly Column[] = [{ title: "left" }, { title: "slower code" }];

function functionTable({ ticks, functions, deopts }: DeoptsData, limit: number): Table {
  const names = new PositionNames(deopts.map(namesOf));
  return {
    kind: "table",
    whole: ticks,
    columns: [...NUMBERS, number("positions"), ...TIERS, { title: "function" }],
    rows: functions.slice(0, limit).map((one) => {
      const shown = namesOf(one);
      return {
        cells: [
          ...numbersOf(one, ticks),
          String(one.positions),
          tiersCell(one),
          code(costByTierText(one)),
          nameAt(shown.title, names.function(shown)),
        ],
        ticks: one.cost,
      };
    }),
    rest: moreText(functions.slice(limit), ({ cost }) => cost),
  };
}

function positionTable({ ticks, deopts }: DeoptsData, limit: number): Table {
  const names = new PositionNames(deopts.map(namesOf));
  return {
    kind: "table",
    whole: ticks,
    columns: [...NUMBERS, ...TIERS, { title: "function, where, reason" }],
    rows: deopts.slice(0, limit).map((one) => {
      const shown = namesOf(one);
      return {
        cells: [
          ...numbersOf(one, ticks),
          tiersCell(one),
          code(costByTierText(one)),
          nameAt(shown.title, names.function(shown)),
        ],
        ticks: one.cost,
        below: [{ words: whereOf(names.at(shown)), beside: whyOf(one) }, code(cachesText(one))],
      };
    }),
    rest: moreText(deopts.slice(limit), ({ cost }) => cost),
  };
}

/** Returns what {@link PositionNames} wants to know of a row. */
function namesOf({
  function: one,
  position: at = [],
}: {
  readonly function: NamedFunction | null;
  readonly position?: readonly PositionData[];
}): Required<NamedRow> {
  if (one === null) return { title: UNKNOWN_FUNCTION, position: undefined, at };
  const { name, file, line, column, role } = one;
  const isKnown = file !== "" || line !== null;
  return {
    title: shownTitle(name, role),
    position: isKnown ? { file, line: line ?? 0, column: column ?? 0 } : undefined,
    at,
  };
}

function tiersCell({ tiers }: Pick<DeoptWeights, "tiers">): Text {
  return code(tiers.map(tierMark).join(" "));
}

function numbersOf({ cost, count }: Pick<DeoptWeights, "cost" | "count">, whole: Ticks): Text[] {
  return [amount(cost), share(cost, whole), String(count)];
}

function whereOf(at: readonly string[]): Text {
  return at.length === 0 ? "" : text`at ${joined(at.map(named), ", inlined at ")}: `;
}

function whyOf({ reason, kinds, isLoop }: DeoptData): Text {
  const words = kinds.map((kind) => printable(kind).replace("-", " ")).join(", ");
  const how = words === "" ? "" : text` (${named(words)})`;
  return text`${named(reason)}${how}${isLoop ? ", a bailout loop" : ""}`;
}

function suspectTable(suspects: readonly SuspectData[], limit: number): Table {
  const names = new PositionNames(suspects.map(namesOf));
  const more = suspects.length - limit;
  return {
    kind: "table",
    columns: [number(UNIT), number("optimized again"), { title: "function" }],
    rows: suspects.slice(0, limit).map((one) => {
      const shown = namesOf(one);
      return {
        cells: [amount(one.ticks), String(one.optimizedAgain), nameAt(shown.title, names.function(shown))],
        ticks: one.ticks,
      };
    }),
    rest: more > 0 ? `… ${counted(more, "more function")}` : undefined,
  };
}

/** Returns what is known of the inline caches there: `inline cache: load .price, 1 P N, 12 ticks, see ticks ics`; empty for none. */
function cachesText({ ics = [] }: DeoptData): Text {
  const caches = ics.map(({ kind, keys, hasMoreKeys = false, states: [first = "", ...states], ticks }) => {
    const what = `${kindText({ kind })} ${keysText({ kind, keys, hasMoreKeys })}`.trimEnd();
    const marks = statesText({ firstState: first, states: states.map((state) => ({ state })) });
    return text`${what}, ${marks}${ticks > 0 ? text`, ${inTicks(ticks)}` : ""}`;
  });
  return caches.length === 0 ? "" : text`inline cache: ${joined(caches, "; ")}; see ticks ics`;
}

/** Returns the legend below the tables. */
function costLegend({ deopts }: DeoptsData): Text[] {
  const isOld = deopts.some(({ tiers }) => tiers.includes("crankshaft"));
  return [
    text`cost: ${TICKS} in the function's slower code until it was optimized again`,
    "left: the tier of the abandoned code",
    `slower code: ${isOld ? "~ full-codegen" : "~ Ignition, ^ Sparkplug, + Maglev"}; … = not optimized again`,
  ];
}

/** Returns how many deoptimizations there are. */
function titleOf({ whyNone, count, functions }: DeoptsData): string {
  if (whyNone === "none") return "no deoptimizations";
  if (whyNone !== null) return "no deoptimizations logged";
  return `${counted(count, "deoptimization")} in ${counted(functions.length, "function")}`;
}

/** Returns what they all cost. */
function costLine({ cost, ticks }: DeoptsData): Text {
  return text`${amount(cost)} of ${inTicks(ticks)} (${share(cost, ticks)}) in slower code until optimized again`;
}

/** Returns why there are none, and what to do about it. */
function whyNoneBlocks({ whyNone }: DeoptsData): Block[] {
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
      return [note(notLogged("deoptimizations"))];
    default:
      return [];
  }
}

/** Returns what the ticks tell of deoptimizations that the log does not have; nothing if it would have them. */
function suspectLines({ whyNone, suspects = [], ticks, excludedTicks }: DeoptsData): Text[] {
  const whole = ticks + excludedTicks;
  if (whyNone === null || whyNone === "none" || whole === 0) return [];
  if (suspects.length === 0)
    return [
      text`No function had ${TICKS} in slower code after ${TICKS} in optimized code: nothing suggests any.`,
    ];
  const slower = suspects.reduce((sum, one) => sum + one.ticks, 0);
  return [
    text`${counted(suspects.length, "function")} had ${TICKS} in slower code after ${TICKS} in optimized code, ${amount(slower)} of ${inTicks(whole)} in all.`,
    "V8 may have thrown that code away; code optimized for one long loop, or for another closure, looks the same.",
  ];
}

/** A function of a table, and where it was deoptimized. */
type NamedRow = Pick<DeoptRow, "title" | "position"> & Partial<Pick<DeoptRow, "at">>;

/** Formats positions as V8 does, with short file names. */
export class PositionNames {
  readonly #files: ReadonlyMap<string, string>;
  /** Functions that their line does not tell apart. */
  readonly #alike: LookAlikes;

  constructor(rows: readonly NamedRow[]) {
    this.#alike = new LookAlikes(rows.map(({ title, position }) => ({ title, ...position })));
    this.#files = shortFiles(
      rows.flatMap(({ position, at = [] }) =>
        (position === undefined ? at : [position, ...at]).map(({ file }) => file),
      ),
    );
  }

  /** Returns the function's file and line, and its column if another one looks like it; empty if no position was logged. */
  function({ position, title }: Pick<DeoptRow, "position" | "title">): string {
    if (position === undefined) return "";
    const column = this.#alike.has({ title, ...position }) ? `:${position.column}` : "";
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
function costByTierText({ costByTier, isOpen }: Pick<DeoptWeights, "costByTier" | "isOpen">): Text {
  const tiers = costByTier.map(({ tier, ticks }) => text`${tierMark(tier)}${amount(ticks)}`);
  return joined([...tiers, ...(isOpen ? ["…"] : [])], " ");
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
  readonly function: NamedFunction;
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
  readonly function: NamedFunction | null;
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
  /** Set if there are more keys. */
  readonly hasMoreKeys?: true;
  /** V8's marks of the states, from the first on. */
  readonly states: readonly string[];
  readonly ticks: Ticks;
}

/** Returns the document of `ticks deopts`, with all rows. */
function deoptsFacts(profile: Profile): DeoptsData {
  const view = deoptView(profile);
  const caches = sitesByPosition(profile);
  const about = { whole: shownTicks(profile), names: tierNamesOf(profile.info) };
  return {
    ...jsonHead("deopts", profile),
    count: view.count,
    ...costOf(view.cost, about.whole),
    whyNone: view.whyNone ?? null,
    demotedFunctions: view.demoted,
    ...(view.suspects.length > 0 && {
      suspects: view.suspects.map((one) => ({
        function: namedFunction(one.function, one.role),
        ticks: one.ticks,
        optimizedAgain: one.optimizedAgain,
      })),
    }),
    functions: view.functions.map((one) => ({ ...weightsOf(one, about), positions: one.rows })),
    deopts: view.rows.map((row) => {
      const { function: logged, ...weights } = weightsOf(row, about);
      return {
        function: logged,
        position: row.at,
        reason: row.reason,
        kinds: row.kinds,
        ...weights,
        isLoop: row.isLoop,
        ...cachesOf((row.at[0] && caches.get(positionKey(row.at[0]))) ?? []),
      };
    }),
  };
}

/** Returns the inline caches at a position; nothing if there are none. */
function cachesOf(caches: readonly IcSiteFacts[]): Pick<DeoptData, "ics"> {
  if (caches.length === 0) return {};
  return {
    ics: caches.map(({ kind, keys, hasMoreKeys, firstState, states, ticks }) => ({
      kind,
      keys,
      ...(hasMoreKeys && { hasMoreKeys }),
      states: [firstState, ...states.map(({ state }) => state)],
      ticks,
    })),
  };
}

function weightsOf(
  { function: logged, role, count, cost, costByTier, tiers, isOpen }: Omit<DeoptimizedFunction, "rows">,
  { whole, names }: { readonly whole: Ticks; readonly names: TierNames },
): DeoptWeights {
  return {
    function: logged === undefined ? null : namedFunction(logged, role),
    count,
    tiers: tiers.map((tier) => names[tier]),
    ...costOf(cost, whole),
    costByTier: jsonTiers(costByTier, names),
    isOpen,
  };
}

export function costOf(cost: Ticks, whole: Ticks): CostData {
  return { cost, costPercent: percentOf(cost, whole) };
}

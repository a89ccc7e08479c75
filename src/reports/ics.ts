import {
  ALL_TICKS,
  amount,
  inTicks,
  isEmpty,
  joined,
  LOG,
  named,
  share,
  type Text,
  TICK,
  TICKS,
  text,
  UNIT,
} from "../base/text.js";
import type { Ticks } from "../base/units.js";
import { Analysis } from "../facts/analysis.js";
import { FunctionNames } from "../facts/function-names.js";
import { rolesOf, shownTitle } from "../facts/function-table.js";
import type { IcSharedRow, IcSiteRow } from "../facts/ic-site-rows.js";
import { type IcFunctionRow, type IcView, icView, type WhyNoSites } from "../facts/ics.js";
import { INFERRED, printable } from "../facts/label.js";
import { percentOf } from "../facts/shares.js";
import { shortFiles } from "../facts/short-files.js";
import { SourceTexts } from "../facts/source-texts.js";
import {
  type IcFamily,
  icFamily,
  isMegamorphic,
  MOST_MAPS,
  type NoSiteReason,
} from "../profile/inline-caches.js";
import { parseLoggedName } from "../profile/logged-name.js";
import type { Profile } from "../profile/profile.js";
import { isBefore } from "../profile/v8-era.js";
import {
  type Block,
  type Cell,
  type Column,
  code,
  cutEndCell,
  cutMiddleCell,
  type Figure,
  GAP,
  note,
  number,
  type Row,
  section,
  type Table,
} from "../render/page.js";
import {
  type Count,
  type InferredData,
  type Integer,
  type JsonHead,
  jsonHead,
  jsonInferred,
  jsonLogged,
  type LoggedFunction,
  type Microseconds,
  type Percent,
  shownTicks,
} from "./json.js";
import {
  functionCommand,
  functionNamed,
  type NextCommand,
  nextSection,
  type Reading,
  readingOf,
} from "./next.js";
import type { ProfileReport } from "./report.js";
import type { IcsReportOptions } from "./report-options.js";
import { timeText } from "./time-axis.js";
import { blocksOf, counted, moreText, pageHead, sourceLine, textAround } from "./words.js";

/** What the reporters of inline caches show. */
export interface IcReport {
  readonly profile: Profile;
  readonly view: IcView;
  readonly sources: SourceTexts;
  /** The number of rows to show of each list. */
  readonly limit: number;
  /** What commands can read. Default: the page names no command. */
  readonly reading?: Reading | undefined;
}

/** The most of V8's builtins that are shown. */
const BUILTINS = 10;

/** `ticks ics`. */
export const ICS: ProfileReport<IcReport, IcsReportOptions> = {
  needs: () => ({
    ics: true,
    deopts: true,
    mayLackTicks: true,
    onlyInLogs: { what: "inline caches", record: "ticks record --ics -- node app.js" },
  }),
  of: (profile, _, { limit, readSource, ...around }) => ({
    profile,
    view: icView(profile),
    sources: new SourceTexts(profile.sources, readSource),
    limit,
    reading: readingOf(around),
  }),
  data: icsData,
  page: icsPage,
};

/** Returns the page of `ticks ics`. */
export function icsPage(report: IcReport): Block[] {
  const { profile, view, limit, sources } = report;
  const page: Block[] = [
    ...pageHead(profile, titleOf(report), true),
    ...placedLines(report).map((line) => note(line)),
    ...whyNoneBlocks(report),
  ];
  if (view.ticks === 0 && view.rows === 0) return page;
  const tables = new IcTables(report);
  const sites = pricedSites(view, limit);
  if (view.rows > 0) page.push(section("Sites", tables.sites(sites)));
  if (view.sharedRows.length > 0)
    page.push(section(text`${ALL_TICKS} at one of several sites`, tables.shared()));
  if (view.rows > 0 && view.notPlaced.length > 0) page.push(section("Not placed", tables.notPlaced()));
  if (view.functions.length > 0) page.push(section("Functions", tables.functions()));
  if (view.builtins.length > 0) page.push(section("V8's code", tables.builtins()));
  if (view.times !== undefined) page.push(section("Rows over time", rowsOverTime(view.times)));
  if (sites.length > 0) page.push({ kind: "legend", lines: legendOf(report) });
  page.push({
    kind: "sources",
    files: sites.flatMap((site) => textOf(site, sources) && (site.file ?? [])),
    sources,
  });
  return [...page, ...nextSection(report.reading, nextOf(report))];
}

/** Returns the function with most ticks in inline caches, to look at next. */
function nextOf({ profile, view: { functions, sites } }: IcReport): NextCommand[] {
  const [most] = sites;
  const owner = functionNamed(profile, functions[0]?.function ?? most?.function);
  if (owner === undefined) return [];
  const names = new FunctionNames(Analysis.of(profile).table.functions, profile.info);
  return [functionCommand(owner, names, "callers and lines of the function that has most of it")];
}

const NUMBERS = [number(UNIT), number("share")];
/** Tells what is inferred. */
const MARK: Column = { title: "" };

class IcTables {
  readonly #report: IcReport;
  readonly #names: IcNames;
  readonly #whole: Ticks;

  constructor(report: IcReport) {
    this.#report = report;
    this.#names = new IcNames(report.view, rolesOf(report.profile.frames));
    this.#whole = shownTicks(report.profile);
  }

  sites(shown: readonly IcSiteRow[]): Table {
    const all = this.#report.view.sites.filter(({ ticks }) => ticks > 0);
    return {
      ...this.#table(
        shown,
        (site) => [
          inferredText(site),
          code(kindText(site)),
          code(statesText(site)),
          mapsText(site),
          this.#site(site),
        ],
        (site) => this.#below(site),
      ),
      columns: [
        ...[...NUMBERS, MARK, { title: "does" }, { title: "states" }],
        ...[number("shapes"), { title: "site, key, function" }],
      ],
      rest: moreText(all.slice(shown.length), ({ ticks }) => ticks, "site"),
    };
  }

  shared(): Table {
    const { view, limit } = this.#report;
    const shown = view.sharedRows.slice(0, limit);
    return {
      ...this.#table(shown, (row) => [
        `${row.sites.length}${row.mayBeInlined ? "+" : ""}`,
        cutMiddleCell(this.#names.shared(row)),
      ]),
      columns: [...NUMBERS, number("sites"), { title: "one of" }],
      rest: moreText(view.sharedRows.slice(shown.length), ({ ticks }) => ticks, "group"),
    };
  }

  notPlaced(): Table {
    return {
      ...this.#table(this.#report.view.notPlaced, ({ reason }) => [NO_SITE_REASONS[reason]]),
      columns: [...NUMBERS, { title: "why" }],
    };
  }

  functions(): Table {
    const { view, limit } = this.#report;
    const shown = view.functions.slice(0, limit);
    return {
      ...this.#table(shown, (row) => [inferredText(row), this.#names.row(row)]),
      columns: [...NUMBERS, MARK, { title: "function" }],
      rest: moreText(view.functions.slice(shown.length), ({ ticks }) => ticks, "function"),
    };
  }

  builtins(): Table {
    const { builtins } = this.#report.view;
    return {
      ...this.#table(builtins.slice(0, BUILTINS), ({ name }) => [cutEndCell(name)]),
      columns: [...NUMBERS, { title: "builtin" }],
      rest: moreText(builtins.slice(BUILTINS), ({ ticks }) => ticks, "builtin"),
    };
  }

  #table<One extends { readonly ticks: Ticks }>(
    shown: readonly One[],
    cellsOf: (row: One) => Cell[],
    belowOf: (row: One) => NonNullable<Row["below"]> = () => [],
  ) {
    return {
      kind: "table" as const,
      whole: this.#whole,
      rows: shown.map((row) => ({
        cells: [amount(row.ticks), share(row.ticks, this.#whole), ...cellsOf(row)],
        ticks: row.ticks,
        below: belowOf(row),
      })),
    };
  }

  #site(site: IcSiteRow): Text {
    const key = keysText(site);
    const { title } = this.#names.function(site.function);
    return text`${named(this.#names.site(site))}${key === "" ? "" : text`  ${named(key)}`}  in ${named(title)}`;
  }

  /** Returns the source line of a site, and what else is known of it. */
  #below(site: IcSiteRow) {
    const source = textOf(site, this.#report.sources);
    const notes = joined(notesOf(site), "; ");
    return [
      ...(source === "" ? [] : [code(source)]),
      ...(isEmpty(notes) ? [] : [{ words: code(notes), tone: "faint" as const, isWrapped: true }]),
    ];
  }
}

function textOf({ file, line, column }: IcSiteRow, sources: SourceTexts): string {
  const source = line === 0 ? undefined : sources.lineOf(file, line);
  return source === undefined ? "" : sourceLine(textAround(source, column || 1)).trim();
}

function rowsOverTime({ width, rows, megamorphic }: NonNullable<IcView["times"]>): Figure {
  const lines = [
    ["all", rows],
    ["megamorphic", megamorphic],
  ] as const;
  const peak = rows.reduce((most, count) => Math.max(most, count), 1);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  return {
    kind: "figure",
    draw: () => [
      `a column is ${timeText(width)}; a full block is ${peak} rows`,
      ...lines.map(([title, counts]) => `${title.padEnd(13)}${blocksOf(counts, peak)} ${sum(counts)}`),
    ],
  };
}

/** What V8's marks of states mean. */
const STATES: Readonly<Record<string, string>> = {
  X: "no feedback yet",
  "0": "uninitialized",
  ".": "premonomorphic",
  "1": "monomorphic",
  "^": "handler recomputed",
  P: "polymorphic",
  N: "megamorphic",
  D: "megamorphic DOM",
  G: "generic",
};

/** What V8's kinds of inline caches do. */
const KINDS: Readonly<Record<string, string>> = {
  LoadIC: "load",
  StoreIC: "store",
  KeyedLoadIC: "keyed load",
  KeyedStoreIC: "keyed store",
  LoadGlobalIC: "global load",
  StoreGlobalIC: "global store",
  StoreOwnIC: "define",
  StoreInArrayLiteralIC: "array literal",
  DefineKeyedOwnIC: "keyed define",
  DefineNamedOwnIC: "define",
  CloneObjectIC: "clone",
};

/** Why ticks have no site. */
export const NO_SITE_REASONS: Readonly<Record<NoSiteReason, Text>> = {
  "no-rows": text`the ${LOG} has no rows of inline caches`,
  "no-caller": "no JavaScript function called",
  "unknown-caller": "the sampler skipped the function, and nothing tells which one it was",
  "no-site": "no row is about a cache there",
  "many-sites": "too many sites are possible",
  "unknown-inlining": "it may be in an inlined function, which logs before Node 16 do not name",
};

/** Returns the name of a state. */
export function stateName(state: string): string {
  return STATES[state] ?? printable(state);
}

/** Returns a kind in one or two words. */
export function kindText({ kind }: Pick<IcSiteRow, "kind">): string {
  return KINDS[kind] ?? printable(kind);
}

/** Returns the states from the first on, as V8 marks them: `0 1 P N`. */
export function statesText({
  first,
  states,
}: {
  readonly first: string;
  readonly states: readonly { readonly state: string }[];
}): string {
  const marks = states.map(({ state }) => state);
  const all = marks[0] === first ? marks : [first, ...marks];
  return all.map(printable).join(" ");
}

/** Returns how many shapes of objects were seen; `-` if the rows name none. */
export function mapsText({ maps }: Pick<IcSiteRow, "maps">): string {
  return maps === 0 ? "-" : String(maps);
}

/** The most characters of a key that are shown. */
const KEY_LENGTH = 40;

/** Returns the keys of a site: `.price`, `[alpha, beta, …]`. */
export function keysText({
  kind,
  keys,
  hasMoreKeys,
}: Pick<IcSiteRow, "kind" | "keys" | "hasMoreKeys">): string {
  if (keys.length === 0) return "";
  const shown = keys.map((key) => printable(key.length > KEY_LENGTH ? `${key.slice(0, KEY_LENGTH)}…` : key));
  const list = [...shown, ...(hasMoreKeys ? ["…"] : [])].join(", ");
  if (kind.startsWith("Keyed")) return `[${list}]`;
  return kind.includes("Global") ? list : `.${list}`;
}

/** Returns what else is known of a site, a sentence each. */
export function notesOf({ states, lastTime, rows, modifiers, reasons, deopts, shared }: IcSiteRow): Text[] {
  const notes: Text[] = [];
  const mega = states.find(({ state }) => stateName(state).startsWith("megamorphic"));
  const names = (all: readonly string[], between: string) => joined(all.map(named), between);
  if (mega !== undefined) notes.push(`megamorphic from ${timeText(mega.time)} on`);
  if (rows > 1) notes.push(`last of ${rows} rows at ${timeText(lastTime)}`);
  if (shared > 0) notes.push(text`${amount(shared)} more ${shared === 1 ? TICK : TICKS} may be its own`);
  if (modifiers.length > 0) notes.push(text`elements: ${names(modifiers, " ")}`);
  if (reasons.length > 0) notes.push(text`slow because: ${names(reasons, ", ")}`);
  for (const { count, reason } of deopts) {
    const times = `deoptimized here ${count === 1 ? "once" : `${count} times`}`;
    notes.push(text`${times}${reason === "" ? "" : text` (${named(reason)})`}: see ticks deopts`);
  }
  return notes;
}

/** Returns how many ticks are in V8's code for inline caches. */
export function titleOf({ profile, view }: IcReport): Text {
  const whole = profile.info.ticks - profile.info.excluded;
  return text`${amount(view.ticks)} of ${inTicks(whole)} (${share(view.ticks, whole)}) in V8's code for inline caches`;
}

/** Returns how many of them have a site; nothing if the log has no rows. */
export function placedLines({ view }: IcReport): Text[] {
  if (view.whyNone !== undefined) return [];
  const unplaced = view.notPlaced.reduce((sum, { ticks }) => sum + ticks, 0);
  const parts = [
    text`${amount(view.placed)} at ${counted(view.sites.filter(({ ticks }) => ticks > 0).length, "site")}`,
    ...(view.shared > 0 ? [text`${amount(view.shared)} at one of several`] : []),
    text`${amount(unplaced)} not placed`,
  ];
  const from = text`${counted(view.rows, "row")} of ${counted(view.sites.length, "site")} in the ${LOG}`;
  const unknown = view.unknownRows > 0 ? `, and ${view.unknownRows} without a site` : "";
  return [joined(parts, ", "), text`${from}${unknown}`];
}

/** Returns why there are no sites, and what to do about it. */
function whyNoneBlocks({ profile, view }: IcReport): Block[] {
  if (view.whyNone === undefined) return [];
  if (view.whyNone === "not-written")
    return [
      GAP,
      note("This version of V8 does not log inline caches with --prof. Node 8 is the first that does."),
    ];
  const command = isBefore(profile.info, 6006)
    ? "node --prof --trace-ic app.js"
    : "ticks record --ics -- node app.js";
  return [
    GAP,
    note(text`The ${LOG} has no rows of inline caches. To see which sites these ${TICKS} are at:`),
    { kind: "commands", lines: [{ command }], isApart: true },
  ];
}

/** Returns the legend of the states that are shown. */
export function legendOf({ view, limit }: IcReport): string[] {
  const shown = new Set(
    pricedSites(view, limit).flatMap(({ first, states }) => [first, ...states.map(({ state }) => state)]),
  );
  const states = Object.keys(STATES).filter((state) => shown.has(state));
  return [
    `states: ${states.map((state) => `${state} ${stateName(state)}`).join(", ")}`,
    `shapes: different maps that rows name, which are shapes of objects; at least that many passed`,
    `${INFERRED}: the sampler skipped the function; the site is the only one of its kind in what ran there`,
  ];
}

/** Returns the sites with ticks that are shown. */
export function pricedSites({ sites }: IcView, limit: number): readonly IcSiteRow[] {
  return sites.filter(({ ticks }) => ticks > 0).slice(0, limit);
}

/** The short names of files and functions. */
export class IcNames {
  readonly #files: ReadonlyMap<string, string>;
  readonly #roles: ReadonlyMap<string, string>;

  /** `roles` has what functions without a name are for. */
  constructor({ sites, functions }: IcView, roles: ReadonlyMap<string, string>) {
    this.#roles = roles;
    const names = functions.flatMap((row) => [row.function ?? [], row.caller ?? []].flat());
    this.#files = shortFiles([
      ...sites.flatMap(({ file }) => file ?? []),
      ...[...names, ...sites.map((site) => site.function)].flatMap(
        (name) => parseLoggedName(name).file ?? [],
      ),
    ]);
  }

  /** Returns the name of a function and its position. */
  function(logged: string): { readonly title: string; readonly position: string } {
    const { name, file, line } = parseLoggedName(logged);
    return {
      title: shownTitle(name, this.#roles.get(logged)),
      position: file === undefined ? "" : `${this.#file(file)}:${line}`,
    };
  }

  /** Returns the function of a row, or what called it. */
  row({ function: name, caller }: IcFunctionRow): { readonly title: string; readonly position: string } {
    if (name !== undefined) return this.function(name);
    if (caller === undefined) return { title: "(unknown function)", position: "" };
    const { title, position } = this.function(caller);
    return { title: `(called by ${title})`, position };
  }

  /** Returns the position of a site. */
  site({ file, line, column }: Pick<IcSiteRow, "file" | "line" | "column">): string {
    const where = file === undefined ? "?" : this.#file(file);
    return line === 0 ? `${where}:?` : `${where}:${line}:${column}`;
  }

  /** Returns the sites of which one has the ticks: `one of 2: app.js:4:5 .a, app.js:5:5 .b`. */
  shared({ sites, mayBeInlined }: IcSharedRow): string {
    const names = sites.map((site) => `${printable(this.site(site))} ${keysText(site)}`.trimEnd());
    const more = mayBeInlined ? ", or one in inlined code" : "";
    return `${names.join(", ")}${more}`;
  }

  #file(file: string): string {
    return this.#files.get(file) ?? file;
  }
}

/** Returns `≈` and how many ticks are inferred, if not all. */
export function inferredText({ ticks, inferred }: Pick<IcSiteRow, "ticks" | "inferred">): Text {
  if (inferred === 0) return "";
  return inferred === ticks ? INFERRED : text`${amount(inferred)} ${INFERRED}`;
}

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id ics.schema.json
 * @title ticks ics --format json, schema version 1
 */
export interface IcsData extends JsonHead<"ics"> {
  /** The ticks in V8's code for inline caches: placed, shared and notPlaced sum to it. */
  readonly icTicks: Ticks;
  readonly icPercent: Percent;
  /** The sum of the prices of sites. */
  readonly placed: Ticks;
  /** Ticks that belong to one of several sites. */
  readonly shared: Ticks;
  /** The other ticks, by reason. */
  readonly notPlaced: readonly NotPlacedData[];
  /** Why the log has no rows: --log-ic was not given, or this V8 does not write them. null if it has some. */
  readonly whyNoSites: WhyNoSites | null;
  /** All rows of inline caches in the logs. */
  readonly rows: Count;
  /** The rows without a site: their code is not in the log, such as that of Node's snapshot. */
  readonly unknownRows: Count;
  /** The sites: by ticks, then by rows. All of them without --limit: their ticks sum to placed. */
  readonly sites: readonly IcSiteData[];
  /** Ticks that belong to one of several sites. */
  readonly sharedTicks: readonly SharedTicksData[];
  /** By function. All of them without --limit: they sum to icTicks. */
  readonly functions: readonly IcFunctionData[];
  /** V8's code that the ticks are in. They sum to icTicks. */
  readonly builtins: readonly IcBuiltinData[];
  /** The rows of all threads over time; null if there are none. */
  readonly times: IcTimesData | null;
}

export interface Weight {
  readonly ticks: Ticks;
  readonly percent: Percent;
}

export interface NotPlacedData extends Weight {
  /**
   * no-rows: the log has no rows of inline caches. no-caller: no JavaScript function called. unknown-caller: the sampler
   * skipped the function, and nothing tells which one it was. no-site: no row is about a cache there. many-sites: too many
   * sites are possible. unknown-inlining: it is in an inlined function, and the log does not say which.
   */
  readonly reason: NoSiteReason;
}

/** Where a cache is. */
export interface IcPlaceData {
  /** The function that has the cache. Never null. */
  readonly function: LoggedFunction | null;
  /** The script of the position, or its original source. Empty if unknown. */
  readonly file: string;
  /** From 1; null if unknown. */
  readonly line: Integer | null;
  /** From 1; null if unknown. */
  readonly column: Integer | null;
  /** What the cache is for, in V8's words: LoadIC, KeyedStoreIC. */
  readonly kind: string;
  /** The first keys that its rows name: names of properties, or indices. */
  readonly keys: readonly string[];
  /** Whether there are more keys. */
  readonly hasMoreKeys: boolean;
}

export interface IcSiteData extends IcPlaceData, InferredData {
  /** The states that it reached, in the order of their times. */
  readonly states: readonly IcStateData[];
  /** The state before the first row. */
  readonly firstState: string;
  /** The state after the last row. */
  readonly lastState: string;
  /** When the last row was written. */
  readonly lastTime: Microseconds;
  /** Whether it ever was megamorphic or generic. */
  readonly isMegamorphic: boolean;
  /** How many rows it has: misses that V8 logged. */
  readonly rows: Count;
  /** How many different maps its rows name, which are shapes of objects. At least as many passed. */
  readonly maps: Count;
  /** Whether it has more maps than are counted. */
  readonly hasMoreMaps: boolean;
  /** How elements are accessed, in V8's words. */
  readonly modifiers: readonly string[];
  /** Why V8 took the slow way, in its words. */
  readonly slowReasons: readonly string[];
  /** Its price: ticks in V8's code that worked for it. */
  readonly ticks: Ticks;
  readonly percent: Percent;
  /** Ticks that are its own or another site's. They are not in ticks. */
  readonly sharedTicks: Ticks;
  /** The deoptimizations at its position; ticks deopts has them. */
  readonly deopts: readonly IcDeoptData[];
  /** The source line; null if unknown. */
  readonly text: string | null;
}

export interface IcStateData {
  /**
   * V8's mark: X no feedback yet, 0 uninitialized, . premonomorphic, 1 monomorphic, ^ handler recomputed, P polymorphic, N
   * megamorphic, D megamorphic DOM, G generic.
   */
  readonly state: string;
  /** When a row first ended in it. */
  readonly time: Microseconds;
  /** How many rows end in it. */
  readonly rows: Count;
}

export interface IcDeoptData {
  readonly reason: string;
  /** How often. */
  readonly count: Count;
  /** Ticks in slower code until the function was optimized again. */
  readonly cost: Ticks;
}

export interface SharedTicksData extends Weight {
  /** Whether it can also be a site in inlined code, which the log does not tell up to Node 14. */
  readonly mayBeInlined: boolean;
  /** It is one of these. */
  readonly sites: readonly IcPlaceData[];
}

export interface IcFunctionData extends Weight, InferredData {
  /** The function that has the cache; null if unknown. */
  readonly function: LoggedFunction | null;
  /** What called an unknown function; null if that is unknown too, and for a known function. */
  readonly caller: LoggedFunction | null;
}

export interface IcBuiltinData extends Weight {
  /** As logged. */
  readonly name: string;
  /** What it is for; null if its name does not tell. */
  readonly family: IcFamily | null;
}

export interface IcTimesData {
  /** The width of a slice. The first one begins when the log was opened. */
  readonly width: Microseconds;
  /** All rows, by slice. */
  readonly rows: readonly Count[];
  /** Those after which the cache was megamorphic, by slice. */
  readonly megamorphic: readonly Count[];
}

const MILLISECOND = 1000;

export function icsData(report: IcReport): IcsData {
  const { profile, view, limit } = report;
  const whole = shownTicks(profile);
  const weight = (ticks: Ticks): Weight => ({ ticks, percent: percentOf(ticks, whole) });
  return {
    ...jsonHead("ics", profile),
    icTicks: view.ticks,
    icPercent: percentOf(view.ticks, whole),
    placed: view.placed,
    shared: view.shared,
    notPlaced: view.notPlaced.map(({ reason, ticks }) => ({ reason, ...weight(ticks) })),
    whyNoSites: view.whyNone ?? null,
    rows: view.rows,
    unknownRows: view.unknownRows,
    sites: view.sites.slice(0, limit).map((site) => ({
      ...siteOf(site),
      states: site.states.map(({ state, time, rows }) => ({ state, time: time / MILLISECOND, rows })),
      firstState: site.first,
      lastState: site.last,
      lastTime: site.lastTime / MILLISECOND,
      isMegamorphic: site.states.some(({ state }) => isMegamorphic(state)),
      rows: site.rows,
      maps: site.maps,
      hasMoreMaps: site.maps === MOST_MAPS,
      modifiers: site.modifiers,
      slowReasons: site.reasons,
      ...weight(site.ticks),
      ...jsonInferred(site.inferred),
      sharedTicks: site.shared,
      deopts: site.deopts.map(({ reason, count, cost }) => ({ reason, count, cost })),
      text: sourceOf(site, report),
    })),
    sharedTicks: view.sharedRows.slice(0, limit).map(({ sites, mayBeInlined, ticks }) => ({
      ...weight(ticks),
      mayBeInlined,
      sites: sites.map(siteOf),
    })),
    functions: view.functions.slice(0, limit).map((row) => ({
      function: jsonLogged(row.function),
      caller: jsonLogged(row.caller),
      ...weight(row.ticks),
      ...jsonInferred(row.inferred),
    })),
    builtins: view.builtins.map(({ name, ticks }) => ({
      name,
      family: icFamily(name) ?? null,
      ...weight(ticks),
    })),
    times:
      view.times === undefined
        ? null
        : {
            width: view.times.width / MILLISECOND,
            rows: view.times.rows,
            megamorphic: view.times.megamorphic,
          },
  };
}

function siteOf({ function: name, file, line, column, kind, keys, hasMoreKeys }: IcSiteRow): IcPlaceData {
  return {
    function: jsonLogged(name),
    file: file ?? "",
    line: line === 0 ? null : line,
    column: column === 0 ? null : column,
    kind,
    keys,
    hasMoreKeys,
  };
}

function sourceOf({ file, line, column }: IcSiteRow, { sources }: IcReport): string | null {
  const text = line === 0 ? undefined : sources.lineOf(file, line);
  return text === undefined ? null : textAround(text, column || 1);
}

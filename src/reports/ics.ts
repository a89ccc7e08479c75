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
import type { Analysis } from "../facts/analysis.js";
import type { NamedFunction } from "../facts/document-parts.js";
import { FunctionNames } from "../facts/function-names.js";
import { shownTitle } from "../facts/function-table.js";
import { type IcSiteFacts, MILLISECOND, type SharedTicksData } from "../facts/ic-site-rows.js";
import { type IcFacts, type IcFunctionData, type IcTimesData, icFacts } from "../facts/ics.js";
import { INFERRED, printable } from "../facts/label.js";
import { shortFiles } from "../facts/short-files.js";
import type { SourceTexts } from "../facts/source-texts.js";
import type { NoSiteReason } from "../profile/inline-caches.js";
import type { ProfileInfo } from "../profile/profile.js";
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
import { factsReport, type Shown } from "./facts-report.js";
import { type JsonHead, jsonHead } from "./json.js";
import { functionAt, functionCommand, type NextCommand } from "./next.js";
import type { IcsReportOptions } from "./report-options.js";
import { timeText } from "./time-axis.js";
import { blocksOf, counted, moreText, notLogged, sourceLine, textAround } from "./words.js";

/** The most of V8's builtins that are shown. */
const BUILTINS = 10;

/** `ticks ics`. */
export const ICS = factsReport<IcsData, IcsReportOptions>({
  needs: () => ({
    ics: true,
    deopts: true,
    mayLackTicks: true,
    onlyInLogs: { what: "inline caches", record: "ticks record --ics -- node app.js" },
  }),
  lists: ["sites", "sharedTicks", "functions"],
  facts: icsFacts,
  heading: titleOf,
  page: icsPage,
  next: nextOf,
});

/** Returns the page of `ticks ics`, without its heading. */
function icsPage(facts: IcsData, { limit, info, sources }: Shown<IcsReportOptions>): Block[] {
  const page: Block[] = [...placedLines(facts).map((line) => note(line)), ...whyNoneBlocks(facts, info)];
  if (facts.icTicks === 0 && facts.rows === 0) return page;
  const tables = new IcTables(facts, limit);
  const sites = pricedSites(facts).slice(0, limit);
  if (facts.rows > 0) page.push(section("Sites", tables.sites()));
  if (facts.sharedTicks.length > 0)
    page.push(section(text`${ALL_TICKS} at one of several sites`, tables.shared()));
  if (facts.rows > 0 && facts.notPlaced.length > 0) page.push(section("Not placed", tables.notPlaced()));
  if (facts.functions.length > 0) page.push(section("Functions", tables.functions()));
  if (facts.builtins.length > 0) page.push(section("V8's code", tables.builtins()));
  if (facts.times !== null) page.push(section("Rows over time", rowsOverTime(facts.times)));
  if (sites.length > 0) page.push({ kind: "legend", lines: legendOf(sites) });
  page.push({ kind: "sources", files: sites.flatMap((site) => textOf(site) && site.file), sources });
  return page;
}

/** Returns the function with most ticks in inline caches, to look at next. */
function nextOf({ functions, sites }: IcsData, profile: Analysis): NextCommand[] {
  const most = functions[0]?.function ?? sites[0]?.function;
  const owner = most ? functionAt(profile, most) : undefined;
  if (owner === undefined) return [];
  const names = new FunctionNames(profile.table.functions, profile.info);
  return [functionCommand(owner, names, "callers and lines of the function that has most of it")];
}

const NUMBERS = [number(UNIT), number("share")];
/** Tells what is inferred. */
const MARK: Column = { title: "" };

class IcTables {
  readonly #facts: IcsData;
  readonly #limit: number;
  readonly #names: IcNames;

  constructor(facts: IcsData, limit: number) {
    this.#facts = facts;
    this.#limit = limit;
    this.#names = new IcNames(facts);
  }

  sites(): Table {
    const all = pricedSites(this.#facts);
    const shown = all.slice(0, this.#limit);
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
        belowOf,
      ),
      columns: [
        ...[...NUMBERS, MARK, { title: "does" }, { title: "states" }],
        ...[number("shapes"), { title: "site, key, function" }],
      ],
      rest: moreText(all.slice(shown.length), ({ ticks }) => ticks, "site"),
    };
  }

  shared(): Table {
    const { sharedTicks } = this.#facts;
    const shown = sharedTicks.slice(0, this.#limit);
    return {
      ...this.#table(shown, (row) => [
        `${row.sites.length}${row.mayBeInlined ? "+" : ""}`,
        cutMiddleCell(this.#names.shared(row)),
      ]),
      columns: [...NUMBERS, number("sites"), { title: "one of" }],
      rest: moreText(sharedTicks.slice(shown.length), ({ ticks }) => ticks, "group"),
    };
  }

  notPlaced(): Table {
    return {
      ...this.#table(this.#facts.notPlaced, ({ reason }) => [NO_SITE_REASONS[reason]]),
      columns: [...NUMBERS, { title: "why" }],
    };
  }

  functions(): Table {
    const { functions } = this.#facts;
    const shown = functions.slice(0, this.#limit);
    return {
      ...this.#table(shown, (row) => [inferredText(row), this.#names.row(row)]),
      columns: [...NUMBERS, MARK, { title: "function" }],
      rest: moreText(functions.slice(shown.length), ({ ticks }) => ticks, "function"),
    };
  }

  builtins(): Table {
    const { builtins } = this.#facts;
    return {
      ...this.#table(builtins.slice(0, BUILTINS), ({ name }) => [cutEndCell(name)]),
      columns: [...NUMBERS, { title: "builtin" }],
      rest: moreText(builtins.slice(BUILTINS), ({ ticks }) => ticks, "builtin"),
    };
  }

  #table<One extends { readonly ticks: Ticks }>(
    shown: readonly One[],
    cellsOf: (row: One) => Cell[],
    below: (row: One) => NonNullable<Row["below"]> = () => [],
  ) {
    const whole = this.#facts.ticks;
    return {
      kind: "table" as const,
      whole,
      rows: shown.map((row) => ({
        cells: [amount(row.ticks), share(row.ticks, whole), ...cellsOf(row)],
        ticks: row.ticks,
        below: below(row),
      })),
    };
  }

  #site(site: IcSiteData): Text {
    const key = keysText(site);
    const { title } = this.#names.function(site.function);
    return text`${named(this.#names.site(site))}${key === "" ? "" : text`  ${named(key)}`}  in ${named(title)}`;
  }
}

/** Returns the source line of a site, and what else is known of it. */
function belowOf(site: IcSiteData) {
  const source = textOf(site);
  const notes = joined(notesOf(site), "; ");
  return [
    ...(source === "" ? [] : [code(source)]),
    ...(isEmpty(notes) ? [] : [{ words: code(notes), tone: "faint" as const, isWrapped: true }]),
  ];
}

function textOf({ text: source }: IcSiteData): string {
  return source === null ? "" : sourceLine(source).trim();
}

function rowsOverTime({ width, rows, megamorphic }: IcTimesData): Figure {
  const lines = [
    ["all", rows],
    ["megamorphic", megamorphic],
  ] as const;
  const peak = rows.reduce((most, count) => Math.max(most, count), 1);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  return {
    kind: "figure",
    draw: () => [
      `a column is ${timeText(width * MILLISECOND)}; a full block is ${peak} rows`,
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

export function stateName(state: string): string {
  return STATES[state] ?? printable(state);
}

/** Returns a kind in one or two words. */
export function kindText({ kind }: Pick<IcSiteData, "kind">): string {
  return KINDS[kind] ?? printable(kind);
}

/** Returns the states from the first on, as V8 marks them: `0 1 P N`. */
export function statesText({
  firstState: first,
  states,
}: {
  readonly firstState: string;
  readonly states: readonly { readonly state: string }[];
}): string {
  const marks = states.map(({ state }) => state);
  const all = marks[0] === first ? marks : [first, ...marks];
  return all.map(printable).join(" ");
}

/** Returns how many shapes of objects were seen; `-` if the rows name none. */
export function mapsText({ maps }: Pick<IcSiteData, "maps">): string {
  return maps === 0 ? "-" : String(maps);
}

/** The most characters of a key that are shown. */
const KEY_LENGTH = 40;

/** Returns the keys of a site: `.price`, `[alpha, beta, …]`. */
export function keysText({
  kind,
  keys,
  hasMoreKeys,
}: Pick<IcSiteData, "kind" | "keys" | "hasMoreKeys">): string {
  if (keys.length === 0) return "";
  const shown = keys.map((key) => printable(key.length > KEY_LENGTH ? `${key.slice(0, KEY_LENGTH)}…` : key));
  const list = [...shown, ...(hasMoreKeys ? ["…"] : [])].join(", ");
  if (kind.startsWith("Keyed")) return `[${list}]`;
  return kind.includes("Global") ? list : `.${list}`;
}

/** Returns what else is known of a site, a sentence each. */
function notesOf({
  states,
  lastTime,
  rows,
  modifiers,
  slowReasons,
  deopts,
  sharedTicks: shared,
}: IcSiteData): Text[] {
  const notes: Text[] = [];
  const mega = states.find(({ state }) => stateName(state).startsWith("megamorphic"));
  const names = (all: readonly string[], between: string) => joined(all.map(named), between);
  if (mega !== undefined) notes.push(`megamorphic from ${timeText(mega.time * MILLISECOND)} on`);
  if (rows > 1) notes.push(`last of ${rows} rows at ${timeText(lastTime * MILLISECOND)}`);
  if (shared > 0) notes.push(text`${amount(shared)} more ${shared === 1 ? TICK : TICKS} may be its own`);
  if (modifiers.length > 0) notes.push(text`elements: ${names(modifiers, " ")}`);
  if (slowReasons.length > 0) notes.push(text`slow because: ${names(slowReasons, ", ")}`);
  for (const { count, reason } of deopts) {
    const times = `deoptimized here ${count === 1 ? "once" : `${count} times`}`;
    notes.push(text`${times}${reason === "" ? "" : text` (${named(reason)})`}: see ticks deopts`);
  }
  return notes;
}

/** Returns how many ticks are in V8's code for inline caches. */
function titleOf({ icTicks, ticks }: IcsData): Text {
  return text`${amount(icTicks)} of ${inTicks(ticks)} (${share(icTicks, ticks)}) in V8's code for inline caches`;
}

/** Returns how many of them have a site; nothing if the log has no rows. */
function placedLines(facts: IcsData): Text[] {
  const { whyNoSites, placed, shared, notPlaced, rows, sites, unknownRows } = facts;
  if (whyNoSites !== null) return [];
  const unplaced = notPlaced.reduce((sum, { ticks }) => sum + ticks, 0);
  const parts = [
    text`${amount(placed)} at ${counted(pricedSites(facts).length, "site")}`,
    ...(shared > 0 ? [text`${amount(shared)} at one of several`] : []),
    text`${amount(unplaced)} not placed`,
  ];
  const from = text`${counted(rows, "row")} of ${counted(sites.length, "site")} in the ${LOG}`;
  const unknown = unknownRows > 0 ? `, and ${unknownRows} without a site` : "";
  return [joined(parts, ", "), text`${from}${unknown}`];
}

/** Returns why there are no sites, and what to do about it. */
function whyNoneBlocks({ whyNoSites }: IcsData, info: ProfileInfo): Block[] {
  if (whyNoSites === null) return [];
  if (whyNoSites === "not-written") return [GAP, note(notLogged("inline caches"))];
  const command = isBefore(info, 6006)
    ? "node --prof --trace-ic app.js"
    : "ticks record --ics -- node app.js";
  return [
    GAP,
    note(text`The ${LOG} has no rows of inline caches. To see which sites these ${TICKS} are at:`),
    { kind: "commands", lines: [{ command }], isApart: true },
  ];
}

/** Returns the legend of the states that are shown. */
function legendOf(sites: readonly IcSiteData[]): string[] {
  const shown = new Set(
    sites.flatMap(({ firstState, states }) => [firstState, ...states.map(({ state }) => state)]),
  );
  const states = Object.keys(STATES).filter((state) => shown.has(state));
  return [
    `states: ${states.map((state) => `${state} ${stateName(state)}`).join(", ")}`,
    `shapes: different maps that rows name, which are shapes of objects; at least that many passed`,
    `${INFERRED}: the sampler skipped the function; the site is the only one of its kind in what ran there`,
  ];
}

/** Returns the sites with ticks. */
function pricedSites({ sites }: IcsData): readonly IcSiteData[] {
  return sites.filter(({ ticks }) => ticks > 0);
}

/** The short names of files and functions. */
class IcNames {
  readonly #files: ReadonlyMap<string, string>;

  constructor({ sites, functions }: IcsData) {
    const owners = [
      ...functions.flatMap((row) => [row.function ?? [], row.caller ?? []].flat()),
      ...sites.flatMap((site) => site.function ?? []),
    ];
    this.#files = shortFiles([...sites, ...owners].map(({ file }) => file).filter((file) => file !== ""));
  }

  /** Returns the name of a function and its position. */
  function(owner: NamedFunction | null): { readonly title: string; readonly position: string } {
    if (owner === null) return { title: "(unknown function)", position: "" };
    const { name, role, file, line } = owner;
    return { title: shownTitle(name, role), position: line === null ? "" : `${this.#file(file)}:${line}` };
  }

  /** Returns the function of a row, or what called it. */
  row({ function: owner, caller }: IcFunctionData): { readonly title: string; readonly position: string } {
    if (owner !== null || caller === null) return this.function(owner);
    const { title, position } = this.function(caller);
    return { title: `(called by ${title})`, position };
  }

  /** Returns the position of a site. */
  site({ file, line, column }: Pick<IcSiteData, "file" | "line" | "column">): string {
    const where = file === "" ? "?" : this.#file(file);
    return line === null ? `${where}:?` : `${where}:${line}:${column ?? 0}`;
  }

  /** Returns the sites of which one has the ticks: `one of 2: app.js:4:5 .a, app.js:5:5 .b`. */
  shared({ sites, mayBeInlined }: SharedTicksData): string {
    const names = sites.map((site) => `${printable(this.site(site))} ${keysText(site)}`.trimEnd());
    const more = mayBeInlined ? ", or one in inlined code" : "";
    return `${names.join(", ")}${more}`;
  }

  #file(file: string): string {
    return this.#files.get(file) ?? file;
  }
}

/** Returns `≈` and how many ticks are inferred, if not all. */
function inferredText({ ticks, inferred = 0 }: Pick<IcSiteData, "ticks" | "inferred">): Text {
  if (inferred === 0) return "";
  return inferred === ticks ? INFERRED : text`${amount(inferred)} ${INFERRED}`;
}

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id ics.schema.json
 * @title ticks ics --format json, schema version 1
 */
export interface IcsData extends JsonHead<"ics">, IcFacts<IcSiteData> {}

export interface IcSiteData extends IcSiteFacts {
  /** The source line; null if unknown. */
  readonly text: string | null;
}

/** Returns the document of `ticks ics`, with all rows; those after the limit have no source line. */
function icsFacts(profile: Analysis, { limit, sources }: Shown<IcsReportOptions>): IcsData {
  const facts = icFacts(profile);
  return {
    ...jsonHead("ics", profile),
    ...facts,
    sites: facts.sites.map((site, i) => ({ ...site, text: i < limit ? sourceOf(site, sources) : null })),
  };
}

function sourceOf({ file, line, column }: IcSiteFacts, sources: SourceTexts): string | null {
  const source = line === null || file === "" ? undefined : sources.lineOf(file, line);
  return source === undefined ? null : textAround(source, column ?? 1);
}

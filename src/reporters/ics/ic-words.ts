import type { NoSiteReason } from "../../profile/inline-caches.js";
import { parseLoggedName } from "../../profile/logged-name.js";
import type { Profile } from "../../profile/profile.js";
import { isBefore } from "../../profile/v8-era.js";
import type { IcSharedRow, IcSiteRow } from "../../views/ic-site-rows.js";
import type { IcFunctionRow, IcView } from "../../views/ics.js";
import { INFERRED, printable } from "../../views/label.js";
import { shortFiles } from "../../views/short-files.js";
import type { SourceTexts } from "../../views/source-texts.js";
import { counted, shareOf } from "../layout/numbers.js";
import { timeText } from "../timeline/time-axis.js";

/** What the reporters of inline caches show. */
export interface IcReport {
  readonly profile: Profile;
  readonly view: IcView;
  readonly sources: SourceTexts;
  /** The number of rows to show of each list. */
  readonly limit: number;
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
export const NO_SITE_REASONS: Readonly<Record<NoSiteReason, string>> = {
  "no-rows": "the log has no rows of inline caches",
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
export function statesText({ first, states }: Pick<IcSiteRow, "first" | "states">): string {
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
export function notesOf({ states, lastTime, rows, modifiers, reasons, deopts, shared }: IcSiteRow): string[] {
  const notes: string[] = [];
  const mega = states.find(({ state }) => stateName(state).startsWith("megamorphic"));
  if (mega !== undefined) notes.push(`megamorphic from ${timeText(mega.time)} on`);
  if (rows > 1) notes.push(`last of ${rows} rows at ${timeText(lastTime)}`);
  if (shared > 0) notes.push(`${counted(shared, "more tick")} may be its own`);
  if (modifiers.length > 0) notes.push(`elements: ${modifiers.map(printable).join(" ")}`);
  if (reasons.length > 0) notes.push(`slow because: ${reasons.map(printable).join(", ")}`);
  for (const { count, reason } of deopts) {
    const times = `deoptimized here ${count === 1 ? "once" : `${count} times`}`;
    notes.push(
      reason === "" ? `${times}: see ticks deopts` : `${times} (${printable(reason)}): see ticks deopts`,
    );
  }
  return notes;
}

/** Returns how many ticks are in V8's code for inline caches. */
export function titleOf({ profile, view }: IcReport): string {
  const whole = profile.info.ticks - profile.info.excluded;
  const share = `${view.ticks} of ${counted(whole, "tick")} (${shareOf(view.ticks, whole)})`;
  return `${share} in V8's code for inline caches`;
}

/** Returns how many of them have a site; nothing if the log has no rows. */
export function placedLines({ view }: IcReport): string[] {
  if (view.whyNone !== undefined) return [];
  const unplaced = view.notPlaced.reduce((sum, { ticks }) => sum + ticks, 0);
  const parts = [
    `${view.placed} at ${counted(view.sites.filter(({ ticks }) => ticks > 0).length, "site")}`,
    ...(view.shared > 0 ? [`${view.shared} at one of several`] : []),
    `${unplaced} not placed`,
  ];
  const from = `${counted(view.rows, "row")} of ${counted(view.sites.length, "site")} in the log`;
  const unknown = view.unknownRows > 0 ? `, and ${view.unknownRows} without a site` : "";
  return [`${parts.join(", ")}`, `${from}${unknown}`];
}

/** Returns why there are no sites, and what to do about it. */
export function whyNoneLines({ profile, view }: IcReport): string[] {
  if (view.whyNone === undefined) return [];
  if (view.whyNone === "not-written")
    return ["This version of V8 does not log inline caches with --prof. Node 8 is the first that does."];
  const flag = isBefore(profile.info, 9000) ? "--trace-ic" : "--log-ic";
  return [
    "The log has no rows of inline caches. To see which sites these ticks are at:",
    "",
    `    node --prof ${flag} app.js`,
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

  constructor({ sites, functions }: IcView) {
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
      title: name || "<anonymous>",
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
export function inferredText({ ticks, inferred }: Pick<IcSiteRow, "ticks" | "inferred">): string {
  if (inferred === 0) return "";
  return inferred === ticks ? INFERRED : `${inferred} ${INFERRED}`;
}

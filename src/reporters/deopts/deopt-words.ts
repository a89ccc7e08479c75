import type { Profile } from "../../profile/profile.js";
import { hasCrankshaft } from "../../profile/v8-era.js";
import type { DeoptRow, DeoptView } from "../../views/deopts.js";
import { type IcSiteRow, positionKey } from "../../views/ic-site-rows.js";
import { printable } from "../../views/label.js";
import { lookAlikes } from "../../views/look-alikes.js";
import { shortFiles } from "../../views/short-files.js";
import type { TierTicks } from "../../views/tier-ticks.js";
import { keysText, kindText, statesText } from "../ics/ic-words.js";
import { counted, shareOf } from "../layout/numbers.js";

/** What the reporters of deoptimizations show. */
export interface DeoptReport {
  readonly profile: Profile;
  readonly view: DeoptView;
  /** The number of rows to show of each list. */
  readonly limit: number;
  /** The inline caches by position: `sitesByPosition` returns them. Default: none. */
  readonly caches?: ReadonlyMap<string, readonly IcSiteRow[]> | undefined;
}

/** Returns the inline caches where a deoptimization happened. */
export function cachesAt({ caches }: DeoptReport, { at }: Pick<DeoptRow, "at">): readonly IcSiteRow[] {
  return (at[0] && caches?.get(positionKey(at[0]))) ?? [];
}

/** Returns what is known of them: `inline cache: load .price, 1 P N, 12 ticks, see ticks ics`; empty for none. */
export function cachesText(report: DeoptReport, row: Pick<DeoptRow, "at">): string {
  const caches = cachesAt(report, row).map((site) => {
    const what = `${kindText(site)} ${keysText(site)}`.trimEnd();
    return `${what}, ${statesText(site)}${site.ticks > 0 ? `, ${counted(site.ticks, "tick")}` : ""}`;
  });
  return caches.length === 0 ? "" : `inline cache: ${caches.join("; ")}; see ticks ics`;
}

/** Returns the legend below the tables. */
export function costLegend({ profile }: DeoptReport): string[] {
  const tiers = hasCrankshaft(profile.info) ? "~ full-codegen" : "~ Ignition, ^ Sparkplug, + Maglev";
  return [
    "cost: ticks in the function's slower code until it was optimized again",
    "left: the tier of the abandoned code",
    `slower code: ${tiers}; … = not optimized again`,
  ];
}

/** Returns how many deoptimizations there are. */
export function titleOf({ view }: DeoptReport): string {
  if (view.whyNone === "none") return "no deoptimizations";
  if (view.whyNone !== undefined) return "no deoptimizations logged";
  return `${counted(view.count, "deoptimization")} in ${counted(view.functions.length, "function")}`;
}

/** Returns what they all cost. */
export function costLine({ profile, view }: DeoptReport): string {
  const whole = profile.info.ticks - profile.info.excluded;
  return `${view.cost} of ${counted(whole, "tick")} (${shareOf(view.cost, whole)}) in slower code until optimized again`;
}

/** Returns why there are none, and what to do about it. */
export function whyNoneLines({ whyNone }: DeoptView): string[] {
  switch (whyNone) {
    case "none":
      return ["This version of V8 logs each without being asked: there were none."];
    case "not-asked":
      return [
        "Since Node 16, V8 logs deoptimizations only on request:",
        "",
        "    node --prof --log-deopt app.js",
        "",
        "(Node 16 to 24 then also print a line for each to standard output.)",
      ];
    case "not-written":
      return ["This version of V8 does not log deoptimizations with --prof. Node 8 is the first that does."];
    default:
      return [];
  }
}

/** Returns what the ticks tell of deoptimizations that the log does not have; nothing if it would have them. */
export function suspectLines({ profile, view }: DeoptReport): string[] {
  if (view.whyNone === undefined || view.whyNone === "none" || profile.info.ticks === 0) return [];
  const suspects = counted(view.suspects.length, "function");
  if (view.suspects.length === 0)
    return ["No function had ticks in slower code after ticks in optimized code: nothing suggests any."];
  const ticks = view.suspects.reduce((sum, one) => sum + one.ticks, 0);
  return [
    `${suspects} had ticks in slower code after ticks in optimized code, ${ticks} of ${counted(profile.info.ticks, "tick")} in all.`,
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
export function costByTierText({ costByTier, isOpen }: Pick<DeoptRow, "costByTier" | "isOpen">): string {
  const tiers = costByTier.map(({ tier, ticks }: TierTicks) => `${tier}${ticks}`);
  return [...tiers, ...(isOpen ? ["…"] : [])].join(" ");
}

/** Returns the kinds as words: `eager, lazy`. */
export function kindsText({ kinds }: Pick<DeoptRow, "kinds">): string {
  return kinds.map((kind) => printable(kind).replace("-", " ")).join(", ");
}

import type { Profile } from "../../profile/profile.js";
import type { DeoptRow, DeoptView } from "../../views/deopts.js";
import { printable } from "../../views/label.js";
import { shortFiles } from "../../views/short-files.js";
import type { TierTicks } from "../../views/tier-ticks.js";
import { counted, shareOf } from "../layout/numbers.js";

/** What the reporters of deoptimizations show. */
export interface DeoptReport {
  readonly profile: Profile;
  readonly view: DeoptView;
  /** How many rows of each list are shown. */
  readonly limit: number;
}

/** What stands under the tables. */
export const COST_LEGEND = [
  "cost: ticks in the function's slower code until it was optimized again",
  "left: the tier of the code that was left",
  "slower code: ~ Ignition, ^ Sparkplug, + Maglev; … not optimized again",
];

/** How many there are. */
export function titleOf({ view }: DeoptReport): string {
  if (view.whyNone === "none") return "nothing was deoptimized";
  if (view.whyNone !== undefined) return "no deoptimizations are logged";
  return `${counted(view.count, "deoptimization")} of ${counted(view.functions.length, "function")}`;
}

/** What all of them cost. */
export function costLine({ profile, view }: DeoptReport): string {
  const whole = profile.info.ticks - profile.info.excluded;
  return `${view.cost} of ${counted(whole, "tick")} (${shareOf(view.cost, whole)}) in slower code until optimized again`;
}

/** Why there are none, and what to do about it. */
export function whyNoneLines({ whyNone, demoted }: DeoptView): string[] {
  const functions = `${counted(demoted, "function")} had ticks in slower code after ticks in optimized code`;
  switch (whyNone) {
    case "not-asked":
      return [
        "From Node 16 on, V8 logs deoptimizations only when asked to:",
        "",
        "    node --prof --log-deopt app.js",
        "",
        "(Node 16 to 24 then print a line for each to the standard output, too.)",
        ...(demoted > 0 ? [`There seem to have been some: ${functions}.`] : []),
      ];
    case "not-written":
      return ["With --prof, this V8 logs no deoptimizations: Node 8 is the first that does."];
    default:
      return [];
  }
}

/** Places for short, as V8 writes them. */
export class PositionNames {
  readonly #files: ReadonlyMap<string, string>;

  constructor(rows: readonly DeoptRow[]) {
    this.#files = shortFiles(
      rows.flatMap(({ position, at }) =>
        (position === undefined ? at : [position, ...at]).map(({ file }) => file),
      ),
    );
  }

  /** The function's file and line; empty where no place was logged. */
  function({ position }: Pick<DeoptRow, "position">): string {
    return position === undefined ? "" : `${this.#file(position.file)}:${position.line}`;
  }

  /**
   * Where it happened, innermost first. A file is named where it is another than that of the place before, or of the
   * function.
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

/** `~12 ^3`, with `…` where the function was not optimized again. */
export function costByTierText({ costByTier, isOpen }: Pick<DeoptRow, "costByTier" | "isOpen">): string {
  const tiers = costByTier.map(({ tier, ticks }: TierTicks) => `${tier}${ticks}`);
  return [...tiers, ...(isOpen ? ["…"] : [])].join(" ");
}

/** Kinds as words: `eager, lazy`. */
export function kindsText({ kinds }: Pick<DeoptRow, "kinds">): string {
  return kinds.map((kind) => printable(kind).replace("-", " ")).join(", ");
}

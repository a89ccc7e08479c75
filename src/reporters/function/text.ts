import { OPTIMIZED_TIERS } from "../../profile/frame.js";
import type { Profile } from "../../profile/profile.js";
import type { Ticks } from "../../profile/units.js";
import type { Call } from "../../views/function-calls.js";
import type { FunctionDetails } from "../../views/function-details.js";
import type { FunctionNames } from "../../views/function-names.js";
import type { ProfiledFunction } from "../../views/function-table.js";
import { INFERRED, printable } from "../../views/label.js";
import { blocksOf } from "../layout/blocks.js";
import { filteredText, waitedLines } from "../layout/left-out.js";
import { listingLines } from "../layout/listing-lines.js";
import { missingCallersLines } from "../layout/missing-callers-lines.js";
import { callMarks, namedCell } from "../layout/named-cell.js";
import { counted, emphasize, shareOf } from "../layout/numbers.js";
import { section } from "../layout/section.js";
import { shownCallable } from "../layout/shown-name.js";
import type { Style } from "../layout/style.js";
import { table } from "../layout/table.js";
import { tierTitlesOf } from "../layout/tier-titles.js";
import { wrapped } from "../layout/wrapped.js";
import { timeText } from "../timeline/time-axis.js";

/** A function that matches the query. */
export interface FunctionMatch {
  readonly function: ProfiledFunction;
  readonly self: Ticks;
  readonly total: Ticks;
}

/** What the reporters of functions show. */
export interface FunctionReport {
  readonly profile: Profile;
  /** The name that the user asked for. */
  readonly query: string;
  /** All matching functions, hottest first. */
  readonly matches: readonly FunctionMatch[];
  /** Those to show. */
  readonly details: readonly FunctionDetails[];
  /** Similar names, if none matches. */
  readonly suggestions: readonly string[];
  readonly names: FunctionNames;
}

export interface FunctionLayout {
  readonly style: Style;
  readonly width: number;
  /** Callers and callees with a smaller share of the function's ticks, in percent, are summed in one row. */
  readonly least: number;
}

/** Returns how many ticks of a function are inferred, which in optimized code can be those of functions inlined in it. */
export function inferredText({ inferred, total, tiers }: FunctionDetails): string {
  const mayBeInlined = tiers.some(({ tier }) => OPTIMIZED_TIERS.has(tier));
  const where = mayBeInlined ? ", in it or what is inlined in it" : "";
  return `${INFERRED} inferred ${inferred} (${shareOf(inferred, total)} of total)${where}`;
}

/** The maximum number of matches to list. */
export const MATCH_LIMIT = 10;

/** Yields functions for people, one after the other. */
export function* functionText(report: FunctionReport, layout: FunctionLayout): Iterable<string> {
  const { profile, matches, details } = report;
  const { style } = layout;
  const { info } = profile;
  const whole = counted(info.ticks - info.excluded, "tick");
  yield style.heading(`${printable(info.title)}: ${whole}${filteredText(info)}`);
  for (const note of waitedLines(info)) yield* wrapped(note, layout.width);
  yield* missingCallersLines(profile, layout);
  if (details.length < matches.length) yield* matchList(report, layout);
  for (const one of details) yield* new FunctionText(report, one, layout).lines();
}

function* matchList({ matches, names, query }: FunctionReport, { style, width }: FunctionLayout) {
  yield "";
  yield style.heading(` [${matches.length} functions match ${printable(query)}; --all shows all]:`);
  const columns = width - 16;
  const rows = matches.slice(0, MATCH_LIMIT).map(({ self, total, function: match }) => {
    return [String(self), String(total), namedCell(names.function(match), { columns, style })];
  });
  const rest = matches.slice(MATCH_LIMIT);
  if (rest.length > 0) {
    rows.push([String(rest.reduce((sum, { self }) => sum + self, 0)), "", `… ${rest.length} more`]);
  }
  const right = { align: "right" } as const;
  for (const line of table(
    [{ title: "self", ...right }, { title: "total", ...right }, { title: "function" }],
    rows,
  )) {
    yield `  ${line}`;
  }
}

class FunctionText {
  readonly #report: FunctionReport;
  readonly #details: FunctionDetails;
  readonly #layout: FunctionLayout;
  /** Shares are of these ticks. */
  readonly #whole: Ticks;

  constructor(report: FunctionReport, details: FunctionDetails, layout: FunctionLayout) {
    this.#report = report;
    this.#details = details;
    this.#layout = layout;
    const { ticks, excluded } = report.profile.info;
    this.#whole = ticks - excluded;
  }

  *lines(): Iterable<string> {
    const { style, width } = this.#layout;
    const { function: found, self, total, callers, callees, lines } = this.#details;
    const { title } = this.#report.names.function(found);
    yield "";
    // No line begins with a name: a CI takes some for commands, such as `::error`.
    yield `function ${style.heading(printable(title))}`;
    yield `  from ${printable(positionText(found))}${scriptsText(this.#details)}`;
    yield `  ${this.#facts().join("   ")}`;
    if (this.#details.tiers.length > 0) yield* section(style, "Tiers", this.#tiers());
    yield* section(style, `Callers (${counted(total, "tick")})`, this.#calls(callers, total, "caller"));
    if (total > self) {
      const called = `Callees (${counted(total - self, "tick")})`;
      yield* section(style, called, this.#calls(callees, total - self, "callee"));
    }
    if (lines.length === 0) return;
    const listed = listingLines(this.#details.listing, { style, width: width - 2, whole: this.#whole });
    yield* section(style, `Lines${ORIGINS[this.#details.origin ?? "none"]}`, Array.from(listed));
  }

  #facts(): string[] {
    const { self, total, inferred, callers } = this.#details;
    const inlined = callers.reduce((sum, call) => sum + call.inlined, 0);
    const facts = [
      `self ${self} (${shareOf(self, this.#whole)})`,
      `total ${total} (${shareOf(total, this.#whole)})`,
    ];
    if (inlined > 0) facts.push(`inlined ${inlined} (${shareOf(inlined, total)} of total)`);
    if (inferred > 0) facts.push(inferredText(this.#details));
    return facts;
  }

  #tiers(): string[] {
    const { tiers, times } = this.#details;
    const { style } = this.#layout;
    const titles = tierTitlesOf(this.#report.profile.info);
    const slices = times?.tiers.flatMap((time) => time.slices) ?? [];
    const peak = slices.reduce((most, ticks) => Math.max(most, ticks), 1);
    const rows = tiers.map(({ tier, self, total }) => {
      const time = times?.tiers.find((other) => other.tier === tier);
      const row = [`${tier} ${titles[tier]}`.trim(), String(self), String(total)];
      if (time === undefined) return row;
      return [
        ...row,
        timeText(time.first, 1),
        timeText(time.last, 1),
        style.hot(blocksOf(time.slices, peak)),
      ];
    });
    const over = times === undefined ? "" : `${timeText(times.from, 1)} to ${timeText(times.to, 1)}`;
    const right = { align: "right" } as const;
    const columns = [{ title: "tier" }, { title: "self", ...right }, { title: "total", ...right }];
    const timed = [{ title: "first", ...right }, { title: "last", ...right }, { title: over }];
    return table(times === undefined ? columns : [...columns, ...timed], rows);
  }

  /** Formats calls. The rows sum to `whole`. */
  #calls(calls: readonly Call[], whole: Ticks, title: string): string[] {
    const { style, width, least } = this.#layout;
    const shown = calls.filter(({ ticks }) => ticks * 100 >= whole * least);
    const columns = width - 20;
    const rows = shown.map(({ callable, ticks, ...parts }) => {
      const name = shownCallable(this.#report.names, callable);
      const paint = (text: string) => emphasize(text, { ticks, whole }, style);
      const marks = callMarks({ ticks, ...parts });
      return [String(ticks), shareOf(ticks, whole), namedCell(name, { columns, style, marks, paint })];
    });
    const rest = calls.filter(({ ticks }) => ticks * 100 < whole * least);
    if (rest.length > 0) {
      const ticks = rest.reduce((sum, call) => sum + call.ticks, 0);
      rows.push([String(ticks), shareOf(ticks, whole), style.faint(`… ${rest.length} more`)]);
    }
    const right = { align: "right" } as const;
    return table([{ title: "ticks", ...right }, { title: "share", ...right }, { title }], rows);
  }
}

const ORIGINS = {
  log: "",
  map: " (text from a source map on disk; it may have changed since)",
  disk: " (text from disk; it may have changed since)",
  none: " (no source text)",
} as const;

/** Returns where a function is defined, in full. */
export function scriptsText({ scripts }: Pick<FunctionDetails, "scripts">): string {
  return scripts > 1 ? `, in ${scripts} scripts of this text` : "";
}

export function positionText({ frame, file, line, column, origin, kind }: ProfiledFunction): string {
  if (frame.kind === "code") return `V8 ${frame.type}`;
  if (kind === "unknown") return "addresses that the log does not explain";
  if (file === undefined || file === "") return origin.name;
  const position = line === undefined ? file : `${file}:${line}:${column}`;
  return origin.kind === "deps" ? `${position} (package ${origin.name})` : position;
}

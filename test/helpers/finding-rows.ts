import type { FunctionData } from "../../src/reports/json.ts";
import type { FindingPlaceData, TopData } from "../../src/reports/top-facts.ts";

/** Kinds that are no ticks at lines of the program: they follow these, or are made for them. */
const BESIDE = new Set(["gc", "loading", "optimizing", "package", "deopt-loop", "tick-chain", "spinning"]);
/** Kinds of which a part has no caller in the log. */
const WITHOUT_PLACE = new Set([
  "megamorphic",
  "generators",
  "promises",
  "copies",
  "spread-call",
  "array-copy",
]);
/** What has so much of a line is the line: a part of 0 to 1. */
const OF_LINE = 0.8;

/** Returns what is wrong with the numbers of findings: each must be that of a row of the document, or a part of a row. It must be complete (`--limit`). */
export function wrongFindings(top: TopData): string[] {
  const wrong: string[] = [];
  for (const finding of top.findings) {
    const { kind, ticks, percent, place, places, threads } = finding;
    const say = (what: string) => wrong.push(`${kind} ${ticks} (${percent}%): ${what}`);
    const isOfAll = kind !== "idle" && kind !== "spinning";
    if (isOfAll && Math.abs(percent - (ticks * 100) / top.ticks) > 0.051) say(`of ${top.ticks} ticks`);
    if ((place?.line ?? 0) !== (places[0]?.line ?? 0)) say("its place is not the first one");
    const sum = places.reduce((all, one) => all + one.ticks, 0);
    if (sum > ticks) say(`${sum} at places`);
    if (!BESIDE.has(kind) && !WITHOUT_PLACE.has(kind) && places.length > 0 && sum !== ticks)
      say(`${sum} at places`);
    const rows = rowsOf(top, kind);
    if (rows !== undefined && !rows.includes(ticks)) say(`rows have ${rows}`);
    for (const { name, ticks: own } of threads)
      if (!top.threads.some((thread) => thread.name === name && thread.ticks === own))
        say(`thread ${name} ${own}`);
    if (kind !== "gc" && kind !== "deopt-loop" && kind !== "tick-chain" && kind !== "spinning")
      for (const one of places) for (const what of wrongPlace(top, one, BESIDE.has(kind))) say(what);
  }
  return wrong;
}

/** Returns the ticks of the rows of which a finding has to be one; undefined if it is told by its places. */
function rowsOf(top: TopData, kind: TopData["findings"][number]["kind"]): number[] | undefined {
  const category = { gc: "gc", optimizing: "compiler" }[kind as string];
  if (category !== undefined)
    return top.breakdown.filter((row) => row.category === category).map(({ ticks }) => ticks);
  if (kind === "package") return top.packages.map(({ ticks }) => ticks);
  if (kind === "deopt-loop") return top.deopts.map(({ cost }) => cost);
  if (kind === "one-worker") return top.threads.map(({ ticks }) => ticks);
  if (kind === "tick-chain") return top.functions.byTotal.map(({ total }) => total);
  return undefined;
}

function wrongPlace(top: TopData, place: FindingPlaceData, isBeside: boolean): string[] {
  const at = `${place.file}:${place.isLineKnown ? place.line : "?"} (${place.function.name})`;
  const rows = [top, top.app, top.packageLines].flatMap(({ lines, functionsWithoutLine }) => [
    ...lines.filter((row) => place.isLineKnown && row.file === place.file && row.line === place.line),
    ...functionsWithoutLine.filter(
      (row) =>
        row.loop === (place.isLineKnown ? place.line : undefined) && isSame(row.function, place.function),
    ),
  ]);
  if (rows.length === 0) return [`${at} has no row`];
  const shown = rows.map(({ ticks, total }) => `${ticks} of ${total}`);
  if (place.isRow)
    return rows.some(({ ticks, total }) => ticks === place.ticks || total === place.ticks)
      ? []
      : [`${at} ${place.ticks} is none of ${shown}`];
  // A sort has its callbacks, which are no ticks of its own line: the row has them in its total.
  const isPart = rows.some(
    ({ ticks, total }) => place.ticks === total || place.ticks <= (isBeside ? ticks : ticks * OF_LINE),
  );
  return isPart ? [] : [`${at} ${place.ticks} is no part of ${shown}`];
}

function isSame(one: FunctionData, other: FunctionData): boolean {
  return (
    one.name === other.name &&
    one.file === other.file &&
    one.line === other.line &&
    one.column === other.column
  );
}

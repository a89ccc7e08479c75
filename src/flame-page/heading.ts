import type { LegendEntry, Settings } from "./colors.js";
import { byId, element } from "./elements.js";
import type { SideModel } from "./model.js";
import { countOf, countText, shareText, timeText, unitNoun, unitText } from "./number-text.js";
import type { FlamePageData, PageSide, PageUnit, PageWaits } from "./page-data.js";
import { sourcesNote } from "./sources-note.js";

/** Shows what the page is of. */
export function showHeading(data: FlamePageData): void {
  const { title, logs } = data;
  document.title = `${title} – ticks flame`;
  const heading = byId("title", HTMLHeadingElement);
  heading.textContent = title;
  heading.title = logs.join("\n");
  byId("subtitle", HTMLParagraphElement).textContent = factsOf(data)
    .filter((fact) => fact !== "")
    .join(" · ");
}

function factsOf({ ticks, waited, threads, v8, diff, unit }: FlamePageData): string[] {
  if (diff === undefined) {
    return [
      `${unitText(ticks, unit)}${waitedText(waited, unit)}`,
      threads.length > 1 ? countOf(threads.length, "thread") : "",
      v8 && `V8 ${v8}`,
    ];
  }
  const [before, after] = diff.sides;
  const isSame = before.v8 === after.v8;
  const side = ({ runs, ticks, waited, v8 }: PageSide) =>
    `${countOf(runs, "run")}, ${unitText(ticks, unit)}${waitedText(waited, unit)}${isSame || v8 === "" ? "" : `, V8 ${v8}`}`;
  return [
    diff.hasVerdict
      ? ""
      : before.runs > 1 && after.runs > 1
        ? "Numbers of samples unknown: no verdict"
        : `One run ${before.runs === after.runs ? "a" : "on a"} side: no verdict`,
    `${side(before)} → ${side(after)}`,
    isSame && before.v8 !== "" ? `V8 ${before.v8}` : "",
  ];
}

/** Returns how many ticks the page leaves out because they waited. */
function waitedText(waited: PageWaits | undefined, unit: PageUnit): string {
  if (waited === undefined) return "";
  const ticks = unit === "µs" || unit === "byte" ? unitText(waited.ticks, unit) : countText(waited.ticks);
  return ` and ${ticks} that waited (${waited.how})`;
}

/**
 * Shows what the colours mean. Shares are of `all`. `others` are those of what is no frame, `root` is that of the root; undefined if
 * it is not shown.
 */
export function showLegend(
  entries: readonly LegendEntry[],
  all: number,
  {
    others,
    root,
    unit,
  }: {
    readonly others: readonly LegendEntry[];
    readonly root: string | undefined;
    readonly unit: PageUnit;
  },
): void {
  const item = (title: string, fills: readonly string[], share: string) => {
    const swatches = fills.map((fill) => {
      const swatch = element("span", { className: "swatch" });
      swatch.style.background = fill;
      return swatch;
    });
    return element(
      "li",
      {},
      ...swatches,
      element("span", { className: "entry", textContent: title }),
      element("span", { className: "share", textContent: share }),
    );
  };
  // What frames are too has one row, with both colours.
  const fillsOf = (wanted: string) => others.filter(({ title }) => title === wanted).map(({ fill }) => fill);
  const rest = others.filter(({ title }) => !entries.some((entry) => entry.title === title));
  byId("legend", HTMLUListElement).replaceChildren(
    ...entries.map(({ title, fill, ticks }) => item(title, [fill, ...fillsOf(title)], shareText(ticks, all))),
    ...(root === undefined ? [] : [item(`All ${unitNoun(unit)}`, [root], "")]),
    ...(rest.length === 0 ? [] : [element("li", { className: "group", textContent: "Beside the frames:" })]),
    ...rest.map(({ title, fill }) => item(title, [fill], "")),
  );
}

/**
 * Shows what the page leaves out and which source texts it contains. `times` is set over time, `first` are notes to begin with.
 */
export function showNotes(
  { merged, excluded, waited, ticks, sources, diff, unit }: FlamePageData,
  times: FlamePageData["times"],
  first: readonly string[] = [],
): void {
  const notes = [...first];
  if (merged.frames > 0) {
    // The ticks of two sides are shares.
    const part = (count: number, each = "") =>
      diff === undefined
        ? `${unitText(count, unit)}${each} (${shareText(count, ticks)})`
        : `${shareText(count, ticks)}${each}`;
    notes.push(
      `${countOf(merged.frames, "frame")} with at most ${part(merged.largest, " each")} ` +
        `are merged into their callers’ “small frames”: ${part(merged.ticks)} in total.`,
    );
  }
  if (times !== undefined && times.width > 0)
    notes.push(`Over time, what is within ${timeText(times.width)} is sorted by stack.`);
  if (times?.hasStarts === false && times.threads.length > 1)
    notes.push("It is not known when all of these threads began: over time, those begin at 0.");
  if (merged.sources > 0) notes.push(`The source of ${countOf(merged.sources, "script")} did not fit.`);
  notes.push(...sourcesNote(sources));
  if (waited !== undefined)
    notes.push(
      `${unitText(waited.ticks, unit)} that waited (${waited.how}) are left out: --idle shows them.`,
    );
  const filtered = excluded - (waited?.ticks ?? 0);
  if (filtered > 0) notes.push(`Filters excluded ${unitText(filtered, unit)}.`);
  byId("notes", HTMLParagraphElement).textContent = notes.join(" ");
}

/** The legend folds where the screen is narrow, so that the graph has the space. */
export function foldLegend(): void {
  const narrow = matchMedia("(max-width: 760px)");
  const fold = () => {
    byId("colours", HTMLDetailsElement).open = !narrow.matches;
  };
  narrow.addEventListener("change", fold);
  fold();
}

const WIDTHS: Readonly<Record<Settings["width"], string>> = {
  both: "Width: the mean of before and after. What is new or gone is half as wide as it is on its side.",
  before: "Width: before. What is new has none.",
  after: "Width: after. What is gone has none.",
};

const RUN_WIDTHS: typeof WIDTHS = {
  both: "Width: what a run takes, the mean of before and after.",
  before: "Width: what a run took before. What is new has none.",
  after: "Width: what a run takes after. What is gone has none.",
};

/** Returns notes on what widths and colours show; none if the page has one side. */
export function sideNotes(
  sides: SideModel | undefined,
  { width, measure, colouring, choice }: Settings,
): string[] {
  if (sides === undefined) return [];
  const of = measure === "self" ? "own code" : "own code with what it calls";
  const verdict = sides.data.hasVerdict
    ? `Red ▲ + and blue ▼ −: runs of the same code would seldom differ so much in the function’s ${of}. Grey: may be chance.`
    : `Pale red ▲ + and blue ▼ −: the 95 % interval of the function’s ${of}, as far as one run can tell, leaves out 0. That is no verdict.`;
  const isCredited = measure === "self" && !(choice.inlined && choice.builtins && choice.cpp);
  return [
    (sides.data.perRun === undefined ? WIDTHS : RUN_WIDTHS)[width],
    ...(colouring === "change" ? [verdict] : []),
    ...(isCredited ? ["Verdicts on self leave out the ticks of hidden frames."] : []),
  ];
}

/** Returns a hint for a reader who has not selected a frame: what changed, if the page compares two sides. */
export function sideHint(sides: SideModel | undefined, hint: string): string {
  return sides === undefined ? hint : [...sides.data.summary, hint].join(" ");
}

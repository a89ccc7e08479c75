import { byId, element } from "./elements.js";
import type { LegendEntry } from "./look.js";
import { countOf, shareText } from "./number-text.js";
import type { PageData } from "./page-data.js";
import { sourcesNote } from "./sources-note.js";

/** Shows what the colours mean. Shares are of `all`. `root` is the colour of the root; undefined if it is not shown. */
export function showLegend(entries: readonly LegendEntry[], all: number, root: string | undefined): void {
  const item = (title: string, fill: string, share: string) => {
    const swatch = element("span", { className: "swatch" });
    swatch.style.background = fill;
    return element(
      "li",
      {},
      swatch,
      element("span", { className: "entry", textContent: title }),
      element("span", { className: "share", textContent: share }),
    );
  };
  byId("legend", HTMLUListElement).replaceChildren(
    ...entries.map(({ title, fill, ticks }) => item(title, fill, shareText(ticks, all))),
    ...(root === undefined ? [] : [item("All ticks", root, "")]),
  );
}

/**
 * Shows what the page leaves out and which source texts it contains. `first` are notes to begin with.
 */
export function showNotes(
  { merged, excluded, waited, ticks, sources, diff }: PageData,
  slice: number | undefined,
  first: readonly string[] = [],
): void {
  const notes = [...first];
  if (merged.frames > 0) {
    // The ticks of two sides are shares.
    const part = (count: number, each = "") =>
      diff === undefined
        ? `${countOf(count, "tick")}${each} (${shareText(count, ticks)})`
        : `${shareText(count, ticks)}${each}`;
    notes.push(
      `${countOf(merged.frames, "frame")} with at most ${part(merged.largest, " each")} ` +
        `are merged into their callers’ “small frames”: ${part(merged.ticks)} in total.`,
    );
  }
  if (slice !== undefined && slice > 1) {
    notes.push(`Over time, a slice is ${countOf(slice, "tick")} in a row, sorted by stack.`);
  }
  if (merged.sources > 0) notes.push(`The source of ${countOf(merged.sources, "script")} did not fit.`);
  notes.push(...sourcesNote(diff?.sources ?? sources));
  if (waited !== undefined)
    notes.push(
      `${countOf(waited.ticks, "tick")} that waited (${waited.how}) are left out: --idle shows them.`,
    );
  const filtered = excluded - (waited?.ticks ?? 0);
  if (filtered > 0) notes.push(`Filters excluded ${countOf(filtered, "tick")}.`);
  byId("notes", HTMLParagraphElement).textContent = notes.join(" ");
}

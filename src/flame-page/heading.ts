import { byId } from "./elements.js";
import { countOf, countText } from "./number-text.js";
import type { PageData, PageSide, PageWaits } from "./page-data.js";

/** Shows what the page is of. */
export function showHeading(data: PageData): void {
  const { title, logs } = data;
  document.title = `${title} – ticks flame`;
  const heading = byId("title", HTMLHeadingElement);
  heading.textContent = title;
  heading.title = logs.join("\n");
  byId("subtitle", HTMLParagraphElement).textContent = factsOf(data)
    .filter((fact) => fact !== "")
    .join(" · ");
}

function factsOf({ ticks, waited, threads, v8, diff }: PageData): string[] {
  if (diff === undefined) {
    return [
      `${countOf(ticks, "tick")}${waitedText(waited)}`,
      threads.length > 1 ? countOf(threads.length, "thread") : "",
      v8 && `V8 ${v8}`,
    ];
  }
  const [before, after] = diff.sides;
  const isSame = before.v8 === after.v8;
  const side = ({ runs, ticks, waited, v8 }: PageSide) =>
    `${countOf(runs, "run")}, ${countOf(ticks, "tick")}${waitedText(waited)}${isSame || v8 === "" ? "" : `, V8 ${v8}`}`;
  return [
    diff.hasVerdict ? "" : `One run ${before.runs === after.runs ? "a" : "on a"} side: no verdict`,
    `${side(before)} → ${side(after)}`,
    isSame && before.v8 !== "" ? `V8 ${before.v8}` : "",
  ];
}

/** Returns how many ticks the page leaves out because they waited. */
function waitedText(waited: PageWaits | undefined): string {
  return waited === undefined ? "" : ` and ${countText(waited.ticks)} that waited (${waited.how})`;
}

import { byId } from "./elements.js";
import { countOf } from "./number-text.js";
import type { PageData, PageSide } from "./page-data.js";

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

function factsOf({ ticks, threads, v8, diff }: PageData): string[] {
  if (diff === undefined) {
    return [
      countOf(ticks, "tick"),
      threads.length > 1 ? countOf(threads.length, "thread") : "",
      v8 && `V8 ${v8}`,
    ];
  }
  const [before, after] = diff.sides;
  const isSame = before.v8 === after.v8;
  const side = ({ runs, ticks, v8 }: PageSide) =>
    `${countOf(runs, "run")}, ${countOf(ticks, "tick")}${isSame || v8 === "" ? "" : `, V8 ${v8}`}`;
  return [
    diff.hasVerdict ? "" : `One run ${before.runs === after.runs ? "a" : "on a"} side: no verdict`,
    `${side(before)} → ${side(after)}`,
    isSame && before.v8 !== "" ? `V8 ${before.v8}` : "",
  ];
}

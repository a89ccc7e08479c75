import type { Style } from "./style.js";

/** Yields an empty line, a heading and the lines below it. */
export function* section(style: Style, title: string, lines: readonly string[]): Iterable<string> {
  yield "";
  yield style.heading(` [${title}]:`);
  if (lines.length === 0) yield "  none";
  for (const line of lines) yield `  ${line}`;
}

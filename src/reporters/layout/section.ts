import type { Style } from "./style.js";

/** Lines under a heading, after an empty line. */
export function* section(style: Style, title: string, lines: readonly string[]): Iterable<string> {
  yield "";
  yield style.heading(` [${title}]:`);
  if (lines.length === 0) yield "  none";
  for (const line of lines) yield `  ${line}`;
}

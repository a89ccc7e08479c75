import { type JsonLayout, jsonLines } from "./json.js";
import { type MarkdownLayout, markdownLines } from "./markdown.js";
import type { Block, TextLayout } from "./page.js";
import { textLines } from "./text.js";
import { inUnits } from "./units.js";

/** How a report is written: for people, for programs, or for pull requests and language models. */
export type Format = "text" | "json" | "md";

/** A report of something: one document for programs, and one page for people. */
export interface Report<Of> {
  /** Returns the JSON document. Its type is where the schema is made from. */
  data(of: Of): object;
  /** Returns the page, which text and Markdown render. */
  page(of: Of): Iterable<Block>;
  /** Yields the lines of text, if they are not those of the page. */
  text?(of: Of, layout: TextLayout): Iterable<string>;
}

/** How each format is laid out. */
export interface ReportLayout extends TextLayout, JsonLayout, MarkdownLayout {}

/** Returns the page of a report, in the words of what it is of. */
export function pageOf<Of>(report: Report<Of>, of: Of): Iterable<Block> {
  return inUnits(report.page(of), Object(of));
}

/** Yields the lines of a report. */
export function reportLines<Of>(
  report: Report<Of>,
  of: Of,
  { format, ...layout }: ReportLayout & { readonly format: Format },
): Iterable<string> {
  switch (format) {
    case "json":
      return jsonLines(report.data(of), layout);
    case "md":
      return markdownLines(pageOf(report, of), layout);
    case "text":
      return report.text?.(of, layout) ?? textLines(pageOf(report, of), layout);
  }
}

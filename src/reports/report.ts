import type { JsonLayout } from "./json.js";
import { type MarkdownLayout, markdownLines } from "./markdown.js";
import type { Block, TextLayout } from "./page.js";
import { textLines } from "./text.js";

/** How a report is written: for people, for programs, or for pull requests and language models. */
export type Format = "text" | "json" | "md";

/** A report: what it knows is one document for programs, and one page for people. */
export interface Report<Data> {
  /** Yields the lines of the JSON document, which the schema of the report describes. */
  json(data: Data, layout: JsonLayout): Iterable<string>;
  /** Returns the page, which text and Markdown render. */
  page(data: Data): Iterable<Block>;
  /** Yields the lines of text, if they are not those of the page. */
  text?(data: Data, layout: TextLayout): Iterable<string>;
}

/** How each format is laid out. */
export interface ReportLayout extends TextLayout, JsonLayout, MarkdownLayout {}

/** Yields the lines of a report. */
export function reportLines<Data>(
  report: Report<Data>,
  data: Data,
  { format, ...layout }: ReportLayout & { readonly format: Format },
): Iterable<string> {
  switch (format) {
    case "json":
      return report.json(data, layout);
    case "md":
      return markdownLines(report.page(data), layout);
    case "text":
      return report.text?.(data, layout) ?? textLines(report.page(data), layout);
  }
}

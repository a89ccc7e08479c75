import { badOption } from "../base/errors.js";
import type { Block } from "../render/page.js";
import type { Unit } from "../render/spoken.js";
import type { Report } from "../reports/report.js";
import type { FormatFlags } from "./options.js";
import {
  type ColorFlag,
  jsonLayout,
  type PageStream,
  styleOf,
  terminalWidth,
  textWidth,
  writeReport,
} from "./terminal.js";

/** The options of a page that can be cut. */
export interface TokenLimitFlags extends FormatFlags {
  limitTokens?: number;
}

/** The flags that say how a report is printed. */
interface PrintFlags extends TokenLimitFlags {
  /** Default: no colours. */
  color?: ColorFlag;
}

/** Where and how wide a report is printed. */
interface Print {
  /** Whether no name is cut in a file or a pipe. Default: no. */
  readonly hasWholeNames?: boolean | undefined;
  /** The width of lines with names in text. Default: that of the terminal; in a file or a pipe nothing ordinary is cut. */
  readonly width?: number | undefined;
  /** Default: standard output. */
  readonly stream?: PageStream | undefined;
}

/** Prints a report in the format that is asked for. */
export async function printReport<Data>(
  report: Report<Data>,
  data: Data,
  flags: PrintFlags,
  { hasWholeNames, stream = process.stdout, width = textWidth(hasWholeNames, stream) }: Print = {},
): Promise<void> {
  const { reportLines, unitOf } = await import("../reports/report.js");
  const style = await styleOf(flags.color ?? "never", stream);
  const { format, limitTokens } = flags;
  const layout = { format, style, width, pageWidth: terminalWidth(stream), ...jsonLayout(flags) };
  const lines =
    limitTokens === undefined
      ? reportLines(report, data, layout)
      : await limitedPage(report.page(data), limitTokens, unitOf(Object(data)));
  await writeReport(lines, flags, stream);
}

/** Names of a page with a limit are cut to this many columns, so that one of them does not fill it. */
const NAME_COLUMNS = 80;

/** Throws a {@link TicksError} if there is a limit on what is not Markdown. */
export function checkTokenLimit({ format, limitTokens }: TokenLimitFlags): void {
  if (limitTokens === undefined || format === "md") return;
  throw badOption("--limit-tokens needs --format md", `Try: --format md --limit-tokens ${limitTokens}`);
}

/** Returns the lines of a page of at most so many tokens. Throws a {@link TicksError} if its head alone has more. */
async function limitedPage(blocks: Iterable<Block>, tokens: number, unit: Unit): Promise<Iterable<string>> {
  const { fittedPage, markdownParts } = await import("../render/markdown.js");
  const page = fittedPage(markdownParts(blocks, { nameColumns: NAME_COLUMNS, unit }), tokens, unit);
  if (page.lines !== undefined) return page.lines;
  throw badOption(
    `--limit-tokens ${tokens} is too few for the head of this page`,
    `It needs at least ${page.least}: --limit-tokens ${page.least}`,
  );
}

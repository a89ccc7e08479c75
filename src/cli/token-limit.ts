import { TicksError } from "../errors.js";
import type { Block } from "../reports/page.js";
import type { FormatFlags } from "./options.js";

/** The options of a page that can be cut. */
export interface TokenLimitFlags extends FormatFlags {
  limitTokens?: number;
}

/** Names of a page with a limit are cut to this many columns, so that one of them does not fill it. */
const NAME_COLUMNS = 80;

/** Throws a {@link TicksError} if there is a limit on what is not Markdown. */
export function checkTokenLimit({ format, limitTokens }: TokenLimitFlags): void {
  if (limitTokens === undefined || format === "md") return;
  throw new TicksError(
    "BAD_OPTION",
    "--limit-tokens needs --format md",
    `Try: --format md --limit-tokens ${limitTokens}`,
  );
}

/** Returns the lines of a page of at most so many tokens. Throws a {@link TicksError} if its head alone has more. */
export async function limitedPage(blocks: Iterable<Block>, tokens: number): Promise<Iterable<string>> {
  const { fittedPage, markdownParts } = await import("../reports/markdown.js");
  const page = fittedPage(markdownParts(blocks, { nameColumns: NAME_COLUMNS }), tokens);
  if (page.lines !== undefined) return page.lines;
  throw new TicksError(
    "BAD_OPTION",
    `--limit-tokens ${tokens} is too few for the head of this page`,
    `It needs at least ${page.least}: --limit-tokens ${page.least}`,
  );
}

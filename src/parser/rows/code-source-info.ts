import type { Address } from "../../profile/units.js";
import type { Row } from "../fields.js";

/** Which source text the code at an address was made from. Written by Node 16 and later. */
export interface CodeSourceInfoRecord {
  readonly type: "code-source-info";
  /** Where the code starts. */
  readonly address: Address;
  /** The id of a script-source row, before or after this one. */
  readonly script: number;
  /** Where the function starts in its script, in UTF-16 units. */
  readonly start: number;
  /** The first unit past it. */
  readonly end: number;
  /**
   * `C<code offset>O<source offset>`, then `I<inlining>` inside an inlined call, again and again. Empty for
   * Sparkplug's code, whose offsets V8 does not log.
   */
  readonly positions: string;
  /** The inlined calls: `F<index into functions>O<source offset>`, then `I<inlining>` inside another. */
  readonly inlinings: string;
  /** The inlined functions, by the address of the SharedFunctionInfo. */
  readonly functions: readonly Address[];
}

/**
 * `address,script,start,end,positions,inlinings,functions`.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::LogSourceCodeInformation`.
 */
export function decodeCodeSourceInfo(row: Row): CodeSourceInfoRecord | undefined {
  const address = row.hex();
  const script = row.integer();
  const start = row.integer();
  const end = row.integer();
  if (Number.isNaN(address + script + start + end) || !row.hasMore()) return undefined;
  const positions = row.rawText();
  const inlinings = row.rawText();
  const functions = addresses(row.rawText());
  return { type: "code-source-info", address, script, start, end, positions, inlinings, functions };
}

/** The addresses of `S0x12ab…S0x34cd…`; none of an empty text. */
function addresses(text: string): Address[] {
  return text === ""
    ? []
    : text
        .slice(1)
        .split("S")
        .map((address) => Number.parseInt(address, 16));
}

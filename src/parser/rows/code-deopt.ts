import { LAST_POSITION } from "../../limits.js";
import type { Address, Micros } from "../../profile/units.js";
import { unescapeText } from "../escapes.js";
import type { Row } from "../fields.js";

/** Optimized code was discarded, or left for a slower tier. */
export interface CodeDeoptRecord {
  readonly type: "code-deopt";
  readonly timestamp: Micros;
  /** Size of the code in bytes. */
  readonly size: number;
  /** Which code, where and why; undefined in V8 3.2x, whose rows end at the size. */
  readonly details: DeoptDetails | undefined;
}

export interface DeoptDetails {
  /** Where the code starts. */
  readonly address: Address;
  /** The inlined call in which it happened, counted from 0; -1 for the function itself. */
  readonly inliningId: number;
  /** In UTF-16 units from the start of the script. */
  readonly scriptOffset: number;
  /** `eager`, `soft` or `lazy` up to Node 14, `deopt-eager` and the like later. */
  readonly kind: string;
  /** `<script:line:column>`, followed by ` inlined at <…>` for each caller it was inlined into. */
  readonly position: string;
  readonly reason: string;
}

/** The three texts as Node 8 writes them, without escapes. Kinds and reasons contain no quotes. */
const QUOTED_TEXTS = /^"([^"]*)","(.*)","([^"]*)"$/s;
/** The three texts as later versions write them. Only a position can contain commas. */
const PLAIN_TEXTS = /^([^,]*),(.*),([^,]*)$/s;
/** The line and column at the end of each `<…>` of a position. */
const POSITION_END = /:(\d+):(\d+)>/g;

/**
 * `µs,size,address,inlining,offset,kind,position,reason`, or `µs,size` alone in V8 3.2x.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::ProcessDeoptEvent`.
 */
export function decodeCodeDeopt(row: Row): CodeDeoptRecord | undefined {
  const timestamp = row.natural();
  const size = row.natural();
  if (Number.isNaN(timestamp + size)) return undefined;
  if (!row.hasMore()) return { type: "code-deopt", timestamp, size, details: undefined };
  const address = row.codeAddress();
  const inliningId = row.position();
  const scriptOffset = row.position();
  if (Number.isNaN(address + inliningId + scriptOffset)) return undefined;
  const texts = row.isQuoted() ? QUOTED_TEXTS.exec(row.rest()) : unescaped(PLAIN_TEXTS.exec(row.rest()));
  if (texts === null) return undefined;
  const [kind, position, reason] = [texts[1]!, texts[2]!, texts[3]!];
  if (!hasPossiblePositions(position)) return undefined;
  return {
    type: "code-deopt",
    timestamp,
    size,
    details: { address, inliningId, scriptOffset, kind, position, reason },
  };
}

/** Returns whether the lines and columns in a position are possible in a script. */
function hasPossiblePositions(position: string): boolean {
  for (const [, line, column] of position.matchAll(POSITION_END)) {
    if (Number(line) > LAST_POSITION || Number(column) > LAST_POSITION) return false;
  }
  return true;
}

function unescaped(texts: readonly string[] | null): readonly string[] | null {
  return texts === null ? null : texts.map(unescapeText);
}

import { unescapeBytes, unescapeText } from "../escapes.js";
import type { Row } from "../fields.js";

/**
 * The text of a script. Written by Node 16 and later, when the first function with source positions is
 * logged.
 */
export interface ScriptSourceRecord {
  readonly type: "script-source";
  readonly id: number;
  /** Name of the script: a path, a URL, `node:…`, `<unknown>`; may be empty. */
  readonly url: string;
  /** The text as the log has it, which {@link scriptText} decodes. It may be empty, or megabytes long. */
  readonly source: Uint8Array<ArrayBuffer>;
}

/**
 * `id,url,source`, all on one line.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::EnsureLogScriptSource`.
 */
export function decodeScriptSource(row: Row): ScriptSourceRecord | undefined {
  const id = row.position();
  if (!(id >= 0) || !row.hasMore()) return undefined;
  const url = unescapeText(row.rawText());
  return row.hasMore() ? { type: "script-source", id, url, source: row.restBytes() } : undefined;
}

/** Returns the text of a script from its row. */
export function scriptText(source: Uint8Array<ArrayBuffer>): string {
  return unescapeBytes(source);
}

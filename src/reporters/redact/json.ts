import { basename } from "node:path";
import { KEPT_REASONS } from "../../redact/kept-strings.js";
import type { RedactCheckReport, RedactReport } from "../../reports/redact.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import { type Count, type FromOne, type JsonDocument, jsonDocument } from "../layout/json-parts.js";

/**
 * What a redacted log still has of the original.
 * @id redact.schema.json
 * @title ticks redact --format json, schema version 1
 */
export interface RedactData extends JsonDocument<"redact"> {
  /** The files that were written. */
  readonly files: readonly string[];
  /** Whose key the hashes use. */
  readonly key: "given" | "random";
  /** How many rows cannot be read. Nothing of them is kept. */
  readonly droppedRows: Count;
  /** Strings of the original that remain. */
  readonly kept: readonly KeptData[];
}

export interface KeptData {
  /** Why the strings may stay. */
  readonly reason: Lowercase<(typeof KEPT_REASONS)[number]>;
  readonly strings: readonly { readonly text: string; readonly count: FromOne }[];
}

/**
 * Whether redacted logs keep nothing and have the numbers of the originals. Exit status 1 if not.
 * @id redact-check.schema.json
 * @title ticks redact --check --format json, schema version 1
 */
export interface RedactCheckData extends JsonDocument<"redact --check"> {
  /** Whether no other strings remain and all numbers are the same. */
  readonly passed: boolean;
  /** How many logs were compared. */
  readonly logs: Count;
  /** How many rows cannot be read. Nothing of them is kept. */
  readonly droppedRows: Count;
  readonly problems: readonly string[];
}

/** Yields the report for programs. */
export function redactJson(report: RedactReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(redactData(report), layout);
}

export function redactData({ files, hasOwnKey, kept, droppedRows }: RedactReport): RedactData {
  return {
    ...jsonDocument("redact"),
    files: files.map((file) => basename(file)),
    key: hasOwnKey ? "given" : "random",
    droppedRows,
    kept: KEPT_REASONS.map((reason) => ({
      reason: reason.toLowerCase() as KeptData["reason"],
      strings: kept.list(reason),
    })),
  };
}

/** Yields a check for programs. */
export function redactCheckJson(report: RedactCheckReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(redactCheckData(report), layout);
}

export function redactCheckData({ logs, problems, droppedRows }: RedactCheckReport): RedactCheckData {
  return { ...jsonDocument("redact --check"), passed: problems.length === 0, logs, droppedRows, problems };
}

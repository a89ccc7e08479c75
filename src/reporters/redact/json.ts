import { basename } from "node:path";
import { KEPT_REASONS } from "../../redact/kept-strings.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import { jsonDocument } from "../layout/json-parts.js";
import type { RedactCheckReport, RedactReport } from "./text.js";

/** Yields the report for programs. `redact.schema.json` describes it. */
export function* redactJson(
  { files, hasOwnKey, kept, droppedRows }: RedactReport,
  layout: JsonLayout = {},
): Iterable<string> {
  yield* jsonLines(
    {
      ...jsonDocument({ command: "redact", schemaVersion: 1 }),
      files: files.map((file) => basename(file)),
      key: hasOwnKey ? "given" : "random",
      droppedRows,
      kept: KEPT_REASONS.map((reason) => ({ reason: reason.toLowerCase(), strings: kept.list(reason) })),
    },
    layout,
  );
}

/** Yields a check for programs. `redact-check.schema.json` describes it. */
export function* redactCheckJson(
  { logs, problems, droppedRows }: RedactCheckReport,
  layout: JsonLayout = {},
): Iterable<string> {
  yield* jsonLines(
    {
      ...jsonDocument({ command: "redact --check", schemaVersion: 1 }),
      passed: problems.length === 0,
      logs,
      droppedRows,
      problems,
    },
    layout,
  );
}

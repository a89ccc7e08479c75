import { basename } from "node:path";
import { named, text } from "../base/text.js";
import { printable } from "../facts/label.js";
import { KEPT_REASONS, type KeptReason, type KeptString, type KeptStrings } from "../redact/name-hash.js";
import { type Block, code, type Figure, GAP, note } from "../render/page.js";
import { type Count, type FromOne, type JsonDocument, jsonDocument } from "./json.js";
import type { Report } from "./report.js";
import { counted } from "./words.js";

/** What a redacted log still has of the original. */
export interface RedactReport {
  /** The files that were written. */
  readonly files: readonly string[];
  /** Whether the user gave the key. */
  readonly hasOwnKey: boolean;
  readonly kept: KeptStrings;
  /** The rows of which nothing was kept because they cannot be read. */
  readonly droppedRows: number;
}

/** What `ticks redact --check` found. */
export interface RedactCheckReport {
  /** How many logs were compared. */
  readonly logs: number;
  /** The rows of the redacted logs that stand for such as cannot be read. */
  readonly droppedRows: number;
  /** Fit to print; none if the redacted logs keep nothing and have the numbers of the original. */
  readonly problems: readonly string[];
}

const TITLES: Readonly<Record<KeptReason, string>> = {
  "--keep": "in packages given by --keep",
  native: "of native code in public libraries, and their folders",
  Node: "of Node's own scripts and their functions",
  path: "in paths, where they reveal nothing",
  V8: "of V8: builtins, bytecode handlers, stubs, reasons, words of JavaScript",
};

const LOST = [
  "Removed: names, strings, comments and numbers in source texts, and source maps. Positions are those of the generated code.",
  "Kept, so that logs can be compared: times, sizes, lines and columns, the marks and JavaScript's words in source texts, addresses, PIDs.",
];

/** `ticks redact`. */
export const REDACT: Report<RedactReport> = { data: redactData, page: redactPage };

export const REDACT_CHECK: Report<RedactCheckReport> = { data: redactCheckData, page: redactCheckPage };

export function redactPage({ files, hasOwnKey, kept, droppedRows }: RedactReport): Block[] {
  const key = hasOwnKey
    ? "Hashes use the given key: anyone who has it can test whether a name occurs."
    : "Hashes use a random key that is not saved.";
  const dropped = `Dropped: ${counted(droppedRows, "row")} that cannot be read; nothing of them is kept.`;
  return [
    ...files.map((file) => note(text`Written: ${named(file)}`)),
    ...[key, ...LOST, ...(droppedRows > 0 ? [dropped] : [])].map((line) => note(line)),
    note("Strings kept from the original:"),
    ...KEPT_REASONS.flatMap((reason) => {
      const strings = kept.list(reason);
      if (strings.length === 0) return [];
      const title = note(`${strings.length} ${TITLES[reason]} (times, string):`);
      return [GAP, title, keptStrings(strings)];
    }),
  ];
}

/** Returns a list of strings, each whole: users read them before they send a log. */
function keptStrings(strings: readonly KeptString[]): Figure {
  return {
    kind: "figure",
    *draw() {
      const width = Math.max(5, ...strings.slice(0, 1000).map(({ count }) => String(count).length));
      for (const { text, count } of strings) yield `${String(count).padStart(width)}  ${printable(text)}`;
    },
  };
}

export function redactCheckPage({ logs, problems, droppedRows }: RedactCheckReport): Block[] {
  const rows = counted(droppedRows, "row");
  return [
    ...(problems.length > 0
      ? problems.map((problem) => note(code(problem)))
      : [note(`${logs === 1 ? "The log has" : `${logs} logs have`} no other strings, and the same numbers`)]),
    ...(droppedRows === 0
      ? []
      : [note(`Not compared: ${rows} that cannot be read, of which nothing is kept`)]),
  ];
}

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

export function redactCheckData({ logs, problems, droppedRows }: RedactCheckReport): RedactCheckData {
  return { ...jsonDocument("redact --check"), passed: problems.length === 0, logs, droppedRows, problems };
}

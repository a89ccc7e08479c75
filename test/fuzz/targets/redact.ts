import fc from "fast-check";
import { TicksError } from "../../../src/base/errors.ts";
import { analyze } from "../../../src/load/analyze.ts";
import { LogCheck, numberDifferences } from "../../../src/redact/check.ts";
import { KeyedHash } from "../../../src/redact/name-hash.ts";
import { Redactor } from "../../../src/redact/redactor.ts";
import { hostileLog } from "../../helpers/hostile-log.ts";
import { chunksOf } from "../../helpers/logs.ts";
import { redactedLog } from "../../helpers/redacted.ts";
import { anyRow, type Dialect, type Row, writeLog } from "../log-rows.ts";
import { type Mutation, mutate, mutation } from "../mutation.ts";
import { broken, type Target } from "../target.ts";

/** A change of whole rows. Numbers choose among those that there are. */
type RowEdit =
  | {
      readonly op: "glue" | "tear" | "blank" | "escape" | "secret";
      readonly row: number;
      readonly at: number;
    }
  | { readonly op: "swap"; readonly row: number; readonly at: number; readonly with: number };

interface Input {
  /** Rows that no V8 writes; undefined for those of `rows`. */
  readonly hostile: number | undefined;
  readonly dialect: Dialect;
  readonly rows: readonly Row[];
  readonly edits: readonly RowEdit[];
  readonly mutations: readonly Mutation[];
  readonly isCrlf: boolean;
  readonly chunk: number;
  readonly inlines: boolean;
}

/** No word of V8's or Node's has it; names, paths and keys of the logs do. */
const SECRET = "Zqxsecret";
const KEPT = /qxsec/i;

const edit: fc.Arbitrary<RowEdit> = fc.oneof(
  fc.record({
    op: fc.constantFrom(
      "glue" as const,
      "tear" as const,
      "blank" as const,
      "escape" as const,
      "secret" as const,
      "secret" as const,
    ),
    row: fc.nat(),
    at: fc.nat(),
  }),
  fc.record({ op: fc.constant("swap" as const), row: fc.nat(), at: fc.nat(), with: fc.nat() }),
);

/** Redacted logs, of whatever a log may be. */
export const redact: Target<Input> = {
  name: "redact",
  about: "any log: nothing private is left, the check holds, numbers stay, a second time changes nothing",
  arbitrary: fc.record({
    hostile: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 2 ** 31 })),
    dialect: fc.constantFrom("v26", "v20", "v16", "v10", "v6", "v4", "v3", "none"),
    rows: fc.array(anyRow, { maxLength: 40 }),
    edits: fc.array(edit, { maxLength: 12 }),
    mutations: fc.array(mutation, { maxLength: 3 }),
    isCrlf: fc.oneof(
      { weight: 7, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    chunk: fc.integer({ min: 20, max: 9000 }),
    inlines: fc.boolean(),
  }),
  async check(input) {
    const log = logOf(input);
    const redactor = () => new Redactor(new KeyedHash(Buffer.from("a key of enough bytes")));
    const redacted = redactedLog(log, redactor());
    if (!redactedLog(log, redactor(), input.chunk).equals(redacted)) broken("it is the same in chunks");
    const left = leftOf(redacted);
    if (left !== undefined) broken("nothing private is left", left);
    const check = new LogCheck();
    for (let at = 0; at < redacted.length; at += input.chunk) {
      check.push(redacted.subarray(at, at + input.chunk));
    }
    const { strings, count, otherByte } = check.end();
    if (count > 0) broken("its check finds no strings", strings.join(" | "));
    if (otherByte >= 0)
      broken("a second time changes nothing", redacted.toString("latin1", otherByte - 80, otherByte + 80));
    const [original, other] = [await profileOf(log, input), await profileOf(redacted, input)];
    // The program writes no redacted log of what is none.
    if (typeof original === "string") return;
    if (typeof other === "string") broken("a redacted log is a log", other);
    const differences = numberDifferences(original, other);
    if (differences.length > 0) broken("the numbers stay", differences.join());
  },
  file: (input) => ({ extension: "log", bytes: logOf(input) }),
};

/** The first row with what was private. */
function leftOf(redacted: Buffer): string | undefined {
  return (
    redacted
      .toString("latin1")
      .split("\n")
      // Names in Node's own scripts are Node's.
      .find((row) => KEPT.test(row.replace(/\S*qxsec\S* (?=node:[\w/]+:\d)/gi, "")))
  );
}

async function profileOf(log: Buffer, { inlines }: Input) {
  try {
    return await analyze(chunksOf(log), { name: "log", inlines, deopts: true, ics: inlines, timeline: true });
  } catch (error) {
    if (error instanceof TicksError) return error.code;
    throw error;
  }
}

function logOf({ hostile, dialect, rows, edits, mutations, isCrlf }: Input): Buffer {
  const log = hostile === undefined ? writeLog(dialect, rows) : hostileLog(hostile);
  const lines = log.toString("latin1").split("\n");
  for (const one of edits) editRow(lines, one);
  return mutate(Buffer.from(lines.join(isCrlf ? "\r\n" : "\n"), "latin1"), mutations);
}

function editRow(lines: string[], one: RowEdit): void {
  const row = one.row % lines.length;
  const line = lines[row]!;
  const at = one.at % (line.length + 1);
  switch (one.op) {
    case "glue":
      // What is before the place, and the next row behind it.
      lines.splice(row, 2, line.slice(0, at) + (lines[row + 1] ?? ""));
      break;
    case "tear":
      lines[row] = line.slice(0, at);
      break;
    case "blank":
      lines[row] = `${line.slice(0, at)} ${line.slice(at)}`;
      break;
    case "escape":
      lines[row] = `${line.slice(0, at)}\\x2C\\n${line.slice(at)}`;
      break;
    case "secret":
      lines[row] = withSecret(line, one.at);
      break;
    case "swap": {
      const fields = line.split(",");
      const [a, b] = [one.at % fields.length, one.with % fields.length];
      [fields[a], fields[b]] = [fields[b]!, fields[a]!];
      lines[row] = fields.join(",");
      break;
    }
  }
}

/** A row with a private name in the place of one of its own, but not before the name of a script of Node's. */
function withSecret(line: string, at: number): string {
  const words = Array.from(line.matchAll(/[A-Za-z_$][\w$]{2,}(?! [a-z:/_]+)/g));
  const word = words[at % Math.max(1, words.length)];
  if (word === undefined) return line;
  return `${line.slice(0, word.index)}${SECRET}${line.slice(word.index + word[0].length)}`;
}

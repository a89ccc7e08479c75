import fc from "fast-check";
import type { LogRecord } from "../../../src/log/rows/row-decoders.ts";
import { logOf, parse } from "../../helpers/logs.ts";
import { type Dialect, type Row, tameRow, writeRows } from "../log-rows.ts";
import { type Mutation, mutate, mutation } from "../mutation.ts";
import { broken, type Target } from "../target.ts";

interface Input {
  readonly dialect: Dialect;
  readonly rows: readonly Row[];
  readonly damage:
    | {
        readonly kind: "one";
        /** Which row, as a part of a million of all. */
        readonly row: number;
        readonly mutations: readonly Mutation[];
      }
    | { readonly kind: "torn"; readonly every: number; readonly at: number };
}

const DIALECTS = ["v26", "v20", "v16", "v10", "v6", "v4"] as const;

/** One row is damaged, its newline too, or many rows of code are torn; all other rows must be found. */
export const neighbours: Target<Input> = {
  name: "neighbours",
  about: "a damaged row costs itself: all rows beside it are found",
  arbitrary: fc.record({
    dialect: fc.constantFrom(...DIALECTS),
    rows: fc.array(tameRow, { minLength: 1, maxLength: 80 }),
    damage: fc.oneof(
      fc.record({
        kind: fc.constant("one" as const),
        row: fc.nat(999_999),
        mutations: fc.array(mutation, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({
        kind: fc.constant("torn" as const),
        every: fc.integer({ min: 1, max: 4 }),
        at: fc.nat(999_999),
      }),
    ),
  }),
  check(input) {
    const { log, whole, kept } = damaged(input);
    const found = new Map<string, number>();
    for (const record of parse(log).records) {
      const key = keyOf(record);
      found.set(key, (found.get(key) ?? 0) + 1);
    }
    const wanted = parse(whole).records;
    for (const [i, record] of wanted.entries()) {
      // Up to Node 4 rows of code have no time, which tells a row from a line of a function's name.
      if (!kept.has(i) || (input.dialect === "v4" && record.type !== "tick")) continue;
      const key = keyOf(record);
      const count = found.get(key) ?? 0;
      if (count === 0) broken(`no ${record.type} row that is whole is lost`, key);
      found.set(key, count - 1);
    }
  },
  file: (input) => ({ extension: "log", bytes: damaged(input).log }),
};

/** After a longer silence, in microseconds, one row alone does not tell that the open one before it is torn: a name can look so. */
const SILENCE = 60_000_000;

const keyOf = (record: LogRecord) => JSON.stringify({ ...record, frames: undefined });

/** The log with its damage and without, and the numbers of the rows that have none. */
function damaged({ dialect, rows, damage }: Input): {
  log: Buffer;
  whole: Buffer;
  kept: ReadonlySet<number>;
} {
  const all = writeRows(dialect, rows).map(({ text }) => text);
  const head = all.length - rows.length;
  const kept = new Set<number>();
  const parts: Buffer[] = [];
  const chosen = damage.kind === "one" ? head + Math.floor((damage.row / 1e6) * rows.length) : -1;
  let isJoined = false;
  let torn = 0;
  for (const [i, text] of all.entries()) {
    const line = Buffer.from(`${text}\n`);
    if (damage.kind === "one" && i === chosen) {
      const bytes = mutate(line, damage.mutations);
      // Without its newline it takes the next row with it.
      isJoined = bytes.length > 0 && bytes.at(-1) !== 10;
      parts.push(bytes);
    } else if (damage.kind === "torn" && text.startsWith("code-creation,") && torn++ % damage.every === 0) {
      const length = Math.max(1, Math.floor((damage.at / 1e6) * text.length));
      parts.push(Buffer.from(`${text.slice(0, length)}\n`));
    } else {
      parts.push(line);
      if (!isJoined) kept.add(i);
      const row = rows[i - head];
      isJoined = isJoined && row?.row === "tick" && row.after > SILENCE;
    }
  }
  return { log: Buffer.concat(parts), whole: logOf(...all), kept };
}

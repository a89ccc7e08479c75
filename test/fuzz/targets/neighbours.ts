import fc from "fast-check";
import { parse } from "../../helpers/logs.ts";
import { type Dialect, type Row, tameRow, type WrittenRow, writeRows } from "../log-rows.ts";
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

/** One row is damaged, its newline too, or many rows of code are torn; every tick of another row must be found. */
export const neighbours: Target<Input> = {
  name: "neighbours",
  about: "a damaged row costs itself: all ticks of the rows beside it are found",
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
    const { log, kept } = damaged(input);
    const found = new Map<string, number>();
    for (const record of parse(log).records) {
      if (record.type !== "tick") continue;
      const key = keyOf(record.timestamp, record.depth);
      found.set(key, (found.get(key) ?? 0) + 1);
    }
    for (const { time, text } of kept) {
      if (time === undefined) continue;
      const key = keyOf(time, text.split(",").length - 6);
      const count = found.get(key) ?? 0;
      if (count === 0) broken("no tick of a row that is whole is lost", text);
      found.set(key, count - 1);
    }
  },
  file: (input) => ({ extension: "log", bytes: damaged(input).log }),
};

const keyOf = (time: number, depth: number) => `${time} ${depth}`;

/** The log with its damage, and the rows that have none. */
function damaged({ dialect, rows, damage }: Input): { log: Buffer; kept: readonly WrittenRow[] } {
  const all = writeRows(dialect, rows);
  const head = all.length - rows.length;
  const kept: WrittenRow[] = [];
  const parts: Buffer[] = [];
  const chosen = damage.kind === "one" ? head + Math.floor((damage.row / 1e6) * rows.length) : -1;
  let isJoined = false;
  let torn = 0;
  for (const [i, row] of all.entries()) {
    const line = Buffer.from(`${row.text}\n`);
    if (damage.kind === "one" && i === chosen) {
      const bytes = mutate(line, damage.mutations);
      // Without its newline it takes the next row with it.
      isJoined = bytes.length > 0 && bytes.at(-1) !== 10;
      parts.push(bytes);
    } else if (
      damage.kind === "torn" &&
      row.text.startsWith("code-creation,") &&
      torn++ % damage.every === 0
    ) {
      const length = Math.max(1, Math.floor((damage.at / 1e6) * row.text.length));
      parts.push(Buffer.from(`${row.text.slice(0, length)}\n`));
    } else {
      parts.push(line);
      if (!isJoined) kept.push(row);
      isJoined = false;
    }
  }
  return { log: Buffer.concat(parts), kept };
}

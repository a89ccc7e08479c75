import fc from "fast-check";
import { COMMAND_LINES } from "../../helpers/command-lines.mjs";
import { anyRow, type Dialect, name, type Row, writeLog } from "../log-rows.ts";
import { type Mutation, mutate, mutation } from "../mutation.ts";
import { runReport, writeWork } from "../program.ts";
import type { Target } from "../target.ts";

interface Input {
  readonly dialect: Dialect;
  readonly rows: readonly Row[];
  readonly mutations: readonly Mutation[];
  /** Which of the command lines, by number. */
  readonly commands: readonly number[];
  /** What `function` looks for. */
  readonly wanted: string;
}

/** What all commands write of any log. */
export const reports: Target<Input> = {
  name: "reports",
  about: "any log, every command and form: no bug, JSON that can be parsed, no control characters for people",
  arbitrary: fc.record({
    dialect: fc.constantFrom("v26" as const, "v20" as const, "v10" as const, "v6" as const, "none" as const),
    rows: fc.array(anyRow, { maxLength: 40 }),
    mutations: fc.array(mutation, { maxLength: 3 }),
    commands: fc.uniqueArray(fc.nat(COMMAND_LINES.length - 1), { minLength: 1, maxLength: 3 }),
    wanted: fc.oneof(fc.constant("f"), name),
  }),
  async check({ commands, wanted, ...input }) {
    const log = writeWork("report.log", logOf(input));
    for (const number of commands) await runReport(COMMAND_LINES[number]!, log, wanted);
  },
  file: (input) => ({ extension: "log", bytes: logOf(input) }),
};

function logOf({ dialect, rows, mutations }: Pick<Input, "dialect" | "rows" | "mutations">): Buffer {
  return mutate(writeLog(dialect, rows), mutations);
}

import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { type Budget, METRICS, type Metric } from "../../../compare/budgets.js";
import { CATEGORY_NAMES, type Selector } from "../../../compare/selections.js";
import { TicksError } from "../../../errors.js";
import { readRegularFile } from "../../../io/regular-file.js";
import { printable } from "../../../views/label.js";
import { nearNames } from "../../../views/near-names.js";

/** The file that is read without `--budget`. */
export const BUDGET_FILE = "ticks.budget.json";

/** A file of budgets. */
export interface BudgetFile {
  readonly budgets: readonly Budget[];
  /** The units of work of each run; undefined if the file does not say. */
  readonly units: number | undefined;
}

/** A larger file is no list of budgets. */
const MOST_BYTES = 2 ** 24;

const KINDS = ["function", "file", "package", "category"] as const;
const LEVELS = ["error", "warn"] as const;

/** Reads a file of budgets: JSON with comments. Throws a {@link TicksError} for anything else. */
export function readBudgets(file: string): BudgetFile {
  const errors: ParseError[] = [];
  const document: unknown = parse(textOf(file), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) throw invalid(file, `${printParseErrorCode(error.error)} at ${error.offset}`);
  const { budgets, per, $schema: _, ...rest } = objectOf(document, file, "the file");
  refuseOthers(rest, file, "the file");
  if (!Array.isArray(budgets)) throw invalid(file, "budgets must be a list");
  if (per !== undefined && !(typeof per === "number" && per > 0))
    throw invalid(file, "per must be a number above 0");
  return { budgets: budgets.map((one, i) => budgetOf(one, file, `budget ${i + 1}`)), units: per };
}

function textOf(file: string): string {
  try {
    return readRegularFile(file, MOST_BYTES, printable(file)).toString("utf8");
  } catch (error) {
    if (error instanceof TicksError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT")
      throw new TicksError(
        "NOT_FOUND",
        `${printable(file)}: no such file`,
        "Write one with: ticks check --init",
      );
    throw new TicksError("NOT_READABLE", `${printable(file)}: cannot be read: ${code}`);
  }
}

function budgetOf(value: unknown, file: string, where: string): Budget {
  const { select, metric = "self", max, level = "error", name, ...rest } = objectOf(value, file, where);
  refuseOthers(rest, file, where);
  const known = METRICS.find((one) => one === metric);
  if (known === "longestTurn" && select !== undefined)
    throw invalid(file, `${where}: longestTurn is of the whole run, leave out select`);
  const selector =
    known === "longestTurn" ? WHOLE_RUN : selectorOf(objectOf(select, file, `${where}: select`), file, where);
  if (known === undefined) throw invalid(file, `${where}: metric must be one of ${METRICS.join(", ")}`);
  const rank = LEVELS.find((one) => one === level);
  if (rank === undefined) throw invalid(file, `${where}: level must be error or warn`);
  if (typeof max !== "number" || !Number.isFinite(max)) throw invalid(file, `${where}: max must be a number`);
  if (name !== undefined && typeof name !== "string") throw invalid(file, `${where}: name must be a text`);
  return { title: name ?? titleOf(selector), selector, metric: known, max, level: rank };
}

const WHOLE_RUN: Selector = { kind: "run", name: "" };

/** Returns the limit of the longest turn of an event loop, in milliseconds. */
export function turnBudget(max: number): Budget {
  return { title: titleOf(WHOLE_RUN), selector: WHOLE_RUN, metric: "longestTurn", max, level: "error" };
}

function selectorOf(select: Record<string, unknown>, file: string, where: string): Selector {
  const entries = Object.entries(select);
  const [entry] = entries;
  const kind = KINDS.find((one) => one === entry?.[0]);
  const value = entry?.[1];
  if (entries.length !== 1 || kind === undefined || typeof value !== "string" || value === "")
    throw invalid(file, `${where}: select must have one of ${KINDS.join(", ")}, with a name`);
  return makeSelector(kind, value, (reason) => invalid(file, `${where}: ${reason}`));
}

/** A pattern with flags: `/router/i`. */
const PATTERN = /^\/(.+)\/([imsu]*)$/s;

function makeSelector(kind: Selector["kind"], text: string, fail: (reason: string) => TicksError): Selector {
  const [, source, flags] = PATTERN.exec(text) ?? [];
  if (source !== undefined) {
    try {
      return { kind, name: new RegExp(source, flags) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw fail(`invalid regular expression ${printable(source)}`);
    }
  }
  if (kind === "category" && !CATEGORY_NAMES.some((one) => one === text)) {
    const near = nearNames(text, CATEGORY_NAMES, 1);
    const hint = near.length > 0 ? `did you mean ${near[0]}?` : `there are ${CATEGORY_NAMES.join(", ")}`;
    throw fail(`no category ${printable(text)}: ${hint}`);
  }
  return { kind, name: text };
}

/** Returns the name of a selector for people. */
export function titleOf({ kind, name }: Selector): string {
  if (kind === "run") return "event loop";
  const text = typeof name === "string" ? name : String(name);
  return kind === "function" ? text : `${kind} ${text}`;
}

/**
 * Reads a budget of the command line: `NAME=MAX`, or `KIND:NAME=MAX` for what is no function. Throws a
 * {@link TicksError} for another form.
 */
export function parseBudget(text: string, metric: Metric): Budget {
  const at = text.lastIndexOf("=");
  const max = Number(text.slice(at + 1));
  if (at <= 0 || text.slice(at + 1).trim() === "" || !Number.isFinite(max)) {
    throw new TicksError(
      "BAD_OPTION",
      `--max-${metric} ${printable(text)}: expected NAME=NUMBER`,
      `Such as: --max-${metric} parse=10, or --max-${metric} package:express=20`,
    );
  }
  const whole = text.slice(0, at);
  const kind = KINDS.find((one) => whole.startsWith(`${one}:`));
  const name = kind === undefined ? whole : whole.slice(kind.length + 1);
  const fail = (reason: string) => new TicksError("BAD_OPTION", `--max-${metric}: ${reason}`);
  const selector = makeSelector(kind ?? "function", name, fail);
  return { title: titleOf(selector), selector, metric, max, level: "error" };
}

function objectOf(value: unknown, file: string, where: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid(file, `${where} must be an object`);
  return value as Record<string, unknown>;
}

function refuseOthers(rest: Record<string, unknown>, file: string, where: string): void {
  const [key] = Object.keys(rest);
  if (key !== undefined) throw invalid(file, `${where} has an unknown key ${printable(key)}`);
}

function invalid(file: string, reason: string): TicksError {
  return new TicksError(
    "BAD_OPTION",
    `${printable(file)}: ${reason}`,
    "ticks check --init writes a file to start with.",
  );
}

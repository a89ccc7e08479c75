import {
  findNodeAtLocation,
  type JSONPath,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { badOption, TicksError } from "../../../base/errors.js";
import { type Budget, METRICS, type Metric } from "../../../compare/budgets.js";
import { CATEGORY_NAMES, type Selector } from "../../../compare/selections.js";
import { printable } from "../../../facts/label.js";
import { nearNames } from "../../../facts/near-names.js";
import { readRegularFile } from "../../../io/regular-file.js";
import { bytesOf } from "../../../reports/option-values.js";

/** The file that is read without `--budget`. */
export const BUDGET_FILE = "ticks.budget.json";

interface BudgetFile {
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
  const source = textOf(file);
  const errors: ParseError[] = [];
  const document: unknown = parse(source, errors, { allowTrailingComma: true });
  const whole = new Part({ file, source }, [], "the file");
  const [error] = errors;
  if (error !== undefined) throw whole.invalidAt(error.offset, syntaxText(error));
  const { budgets, per, $schema: _, $comment: __, ...rest } = whole.object(document);
  whole.refuseOthers(rest);
  if (!Array.isArray(budgets)) throw whole.in("budgets").invalid("budgets must be a list");
  if (per !== undefined && !(typeof per === "number" && per > 0))
    throw whole.in("per").invalid("per must be a number above 0");
  const part = (i: number) => new Part({ file, source }, ["budgets", i], `budget ${i + 1}`);
  return { budgets: budgets.map((one, i) => budgetOf(one, part(i))), units: per };
}

/** Returns what is wrong with JSON: `comma expected`. */
function syntaxText({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
}

/** A part of a file of budgets, whose errors say where it is. */
class Part {
  readonly #of: { readonly file: string; readonly source: string };
  readonly #path: JSONPath;
  readonly #name: string;

  constructor(of: { readonly file: string; readonly source: string }, path: JSONPath, name: string) {
    this.#of = of;
    this.#path = path;
    this.#name = name;
  }

  /** Returns the part of a key, with the same name. */
  in(key: string): Part {
    return new Part(this.#of, [...this.#path, key], this.#name);
  }

  object(value: unknown): Record<string, unknown> {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw this.invalid(`${this.#name} must be an object`);
    return value as Record<string, unknown>;
  }

  refuseOthers(rest: Record<string, unknown>): void {
    const [key] = Object.keys(rest);
    if (key === undefined) return;
    const near = nearNames(key, BUDGET_KEYS, 1);
    const hint = near.length > 0 ? `; did you mean ${near[0]}?` : "";
    throw this.in(key).invalid(`${this.#name} has an unknown key ${printable(key)}${hint}`);
  }

  /** Returns the error for this part, or for what it is in if it is not there. */
  invalid(reason: string): TicksError {
    const root = parseTree(this.#of.source, [], { allowTrailingComma: true });
    let offset = 0;
    for (let length = 0; root !== undefined && length <= this.#path.length; length++) {
      const found = findNodeAtLocation(root, this.#path.slice(0, length));
      if (found !== undefined) offset = (found.parent?.type === "property" ? found.parent : found).offset;
    }
    return this.invalidAt(offset, reason);
  }

  invalidAt(offset: number, reason: string): TicksError {
    const before = this.#of.source.slice(0, offset).split("\n");
    return badOption(
      `${printable(this.#of.file)}:${before.length}:${before.at(-1)!.length + 1}: ${reason}`,
      "ticks check --init writes a file to start with.",
    );
  }

  /** Returns the error for what this part says. */
  wrong(reason: string): TicksError {
    return this.invalid(`${this.#name}: ${reason}`);
  }
}

/** The keys that a file of budgets may have. */
const BUDGET_KEYS = ["budgets", "per", "select", "metric", "max", "level", "name"];

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

function budgetOf(value: unknown, part: Part): Budget {
  const { select, metric = "self", max, level = "error", name, ...rest } = part.object(value);
  part.refuseOthers(rest);
  const known = METRICS.find((one) => one === metric);
  if (known === "longestTurn" && select !== undefined)
    throw part.in("select").wrong("longestTurn is of the whole run, leave out select");
  const selector = known === "longestTurn" ? WHOLE_RUN : selectorOf(select, part.in("select"));
  if (known === undefined) throw part.in("metric").wrong(`metric must be one of ${METRICS.join(", ")}`);
  const rank = LEVELS.find((one) => one === level);
  if (rank === undefined) throw part.in("level").wrong("level must be error or warn");
  const limit = known === "allocated" && typeof max === "string" ? bytesOf(max, 1024) : max;
  if (typeof limit !== "number" || !Number.isFinite(limit))
    throw part
      .in("max")
      .wrong(known === "allocated" ? "max must be a size, such as 10MB" : "max must be a number");
  if (name !== undefined && typeof name !== "string") throw part.in("name").wrong("name must be a text");
  return { title: name ?? titleOf(selector), selector, metric: known, max: limit, level: rank };
}

const WHOLE_RUN: Selector = { kind: "run", name: "" };

/** Returns the limit of the longest turn of an event loop, in milliseconds. */
export function turnBudget(max: number): Budget {
  return { title: titleOf(WHOLE_RUN), selector: WHOLE_RUN, metric: "longestTurn", max, level: "error" };
}

function selectorOf(select: unknown, part: Part): Selector {
  if (typeof select !== "object" || select === null || Array.isArray(select))
    throw part.wrong("select must be an object");
  const entries = Object.entries(select as Record<string, unknown>);
  const [entry] = entries;
  const kind = KINDS.find((one) => one === entry?.[0]);
  const value = entry?.[1];
  if (entries.length !== 1 || kind === undefined || typeof value !== "string" || value === "")
    throw part.wrong(`select must have one of ${KINDS.join(", ")}, with a name`);
  return makeSelector(kind, value, (reason) => part.wrong(reason));
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
  const given = text.slice(at + 1);
  const isSize = metric === "allocated";
  const max = isSize ? (bytesOf(given.trim(), 1024) ?? Number.NaN) : Number(given);
  if (at <= 0 || given.trim() === "" || !Number.isFinite(max)) {
    const [small, large] = isSize ? ["512KB", "10MB"] : ["10", "20"];
    throw badOption(
      `--max-${metric} ${printable(text)}: expected NAME=${isSize ? "SIZE" : "NUMBER"}`,
      `Such as: --max-${metric} parse=${small}, or --max-${metric} package:express=${large}`,
    );
  }
  const whole = text.slice(0, at);
  const kind = KINDS.find((one) => whole.startsWith(`${one}:`));
  const name = kind === undefined ? whole : whole.slice(kind.length + 1);
  const fail = (reason: string) => badOption(`--max-${metric}: ${reason}`);
  const selector = makeSelector(kind ?? "function", name, fail);
  return { title: titleOf(selector), selector, metric, max, level: "error" };
}

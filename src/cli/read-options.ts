import { Command, Option } from "commander";
import { badOption } from "../base/errors.js";
import { printable } from "../base/shown-text.js";
import { type CommandRow, namesOf, type OptionRow, rowsIn } from "../reports/command-row.js";
import { oneOf, UnfitValue } from "../reports/option-values.js";
import type { CommandLine } from "./arguments.js";
import { commandNamed } from "./commands.js";
import { allOptions, usageOf } from "./options.js";

/** The words of a command line and the values of its options, by name. */
export interface ReadOptions {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
}

/** Parses the options of a command line. Throws a {@link TicksError} or an error of commander if it is wrong. */
export function optionsOf({ row, args }: Pick<CommandLine, "row" | "args">): ReadOptions {
  const parser = new Command(row.name)
    .argument("[words...]")
    .helpOption(false)
    .passThroughOptions(row.isWrapper ?? false)
    .exitOverride()
    .showSuggestionAfterError(false) // Errors have our own.
    .configureOutput({ outputError() {} }) // It is thrown too.
    .action(() => {});
  for (const one of allOptions(row)) parser.addOption(optionOf(one));
  parser.parse(args, { from: "user" });
  checkWords(parser.args, row);
  const flags = parser.opts();
  if (row.rows !== undefined) flags.limit ??= rowsIn(row, flags.format);
  return { words: parser.args, flags };
}

function optionOf(row: OptionRow): Option {
  const { choices, read, conflicts = [], implies = {} } = row;
  const { long, value } = namesOf(row);
  const option = new Option(row.flags).conflicts(Array.from(conflicts)).implies(implies);
  if (row.default !== undefined) option.default(row.default);
  if (row.preset !== undefined) return option.preset(row.preset);
  if (value === undefined || value.endsWith("...")) return option;
  const reader = read ?? ((text: string) => (choices === undefined ? text : oneOf(text, choices)));
  return option.argParser((text: string, previous: unknown) => {
    try {
      // What stands there by default is not the value of another one.
      return reader(text, (previous === row.default ? undefined : previous) as never);
    } catch (error) {
      if (!(error instanceof UnfitValue)) throw error;
      throw badOption(printable(`${long} ${text}: ${error.message}`));
    }
  });
}

/** Throws a {@link TicksError} if there are too few or too many words for a command. */
function checkWords(words: readonly string[], row: CommandRow): void {
  if (row.args.includes("...")) return;
  const names = row.args.split(" ").filter((name) => name !== "");
  const missing = names.filter((name) => name.startsWith("<"))[words.length];
  const usage = `Usage: ticks ${row.name} ${usageOf(row)}`;
  if (missing !== undefined) throw badOption(`missing ${missing.slice(1, -1)}`, usage);
  if (words.length > names.length)
    throw badOption(`too many arguments: ${words.length}, not ${names.length}`, usage);
}

/** Returns the values of the options of a command, where the user gives none. */
export function usualFlags<Flags>(name: string): Flags {
  return optionsOf({ row: commandNamed(name)!, args: [] }).flags as Flags;
}

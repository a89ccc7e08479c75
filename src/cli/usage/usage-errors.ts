import type { CommanderError } from "commander";
import { badOption, type TicksError } from "../../base/errors.js";
import { printable } from "../../base/shown-text.js";
import { nearNames } from "../../facts/near-names.js";
import { type CommandRow, namesOf, type OptionRow } from "../../reports/command-row.js";
import { COMMANDS } from "../commands.js";
import { allOptions, allOptionsHint, COMMON, usageOf } from "../options.js";

/** Returns the error for a word that is no command and no file, if it is similar to a command; else undefined. */
export function unknownCommand(
  word: string,
  { names, before = "" }: { readonly names: readonly string[]; readonly before?: string },
): TicksError | undefined {
  const [near] = /[./\\]/.test(word) ? [] : nearNames(word, names, 1);
  if (near === undefined) return undefined;
  return badOption(`unknown command ${printable(word)}; did you mean \`ticks ${before}${near}\`?`);
}

/** Returns the error for a command line that commander refuses, with what may be meant. */
export function usageError({ code, message }: CommanderError, row: CommandRow): TicksError {
  const text = message.replace(/^error: /, "");
  if (code === "commander.unknownOption") {
    const flag = quoted(text).replace(/=.*/s, "");
    const meant = meantOption(flag, row);
    const what = `unknown option ${flag}${meant === undefined ? "" : `; ${meant}`}`;
    return refused(what, outputHint(flag, row) ?? allOptionsHint(row));
  }
  if (code === "commander.optionMissingArgument") {
    const option = allOptions(row).find(({ flags }) => text.startsWith(`option '${flags}'`));
    return refused(option === undefined ? text : `${namesOf(option).long} needs a value: ${option.flags}`);
  }
  return refused(text, `Usage: ticks ${row.name} ${usageOf(row)}`);
}

/** Returns what is between the first and the last quote. */
function quoted(text: string): string {
  return text.slice(text.indexOf("'") + 1, text.lastIndexOf("'"));
}

function refused(message: string, hint?: string): TicksError {
  return badOption(printable(message), hint);
}

/** Returns what to do instead of `-o`, for a report. */
function outputHint(flag: string, { name, formats }: CommandRow): string | undefined {
  const isOutput = /^(?:-o.*|--out(?:put)?)$/.test(flag) && formats !== undefined;
  return isOutput ? `Reports go to standard output: ticks ${name} LOG > FILE` : undefined;
}

/** Returns what may be meant by an option that a command does not have. */
function meantOption(flag: string, row: CommandRow): string | undefined {
  const isCalled = (one: CommandRow) =>
    allOptions(one).some((option) => {
      const { short, long } = namesOf(option);
      return short === flag || long === flag;
    });
  const owners = COMMANDS.filter(isCalled);
  if (owners.length > 0) return `it is an option of ${owners.map(({ name }) => name).join(", ")}`;
  const near = nearOption(flag, [...allOptions(row), ...COMMON]);
  if (near !== undefined) return `did you mean --${near}?`;
  const other = COMMANDS.find((one) => nearOption(flag, allOptions(one)) !== undefined);
  return other && `did you mean --${nearOption(flag, allOptions(other))} of ticks ${other.name}?`;
}

function nearOption(flag: string, options: readonly OptionRow[]): string | undefined {
  const known = options.map((option) => namesOf(option).long.replace(/^--/, ""));
  return nearNames(flag.replace(/^-+/, ""), known, 1)[0];
}

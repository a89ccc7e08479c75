import type { Command, CommanderError, Option } from "commander";
import { TicksError } from "../../errors.js";
import { printable } from "../../views/label.js";
import { nearNames } from "../../views/near-names.js";

/** Returns the error for a word that is no command and no file, if it is similar to a command; else undefined. */
export function unknownCommand(
  word: string,
  { names, before = "" }: { readonly names: readonly string[]; readonly before?: string },
): TicksError | undefined {
  const [near] = /[./\\]/.test(word) ? [] : nearNames(word, names, 1);
  if (near === undefined) return undefined;
  return new TicksError(
    "BAD_OPTION",
    `unknown command ${printable(word)}; did you mean \`ticks ${before}${near}\`?`,
  );
}

/** What a command line could have been. */
export interface Usage {
  /** The command that was used. */
  readonly command: Command;
  /** All commands, with their options. */
  readonly commands: readonly Command[];
}

/** Returns the error for a command line that commander refuses, with what may be meant. */
export function usageError({ code, message }: CommanderError, usage: Usage): TicksError {
  const { command } = usage;
  const text = message.replace(/^error: /, "");
  const usageHint = `Usage: ticks ${command.name()} ${command.usage()}`;
  switch (code) {
    case "commander.unknownOption": {
      const flag = quoted(text).replace(/=.*/s, "");
      const meant = meantOption(flag, usage);
      return badOption(
        `unknown option ${flag}${meant === undefined ? "" : `; ${meant}`}`,
        `All options: ticks ${command.name()} --help`,
      );
    }
    case "commander.invalidArgument":
      return invalidValue(text, command) ?? badOption(text, usageHint);
    case "commander.optionMissingArgument": {
      const option = command.options.find(({ flags }) => text.startsWith(`option '${flags}'`));
      return badOption(option === undefined ? text : `${option.long} needs a value: ${option.flags}`);
    }
    case "commander.missingArgument":
      return badOption(`missing ${quoted(text)}`, usageHint);
    case "commander.excessArguments": {
      const [expected, got] = (text.match(/\d+/g) ?? []).slice(-2);
      return badOption(`too many arguments: ${got}, not ${expected}`, usageHint);
    }
    default:
      return badOption(text, usageHint);
  }
}

/** Returns the error for a value that an option, or else an argument, cannot have. */
function invalidValue(text: string, { options, registeredArguments }: Command): TicksError | undefined {
  const targets = [
    ...options.map(({ flags, long, argChoices }) => ({
      start: `option '${flags}' argument '`,
      middle: "' is invalid. ",
      name: long,
      choices: argChoices,
    })),
    ...registeredArguments.map((argument) => ({
      start: "command-argument value '",
      middle: `' is invalid for argument '${argument.name()}'. `,
      name: argument.name(),
      choices: argument.argChoices,
    })),
  ];
  for (const { start, middle, name, choices = [] } of targets) {
    const end = text.lastIndexOf(middle);
    if (!text.startsWith(start) || end < 0) continue;
    const value = text.slice(start.length, end);
    const [near] = nearNames(value, choices, 1);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    return badOption(`${name} ${value}: ${text.slice(end + middle.length)}${hint}`);
  }
  return undefined;
}

/** Returns what is between the first and the last quote. */
function quoted(text: string): string {
  return text.slice(text.indexOf("'") + 1, text.lastIndexOf("'"));
}

function badOption(message: string, hint?: string): TicksError {
  return new TicksError("BAD_OPTION", printable(message), hint);
}

/** Returns what may be meant by an option that a command does not have. */
function meantOption(flag: string, { command, commands }: Usage): string | undefined {
  const owners = commands.filter(({ options }) => options.some((option) => isCalled(option, flag)));
  if (owners.length > 0) return `it is an option of ${owners.map((one) => one.name()).join(", ")}`;
  const known = [command, command.parent].flatMap((one) => one?.options ?? []);
  const names = known.flatMap(({ long }) => long ?? []).map((long) => long.replace(/^--/, ""));
  const [near] = nearNames(flag.replace(/^-+/, ""), [...names, "help"], 1);
  return near && `did you mean --${near}?`;
}

function isCalled({ short, long }: Option, flag: string): boolean {
  return short === flag || long === flag;
}

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
export function usageError({ message }: CommanderError, usage: Usage): TicksError {
  const text = message.replace(/^error: /, "");
  const name = `ticks ${usage.command.name()}`;
  const [, unknown] = /^unknown option '(.*?)(?:=.*)?'$/s.exec(text) ?? [];
  if (unknown !== undefined) {
    const meant = meantOption(unknown, usage);
    const hint = meant === undefined ? "" : `; ${meant}`;
    return badOption(`unknown option ${unknown}${hint}`, `All options: ${name} --help`);
  }
  const [, flags, value, reason] = /^option '(.*?)' argument '(.*)' is invalid\. (.*)$/s.exec(text) ?? [];
  if (flags !== undefined) {
    const option = usage.command.options.find((one) => one.flags === flags);
    const [near] = nearNames(value!, option?.argChoices ?? [], 1);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    return badOption(`${longNameOf(flags)} ${value}: ${reason}${hint}`);
  }
  const [, lacking] = /^option '(.*)' argument missing$/s.exec(text) ?? [];
  if (lacking !== undefined) return badOption(`${longNameOf(lacking)} needs a value: ${lacking}`);
  const words = text
    .replace(/^missing required argument '(.*)'$/s, "missing $1")
    .replace(
      /^too many arguments .* Expected (\d+) arguments? but got (\d+)\.$/,
      "too many arguments: $2, not $1",
    )
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*)'\. (.*)$/s, "$2 $1: $3");
  return badOption(words, `Usage: ${name} ${usage.command.usage()}`);
}

function badOption(message: string, hint?: string): TicksError {
  return new TicksError("BAD_OPTION", printable(message), hint);
}

function longNameOf(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
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

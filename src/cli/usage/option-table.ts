import type { Argument, Command, Option } from "commander";

/** What a value on a command line is, as far as a shell can complete it. */
export type ValueKind = "text" | "choice" | "file" | "folder" | "log";

/** A value that an option or a command takes. */
export interface ValueRow {
  /** Its name in the help, such as `file`. */
  readonly name: string;
  readonly kind: ValueKind;
  /** All values there are; empty unless it is a choice. */
  readonly choices: readonly string[];
}

/** An option. */
export interface OptionRow {
  /** With its dash; undefined if there is none. */
  readonly short: string | undefined;
  /** With its dashes. */
  readonly long: string;
  /** As in the help: `-n, --limit <n>`. */
  readonly flags: string;
  /** Undefined for an option without a value. */
  readonly value: ValueRow | undefined;
  readonly description: string;
}

/** A command with its options, in the order of its help. */
export interface CommandUsage {
  readonly name: string;
  readonly summary: string;
  /** Its arguments, as in the help. */
  readonly usage: string;
  readonly values: readonly ValueRow[];
  /** Without those of all commands. */
  readonly options: readonly OptionRow[];
}

/** A program with all its commands. */
export interface ProgramUsage {
  readonly summary: string;
  /** The name of the command that runs if none is named. */
  readonly defaultCommand: string;
  /** The options of all commands. */
  readonly options: readonly OptionRow[];
  readonly commands: readonly CommandUsage[];
}

/** Returns what the help of a program and of its commands says, as a table. The commands must have their options. */
export function optionTable(program: Command): ProgramUsage {
  const help = program.createHelp();
  const names = program.commands.map((command) => command.name());
  const options = help.visibleOptions(program).flatMap(optionRow);
  const isOwn = ({ long }: OptionRow) => options.every((option) => option.long !== long);
  return {
    summary: program.description(),
    defaultCommand: names[0]!,
    options,
    commands: program.commands.map((command) => ({
      name: command.name(),
      summary: command.description(),
      usage: command.usage(),
      values: command.registeredArguments.map((argument) => argumentRow(argument, names)),
      options: help.visibleOptions(command).flatMap(optionRow).filter(isOwn),
    })),
  };
}

function optionRow(option: Option): OptionRow[] {
  const { short, long, flags, description, argChoices } = option;
  if (long === undefined) return [];
  const value = flags.search(/[<[]/);
  return [
    {
      short,
      long,
      flags,
      value: value < 0 ? undefined : valueRow(flags.slice(value).replace(/[<>[\]]/g, ""), argChoices),
      description: withDefault(description, option),
    },
  ];
}

function withDefault(description: string, { defaultValue, argChoices, negate, long }: Option): string {
  const parts = argChoices === undefined ? [] : [argChoices.join(", ")];
  const isValue = typeof defaultValue === "string" || typeof defaultValue === "number";
  if (isValue && !negate && long !== undefined) parts.push(`default: ${defaultValue}`);
  return parts.length === 0 ? description : `${description} (${parts.join("; ")})`;
}

function argumentRow(argument: Argument, commands: readonly string[]): ValueRow {
  const name = argument.name();
  if (name === "command") return { name, kind: "choice", choices: commands };
  return /^LOG/.test(name) ? { name, kind: "log", choices: [] } : valueRow(name, argument.argChoices);
}

function valueRow(name: string, choices: readonly string[] = []): ValueRow {
  if (choices.length > 0) return { name, kind: "choice", choices };
  const kind = /file|path/i.test(name) ? "file" : /dir/i.test(name) ? "folder" : "text";
  return { name, kind, choices };
}

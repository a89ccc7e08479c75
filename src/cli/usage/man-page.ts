import type { Command } from "commander";
import { type OptionRow, optionTable } from "./option-table.js";

/** What so many commands have is described once, for all of them. */
const SHARED = 5;

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  [
    "TICKS_PAGER, PAGER",
    "The program that shows long reports on a terminal. If it is empty or cat, there is none.",
  ],
  ["LESS", "Options of less. If it is not set, ticks sets it to FRX."],
  ["NO_COLOR", "If it is not empty, reports have no colours."],
];

/** Returns the manual page of a program whose commands have their options. Source: man(7). */
export function manPage(program: Command, version: string): string {
  const { summary, commands, options } = optionTable(program);
  const details = new Map(program.commands.map((command) => [command.name(), paragraphsOf(command)]));
  const known = paragraphsOf(program);
  const owners = ownersOf(commands.map(({ name, options: own }) => [name, own.map(keyOf)]));
  const tellers = ownersOf(details);
  const isShared = (users: ReadonlyMap<string, readonly string[]>, key: string) =>
    users.get(key)!.length >= SHARED;
  const lines = [
    `.TH TICKS 1 "" "ticks ${roff(version)}" "User Commands"`,
    ".SH NAME",
    `ticks \\- ${roff(summary.replace(/^S/, "s").replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    ".B ticks",
    roff(program.usage()),
    ".SH DESCRIPTION",
    ...known.flatMap(paragraph).slice(1), // The heading is enough before the first one.
    ".SH OPTIONS OF ALL COMMANDS",
    ...options.flatMap((option) => described(option)),
    ".SH COMMANDS",
  ];
  const shared = new Map<string, OptionRow>();
  for (const { name, usage, summary: about, options: own } of commands) {
    lines.push(
      `.SS ticks ${name} ${roff(usage)}`,
      roff(`${about.charAt(0).toUpperCase()}${about.slice(1)}.`),
    );
    for (const option of own) {
      if (isShared(owners, keyOf(option))) shared.set(keyOf(option), option);
      else lines.push(...described(option));
    }
    const told = details.get(name)!.filter((text) => !known.includes(text) && !isShared(tellers, text));
    lines.push(...told.flatMap(paragraph));
  }
  lines.push(".SH OPTIONS OF SEVERAL COMMANDS");
  for (const [key, option] of shared) lines.push(...described(option, `Of ${owners.get(key)!.join(", ")}.`));
  const common = Array.from(tellers.keys()).filter(
    (text) => isShared(tellers, text) && !known.includes(text),
  );
  lines.push(...common.flatMap(paragraph), ".SH ENVIRONMENT");
  for (const [name, text] of ENVIRONMENT) lines.push(".TP", `.B ${roff(name)}`, roff(text));
  lines.push(".SH SEE ALSO", ".BR node (1),", ".BR less (1)");
  return `${lines.join("\n")}\n`;
}

/** Returns, by key, the names that have it. */
function ownersOf(rows: Iterable<readonly [string, readonly string[]]>): Map<string, string[]> {
  const owners = new Map<string, string[]>();
  for (const [name, keys] of rows) {
    for (const key of keys) {
      const others = owners.get(key);
      if (others === undefined) owners.set(key, [name]);
      else others.push(name);
    }
  }
  return owners;
}

function keyOf({ flags, description }: OptionRow): string {
  return `${flags}\n${description}`;
}

/** Returns what the help of a command says below its options. */
function paragraphsOf(command: Command): string[] {
  let help = "";
  const previous = command.configureOutput();
  command.configureOutput({ ...previous, writeOut: (text) => (help += text) }).outputHelp();
  command.configureOutput(previous);
  const below = help.slice(command.helpInformation().length).split(/\n{2,}/);
  return below.map((text) => text.replace(/^\n+/, "").trimEnd()).filter((text) => text !== "");
}

function described({ flags, description }: OptionRow, note = ""): string[] {
  const text = `${description.charAt(0).toUpperCase()}${description.slice(1)}. ${note}`.trim();
  return [".TP", `.B ${roff(flags)}`, roff(text)];
}

/** The shortest width that paragraphs of a help are filled to. */
const FILLED = 66;

/** Returns a paragraph filled, or as it is if it is a list of commands or the like. */
function paragraph(text: string): string[] {
  const lines = text.split("\n");
  const isList = lines.some((line) => line.startsWith(" ")) || lines.every((line) => line.length < FILLED);
  const all = lines.map(roff);
  return isList ? [".PP", ".nf", ...all, ".fi"] : [".PP", ...all];
}

/** Returns one line of text with all that roff would read as a request or a character of its own. */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^[.']/, "\\&$&")
    .replace(
      /[^ -~]/gu,
      (character) => `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
    );
}

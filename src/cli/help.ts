import { badOption } from "../base/errors.js";
import { wrapped } from "../render/width.js";
import { type CommandRow, GROUPS, namesOf, type OptionRow } from "../reports/command-row.js";
import type { Question } from "./arguments.js";
import { COMMANDS, commandNamed, commandNames } from "./commands.js";
import {
  allOptionsHint,
  COMMON,
  described,
  HELP_SUMMARY,
  ownOptions,
  sharedOptions,
  TOPICS,
  type Topic,
  usageOf,
} from "./options.js";

/** What the program is for, and how to start. */
export const ABOUT = "Show where a Node.js program spends its CPU time.";

/** What everybody types first. */
export const FIRST_STEPS: readonly (readonly [string, string])[] = [
  ["ticks record -- node app.js", "record a program"],
  ["ticks", "show what to look at first"],
];

export const LOGS = `LOG is a log, a folder of logs, or - for standard input. Several logs make one
report. Without LOG, ticks reads what was recorded last in the current folder.
LOG may also be a profile: .cpuprofile (node --cpu-prof), .heapprofile
(--heap-prof), Chrome trace or pprof.`;

export const EXIT_STATUS = `Exit status: 0 done; 1 a check failed (--strict, check, doctor, redact --check,
or a name that was not found); 2 error: bad usage or unreadable input.`;

/** Columns of the help where they are not those of a terminal. */
const USUAL_WIDTH = 80;

/** Returns the width of texts that begin in a column. */
function widthFrom(column: number): number {
  return Math.max((process.stdout.columns ?? USUAL_WIDTH) - column, USUAL_WIDTH / 2);
}

function programHelp(): string {
  const rows = [...COMMANDS, { name: "help", group: "Other", summary: HELP_SUMMARY }];
  const width = Math.max(...rows.map(({ name }) => name.length));
  const groups = GROUPS.map((group) => {
    const items = rows
      .filter((row) => row.group === group)
      .map(({ name, summary }) => item(name, summary, width));
    return `${group}:\n${items.join("\n")}`;
  });
  const step = Math.max(...FIRST_STEPS.map(([line]) => line.length));
  return paragraphs([
    "Usage: ticks [command] [options] [LOG...]",
    `${ABOUT} Start with:`,
    FIRST_STEPS.map(([line, about]) => item(line, about, step)).join("\n"),
    ...groups,
    LOGS,
    `More on a command: ticks COMMAND --help; on options that many share: ticks help
TOPIC, one of ${TOPICS.map(({ name }) => name).join(", ")}.`,
    EXIT_STATUS,
  ]);
}

/**
 * Returns the help of a command; `isAll`: with the options that commands share in full. The command of the name of a topic has it
 * in full anyway.
 */
async function commandHelp(row: CommandRow, asked: { readonly isAll: boolean }): Promise<string> {
  const isAll = asked.isAll || TOPICS.some(({ name }) => name === row.name);
  const own = ownOptions(row).filter(({ isHidden }) => !isHidden);
  const shared = sharedOptions(row);
  const width = isAll ? ALL_COLUMN : Math.min(LONGEST_TERM, longest([...own, ...COMMON]));
  const common = COMMON.filter(({ flags }) => flags !== "--no-pager");
  const topics = isAll
    ? shared.flatMap(({ topic, options }) => [
        `${topic.title}:\n${options.map((one) => optionItem(one, width)).join("\n")}`,
        topic.details ?? "",
      ])
    : [shared.map(({ topic, options }) => topicLine(topic, options)).join("\n")];
  const more = allOptionsHint(row);
  return paragraphs([
    `Usage: ticks ${row.name}${row.args === "" ? "" : ` ${usageOf(row)}`}`,
    sentence(row.summary),
    ...optionGroups(own, width),
    ...topics,
    ...(isAll ? [`Also:\n${common.map((one) => optionItem(one, width)).join("\n")}`] : []),
    shared.length > 0 && !isAll ? more : "",
    ...(await belowOptions(row)),
    `Examples:\n${row.examples.map((line) => `  ticks ${line}`).join("\n")}`,
  ]);
}

function topicHelp(topic: Topic): string {
  const options = topic.options.filter(({ isHidden }) => !isHidden);
  const width = Math.min(LONGEST_TERM, longest(options));
  const users = COMMANDS.filter((row) => sharedOptions(row).some((one) => one.topic === topic));
  return paragraphs([
    wrapped(`${topic.title}: options of ${users.map(({ name }) => name).join(", ")}`, widthFrom(0)).join(
      "\n",
    ),
    options.map((one) => optionItem(one, width)).join("\n"),
    topic.details ?? "",
  ]);
}

/** Returns the line of a topic in the help of a command: as many of the options as fit. */
function topicLine({ name, title }: Topic, options: readonly OptionRow[]): string {
  const flags = options.map((one) => namesOf(one).long);
  const lineOf = (words: readonly string[]) => `${title}: ${words.join(" ")} (ticks help ${name})`;
  if (lineOf(flags).length <= USUAL_WIDTH) return lineOf(flags);
  const count = flags.findLastIndex((_, i) => lineOf([...flags.slice(0, i), "…"]).length <= USUAL_WIDTH);
  return lineOf([...flags.slice(0, Math.max(1, count)), "…"]);
}

/** Returns own options of a command, as groups with their headings. */
function optionGroups(options: readonly OptionRow[], width: number): string[] {
  const groups: { readonly title: string; readonly items: string[] }[] = [];
  for (const one of options) {
    if (groups.length === 0 || one.heading !== undefined)
      groups.push({ title: one.heading ?? "Options", items: [] });
    groups.at(-1)!.items.push(optionItem(one, width));
  }
  return groups.map(({ title, items }) => `${title}:\n${items.join("\n")}`);
}

/** A longer term has a line of its own. */
const LONGEST_TERM = 26;
const ALL_COLUMN = 28;

function longest(options: readonly OptionRow[]): number {
  return Math.max(...options.map(({ flags }) => flags.length).filter((length) => length <= LONGEST_TERM));
}

function optionItem(row: OptionRow, width: number): string {
  return item(row.flags, described(row), width);
}

/** Returns a term and, in a column beside it, what it is. */
function item(term: string, about: string, width: number): string {
  const column = width + 4;
  const start = term.length > width ? `  ${term}\n${" ".repeat(column)}` : `  ${term.padEnd(width)}  `;
  return start + wrapped(about, widthFrom(column)).join(`\n${" ".repeat(column)}`);
}

/** Returns what the help of a command says below its options. */
export async function belowOptions({ details, list }: CommandRow): Promise<string[]> {
  const rows = (await list?.rows()) ?? [];
  const width = Math.max(...rows.map(({ name }) => name.length));
  const items = rows.map(({ name, description }) => item(name, description, width));
  return [
    ...(details === undefined ? [] : [details]),
    ...(list === undefined ? [] : [`${list.title}:\n${items.join("\n")}`]),
  ];
}

/** Returns what a command does as a sentence. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

function paragraphs(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Returns the answer to a question for help. Throws a {@link TicksError} for a name that it does not know. */
export async function helpOn({ what, name }: Question): Promise<string> {
  if (name === undefined || name === "help") return programHelp();
  const row = commandNamed(name);
  if (row !== undefined) return commandHelp(row, { isAll: what === "help-all" });
  const topic = TOPICS.find((one) => one.name === name);
  if (topic !== undefined) return topicHelp(topic);
  const { unknownCommand } = await import("./usage/usage-errors.js"); // Only needed for an error.
  const topics = TOPICS.map((one) => one.name);
  const error = unknownCommand(name, { names: [...commandNames(), ...topics], before: "help " });
  throw error ?? badOption(`no command or topic ${name}`, "All of them: ticks help");
}

import type { OptionRow } from "../../reports/command-row.js";
import { COMMANDS } from "../commands.js";
import { ABOUT, belowOptions, EXIT_STATUS, FIRST_STEPS, LOGS, sentence } from "../help.js";
import { COMMON, described, ownOptions, sharedOptions, TOPICS, usageOf } from "../options.js";

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  [
    "TICKS_PAGER, PAGER",
    "The program that shows long reports on a terminal. If it is empty or cat, there is none.",
  ],
  ["LESS", "Options of less. If it is not set, ticks sets it to FRX."],
  ["NO_COLOR", "If it is not empty, reports have no colours."],
  [
    "FORCE_COLOR",
    "If it is set, reports have colours in a pipe too; 0 or false: nowhere. NO_COLOR and --color win.",
  ],
];

/** Returns the manual page, made of the table of commands. Source: man(7). */
export async function manPage(version: string): Promise<string> {
  const commands = COMMANDS.filter(({ group }) => group !== undefined);
  const lines = [
    `.TH TICKS 1 "" "ticks ${roff(version)}" "User Commands"`,
    ".SH NAME",
    `ticks \\- ${roff(ABOUT.replace(/^S/, "s").replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    ".B ticks",
    roff("[command] [options] [LOG...]"),
    ".SH DESCRIPTION",
    roff(`${ABOUT} Start with:`),
    ...paragraph(FIRST_STEPS.map(([line, about]) => `  ${line.padEnd(30)} ${about}`).join("\n")),
    ...paragraph(LOGS),
    ".SH COMMANDS",
  ];
  for (const row of commands) {
    lines.push(`.SS ticks ${row.name} ${roff(usageOf(row))}`, roff(sentence(row.summary)));
    for (const one of visible(ownOptions(row))) lines.push(...item(one));
    const shared = sharedOptions(row).map(({ topic }) => topic.title.toUpperCase());
    if (shared.length > 0)
      lines.push(".PP", roff(`It also takes options of ${shared.join(", ")}, see below.`));
    for (const text of (await belowOptions(row)).flatMap((one) => one.split(/\n{2,}/)))
      lines.push(...paragraph(text));
  }
  for (const topic of TOPICS) {
    const users = commands.filter((row) => sharedOptions(row).some((one) => one.topic === topic));
    lines.push(`.SH ${topic.title.toUpperCase()}`, roff(`Of ${users.map(({ name }) => name).join(", ")}.`));
    for (const one of visible(topic.options))
      if (!COMMON.some(({ flags }) => flags === one.flags)) lines.push(...item(one));
    for (const text of topic.details?.split(/\n{2,}/) ?? []) lines.push(...paragraph(text));
  }
  lines.push(".SH OPTIONS OF ALL COMMANDS", ...COMMON.flatMap(item), ".SH EXAMPLES");
  for (const [line, about] of FIRST_STEPS) lines.push(".TP", `.B ${roff(line)}`, roff(sentence(about)));
  for (const { examples, summary } of commands) {
    lines.push(".PP", roff(sentence(summary)), ".PP", ".nf");
    lines.push(...examples.map((line) => roff(`  ticks ${line}`)), ".fi");
  }
  lines.push(".SH ENVIRONMENT");
  for (const [name, text] of ENVIRONMENT) lines.push(".TP", `.B ${roff(name)}`, roff(text));
  lines.push(".SH EXIT STATUS", ...paragraph(EXIT_STATUS.replace("Exit status: ", "")).slice(1));
  lines.push(".SH SEE ALSO", ".BR node (1),", ".BR less (1)");
  return `${lines.join("\n")}\n`;
}

function visible(options: readonly OptionRow[]): readonly OptionRow[] {
  return options.filter(({ isHidden }) => !isHidden);
}

function item(row: OptionRow): string[] {
  return [".TP", `.B ${roff(row.flags)}`, roff(sentence(described(row)))];
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

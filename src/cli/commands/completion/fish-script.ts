import type { OptionRow, ProgramUsage, ValueRow } from "../../usage/option-table.js";

/** Yields the lines of a completion script for fish. */
export function* completionScript({ commands, options, defaultCommand }: ProgramUsage): Iterable<string> {
  const names = commands.map(({ name }) => name);
  yield `# fish completion of ticks
function __ticks_words
  for word in (commandline -opc)[2..-1]
    if test "$word" != --no-pager
      echo -- $word
    end
  end
end

function __ticks_is_first
  test (count (__ticks_words)) -eq 0
end

function __ticks_uses
  set -l words (__ticks_words)
  set -l command ${defaultCommand}
  if contains -- "$words[1]" ${names.join(" ")}
    set command $words[1]
  end
  contains -- $command $argv
end
`;
  for (const { name, summary } of commands) {
    yield `complete -c ticks -n __ticks_is_first -a ${name} -d ${quoted(summary)}`;
  }
  for (const { name, values } of commands) {
    const [value] = values;
    if (value?.kind === "choice") yield `complete -c ticks -n '__ticks_uses ${name}' -f ${actionFor(value)}`;
  }
  for (const option of options) yield `complete -c ticks ${optionWords(option)}`;
  for (const [words, users] of usersByOption(commands)) {
    yield `complete -c ticks -n '__ticks_uses ${users.join(" ")}' ${words}`;
  }
}

/** Returns, by option as fish wants it, the commands that have it. */
function usersByOption(commands: ProgramUsage["commands"]): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const { name, options } of commands) {
    for (const option of options) {
      const words = optionWords(option);
      const others = users.get(words);
      if (others === undefined) users.set(words, [name]);
      else others.push(name);
    }
  }
  return users;
}

function optionWords({ short, long, value, description }: OptionRow): string {
  const parts = short === undefined ? [] : [`-s ${short.slice(1)}`];
  parts.push(`-l ${long.slice(2)}`);
  if (value !== undefined) parts.push(value.kind === "file" ? "-r -F" : `-x ${actionFor(value)}`.trim());
  return [...parts, `-d ${quoted(description)}`].join(" ");
}

function actionFor({ kind, choices }: ValueRow): string {
  if (kind === "choice") return `-a ${quoted(choices.join(" "))}`;
  return kind === "folder" ? "-a '(__fish_complete_directories)'" : "";
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

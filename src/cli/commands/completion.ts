import { existsSync, statSync } from "node:fs";
import { badOption } from "../../base/errors.js";
import { printable } from "../../base/shown-text.js";
import { allLogsIn, isFolder } from "../../io/find-logs.js";
import { logSize } from "../../io/input.js";
import { writeLines } from "../../io/output.js";
import { type CommandRow, namesOf } from "../../reports/command-row.js";
import { oneOf, UnfitValue } from "../../reports/option-values.js";
import { COMMANDS, commandNamed, commandNames, DEFAULT_COMMAND } from "../commands.js";
import { allOptions, BEFORE_COMMAND, COMMON, described, HELP_SUMMARY, TOPICS } from "../options.js";

/** What the shell completes itself. */
type Files = "log" | "file" | "folder" | "command";

/** What can stand for the last word of a command line. */
interface Completions {
  /** With what they are. */
  readonly words: readonly (readonly [word: string, about: string])[];
  readonly files?: Files | undefined;
}

const NOTHING: Completions = { words: [] };

/**
 * Runs `ticks complete`: prints a line for each word that can stand for the last one, with a tab before what it is; then
 * `:log`, `:file`, `:folder` or `:command` if such a name can stand there too. After `--format=`, prints values alone.
 */
export async function runComplete(words: readonly string[]): Promise<void> {
  const { words: found, files } = await completionsOf(joined(words));
  const lines = found.map(([word, about]) => `${word}\t${about}`);
  await writeLines(process.stdout, files === undefined ? lines : [...lines, `:${files}`]);
}

/** Returns words in which `--format=x` is one word: bash splits it at the `=`. */
function joined(words: readonly string[]): string[] {
  const all: string[] = [];
  for (const word of words) {
    const last = all.at(-1) ?? "";
    const isSplit = /^--[\w-]+=?$/.test(last) && (word === "=" || last.endsWith("="));
    if (isSplit) all[all.length - 1] = last + word;
    else all.push(word);
  }
  return all;
}

async function completionsOf(words: readonly string[]): Promise<Completions> {
  const typed = words.filter((word, i) => !BEFORE_COMMAND.has(word) || i === words.length - 1);
  const current = typed.at(-1) ?? "";
  const [first = ""] = typed;
  const starting = (all: Completions["words"]) => all.filter(([word]) => word.startsWith(current));
  if (typed.length < 2 && !current.startsWith("-")) {
    const known = COMMANDS.filter(({ group }) => group !== undefined);
    const commands = known.map(({ name, summary }) => [name, summary] as const);
    return {
      words: starting([...commands, ["help", HELP_SUMMARY]]),
      files: "log",
    };
  }
  if (first === "help") {
    const topics = TOPICS.map(({ name }) => name);
    return { words: starting([...commandNames(), ...topics].map((name) => [name, ""])) };
  }
  const named = commandNamed(first);
  const row = named ?? DEFAULT_COMMAND;
  const wrapped = row.isWrapper ? typed.indexOf("--") : -1;
  if (wrapped > 0 && wrapped < typed.length - 1)
    return { words: [], files: wrapped === typed.length - 2 ? "command" : "file" };
  const given = /^(--[\w-]+)=(.*)$/s.exec(current);
  if (given !== null) return valuesOf(row, given[1]!, given[2]!) ?? NOTHING;
  const value = valuesOf(row, typed.at(-2) ?? "", current);
  if (value !== undefined) return value;
  if (current.startsWith("-")) {
    const shown = [...allOptions(row), ...COMMON.slice(1)].filter(({ isHidden }) => !isHidden);
    return { words: starting(shown.map((one) => [namesOf(one).long, described(one)])) };
  }
  if (row.name === "completion") return { words: starting(SHELLS.map((shell) => [shell, ""])) };
  if (row.isWrapper) return { words: [], files: typed.length === 2 ? "command" : "file" };
  if (row.name === "function" || row.name === "lines")
    return { words: await namesIn(typed.slice(1, -1), current, row.name), files: "log" };
  return row.args === "" ? NOTHING : { words: [], files: "log" };
}

/** Larger logs take too long to read for a key. */
const MOST_BYTES = 20e6;
/** As many bytes of a log are one, compressed. */
const PACKED = 10;
/** More names are too many to choose from. */
const MOST_NAMES = 200;

/** What a shell need not quote. */
const PLAIN = /^[\w$.:#-]+$/;

/** Returns the names that begin so of functions, or of files with lines, in the logs among some words, hottest first. */
async function namesIn(
  words: readonly string[],
  start: string,
  of: "function" | "lines",
): Promise<Completions["words"]> {
  const logs = words.filter((word) => existsSync(word));
  const paths = logs.flatMap((log) => (isFolder(log) ? allLogsIn(log) : [log]));
  const bytes = paths.reduce((sum, path) => sum + (logSize(path) ?? PACKED * statSync(path).size), 0);
  if (paths.length === 0 || bytes > MOST_BYTES) return [];
  const { loadView } = await import("../load-profile.js");
  const { hottestFiles, hottestFunctions } = await import("../../facts/function-search.js");
  const flags = { color: "never", sourceMaps: true, inferred: true, cache: true } as const;
  const { profile } = await loadView(logs, flags, { lines: false, inOneThread: true });
  const { table, functionTicks } = profile;
  const names =
    of === "lines"
      ? hottestFiles(table, functionTicks)
      : hottestFunctions(table, functionTicks, Number.POSITIVE_INFINITY);
  const found = names.filter((name) => name.startsWith(start) && PLAIN.test(name));
  return found.slice(0, MOST_NAMES).map((name) => [name, ""]);
}

/** Returns what the value of an option can be; undefined for what is no option with a value. */
function valuesOf(row: CommandRow, flag: string, current: string): Completions | undefined {
  const option = allOptions(row).find((one) => flag === namesOf(one).long || flag === namesOf(one).short);
  const name = option === undefined ? undefined : namesOf(option).value;
  if (option === undefined || name === undefined) return undefined;
  const choices = option.choices ?? [];
  if (choices.length > 0)
    return { words: choices.filter((choice) => choice.startsWith(current)).map((choice) => [choice, ""]) };
  if (/baseline/.test(name)) return { words: [], files: "log" };
  return { words: [], files: /file|path/.test(name) ? "file" : /dir/.test(name) ? "folder" : undefined };
}

/** The shells that have a completion script. */
const SHELLS = ["bash", "zsh", "fish"] as const;

export async function runCompletion([shell = ""]: readonly string[]): Promise<void> {
  try {
    await writeLines(process.stdout, SCRIPTS[oneOf(shell, SHELLS) as (typeof SHELLS)[number]].split("\n"));
  } catch (error) {
    if (!(error instanceof UnfitValue)) throw error;
    throw badOption(printable(`SHELL ${shell}: ${error.message}`));
  }
}

/** The scripts ask `ticks complete` for each word, and complete the names of files themselves. */
const SCRIPTS = {
  // For bash 3.2 and later. Needs no other scripts.
  bash: `# bash completion of ticks
_ticks_add() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done
}

_ticks_files() {
  _ticks_add < <(compgen -f -- "$current")
}

_ticks_logs() {
  local log
  _ticks_add < <({
    for log in .log .log.gz .log.zst .log.br .cpuprofile; do compgen -f -X "!*$log" -- "$current"; done
    compgen -d -- "$current"
  } | awk '!seen[$0]++')
  if [[ \${#COMPREPLY[@]} -eq 0 ]]; then _ticks_add < <(compgen -f -- "$current"); fi
}

_ticks() {
  local current=\${COMP_WORDS[COMP_CWORD]} line
  if [[ $current == = ]]; then current=; fi
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :log) _ticks_logs ;;
      :file) _ticks_files ;;
      :command) _ticks_add < <(compgen -c -- "$current" | sort -u) && _ticks_files ;;
      :folder) _ticks_add < <(compgen -d -- "$current") ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}

complete -o filenames -F _ticks ticks`,
  // To be sourced, or to be the file \`_ticks\` in the fpath.
  zsh: `#compdef ticks

_ticks() {
  local line files
  local -a found
  while IFS= read -r line; do
    case $line in
      :*) files=$line ;;
      *) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done < <("$words[1]" complete -- "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2> /dev/null)
  compset -P '--[^=]##='
  (( $#found )) && _describe -t words word found
  case $files in
    :log) _files -g '*.(log(|.gz|.zst|.br)|cpuprofile)(-.)' || _files ;;
    :file) _files ;;
    :command) _command_names -e; _files ;;
    :folder) _files -/ ;;
  esac
}

if [[ $funcstack[1] == _ticks ]]; then
  _ticks "$@"
else
  compdef _ticks ticks
fi`,
  fish: `# fish completion of ticks
function __ticks_complete
  set -l current (commandline -ct)
  set -l before (string match -r -- '^--[^=]+=' $current)
  set -l words (commandline -opc)
  for line in ($words[1] complete -- $words[2..-1] "$current" 2> /dev/null)
    switch $line
      case ':log' ':file'
        __fish_complete_path (string replace -- "$before" '' "$current")
      case ':command'
        __fish_complete_command
        __fish_complete_path "$current"
      case ':folder'
        __fish_complete_directories (string replace -- "$before" '' "$current")
      case '*'
        echo "$before$line"
    end
  end
end

complete -c ticks -f -a '(__ticks_complete)'`,
} as const;

import type { OptionRow, ProgramUsage, ValueRow } from "../../usage/option-table.js";

/** Yields the lines of a completion script for bash 3.2 and later. Needs no other scripts. */
export function* completionScript({ commands, options, defaultCommand }: ProgramUsage): Iterable<string> {
  const names = commands.map(({ name }) => name);
  yield `# bash completion of ticks
_ticks_add() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done
}

_ticks_words() {
  _ticks_add < <(compgen -W "$1" -- "$current")
}

_ticks_files() {
  _ticks_add < <(compgen -f -- "$current")
}

_ticks_folders() {
  _ticks_add < <(compgen -d -- "$current")
}

_ticks_logs() {
  local log
  for log in .log .log.gz .log.zst .log.br; do
    _ticks_add < <(compgen -f -X "!*$log" -- "$current")
  done
  _ticks_folders
  if [[ \${#COMPREPLY[@]} -eq 0 ]]; then _ticks_files; fi
}

_ticks() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command=${defaultCommand} first=1
  COMPREPLY=()
  # Bash splits --format=json at the "=".
  if [[ $current == = ]]; then current=
  elif [[ $previous == = && COMP_CWORD -gt 2 ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [[ \${COMP_WORDS[1]} == --no-pager && COMP_CWORD -gt 1 ]]; then first=2; fi
  if [[ $COMP_CWORD -eq $first && $current != -* ]]; then
    _ticks_words '${names.join(" ")}'
    _ticks_logs
    return
  fi
  case \${COMP_WORDS[first]} in
    ${names.join("|")}) command=\${COMP_WORDS[first]} ;;
  esac
  case $command,$previous in`;
  for (const [action, words] of valuesByAction(commands))
    yield `    ${words.join("|")}) ${action}; return ;;`;
  yield `  esac
  if [[ $current == -* ]]; then
    case $command in`;
  for (const { name, options: own } of commands) {
    yield `      ${name}) _ticks_words '${[...own, ...options].flatMap(wordsOf).join(" ")}' ;;`;
  }
  yield `    esac
    return
  fi
  case $command in`;
  for (const { name, values } of commands) {
    const actions = new Set(values.map(actionFor));
    if (actions.size > 0) yield `    ${name}) ${Array.from(actions).join("; ")} ;;`;
  }
  yield `  esac
}

complete -o filenames -F _ticks ticks`;
}

/** Returns, by action, the commands and options whose values it completes. */
function valuesByAction(commands: ProgramUsage["commands"]): ReadonlyMap<string, readonly string[]> {
  const byAction = new Map<string, string[]>();
  for (const { name, options } of commands) {
    for (const option of options) {
      if (option.value === undefined) continue;
      const action = actionFor(option.value);
      const words = byAction.get(action) ?? [];
      byAction.set(action, words);
      words.push(...wordsOf(option).map((word) => `${name},${word}`));
    }
  }
  return byAction;
}

function wordsOf({ short, long }: OptionRow): string[] {
  return [short, long].filter((word) => word !== undefined);
}

function actionFor({ kind, choices }: ValueRow): string {
  switch (kind) {
    case "choice":
      return `_ticks_words '${choices.join(" ")}'`;
    case "file":
      return "_ticks_files";
    case "folder":
      return "_ticks_folders";
    case "log":
      return "_ticks_logs";
    case "text":
      return ":";
  }
}

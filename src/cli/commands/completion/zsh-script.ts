import type { OptionRow, ProgramUsage, ValueRow } from "../../usage/option-table.js";

/** Yields the lines of a completion script for zsh: to be sourced, or to be the file `_ticks` in the fpath. */
export function* completionScript({ commands, options, defaultCommand }: ProgramUsage): Iterable<string> {
  yield `#compdef ticks

_ticks_logs() {
  _files -g '*.log(|.gz|.zst|.br)(-.)' || _files
}

_ticks() {
  local command=${defaultCommand}
  local -a commands=(`;
  for (const { name, summary } of commands) yield `    ${quoted(`${name}:${summary}`)}`;
  yield `  )
  if [[ $words[2] == --no-pager ]] && (( CURRENT > 2 )); then
    shift words
    (( CURRENT-- ))
  fi
  if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then
    _describe -t commands command commands
    _ticks_logs
    return
  fi
  case $words[2] in
    ${commands.map(({ name }) => name).join("|")})
      command=$words[2]
      shift words
      (( CURRENT-- ))
      ;;
  esac
  case $command in`;
  for (const { name, options: own, values } of commands) {
    yield `    ${name})
      _arguments -s -S \\`;
    for (const option of [...own, ...options]) yield `        ${optionSpec(option)} \\`;
    for (const [i, value] of values.entries()) {
      const place = i === values.length - 1 ? "*" : String(i + 1);
      yield `        ${quoted(`${place}:${value.name}:${actionFor(value)}`)} \\`;
    }
    yield `        && return
      ;;`;
  }
  yield `  esac
}

if [[ $funcstack[1] == _ticks ]]; then
  _ticks "$@"
else
  compdef _ticks ticks
fi`;
}

/** Returns an argument of `_arguments`. Source: zsh, zshcompsys(1), `_arguments`. */
function optionSpec({ short, long, value, description }: OptionRow): string {
  const about = `[${description.replace(/[\\[\]]/g, "\\$&")}]`;
  const takes = value === undefined ? "" : `:${escaped(value.name)}:${actionFor(value)}`;
  const after = value === undefined ? "" : "=";
  if (short === undefined) return quoted(`*${long}${after}${about}${takes}`);
  return `${quoted("*")}{${short}${value === undefined ? "" : "+"},${long}${after}}${quoted(about + takes)}`;
}

function actionFor({ kind, choices }: ValueRow): string {
  switch (kind) {
    case "choice":
      return `(${choices.join(" ")})`;
    case "file":
      return "_files";
    case "folder":
      return "_files -/";
    case "log":
      return "_ticks_logs";
    case "text":
      return " ";
  }
}

function escaped(text: string): string {
  return text.replaceAll(":", "\\:");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

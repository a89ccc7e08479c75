/** A function's logged name taken apart. */
export interface FunctionPlace {
  /** Empty for an anonymous function. */
  readonly name: string;
  /** As logged: a URL, a path, `node:fs`; empty for code without one; undefined when no place was logged. */
  readonly file: string | undefined;
  /** Counted from 1. */
  readonly line: number | undefined;
  /** Counted from 1. */
  readonly column: number | undefined;
}

// handler file:///srv/app.js:10:5
// vvvvvvvvvvvvvvvvvvvvvvvvvv vv v
const PLACED = /^(.*):(\d+):(\d+)$/s;

/** Where a script's name begins, when it can be told from a function's name with spaces in it. */
const SCRIPT_START =
  /(?:^| )(?=(?:file:\/\/|node:|https?:\/\/|wasm:\/\/|evalmachine\.|\/|[A-Za-z]:[\\/]|\\\\))/;

/**
 * Takes apart what V8 logs for a function: its name, a space, `script:line:column`. Both the name and the script can
 * hold spaces; a script that begins as paths and URLs do is found all the same, for others the last space counts.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::CodeCreateEvent`.
 */
export function functionPlace(logged: string): FunctionPlace {
  const match = PLACED.exec(logged);
  if (match === null) return { name: logged, file: undefined, line: undefined, column: undefined };
  const [, head = "", line, column] = match;
  const start = SCRIPT_START.exec(head);
  const space = start === null ? head.lastIndexOf(" ") : start.index;
  const isNamed = space >= 0 && head[space] === " ";
  return {
    name: isNamed ? head.slice(0, space) : "",
    file: isNamed ? head.slice(space + 1) : head,
    line: Number(line),
    column: Number(column),
  };
}

import { LAST_POSITION } from "../limits.js";

/** A function's logged name taken apart. */
export interface LoggedName {
  /** Empty for an anonymous function. */
  readonly name: string;
  /** As logged: a URL, a path, `node:fs`; empty for code without one; undefined when no place was logged. */
  readonly file: string | undefined;
  /** Counted from 1. */
  readonly line: number | undefined;
  /** Counted from 1. */
  readonly column: number | undefined;
}

/** Where a script's name begins, when it can be told from a function's name with spaces in it. */
const SCRIPT_START =
  /(?:^| )(?=(?:file:\/\/|node:|https?:\/\/|wasm:\/\/|evalmachine\.|\/|[A-Za-z]:[\\/]|\\\\))/;

/**
 * Takes apart what V8 logs for a function: its name, a space, `script:line:column`. Both the name and the script can
 * hold spaces; a script that begins as paths and URLs do is found all the same, for others the last space counts.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::CodeCreateEvent`.
 */
export function parseLoggedName(logged: string): LoggedName {
  // handler file:///srv/app.js:10:5
  // vvvvvvvvvvvvvvvvvvvvvvvvvv vv v
  const columnAt = logged.lastIndexOf(":");
  const lineAt = columnAt > 0 ? logged.lastIndexOf(":", columnAt - 1) : -1;
  const line = lineAt < 0 ? undefined : position(logged, lineAt + 1, columnAt);
  const column = position(logged, columnAt + 1, logged.length);
  if (line === undefined || column === undefined) {
    return { name: logged, file: undefined, line: undefined, column: undefined };
  }
  const head = logged.slice(0, lineAt);
  const start = SCRIPT_START.exec(head);
  const space = start === null ? head.lastIndexOf(" ") : start.index;
  const isNamed = space >= 0 && head[space] === " ";
  return {
    name: isNamed ? head.slice(0, space) : "",
    file: isNamed ? head.slice(space + 1) : head,
    line,
    column,
  };
}

/** The digits of {@link LAST_POSITION}. */
const MOST_DIGITS = String(LAST_POSITION).length;

/** The number between two indices; undefined where there is none, or none that a script can have. */
function position(text: string, start: number, end: number): number | undefined {
  if (start >= end || end - start > MOST_DIGITS) return undefined;
  const digits = text.slice(start, end);
  if (!/^\d+$/.test(digits) || Number(digits) > LAST_POSITION) return undefined;
  return Number(digits);
}

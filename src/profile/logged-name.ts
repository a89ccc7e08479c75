import { LAST_POSITION } from "../limits.js";

/** The parts of a function's logged name. */
export interface LoggedName {
  /** Empty if the function is anonymous. */
  readonly name: string;
  /** As logged: a URL, a path, `node:fs`; empty for code without one; undefined if no position was logged. */
  readonly file: string | undefined;
  /** Counted from 1. */
  readonly line: number | undefined;
  /** Counted from 1. */
  readonly column: number | undefined;
}

/** The start of a script's name, where it is recognizable after a function's name with spaces. */
const SCRIPT_START =
  /(?:^| )(?=(?:file:\/\/|node:|https?:\/\/|wasm:\/\/|evalmachine\.|\/|[A-Za-z]:[\\/]|\\\\))/;

/**
 * Splits what V8 logs for a function: its name, a space, `script:line:column`. Both the name and the script
 * can contain spaces. A script that begins like a path or URL is found anyway; for others the last space
 * counts.
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

/** The number of digits of {@link LAST_POSITION}. */
const MOST_DIGITS = String(LAST_POSITION).length;

/** Returns the number between two indices; undefined if there is none or if no script can have it. */
function position(text: string, start: number, end: number): number | undefined {
  if (start >= end || end - start > MOST_DIGITS) return undefined;
  const digits = text.slice(start, end);
  if (!/^\d+$/.test(digits) || Number(digits) > LAST_POSITION) return undefined;
  return Number(digits);
}

import { LAST_POSITION } from "../base/limits.js";
import type { JsFrame } from "./frame.js";

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
  /<eval (?:#\d+|\w+)>|file:\/\/|node:|https?:\/\/|wasm:\/\/|evalmachine\.|\/|[A-Za-z]:[\\/]|\\\\/y;

/**
 * Splits what V8 logs for a function: its name, a space, `script:line:column`. Both the name and the script
 * can contain spaces. A script that begins like a path or URL is found anyway, and the name can have a path or
 * URL too, as in `GET /users/:id file:///srv/app.js:10:5`: the last one is the script. For other scripts the
 * last space counts.
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
  const { name, file } = splitScript(logged.slice(0, lineAt), SCRIPT_START);
  return { name, file, line, column };
}

/** The file of JavaScriptCore's own functions, which have none in its profiles. */
export const JSC_BUILTINS = "jsc:builtins";

/** What tells scripts of one name apart: `mod.js<2>` is the second one with another text. */
const SCRIPT_MARK = /<(\d+)>$/;
const EVALUATED = /^<eval #(\d+)>$/;

/** The name of a script without what tells it from others of the same name. */
interface ScriptName {
  /** Undefined for a script without a name. */
  readonly base: string | undefined;
  /** From 1. */
  readonly number: number;
}

/** Returns whether a file is none: code that was made from text, and has no name of its own. */
export function isEvaluated(file: string): boolean {
  return EVALUATED.test(file);
}

/** Splits the name of a script that {@link scriptName} made. */
export function splitScriptName(file: string): ScriptName {
  const evaluated = EVALUATED.exec(file)?.[1];
  if (evaluated !== undefined) return { base: undefined, number: Number(evaluated) };
  const number = SCRIPT_MARK.exec(file)?.[1];
  return number === undefined
    ? { base: file, number: 1 }
    : { base: file.slice(0, -number.length - 2), number: Number(number) };
}

/** Returns the name of a script that can share its name with others, or has none. */
export function scriptName({ base, number }: ScriptName): string {
  if (base === undefined) return `<eval #${number}>`;
  return number === 1 ? base : `${base}<${number}>`;
}

/** Returns the name of a function with the script `file` in place of `logged`; the name itself if that is not its script. */
export function inScript(name: string, logged: string, file: string): string {
  const end = name.lastIndexOf(":", name.lastIndexOf(":") - 1);
  const start = end - logged.length;
  if (start < 0 || !name.startsWith(logged, start) || (start > 0 && name[start - 1] !== " ")) return name;
  return `${name.slice(0, start)}${file}${name.slice(end)}`;
}

/** As {@link SCRIPT_START}, and V8's own scripts, as they were named while positions had no column. */
const OLD_SCRIPT_START =
  /file:\/\/|node:|https?:\/\/|wasm:\/\/|evalmachine\.|\/|[A-Za-z]:[\\/]|\\\\|native [\w-]+\.js$/y;

/**
 * Splits the name of a frame as {@link parseLoggedName} does. In V8 up to 3.20 the position is `script:line`,
 * and the code of a script is named like the script.
 *
 * Source: V8, src/log.cc, `Logger::CodeCreateEvent`.
 */
export function parseFrameName({ type, name: logged, lacksColumn, scriptAt }: JsFrame): LoggedName {
  if (!lacksColumn) {
    const parsed = parseLoggedName(logged);
    return scriptAt === undefined || parsed.file === undefined ? parsed : splitAt(logged, scriptAt, parsed);
  }
  const parsed = parseOldName(logged);
  const isScript = type === "Script" && parsed.file === undefined && logged !== "";
  return isScript ? { name: "", file: logged, line: 1, column: undefined } : parsed;
}

/** Splits a name as {@link parseLoggedName} does, but with a position without a column. */
export function parseOldName(logged: string): LoggedName {
  const lineAt = logged.lastIndexOf(":");
  const line = position(logged, lineAt + 1, logged.length);
  if (lineAt <= 0 || line === undefined) {
    return { name: logged, file: undefined, line: undefined, column: undefined };
  }
  return { ...splitScript(logged.slice(0, lineAt), OLD_SCRIPT_START), line, column: undefined };
}

/** Returns the parts of a name whose script is known to begin at an index. */
function splitAt(logged: string, scriptAt: number, parsed: LoggedName): LoggedName {
  const end = logged.lastIndexOf(":", logged.lastIndexOf(":") - 1);
  return { ...parsed, name: logged.slice(0, Math.max(0, scriptAt - 1)), file: logged.slice(scriptAt, end) };
}

/** Splits a function's name and its script; `scriptStart` is sticky. */
function splitScript(head: string, scriptStart: RegExp): { readonly name: string; readonly file: string } {
  let space = head.lastIndexOf(" ");
  // Code that is made of a text, as by `new Function`, has no script: its name ends with the space.
  if (space < head.length - 1) {
    let at = space;
    while (at >= 0 && !isAt(scriptStart, head, at + 1)) at = at > 0 ? head.lastIndexOf(" ", at - 1) : -1;
    // Without a function's name, the script can contain spaces.
    if (at >= 0 || isAt(scriptStart, head, 0)) space = at;
  }
  return { name: head.slice(0, Math.max(0, space)), file: head.slice(space + 1) };
}

/** Returns whether a sticky pattern matches at an index. */
function isAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index;
  return pattern.test(text);
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

import { existsSync } from "node:fs";
import { STDIN } from "../io/input.js";

/** The words of a command line that takes logs and then one thing to look for in them. */
export interface LogArguments {
  readonly logs: readonly string[];
  /** Undefined where there are but logs. */
  readonly wanted: string | undefined;
}

/** The last word is what is wanted, unless it is alone and names a log that is there. */
export function logArguments(words: readonly string[]): LogArguments {
  const last = words.at(-1);
  if (last === undefined) return { logs: [], wanted: undefined };
  if (words.length === 1 && (last === STDIN || existsSync(last))) return { logs: words, wanted: undefined };
  return { logs: words.slice(0, -1), wanted: last };
}

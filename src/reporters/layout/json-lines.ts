import { jsonText } from "../../views/shown-text.js";

/** A list or an object that is being written. */
interface Open {
  readonly end: "]" | "}";
  /** Of an object: the keys of the values. */
  readonly keys: readonly string[] | undefined;
  readonly values: readonly unknown[];
  next: number;
}

/**
 * The lines of a JSON document, as `JSON.stringify` would write it with two spaces for a level, each part as
 * {@link jsonText} has it. However much it is, it is in memory line by line, and it can be of any depth.
 */
export function* jsonLines(document: unknown): Iterable<string> {
  const textOf = oncePerLongText();
  const levels: Open[] = [];
  let line = "";
  let value = document;
  for (;;) {
    const opened = open(value);
    if (opened === undefined) line += textOf(value);
    else if (opened.values.length === 0) line += opened.keys === undefined ? "[]" : "{}";
    else {
      yield line + (opened.keys === undefined ? "[" : "{");
      levels.push(opened);
      line = lead(opened, levels.length);
      value = opened.values[opened.next++];
      continue;
    }
    let level = levels.at(-1);
    while (level !== undefined && level.next === level.values.length) {
      yield line;
      levels.pop();
      line = indent(levels.length) + level.end;
      level = levels.at(-1);
    }
    if (level === undefined) break;
    yield `${line},`;
    line = lead(level, levels.length);
    value = level.values[level.next++];
  }
  yield line;
}

/** From this length on a text is not written anew where it comes again; of so many characters in all. */
const LONG = 1000;
const KEPT_LENGTH = 1 << 24;

/** As {@link jsonText}: a log can have one long name in thousands of rows. */
function oncePerLongText(): (value: unknown) => string {
  const texts = new Map<string, string>();
  let kept = 0;
  return (value) => {
    if (typeof value !== "string" || value.length < LONG) return jsonText(value);
    let text = texts.get(value);
    if (text !== undefined) return text;
    text = jsonText(value);
    kept += text.length;
    if (kept > KEPT_LENGTH) {
      texts.clear();
      kept = text.length;
    }
    texts.set(value, text);
    return text;
  };
}

function open(value: unknown): Open | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return { end: "]", keys: undefined, values: value, next: 0 };
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return { end: "}", keys: entries.map(([key]) => key), values: entries.map(([, part]) => part), next: 0 };
}

/** What stands before the next value of a list or an object. */
function lead({ keys, next }: Open, depth: number): string {
  return keys === undefined ? indent(depth) : `${indent(depth)}${jsonText(keys[next])}: `;
}

function indent(depth: number): string {
  return "  ".repeat(depth);
}

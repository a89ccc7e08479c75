import { jsonText } from "../../views/shown-text.js";

/** The layout of a JSON document. */
export interface JsonLayout {
  /** Whether to indent levels and put each value on its own line. Default: false. */
  readonly pretty?: boolean | undefined;
}

/** A list or an object that is being written. */
interface Open {
  readonly end: "]" | "}";
  /** The keys of the values; undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly values: readonly unknown[];
  next: number;
}

/** Compact documents start a new line after this many characters. */
const LINE_LENGTH = 1 << 16;

/**
 * Yields the lines of a JSON document: pretty, like `JSON.stringify` with two spaces, or compact, in as few
 * lines as possible without keeping a large document in memory. Values are formatted by {@link jsonText}. The
 * document can have any size and depth.
 */
export function* jsonLines(document: unknown, { pretty = false }: JsonLayout = {}): Iterable<string> {
  const textOf = oncePerLongText();
  const levels: Open[] = [];
  let line = "";
  let value = document;
  for (;;) {
    const opened = open(value);
    if (opened === undefined) line += textOf(value);
    else if (opened.values.length === 0) line += opened.keys === undefined ? "[]" : "{}";
    else {
      line += opened.keys === undefined ? "[" : "{";
      levels.push(opened);
      if (pretty) {
        yield line;
        line = indent(levels.length);
      }
      line += keyOf(opened, pretty);
      value = opened.values[opened.next++];
      continue;
    }
    let level = levels.at(-1);
    while (level !== undefined && level.next === level.values.length) {
      levels.pop();
      if (pretty) {
        yield line;
        line = indent(levels.length);
      }
      line += level.end;
      level = levels.at(-1);
    }
    if (level === undefined) break;
    line += ",";
    if (pretty || line.length >= LINE_LENGTH) {
      yield line;
      line = pretty ? indent(levels.length) : "";
    }
    line += keyOf(level, pretty);
    value = level.values[level.next++];
  }
  yield line;
}

/** Texts longer than `LONG` are cached, up to `KEPT_LENGTH` characters in total. */
const LONG = 1000;
const KEPT_LENGTH = 1 << 24;

/**
 * Returns {@link jsonText} with a cache for long texts: a log can have one long name in thousands of rows.
 */
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

/** Returns the key of the next value; empty in a list. */
function keyOf({ keys, next }: Open, pretty: boolean): string {
  return keys === undefined ? "" : `${jsonText(keys[next])}:${pretty ? " " : ""}`;
}

function indent(depth: number): string {
  return "  ".repeat(depth);
}

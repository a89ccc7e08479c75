import {
  LAST_POSITION,
  SOURCE_MAP_BYTES,
  SOURCE_MAP_DEPTH,
  SOURCE_MAP_NESTING,
  SOURCE_MAP_SECTIONS,
  SOURCE_MAP_VALUES,
} from "../limits.js";

/** A map without sections, and where it begins in the generated script, from 0. */
export interface MapPart {
  readonly line: number;
  readonly column: number;
  readonly sources: readonly (string | null)[];
  /** As long as `sources` or shorter; null where the map does not have the text. */
  readonly sourcesContent: readonly (string | null)[];
  readonly sourceRoot: string;
  readonly names: readonly (string | null)[];
  /** Not parsed yet. */
  readonly mappings: string;
}

/** Some servers begin a map with a line that starts like this, so that no page can run it as a script. */
const SHIELD = ")]}'";

/**
 * Reads the text of a source map and returns its parts in the order of where they begin. Throws an `Error`
 * that describes the fault if it does not have the shape of a source map; nothing is repaired.
 *
 * Source: ECMA-426, "Source map format" and "Index source map".
 */
export function readMapJson(text: string): readonly MapPart[] {
  if (text.length > SOURCE_MAP_BYTES) throw new Error("it is too long");
  const json = withoutShield(text);
  checkValues(json);
  const parts: MapPart[] = [];
  addParts(JSON.parse(json), { line: 0, column: 0 }, { parts, depth: 0 });
  return parts;
}

function withoutShield(text: string): string {
  if (!text.startsWith(SHIELD)) return text;
  const end = text.indexOf("\n");
  return end < 0 ? "" : text.slice(end + 1);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Throws if parsing the JSON would take many times its size in memory. */
function checkValues(json: string): void {
  let [depth, values] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) at = endOfString(json, at);
    // `[` and `{`, then `]` and `}`
    else if (character === 0x5b || character === 0x7b) {
      values++;
      if (++depth > SOURCE_MAP_NESTING) throw new Error("it is too deep");
    } else if (character === 0x5d || character === 0x7d) depth--;
  }
  if (values > SOURCE_MAP_VALUES) throw new Error("it has too many values");
}

/** Returns where the string that begins at an offset ends; the end of the text if it is not closed. */
function endOfString(json: string, start: number): number {
  let end = start;
  let isEscaped = true;
  while (isEscaped) {
    end = json.indexOf('"', end + 1);
    if (end < 0) return json.length;
    let slashes = 0;
    while (json.charCodeAt(end - slashes - 1) === BACKSLASH) slashes++;
    isEscaped = slashes % 2 === 1;
  }
  return end;
}

interface Offset {
  readonly line: number;
  readonly column: number;
}

/** The state of the walk over a map's sections. */
interface Walk {
  readonly parts: MapPart[];
  readonly depth: number;
}

function addParts(map: unknown, at: Offset, walk: Walk): void {
  const { version, file, sections } = objectOf(map, "the map");
  if (version !== 3 && version !== "3") throw new Error("its version is not 3");
  if (file !== undefined && file !== null) stringOf(file, "file");
  if (sections !== undefined) {
    addSections(sections, at, walk);
    return;
  }
  if (walk.parts.length === SOURCE_MAP_SECTIONS) throw new Error("it has too many sections");
  walk.parts.push(partOf(objectOf(map, "the map"), at));
}

function addSections(sections: unknown, at: Offset, { parts, depth }: Walk): void {
  if (depth === SOURCE_MAP_DEPTH) throw new Error("its sections are too deep");
  let last: Offset = at;
  for (const section of arrayOf(sections, "sections")) {
    const { offset, map, url } = objectOf(section, "a section");
    // The section would have to be fetched.
    if (url !== undefined) throw new Error("a section is in another file");
    const { line, column } = offsetOf(offset);
    // Only on its first line does a map count columns from where it begins.
    const start = { line: at.line + line, column: line === 0 ? at.column + column : column };
    if (start.line > LAST_POSITION || start.column > LAST_POSITION)
      throw new Error("a section is too far off");
    if (isBefore(start, last)) throw new Error("its sections are not in order");
    last = start;
    addParts(map, start, { parts, depth: depth + 1 });
  }
}

/** Returns whether one position is before another. */
export function isBefore(a: Offset, b: Offset): boolean {
  return a.line < b.line || (a.line === b.line && a.column < b.column);
}

function partOf(map: Readonly<Record<string, unknown>>, at: Offset): MapPart {
  return {
    ...at,
    sources: textsOf(map.sources, "sources"),
    sourcesContent: textsOf(map.sourcesContent ?? [], "sourcesContent"),
    sourceRoot: stringOf(map.sourceRoot ?? "", "sourceRoot"),
    names: textsOf(map.names ?? [], "names"),
    mappings: stringOf(map.mappings, "mappings"),
  };
}

function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new Error(`${what} is not an object`);
}

function arrayOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${what} is not an array`);
}

function stringOf(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new Error(`${what} is not a string`);
}

function textsOf(value: unknown, what: string): readonly (string | null)[] {
  const isText = (item: unknown): item is string | null => item === null || typeof item === "string";
  const texts = arrayOf(value, what);
  if (texts.every(isText)) return texts;
  throw new Error(`${what} has an entry that is not a string`);
}

function offsetOf(value: unknown): Offset {
  const { line, column } = objectOf(value, "the offset of a section");
  return { line: positionOf(line), column: positionOf(column) };
}

function positionOf(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= LAST_POSITION)
    return value;
  throw new Error("the offset of a section is not a position");
}

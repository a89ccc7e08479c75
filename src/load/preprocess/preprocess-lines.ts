import { jsonText, wholeJsonText } from "../../base/shown-text.js";
import { scriptText } from "../../log/rows/row-decoders.js";
import { ROOT } from "../../profile/call-tree.js";
import { clampedTime } from "../../profile/clamped-numbers.js";
import { type LoggedCode, NO_CODE, NO_FUNCTION, type PreprocessVisitor } from "./logged-code.js";
import type { NamedLibrary } from "./vm-symbols.js";

/**
 * Yields the lines of the JSON that `node --prof-process --preprocess` writes, one entry per line:
 *
 *     code       libraries, each followed by its C++ functions, and code, in the order of the log
 *     functions  the ids of each function's code
 *     ticks      time in µs, VM state in the numbers of the newest V8, and the stack, leaf first: pairs of
 *                the id of a code and the offset in it, or of -1 and an address outside all code
 *     scripts    by id, null if there is none
 *
 * `libraries` are those of the log, in its order. A builtin inside a library replaces the C++ function
 * at the same address.
 *
 * Node writes all functions of libraries, here only those on stacks are written: most of the file would be names
 * that no tick needs.
 *
 * Source: V8, tools/profile.mjs, `JsonProfile.writeJson`.
 */
export function* preprocessLines(
  log: PreprocessVisitor,
  libraries: readonly NamedLibrary[],
): Iterable<string> {
  const ids = new CodeIds(log, libraries);
  yield "{";
  yield* list("code", codeEntries(log, libraries, ids), ",");
  yield* list("functions", functionEntries(log, ids), ",");
  yield* list("ticks", tickEntries(log, ids), ",");
  yield* list("scripts", scriptEntries(log), "");
  yield "}";
}

function* list(key: string, entries: Iterable<string>, separator: string): Iterable<string> {
  yield `"${key}": [`;
  let last: string | undefined;
  for (const entry of entries) {
    if (last !== undefined) yield `${last},`;
    last = entry;
  }
  if (last !== undefined) yield last;
  yield `]${separator}`;
}

function* codeEntries(
  { codes }: PreprocessVisitor,
  libraries: readonly NamedLibrary[],
  ids: CodeIds,
): Iterable<string> {
  let written = 0;
  for (const code of codes) {
    while (written < code.libraries) yield* libraryEntries(libraries, written++, ids);
    if (!ids.replacements.has(ids.ofCode[code.number]!)) yield codeEntry(code);
  }
  while (written < libraries.length) yield* libraryEntries(libraries, written++, ids);
}

function* libraryEntries(libraries: readonly NamedLibrary[], index: number, ids: CodeIds): Iterable<string> {
  const named = libraries[index]!;
  yield jsonText({ name: named.library.path, type: "SHARED_LIB" });
  const first = ids.ofLibrary[index]! + 1;
  for (const [place, symbol] of ids.functionsOf[index]!.entries()) {
    const code = ids.replacements.get(first + place);
    yield code === undefined ? jsonText({ name: named.name(symbol), type: "CPP" }) : codeEntry(code);
  }
}

function codeEntry(code: LoggedCode): string {
  const { name, codeType, timestamp, tier } = code;
  const more = { source: sourceOf(code), deopt: deoptOf(code) };
  return code.function === NO_FUNCTION
    ? jsonText({ name, timestamp, type: "CODE", kind: codeType, ...more })
    : jsonText({ name, type: "JS", kind: tier, func: code.function, tm: timestamp, ...more });
}

function sourceOf({ source }: LoggedCode) {
  if (source === undefined) return undefined;
  const { script, start, end, positions, inlinings: inlined } = source.info;
  return { script, start, end, positions, inlined, fns: source.functions };
}

function deoptOf({ deopt }: LoggedCode) {
  if (deopt?.details === undefined) return undefined;
  const { inliningId, scriptOffset, position: posText, reason, kind: bailoutType } = deopt.details;
  return { tm: deopt.timestamp, inliningId, scriptOffset, posText, reason, bailoutType };
}

function* functionEntries({ functions }: PreprocessVisitor, { ofCode }: CodeIds): Iterable<string> {
  for (const { name, codes } of functions) {
    yield jsonText({ name, codes: codes.map((code) => ofCode[code]) });
  }
}

function* tickEntries({ ticks, tree, locations }: PreprocessVisitor, ids: CodeIds): Iterable<string> {
  const texts = new Array<string | undefined>(locations.length);
  for (let i = 0; i < ticks.length; i++) {
    let stack = "";
    for (let node = ticks.node[i]!; node !== ROOT; node = tree.parent[node]!) {
      const location = tree.frame[node]!;
      texts[location] ??= ids.resolve(location).join();
      stack += stack === "" ? texts[location] : `,${texts[location]}`;
    }
    yield `{"tm":${clampedTime(ticks.timestamp[i]!)},"vm":${ticks.vmState[i]},"s":[${stack}]}`;
  }
}

/** V8 numbers scripts from 1. Ids from this one on are taken for damage in the log. */
const SCRIPT_LIMIT = 1 << 24;

function* scriptEntries({ scripts }: PreprocessVisitor): Iterable<string> {
  const ids = Array.from(scripts.keys()).filter((id) => id < SCRIPT_LIMIT);
  const users = new Map<string, number>();
  for (const id of ids) {
    const name = fileName(scripts.get(id)!.url);
    users.set(name, (users.get(name) ?? 0) + 1);
  }
  const length = ids.reduce((longest, id) => Math.max(longest, id + 1), 0);
  for (let id = 0; id < length; id++) {
    const script = scripts.get(id);
    if (script === undefined) {
      yield "null";
      continue;
    }
    const { url } = script;
    const source = scriptText(script.source);
    const name = fileName(url);
    yield wholeJsonText({ url, source, name: users.get(name) === 1 ? name : url, id });
  }
}

function fileName(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

/** The ids of all code, and of the C++ functions that were on a stack: their indices in the JSON's list. */
class CodeIds {
  /** By library: its own id. Those of its functions follow. */
  readonly ofLibrary: number[] = [];
  /** By library: its functions that were on a stack, in the order of their table, by index in it. */
  readonly functionsOf: readonly (readonly number[])[];
  /** By library: the place of each of these functions in the list, by index in the table. */
  readonly #placeOf: readonly ReadonlyMap<number, number>[];
  /** By code number. */
  readonly ofCode: Int32Array;
  /** The code that replaces C++ functions at the same address, by id; the last of several. */
  readonly replacements = new Map<number, LoggedCode>();
  readonly #log: PreprocessVisitor;
  readonly #libraries: readonly NamedLibrary[];

  constructor(log: PreprocessVisitor, libraries: readonly NamedLibrary[]) {
    this.#log = log;
    this.#libraries = libraries;
    this.functionsOf = this.#functionsOnStacks();
    this.#placeOf = this.functionsOf.map((symbols) => new Map(symbols.map((symbol, i) => [symbol, i])));
    this.ofCode = new Int32Array(log.codes.length);
    let next = 0;
    for (const code of log.codes) {
      while (this.ofLibrary.length < code.libraries) next = this.#addLibrary(next);
      const taken = code.function === NO_FUNCTION ? this.#functionAt(code) : undefined;
      if (taken !== undefined) this.replacements.set(taken, code);
      this.ofCode[code.number] = taken ?? next++;
    }
    while (this.ofLibrary.length < libraries.length) next = this.#addLibrary(next);
  }

  /**
   * Returns the code id and offset of a location of the log; -1 and the address if no code is known
   * there.
   */
  resolve(location: number): readonly [id: number, offset: number] {
    const { locations } = this.#log;
    const code = locations.code[location]!;
    const value = locations.value[location]!;
    if (code !== NO_CODE) return [this.ofCode[code]!, value];
    const index = locations.library[location]!;
    const id = this.ofLibrary[index];
    if (id === undefined) return [-1, value];
    const { symbols, library } = this.#libraries[index]!;
    const symbol = symbols?.find(value) ?? -1;
    const start = symbol < 0 ? undefined : symbols?.toAddress(symbols.table.starts[symbol]!);
    const place = this.#placeOf[index]?.get(symbol);
    return start === undefined || place === undefined
      ? [id, value - library.start]
      : [id + 1 + place, value - start];
  }

  #addLibrary(next: number): number {
    const index = this.ofLibrary.push(next) - 1;
    return next + 1 + this.functionsOf[index]!.length;
  }

  /** Returns the functions of each library at the addresses of stacks that no code covers. */
  #functionsOnStacks(): number[][] {
    const { locations } = this.#log;
    const found = this.#libraries.map(() => new Set<number>());
    for (let i = 0; i < locations.length; i++) {
      if (locations.code[i] !== NO_CODE) continue;
      const index = locations.library[i]!;
      const symbol = this.#libraries[index]?.symbols?.find(locations.value[i]!) ?? -1;
      if (symbol >= 0) found[index]!.add(symbol);
    }
    return found.map((symbols) => Array.from(symbols).sort((a, b) => a - b));
  }

  /**
   * Returns the id of the C++ function that was on a stack and starts where a code does, in a library that already
   * has an id.
   */
  #functionAt({ start: address, library: index }: LoggedCode): number | undefined {
    const id = this.ofLibrary[index];
    const symbols = this.#libraries[index]?.symbols;
    const symbol = symbols?.find(address) ?? -1;
    if (id === undefined || symbols === undefined || symbol < 0) return undefined;
    const place = this.#placeOf[index]!.get(symbol);
    if (place === undefined) return undefined;
    return symbols.toAddress(symbols.table.starts[symbol]!) === address ? id + 1 + place : undefined;
  }
}

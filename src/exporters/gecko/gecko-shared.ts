import { ROOT } from "../../profile/call-tree.js";
import type { LibraryInfo, Profile } from "../../profile/profile.js";
import { fileName } from "../../views/origin.js";
import { cutName, jsonText } from "../../views/shown-text.js";
import type { ExportStacks } from "../export-stacks.js";
import { fileUrl } from "../file-url.js";
import { jsonColumn, jsonList } from "../json-list.js";
import { type GeckoFrame, geckoStacks } from "./gecko-frames.js";
import { type GeckoFunction, GeckoFunctions } from "./gecko-functions.js";
import { MARKER_NAMES } from "./gecko-markers.js";

/** The parts that all threads share. */
export interface GeckoShared {
  /** Node `n` is row `n - 1` of `stackTable`; the root has no row. */
  readonly stacks: ExportStacks;
  /** The entries `libs` and `shared` of a profile, in pieces. */
  readonly json: Iterable<string>;
}

/** The kinds of resources. Source: Firefox Profiler, src/profile-logic/data-structures.ts, `resourceTypes`. */
const LIBRARY = 1;
const URL_RESOURCE = 5;

/** Returns the functions, frames and stacks of a profile as tables. */
export function geckoShared(profile: Profile): GeckoShared {
  const functions = new GeckoFunctions(profile);
  const { stacks, rows } = geckoStacks(profile, functions);
  return { stacks, json: tables(functions.functions, rows, { stacks, ...profile.info }) };
}

/** Numbers texts, each once. */
class Strings {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  number(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.texts.push(text) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}

type Value = string | number | null;

function* tables(
  functions: readonly GeckoFunction[],
  frames: readonly GeckoFrame[],
  { stacks, libraries }: { stacks: ExportStacks; libraries: readonly LibraryInfo[] },
): Iterable<string> {
  const strings = new Strings();
  for (const name of MARKER_NAMES) strings.number(name);
  const resources = new Strings();
  // A script and a library can share a name.
  const resourceOf = ({ resource, isScript }: GeckoFunction) =>
    resource === undefined ? -1 : resources.number(`${isScript ? "s" : "l"}${resource}`);
  const resourceNumbers = functions.map(resourceOf);
  const names = resources.texts.map((key) => key.slice(1));
  const isScript = resources.texts.map((key) => key.startsWith("s"));
  const libs = names.filter((_, i) => !isScript[i]);
  const scripts = names.filter((_, i) => isScript[i]);
  const scriptNumbers = new Map(scripts.map((name, i) => [name, i]));
  const libNumbers = new Map(libs.map((name, i) => [name, i]));

  const known = new Map<string, LibraryInfo>();
  for (const library of libraries) if (!known.has(library.path)) known.set(library.path, library);
  yield '"libs":';
  yield* jsonList(libs.map((path) => jsonText(libOf(path, known.get(path)))));
  yield ',\n"shared":{"funcTable":';
  yield* table(functions.length, {
    name: (i) => strings.number(functions[i]!.name),
    isJS: (i) => String(functions[i]!.isJs),
    relevantForJS: (i) => String(functions[i]!.isRelevantForJs),
    resource: (i) => resourceNumbers[i]!,
    source: (i) => (functions[i]!.isScript ? scriptNumbers.get(functions[i]!.resource!)! : null),
    lineNumber: (i) => functions[i]!.line ?? null,
    columnNumber: (i) => functions[i]!.column ?? null,
  });
  yield ',\n"resourceTable":';
  yield* table(names.length, {
    lib: (i) => (isScript[i] ? null : libNumbers.get(names[i]!)!),
    // The viewer leaves out the name of a script if its URL begins with it.
    name: (i) => strings.number(isScript[i] ? fileUrl(cutName(names[i]!)) : fileName(names[i]!)),
    host: () => null,
    type: (i) => (isScript[i] ? URL_RESOURCE : LIBRARY),
  });
  yield ',\n"sources":';
  yield* table(scripts.length, {
    id: () => null,
    filename: (i) => strings.number(fileUrl(cutName(scripts[i]!))),
    startLine: () => 1,
    startColumn: () => 1,
    sourceMapURL: () => null,
  });
  yield ',\n"nativeSymbols":';
  yield* table(0, { libIndex: () => 0, address: () => 0, name: () => 0, functionSize: () => null });
  yield ',\n"frameTable":';
  yield* table(frames.length, {
    address: () => -1,
    inlineDepth: (i) => frames[i]!.inlineDepth,
    category: (i) => frames[i]!.category,
    subcategory: (i) => frames[i]!.subcategory,
    func: (i) => frames[i]!.function,
    nativeSymbol: () => null,
    innerWindowID: () => 0,
    line: (i) => frames[i]!.line,
    column: () => null,
  });
  yield ',\n"stackTable":';
  const { length, frame, parent } = stacks.tree;
  yield* table(length - 1, {
    frame: (i) => frame[i + 1]!,
    prefix: (i) => (parent[i + 1] === ROOT ? null : parent[i + 1]! - 1),
  });
  yield ',\n"stringArray":';
  yield* jsonList(texts(strings));
  yield "}";
}

function* texts({ texts: all }: Strings): Iterable<string> {
  for (const text of all) yield jsonText(text);
}

/** Writes a table of the format: an object of columns. */
function* table(length: number, columns: Record<string, (row: number) => Value>): Iterable<string> {
  yield "{";
  for (const [name, valueAt] of Object.entries(columns)) {
    yield `"${name}":`;
    yield* jsonColumn(length, valueAt);
    yield ",\n";
  }
  yield `"length":${length}}`;
}

function libOf(path: string, library: LibraryInfo | undefined) {
  const name = fileName(path);
  const codeId = library?.buildId ?? null;
  return { arch: "", name, path, debugName: name, debugPath: path, breakpadId: "", codeId };
}

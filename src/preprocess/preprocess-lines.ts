import { scriptText } from "../parser/rows/script-source.js";
import { ROOT } from "../profile/call-tree.js";
import { soundTime } from "../profile/sound-numbers.js";
import { jsonText, wholeJsonText } from "../views/shown-text.js";
import { CodeIds } from "./code-ids.js";
import { type LoggedCode, NO_FUNCTION } from "./logged-code.js";
import type { NamedLibrary } from "./named-libraries.js";
import type { PreprocessRecorder } from "./preprocess-recorder.js";

/**
 * Yields the lines of the JSON that `node --prof-process --preprocess` writes, one entry per line:
 *
 *     code       libraries, each followed by its C++ functions, and code, in the order of the log
 *     functions  the ids of each function's code
 *     ticks      time in µs, VM state in the numbers of the newest V8, and the stack, leaf first: pairs of
 *                the id of a code and the offset in it, or of -1 and an address outside all code
 *     scripts    by id, null if there is none
 *
 * `libraries` are those of the recorder, in its order. A builtin inside a library replaces the C++ function
 * at the same address.
 *
 * Node writes all functions of libraries, here only those on stacks are written: most of the file would be names
 * that no tick needs.
 *
 * Source: V8, tools/profile.mjs, `JsonProfile.writeJson`.
 */
export function* preprocessLines(
  recorder: PreprocessRecorder,
  libraries: readonly NamedLibrary[],
): Iterable<string> {
  const ids = new CodeIds(recorder, libraries);
  yield "{";
  yield* list("code", codeEntries(recorder, libraries, ids), ",");
  yield* list("functions", functionEntries(recorder, ids), ",");
  yield* list("ticks", tickEntries(recorder, ids), ",");
  yield* list("scripts", scriptEntries(recorder), "");
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
  { codes }: PreprocessRecorder,
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

function* functionEntries({ functions }: PreprocessRecorder, { ofCode }: CodeIds): Iterable<string> {
  for (const { name, codes } of functions) {
    yield jsonText({ name, codes: codes.map((code) => ofCode[code]) });
  }
}

function* tickEntries({ ticks, tree, locations }: PreprocessRecorder, ids: CodeIds): Iterable<string> {
  const texts = new Array<string | undefined>(locations.length);
  for (let i = 0; i < ticks.length; i++) {
    let stack = "";
    for (let node = ticks.node[i]!; node !== ROOT; node = tree.parent[node]!) {
      const location = tree.frame[node]!;
      let text = texts[location];
      if (text === undefined) {
        text = ids.resolve(location).join();
        texts[location] = text;
      }
      stack += stack === "" ? text : `,${text}`;
    }
    yield `{"tm":${soundTime(ticks.timestamp[i]!)},"vm":${ticks.vmState[i]},"s":[${stack}]}`;
  }
}

/** V8 numbers scripts from 1. Ids from this one on are taken for damage in the log. */
const SCRIPT_LIMIT = 1 << 24;

function* scriptEntries({ scripts }: PreprocessRecorder): Iterable<string> {
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

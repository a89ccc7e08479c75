import { valueAt } from "../base/maps.js";
import type { Frame } from "../profile/frame.js";
import { type FunctionIdentities, type FunctionIdentity, ordinalsOf } from "../profile/function-identity.js";
import { parseLoggedName } from "../profile/logged-name.js";
import { stableFiles, stableScript } from "../profile/stable-files.js";
import type { LoggedFunction } from "../replay/logged-functions.js";
import { type Scripts, textHash } from "../replay/scripts.js";
import type { FunctionSources } from "./function-sources.js";

/** Functions of one script that contain each other are hashed up to this many times the script's length. */
const DEPTH = 16;

/**
 * Returns the hashes of functions' source texts without white space, as `FunctionIdentity.sourceHash` has them. Functions
 * whose text the log lacks have none.
 */
function sourceHashes(functions: Iterable<LoggedFunction>, scripts: Scripts): Map<LoggedFunction, string> {
  const byScript = new Map<number, LoggedFunction[]>();
  for (const one of functions) {
    valueAt(byScript, one.script, () => []).push(one);
  }
  const hashes = new Map<LoggedFunction, string>();
  for (const [script, all] of byScript) {
    const found = scripts.get(script);
    if (found === undefined) continue;
    const isRedacted = found.placeholders !== undefined;
    hashScript(found.source, all, hashes, isRedacted ? (text) => scripts.withHashes(text) : undefined);
  }
  return hashes;
}

/** Adds the hashes of the functions of a script. */
function hashScript(
  text: string,
  functions: readonly LoggedFunction[],
  hashes: Map<LoggedFunction, string>,
  /** What a redacted text is in every log with the same key. */
  unnumbered?: (text: string) => string,
): void {
  // A forged log can state the same range for many functions.
  let left = DEPTH * text.length;
  for (const one of functions) {
    const { start, end } = one;
    if (start < 0 || end <= start || end > text.length) continue;
    left -= end - start;
    if (left < 0) continue;
    const own = text.slice(start, end).replace(/\s+/g, "");
    hashes.set(one, textHash(unnumbered === undefined ? own : unnumbered(own)));
  }
}

/** What is known about a log's functions after the last record. */
interface IdentityFacts {
  /** All functions of the log. */
  readonly logged: Iterable<LoggedFunction>;
  readonly scripts: Scripts;
  readonly sources: FunctionSources;
  readonly frames: readonly Frame[];
}

/** Returns the identity of each function of the log; those that have frames are hashed. */
export function functionIdentities({ logged, scripts, sources, frames }: IdentityFacts): FunctionIdentities {
  const byName = new Map<string, LoggedFunction>();
  const files = new Set<string>();
  for (const one of logged) {
    byName.set(sources.nameOf(one), one);
    files.add(parseLoggedName(one.name).file ?? "");
  }
  const stableFile = stableFiles(files);
  const parsed = Array.from(byName, ([own, one]) => {
    const { name, file = "", line = 0, column = 0 } = parseLoggedName(own);
    const stable = stableScript(file, sources.scriptOf(one)?.hash, stableFile);
    return { own, one, name, path: file, file: stable, line, column };
  });
  const hot = new Set(frames.map((frame) => (frame.kind === "js" ? frame.name : "")));
  const ordered = ordinalsOf(parsed);
  const hashes = sourceHashes(
    Array.from(ordered.keys(), ({ own, one }) => (hot.has(own) ? [one] : [])).flat(),
    scripts,
  );
  const identities = new Map<string, FunctionIdentity>();
  let room = ALL_LENGTH;
  for (const [{ own, one, file, name }, ordinal] of ordered) {
    const sourceHash = hashes.get(one);
    const isKept = sourceHash !== undefined && one.end - one.start <= Math.min(TEXT_LENGTH, room);
    const text = isKept ? linesOf(one, scripts) : undefined;
    room -= text?.length ?? 0;
    identities.set(own, { file, name, ordinal, sourceHash, ...(text === undefined ? {} : { text }) });
  }
  return identities;
}

/** Longer functions have no text: nobody compares them line by line. */
const TEXT_LENGTH = 20_000;
/** As many characters are kept in all. Functions contain each other, and a forged log can state a range many times. */
const ALL_LENGTH = 8_000_000;
/** What is before a function in its line, such as its name, is shown with it if it is no longer than this. */
const HEAD_LENGTH = 200;

/** Returns the text of a function, from the start of its first line on. V8 takes it from its parameters on. */
function linesOf({ script, start, end }: LoggedFunction, scripts: Scripts): string | undefined {
  const source = scripts.get(script)?.source;
  if (source === undefined) return undefined;
  const least = Math.max(0, start - HEAD_LENGTH);
  const head = source.slice(least, start).lastIndexOf("\n");
  const from = head >= 0 ? least + head + 1 : least === 0 ? 0 : start;
  return source.slice(from, end);
}

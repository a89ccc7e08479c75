import { createHash } from "node:crypto";
import type { Frame } from "../profile/frame.js";
import { type FunctionIdentities, type FunctionIdentity, ordinalsOf } from "../profile/function-identity.js";
import { parseLoggedName } from "../profile/logged-name.js";
import { stableFiles, stableScript } from "../profile/stable-files.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { Scripts } from "../recorder/scripts.js";
import type { FunctionSources } from "./function-sources.js";

/** UTF-16 units between two places whose offsets are kept. */
const STEP = 64;

/** By UTF-16 unit below 128: 1 if it is white space. */
const ASCII_SPACES = Uint8Array.from({ length: 128 }, (_, unit) =>
  /\s/.test(String.fromCharCode(unit)) ? 1 : 0,
);

/** A text in UTF-8 without its white space, any stretch of which is there without a copy. */
export class PackedText {
  readonly #text: string;
  readonly #bytes: Buffer;
  /** By number of {@link STEP}s: how many bytes the text up to there takes. */
  readonly #offsets: Uint32Array;
  /** Whether it has half a character, which may become whole without white space. */
  #hasHalves = false;

  constructor(text: string) {
    this.#text = text;
    const size = Buffer.byteLength(text);
    this.#bytes = Buffer.allocUnsafeSlow(size);
    this.#offsets = new Uint32Array(Math.floor(text.length / STEP) + 1);
    if (size === text.length) this.#packAscii();
    else this.#packWide();
  }

  /** Packs a text of ASCII letters, where they are. Four times as fast as {@link #packWide}. */
  #packAscii(): void {
    const [bytes, offsets] = [this.#bytes, this.#offsets];
    const { length: end } = bytes;
    bytes.write(this.#text, "latin1");
    let length = 0;
    for (let start = 0; start <= end; start += STEP) {
      offsets[start / STEP] = length;
      for (let at = start; at < Math.min(start + STEP, end); at++) {
        const letter = bytes[at]!;
        bytes[length] = letter;
        length += 1 - ASCII_SPACES[letter]!;
      }
    }
  }

  #packWide(): void {
    const [text, bytes, offsets] = [this.#text, this.#bytes, this.#offsets];
    let length = 0;
    for (let start = 0; start <= text.length; start += STEP) {
      offsets[start / STEP] = length;
      const end = Math.min(start + STEP, text.length);
      for (let at = start; at < end; at++) {
        const unit = text.charCodeAt(at);
        if (unit >= 128) length = this.#writeWide(at, length);
        else if (ASCII_SPACES[unit] === 0) bytes[length++] = unit;
      }
    }
  }

  /**
   * Returns the bytes of the text between two offsets, in UTF-16 units; undefined if they cut a character, or the text has
   * half of one.
   */
  between(start: number, end: number): Uint8Array | undefined {
    if (this.#hasHalves || isInside(this.#text, start) || isInside(this.#text, end)) return undefined;
    return this.#bytes.subarray(this.#offset(start), this.#offset(end));
  }

  /** Returns how many bytes the text up to an offset takes. */
  #offset(end: number): number {
    const start = Math.floor(end / STEP);
    let length = this.#offsets[start]!;
    for (let at = start * STEP; at < end; at++) length += bytesAt(this.#text, at);
    return length;
  }

  /** Writes the character that is not ASCII and begins at an offset, if one does. Returns where the next one goes. */
  #writeWide(at: number, length: number): number {
    const size = bytesAt(this.#text, at);
    if (size === 0) return length;
    const code = this.#text.codePointAt(at)!;
    if (code >= 0xd800 && code < 0xe000) this.#hasHalves = true;
    this.#bytes.write(String.fromCodePoint(code), length);
    return length + size;
  }
}

/** Returns how many bytes the character takes that begins at an offset; 0 for white space and the second half of a character. */
function bytesAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 128) return 1 - ASCII_SPACES[unit]!;
  if (isInside(text, at) || /\s/.test(text[at]!)) return 0;
  return Buffer.byteLength(String.fromCodePoint(text.codePointAt(at)!));
}

/** Returns whether an offset is between the halves of a character that takes two UTF-16 units. */
function isInside(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if ((unit & 0xfc00) !== 0xdc00) return false;
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

/** As many hex digits tell 2^64 texts apart. */
const HASH_DIGITS = 16;
/** Functions of one script that contain each other are hashed up to this many times the script's length. */
const DEPTH = 64;

/**
 * Returns the hashes of functions' source texts without white space, as `FunctionIdentity.sourceHash` has them. Functions
 * whose text the log lacks have none.
 */
function sourceHashes(functions: Iterable<LoggedFunction>, scripts: Scripts): Map<LoggedFunction, string> {
  const byScript = new Map<number, LoggedFunction[]>();
  for (const one of functions) {
    const known = byScript.get(one.script);
    if (known === undefined) byScript.set(one.script, [one]);
    else known.push(one);
  }
  const hashes = new Map<LoggedFunction, string>();
  for (const [script, all] of byScript) {
    const found = scripts.get(script);
    if (found === undefined) continue;
    const isRedacted = found.standIns !== undefined;
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
  const hashed: LoggedFunction[] = [];
  for (const one of functions) {
    const { start, end } = one;
    if (start < 0 || end <= start || end > text.length) continue;
    left -= end - start;
    if (left >= 0) hashed.push(one);
  }
  const total = hashed.reduce((sum, { start, end }) => sum + end - start, 0);
  // Functions contain each other, so most of a large script is often hashed many times.
  const packed = total > text.length && unnumbered === undefined ? new PackedText(text) : undefined;
  for (const one of hashed) {
    const own = packed?.between(one.start, one.end) ?? text.slice(one.start, one.end).replace(/\s+/g, "");
    const hashed = typeof own === "string" && unnumbered !== undefined ? unnumbered(own) : own;
    hashes.set(one, createHash("sha256").update(hashed).digest("hex").slice(0, HASH_DIGITS));
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

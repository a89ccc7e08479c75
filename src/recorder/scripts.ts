import type { ScriptSourceRecord } from "../parser/rows/script-source.js";
import type { LineColumn } from "../profile/line-starts.js";
import { publicHash } from "../profile/stand-ins.js";
import { Script } from "./script.js";

/** Longer names of scripts are not searched for in names of functions. */
const LONGEST_URL = 4096;
/** How many lengths of script names are tried on the name of a function. */
const MOST_TRIES = 100;

/**
 * Returns whether a logged name of a script stands for none: the script was made of a text, as by `eval`.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::EnsureLogScriptSource`.
 */
export function isNameless(url: string): boolean {
  return url === "" || url === "<unknown>";
}

/** The scripts whose text a log has, by id. */
export class Scripts {
  readonly #scripts = new Map<number, Script>();
  readonly #ids = new Map<string, number>();
  /** By name: the ids of its scripts, oldest first, if it has several or is none. */
  readonly #sharing = new Map<string, number[]>();
  /** By hashed name: the word that stands for it in redacted texts; undefined until they are asked for. */
  #words: ReadonlyMap<string, string> | undefined;
  /** By name: the word found for it. */
  readonly #known = new Map<string, string>();
  /** The same by word. */
  #hashes: ReadonlyMap<string, string> | undefined;
  /** The lengths of the scripts' names, longest first; undefined until they are asked for. */
  #lengths: readonly number[] | undefined;

  /** Adds the script of a row at a line of the log, and takes over the memory of its text. */
  add(record: ScriptSourceRecord, row: number): void {
    const { id, url } = record;
    const other = this.#scripts.has(id) ? undefined : this.#ids.get(url);
    this.#scripts.set(id, new Script(record, row));
    this.#ids.set(url, id);
    const sharing = this.#sharing.get(url);
    if (sharing !== undefined) {
      if (other !== undefined) sharing.push(id);
    } else if (other !== undefined) this.#sharing.set(url, [other, id]);
    else if (isNameless(url)) this.#sharing.set(url, [id]);
    this.#lengths = undefined;
  }

  /** Returns the word by which the texts call a function of a name: another one if the log is redacted. */
  wordOf(name: string): string {
    this.#words ??= this.#standIns();
    if (this.#words.size === 0) return name;
    let word = this.#known.get(name);
    if (word === undefined) {
      word = this.#words.get(name) ?? this.#words.get(publicHash(name)) ?? name;
      this.#known.set(name, word);
    }
    return word;
  }

  /** Returns a redacted text with the hashes of its words in the place of those that stand for them. */
  withHashes(text: string): string {
    this.#words ??= this.#standIns();
    this.#hashes ??= new Map(Array.from(this.#words, ([hash, word]) => [word, hash]));
    return text.replace(/[\w$#]+/g, (word) => this.#hashes!.get(word) ?? word);
  }

  #standIns(): Map<string, string> {
    const words = new Map<string, string>();
    for (const script of this.#scripts.values()) {
      if (script.source === "") continue;
      const { standIns } = script;
      // All texts of a log are redacted, or none, which then need not be decoded.
      if (standIns === undefined) break;
      for (const [hash, word] of standIns.words) words.set(hash, word);
    }
    return words;
  }

  get isEmpty(): boolean {
    return this.#scripts.size === 0;
  }

  get(id: number): Script | undefined {
    return this.#scripts.get(id);
  }

  /** Returns the ids of the scripts of a name, oldest first, if they are several or have no name; undefined else. */
  sharing(url: string): readonly number[] | undefined {
    return this.#sharing.get(url);
  }

  /** Returns whether a script is one of Node's own, as Node 16 and later name them. */
  isOfNode(id: number): boolean {
    return this.#scripts.get(id)?.url.startsWith("node:") ?? false;
  }

  /** Returns the id of the script last logged under a URL; -1 if there is none. */
  idOf(url: string): number {
    return this.#ids.get(url) ?? -1;
  }

  /**
   * Returns where the longest script name begins that a text ends with, alone or after a space; -1 if the text
   * ends with no script that is known.
   */
  startIn(text: string): number {
    this.#lengths ??= Array.from(new Set(Array.from(this.#ids.keys(), (url) => url.length)))
      .filter((length) => length > 0 && length <= LONGEST_URL)
      .sort((a, b) => b - a);
    let tries = 0;
    for (const length of this.#lengths) {
      const start = text.length - length;
      if (start < 0 || (start > 0 && text[start - 1] !== " ")) continue;
      if (this.#ids.has(text.slice(start))) return start;
      if (++tries === MOST_TRIES) break;
    }
    return -1;
  }

  /**
   * Returns the offset of a position, in UTF-16 units; -1 if the log does not have the script's text or the
   * line does not exist.
   */
  offset(id: number, position: LineColumn): number {
    return this.#scripts.get(id)?.offset(position) ?? -1;
  }

  /**
   * Returns the position of an offset, in UTF-16 units; undefined if the log does not have the script's text.
   */
  position(id: number, offset: number): LineColumn | undefined {
    return offset < 0 ? undefined : this.#scripts.get(id)?.position(offset);
  }

  /** Returns the last offset up to another at which a script has the letters `class`; -1 if there is none. */
  lastClass(id: number, offset: number): number {
    return this.#scripts.get(id)?.lastClass(offset) ?? -1;
  }
}

import { scriptName } from "../profile/logged-name.js";
import type { Script } from "../recorder/script.js";
import { isNameless, type Scripts } from "../recorder/scripts.js";
import { commentValue, SOURCE_URL_COMMENT } from "./map-url.js";

/** Longer names in comments are not taken. */
const LONGEST_NAME = 1024;

/** A script that has its name from here: it shares the logged one with others, or was logged without one. */
export interface NamedScript {
  /**
   * The name in the comment `sourceURL` if the script has none, or `<eval #3>`, by the order in the log. The second script of a
   * name with another text has a number: `mod.js<2>`.
   */
  readonly file: string;
  /** A hash of the text. */
  readonly hash: string;
  /** The scripts with this name and text. */
  count: number;
}

/** Tells scripts of one name apart by their texts. Texts of other scripts are not looked at. */
export class ScriptNames {
  readonly #scripts: Scripts;
  readonly #named = new Map<number, NamedScript>();
  /** By name and hash. */
  readonly #byText = new Map<string, Map<string, NamedScript>>();
  readonly #done = new Set<string>();

  constructor(scripts: Scripts) {
    this.#scripts = scripts;
  }

  /** Returns the name of a script; undefined if it is as logged. */
  of(id: number): NamedScript | undefined {
    const script = this.#scripts.get(id);
    if (script === undefined) return undefined;
    this.#nameAll(script.url);
    return this.#named.get(id);
  }

  #nameAll(url: string): void {
    const sharing = this.#scripts.sharing(url);
    if (sharing === undefined || this.#done.has(url)) return;
    this.#done.add(url);
    for (let i = 0; i < sharing.length; i++) {
      const id = sharing[i]!;
      const script = this.#scripts.get(id)!;
      const named = isNameless(url) ? this.#evaluated(script, i + 1) : this.#shared(url, script.hash);
      named.count++;
      this.#named.set(id, named);
    }
  }

  #evaluated(script: Script, number: number): NamedScript {
    const comment = commentValue(SOURCE_URL_COMMENT, script.occurrences(SOURCE_URL_COMMENT));
    if (comment === undefined || comment.length > LONGEST_NAME) {
      return this.#textOf("", script.hash, () => scriptName({ base: undefined, number }));
    }
    const only = this.#scripts.idOf(comment);
    if (only >= 0 && this.#scripts.sharing(comment) === undefined) {
      // The only script of that name keeps it.
      this.#shared(comment, this.#scripts.get(only)!.hash);
    } else this.#nameAll(comment);
    return this.#shared(comment, script.hash);
  }

  #shared(base: string, hash: string): NamedScript {
    return this.#textOf(base, hash, (others) => scriptName({ base, number: others + 1 }));
  }

  #textOf(base: string, hash: string, fileOf: (others: number) => string): NamedScript {
    const texts = this.#byText.get(base) ?? new Map<string, NamedScript>();
    this.#byText.set(base, texts);
    let found = texts.get(hash);
    if (found === undefined) {
      found = { file: fileOf(texts.size), hash, count: 0 };
      texts.set(hash, found);
    }
    return found;
  }
}

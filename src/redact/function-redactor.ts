import type { KeptStrings } from "./kept-strings.js";
import type { NameHash } from "./name-hash.js";
import { SOURCE_WORDS } from "./source-words.js";
import { FUNCTION_WORDS } from "./v8-phrases.js";

/** What V8 puts before a name, and before the names of its own scripts. */
const PREFIXES: ReadonlySet<string> = new Set(["get", "set", "async", "static", "new", "bound", "native"]);
/** `Class.method`: parts without other characters that names can have. */
const PARTS = /^[^\s.,"\\/:]+(?:\.[^\s.,"\\/:]+)+$/;
/** What can be a function's name. A torn row can put more before one, such as another function with its path. */
const WHOLE_NAME = /^(?:(?:get|set|async|static|new|bound) )*[^\s,"\\/:]{0,200}$/;
/** Names of more parts or words than this are hashed as a whole. */
const PARTS_LIMIT = 20;
const WORDS_LIMIT = 50;

/** Returns whether a text can be the name of a function. */
export function isWholeName(name: string): boolean {
  return WHOLE_NAME.test(name);
}

/** Redacts function names without their positions: prefixes, blanks and dots stay, the parts between are hashed. */
export class FunctionRedactor {
  readonly #hash: NameHash;
  readonly #kept: KeptStrings;
  readonly #onKept: (name: string) => void;

  constructor(hash: NameHash, kept: KeptStrings, onKept: (name: string) => void) {
    this.#onKept = onKept;
    this.#hash = hash;
    this.#kept = kept;
  }

  /**
   * Returns the redacted name. `owner` is why the functions of its script may be shown; undefined if they may
   * not.
   */
  show(name: string, owner: "Node" | "--keep" | undefined): string {
    if (name === "") return "";
    if (owner !== undefined && isWholeName(name) && this.#kept.keep(owner, name)) {
      this.#onKept(name);
      return name;
    }
    const words = name.split(" ");
    if (words.length > WORDS_LIMIT) return this.#hash.token("f", name);
    // Each word by itself: the last ones may be the start of a script's name with blanks, which is redacted alike.
    return words.map((word) => this.#word(word)).join(" ");
  }

  #word(word: string): string {
    return PREFIXES.has(word) && this.#kept.keep("V8", word) ? word : this.#parts(word);
  }

  #parts(name: string): string {
    if (name === "") return "";
    const isDotted = PARTS.test(name) && !FUNCTION_WORDS.has(name);
    const parts = isDotted ? name.split(".") : [name];
    if (parts.length > PARTS_LIMIT) return this.#hash.token("f", name);
    return parts.map((part) => this.#part(part)).join(".");
  }

  #part(part: string): string {
    // The text of its script, if it is in the log, calls it by such a word too.
    const isPublic = FUNCTION_WORDS.has(part) || SOURCE_WORDS.has(part);
    if (isPublic && this.#kept.keep("V8", part)) return part;
    return this.#hash.token("f", part);
  }
}

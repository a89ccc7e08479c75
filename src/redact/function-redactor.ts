import type { KeptStrings } from "./kept-strings.js";
import type { NameHash } from "./name-hash.js";
import { FUNCTION_WORDS } from "./v8-phrases.js";

/** Prefixes that V8 puts before a name. */
const PREFIX = /^(?:get|set|async|static|new|bound) (?=.)/s;
/** `Class.method`: parts without other characters that names can have. */
const PARTS = /^[^\s.,"\\/:]+(?:\.[^\s.,"\\/:]+)+$/;
/** What can be a function's name. A torn row can put more before one, such as another function with its path. */
const WHOLE_NAME = /^(?:(?:get|set|async|static|new|bound) )*[^\s,"\\/:]{0,200}$/;
/** Names of more parts than this are hashed as a whole. */
const PARTS_LIMIT = 20;

/** Redacts function names without their positions: prefixes and dots stay, the parts between are hashed. */
export class FunctionRedactor {
  readonly #hash: NameHash;
  readonly #kept: KeptStrings;

  constructor(hash: NameHash, kept: KeptStrings) {
    this.#hash = hash;
    this.#kept = kept;
  }

  /**
   * Returns the redacted name. `owner` is why the functions of its script may be shown; undefined if they may
   * not.
   */
  show(name: string, owner: "Node" | "--keep" | undefined): string {
    if (name === "") return "";
    if (owner !== undefined && WHOLE_NAME.test(name) && this.#kept.keep(owner, name)) return name;
    // A name that begins with a space counts as a function without a name and must stay one.
    const start = name.startsWith(" ") ? " " : (PREFIX.exec(name)?.[0] ?? "");
    return start + this.#parts(name.slice(start.length));
  }

  #parts(name: string): string {
    if (name === "") return "";
    const isDotted = PARTS.test(name) && !FUNCTION_WORDS.has(name);
    const parts = isDotted ? name.split(".") : [name];
    if (parts.length > PARTS_LIMIT) return this.#hash.token("f", name);
    return parts.map((part) => this.#part(part)).join(".");
  }

  #part(part: string): string {
    if (FUNCTION_WORDS.has(part) && this.#kept.keep("V8", part)) return part;
    return this.#hash.token("f", part);
  }
}

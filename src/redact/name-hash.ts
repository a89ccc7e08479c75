import { createHash, createHmac } from "node:crypto";
import { HASH_LENGTH, hashDigits, publicHash } from "../profile/stand-ins.js";

/** The kind of a string, which is the first letter of its hash. */
export type HashKind =
  | "b" // a builtin or stub
  | "d" // a folder, or the host of a URL
  | "f" // a function, or a part of its name
  | "k" // the key of a property
  | "l" // a library
  | "n" // a native function
  | "p" // a package
  | "r" // a regular expression
  | "s" // a script
  | "S" // a script whose name must not look like one of Node's
  | "t" // any other text
  | "w"; // a word in a text of Node's, whose names are public: the only hash that needs no key

/** Replaces strings that may not be shown. */
export interface NameHash {
  /** Returns the replacement of a text. It ends in `suffix`, which is known to be public. */
  token(kind: HashKind, text: string, suffix?: string): string;
}

/** The number of hashes that are cached. */
const MEMORY = 1 << 16;
/** Stands for bytes that are not UTF-8. Texts with it keep it, so that their rows keep this fault. */
const REPLACEMENT = "\ufffd";

/**
 * Keyed hashes, `f_k3x9…`: equal for equal texts of one kind and one key, and useless without the key. The
 * key can be any bytes. Nobody can test guessed names without it, as long as nobody can guess the key.
 */
export class KeyedHash implements NameHash {
  readonly #key: Buffer;
  readonly #known = new Map<string, string>();

  constructor(key: Uint8Array) {
    this.#key = createHash("sha256").update("ticks redact\0").update(key).digest();
  }

  token(kind: HashKind, text: string, suffix = ""): string {
    if (kind === "w") return /^w_[a-z2-7]{12}$/.test(text) ? text : publicHash(text);
    const id = `${kind} ${text}`;
    let hash = this.#known.get(id);
    if (hash === undefined) {
      hash = `${kind}_${this.#digits(id)}`;
      if (this.#known.size >= MEMORY) this.#known.clear();
      // A text of megabytes is not worth the memory.
      if (id.length < 1000) this.#known.set(id, hash);
    }
    return hash + suffix + markOf(text);
  }

  #digits(id: string): string {
    // UTF-16 keeps lone surrogates apart; UTF-8 would make them all the same.
    const digest = createHmac("sha256", this.#key).update(Buffer.from(id, "utf16le")).digest();
    return hashDigits(digest);
  }
}

/** The most strings that are listed; further ones are only counted. */
const LISTED = 20;

/** Leaves hashes as they are and collects every other string, to check a redacted log. */
export class HashCheck implements NameHash {
  /** The first strings that are neither hashes nor known to be public. */
  readonly found: string[] = [];
  /** The number of such strings. */
  count = 0;

  token(kind: HashKind, text: string, suffix = ""): string {
    const plain = text.endsWith(REPLACEMENT) ? text.slice(0, -1) : text;
    const isHash =
      plain.length === HASH_LENGTH + 2 + suffix.length &&
      plain.startsWith(`${kind}_`) &&
      plain.endsWith(suffix) &&
      /^[a-z2-7]+$/.test(plain.slice(2, 2 + HASH_LENGTH));
    if (isHash) return text;
    this.count++;
    if (this.found.length < LISTED && !this.found.includes(text)) this.found.push(text);
    return text;
  }
}

function markOf(text: string): string {
  return text.includes(REPLACEMENT) ? REPLACEMENT : "";
}

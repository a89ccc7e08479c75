import { createHash, createHmac } from "node:crypto";

/** What a string was, as the first letter of what stands in its place. */
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
  | "t"; // any other text

/** Puts something in the place of a string that may not be shown. */
export interface NameHash {
  /** What stands in the place of a text. It ends in `suffix`, which is known to be public. */
  token(kind: HashKind, text: string, suffix?: string): string;
}

/** 60 bits: two of a million names are the same by a chance of one to two million. */
const LENGTH = 12;
const DIGITS = "abcdefghijklmnopqrstuvwxyz234567";
/** What is remembered, so that a name that comes again costs nothing. */
const MEMORY = 1 << 16;
/** Stands where bytes were no UTF-8. What had it keeps it, so that rows with such bytes stay what they are. */
const REPLACEMENT = "\ufffd";

/**
 * Keyed hashes, `f_k3x9…`: equal for equal texts of a kind under one key, and of no use to who does not have it.
 * The key is any bytes; nobody guesses names without it if nobody can guess the key.
 */
export class KeyedHash implements NameHash {
  readonly #key: Buffer;
  readonly #known = new Map<string, string>();

  constructor(key: Uint8Array) {
    this.#key = createHash("sha256").update("ticks redact\0").update(key).digest();
  }

  token(kind: HashKind, text: string, suffix = ""): string {
    const id = `${kind} ${text}`;
    let hash = this.#known.get(id);
    if (hash === undefined) {
      hash = `${kind}_${this.#digits(id)}`;
      if (this.#known.size >= MEMORY) this.#known.clear();
      // A text of megabytes is not worth its room.
      if (id.length < 1000) this.#known.set(id, hash);
    }
    return hash + suffix + markOf(text);
  }

  #digits(id: string): string {
    // Lone surrogates are not all the same in UTF-16, as they would be in UTF-8.
    const digest = createHmac("sha256", this.#key).update(Buffer.from(id, "utf16le")).digest();
    let digits = "";
    for (let i = 0; i < LENGTH; i++) digits += DIGITS[digest[i]! & 31];
    return digits;
  }
}

/** More strings than this are counted, not listed. */
const LISTED = 20;

/** Leaves hashes as they are, and tells of every string that is none: for checking what was redacted. */
export class HashCheck implements NameHash {
  /** Strings that are neither hashes nor known to be public: the first of them. */
  readonly found: string[] = [];
  /** How many there were. */
  count = 0;

  token(kind: HashKind, text: string, suffix = ""): string {
    const plain = text.endsWith(REPLACEMENT) ? text.slice(0, -1) : text;
    const isHash =
      plain.length === LENGTH + 2 + suffix.length &&
      plain.startsWith(`${kind}_`) &&
      plain.endsWith(suffix) &&
      /^[a-z2-7]+$/.test(plain.slice(2, 2 + LENGTH));
    if (isHash) return text;
    this.count++;
    if (this.found.length < LISTED && !this.found.includes(text)) this.found.push(text);
    return text;
  }
}

function markOf(text: string): string {
  return text.includes(REPLACEMENT) ? REPLACEMENT : "";
}

import { createHash, createHmac } from "node:crypto";
import { HASH_LENGTH, hashDigits, publicHash } from "../profile/placeholders.js";

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

/**
 * Why a string may be shown: the user allowed it, a public library, Node or V8 has it, or it is a common part
 * of paths that reveals nothing, such as `node_modules`.
 */
export type KeptReason = "V8" | "Node" | "native" | "--keep" | "path";

/** In the order of the manifest: what most needs a look comes first. */
export const KEPT_REASONS: readonly KeptReason[] = ["--keep", "native", "Node", "path", "V8"];

/** A string of the original that was kept, and how often. */
export interface KeptString {
  readonly text: string;
  readonly count: number;
}

/** The most strings that are kept; V8's own logs have fewer. Further ones are hashed. */
const LIMIT = 100_000;
/** Longer strings are not names. */
const LENGTH_LIMIT = 4_000;
const PRINTABLE = /^[\x20-\x21\x23-\x7e]*$/;

/** The strings of the original that were kept. */
export class KeptStrings {
  readonly #counts = new Map<KeptReason, Map<string, number>>(
    KEPT_REASONS.map((reason) => [reason, new Map<string, number>()]),
  );
  #size = 0;

  /**
   * Counts a string that is known to be public. Returns false if it may not be kept anyway: because it is not
   * plain text, or there are too many.
   */
  keep(reason: KeptReason, text: string): boolean {
    const counts = this.#counts.get(reason)!;
    const count = counts.get(text);
    if (count === undefined) {
      if (this.#size >= LIMIT || text.length > LENGTH_LIMIT || !PRINTABLE.test(text)) return false;
      this.#size++;
    }
    counts.set(text, (count ?? 0) + 1);
    return true;
  }

  /** Returns the strings kept for a reason, sorted by UTF-16 units. */
  list(reason: KeptReason): KeptString[] {
    return Array.from(this.#counts.get(reason)!, ([text, count]) => ({ text, count })).sort((a, b) =>
      a.text < b.text ? -1 : 1,
    );
  }
}

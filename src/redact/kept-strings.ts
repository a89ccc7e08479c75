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

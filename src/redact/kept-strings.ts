/**
 * Why a string may be shown: the user said so, a public library has it, Node or V8 does, or it is a part of many paths, such
 * as `node_modules`, that says nothing.
 */
export type KeptReason = "V8" | "Node" | "native" | "--keep" | "path";

/** In the order of the manifest: what is most worth a look first. */
export const KEPT_REASONS: readonly KeptReason[] = ["--keep", "native", "Node", "path", "V8"];

/** A string of the original that is left, and how often. */
export interface KeptString {
  readonly text: string;
  readonly count: number;
}

/** More strings than this no log of V8's has: what comes after them is hashed. */
const LIMIT = 100_000;
/** Longer ones are no names. */
const LENGTH_LIMIT = 4_000;
const PRINTABLE = /^[\x20-\x21\x23-\x7e]*$/;

/** The strings of the original that were kept. */
export class KeptStrings {
  readonly #counts = new Map<KeptReason, Map<string, number>>(
    KEPT_REASONS.map((reason) => [reason, new Map<string, number>()]),
  );
  #size = 0;

  /**
   * Counts a string that is known to be public. False where it may not be kept all the same: where it is no plain text,
   * or is one of too many.
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

  /** The strings kept for a reason, by their UTF-16 units. */
  list(reason: KeptReason): KeptString[] {
    return Array.from(this.#counts.get(reason)!, ([text, count]) => ({ text, count })).sort((a, b) =>
      a.text < b.text ? -1 : 1,
    );
  }
}

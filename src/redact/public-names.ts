import { publicHash } from "../profile/stand-ins.js";

/** More names are not looked for in texts. */
const LIMIT = 100_000;

/** The functions whose names the rows of a log keep, such as Node's own: texts of the program may call them. */
export class PublicNames {
  /** Without their classes and objects. */
  readonly kept = new Set<string>();
  /** The hashes of words that a redacted text states as such names. */
  readonly claimed = new Set<string>();

  /** Adds the name of a function. */
  add(name: string): void {
    if (this.kept.size < LIMIT) this.kept.add(name.replace(/^.*[. ]/s, ""));
  }

  /** Returns the hashes that are of none of the names. */
  unproven(): string[] {
    const known = new Set(Array.from(this.kept, publicHash));
    return Array.from(this.claimed).filter((hash) => !known.has(hash));
  }
}

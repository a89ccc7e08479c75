import { publicHash } from "../profile/stand-ins.js";

/** More names are not looked for in texts. */
const LIMIT = 100_000;

/** The functions whose names the rows of a log keep, such as Node's own: texts of the program may call them. */
export class PublicNames {
  /** Without their classes and objects. */
  readonly kept = new Set<string>();
  /** The hashes of words that a redacted text states as such names. */
  readonly claimed = new Set<string>();

  /** Names in scripts that only their path tells, by how they stand in rows: in one so far, and in several. */
  readonly #once = new Map<string, string>();
  readonly #again = new Map<string, string>();
  #isTorn = false;

  /** Adds the name of a function. */
  add(name: string): void {
    if (this.kept.size < LIMIT) this.kept.add(bareName(name));
  }

  /**
   * Returns whether a name belongs to a script that only its path tells, such as `internal/url.js`. Where rows are torn, what
   * is left of one may stand before the end of another: there a name is sure that several rows have at the same `place`.
   */
  isSure(name: string, place: string): boolean {
    if (name === "") return true;
    const key = `${name} ${place}`;
    if (this.#isTorn) return this.#again.has(key);
    if (this.#once.has(key)) this.#again.set(key, name);
    else if (this.#once.size < LIMIT) this.#once.set(key, name);
    return true;
  }

  /** Ends the first reading of the log, which tells whether rows are torn. Only sure names are kept then. */
  endFirst(isTorn: boolean): void {
    this.#isTorn = isTorn;
    if (!isTorn) return;
    for (const name of this.#once.values()) this.kept.delete(bareName(name));
    for (const name of this.#again.values()) this.add(name);
  }

  /** Returns the hashes that are of none of the names. */
  unproven(): string[] {
    const known = new Set(Array.from(this.kept, publicHash));
    return Array.from(this.claimed).filter((hash) => !known.has(hash));
  }
}

function bareName(name: string): string {
  return name.replace(/^.*[. ]/s, "");
}

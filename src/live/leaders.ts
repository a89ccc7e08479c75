/** More than fit any page. What is not among them cannot be shown without a filter. */
const KEPT = 300;

/** What ranks functions: the higher, the sooner; functions without a rank are left out. */
export type Rank = (id: number) => number;

/**
 * Keeps the functions of the highest rank, as long as ranks only rise: then only functions with new ticks can come in.
 */
export class Leaders {
  #ids: number[] = [];

  /** Begins anew with all functions. */
  rebuild(length: number, rank: Rank): void {
    this.#ids = [];
    const some: number[] = [];
    for (let id = 0; id < length; id++) {
      if (rank(id) > 0) some.push(id);
      // Never all of them at once.
      if (some.length > 2 * KEPT) this.update(some.splice(0), rank);
    }
    this.update(some, rank);
  }

  /** Takes the functions whose rank has risen. */
  update(risen: Iterable<number>, rank: Rank): void {
    this.#ids = ranked(new Set([...this.#ids, ...risen]), rank).slice(0, KEPT);
  }

  /** The functions, highest rank first. */
  get ids(): readonly number[] {
    return this.#ids;
  }
}

/** Returns functions by rank, without those that have none. */
export function ranked(ids: Iterable<number>, rank: Rank): number[] {
  const ranks = Array.from(ids, (id) => ({ id, rank: rank(id) })).filter((one) => one.rank > 0);
  return ranks.sort((a, b) => b.rank - a.rank || a.id - b.id).map(({ id }) => id);
}

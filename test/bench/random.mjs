/**
 * @typedef {object} Random
 * @property {() => number} unit the next number in [0, 1)
 * @property {(limit: number) => number} below the next integer in [0, limit)
 * @property {(limit: number, skew: number) => number} skewed an integer in [0, limit), small ones more often:
 *   skew 1 is uniform, 4 gives the first tenth of the range more than half of the draws
 * @property {(probability: number) => boolean} chance true with that probability
 */

/** A seeded generator (mulberry32): the same seed gives the same numbers on every machine and Node. */
export function createRandom(seed) {
  let state = seed | 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    unit,
    below: (limit) => Math.floor(unit() * limit),
    skewed: (limit, skew) => Math.floor(unit() ** skew * limit),
    chance: (probability) => unit() < probability,
  };
}

/** A number that is tested: the self or total ticks of a row. */
export interface Tested {
  readonly kind: "self" | "total";
  /** The share of ticks, 0 to 1, in all runs. */
  readonly share: number;
}

/** The part of all weight that rows have alike, however small they are. */
const ALIKE = 0.5;

/**
 * Returns how much a test matters beside the others: half of all weight is the same for each, and half goes by
 * share, so that a change of a function that takes a tenth of the time need not be as sure as one of hundreds
 * of functions with a few ticks each. The mean of the weights is 1, for self and for total ticks. The share
 * of both sides together says nothing on which side has more.
 */
export function testWeights(tested: readonly Tested[]): (of: Tested) => number {
  const sums = { self: { count: 0, share: 0 }, total: { count: 0, share: 0 } };
  for (const { kind, share } of tested) {
    sums[kind].count++;
    sums[kind].share += share;
  }
  return ({ kind, share }) => {
    const { count, share: all } = sums[kind];
    return all > 0 ? ALIKE + ((1 - ALIKE) * share * count) / all : 1;
  };
}

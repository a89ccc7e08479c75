/** A number that is tested: the self or total ticks of a row. */
export interface Tested {
  readonly kind: "self" | "total";
  /** Whether it is of the program or its packages. */
  readonly isOwn: boolean;
  /** Whether its source is another one after. */
  readonly isOtherSource: boolean;
  /** The share of ticks, 0 to 1, in all runs. */
  readonly share: number;
}

/** The part of all weight that rows have alike, however small they are. */
const ALIKE = 0.5;
/** The part of all weight that what own code of the program takes itself has: it is what users change, and the rest follows from it. */
const OF_OWN = 0.6;

/** The part of all weight that functions with another source have at least, self and total. */
const OF_OTHER_SOURCE = 0.25;

/**
 * Returns how much a test matters beside the others: half of all weight is the same for each, and half goes by share, so that a change
 * of a function that takes a tenth of the time need not be as sure as one of hundreds of functions with a few ticks each. With `isOwnFirst`
 * what own code of the program takes itself gets more than half of all weight, however many functions of V8 and the system there are, and
 * however many totals follow from it. Functions whose source changed have a quarter of all weight at least, however few they are. The mean
 * of the weights is 1. The share of both sides together, whose code it is, and that it is another one say nothing on which side has more.
 */
export function testWeights(
  tested: readonly Tested[],
  { isOwnFirst = false }: { readonly isOwnFirst?: boolean | undefined } = {},
): (of: Tested) => number {
  const byShare = weightsByShare(tested);
  const byOwner = isOwnFirst ? withPart(tested, { of: byShare, isOfPart: isOfOwn, part: OF_OWN }) : byShare;
  return withPart(tested, { of: byOwner, isOfPart: (one) => one.isOtherSource, part: OF_OTHER_SOURCE });
}

type WeightOf = (of: Tested) => number;

/** Returns weights of which some tests have a part of all at least. The mean stays 1. */
function withPart(
  tested: readonly Tested[],
  { of, isOfPart, part }: { of: WeightOf; isOfPart: (one: Tested) => boolean; part: number },
): WeightOf {
  let [some, others] = [0, 0];
  for (const one of tested) {
    if (isOfPart(one)) some += of(one);
    else others += of(one);
  }
  const ofSome = some === 0 || others === 0 ? 1 : Math.max(1, (part * tested.length) / some);
  const ofOthers = others === 0 ? 1 : (tested.length - ofSome * some) / others;
  return (one) => of(one) * (isOfPart(one) ? ofSome : ofOthers);
}

function isOfOwn({ kind, isOwn }: Tested): boolean {
  return kind === "self" && isOwn;
}

/** Returns the weights by share alone, with a mean of 1 for self and for total ticks. */
function weightsByShare(tested: readonly Tested[]): (of: Pick<Tested, "kind" | "share">) => number {
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

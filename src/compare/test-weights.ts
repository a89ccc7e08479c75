/** A number that is tested: the self or total ticks of a row. */
export interface Tested {
  readonly kind: "self" | "total";
  /** Whether it is of the program or its packages. */
  readonly isOwn: boolean;
  /** The share of ticks, 0 to 1, in all runs. */
  readonly share: number;
}

/** The part of the weight of a family that its rows have alike, however small they are. */
const ALIKE = 0.5;
/** The part of all weight that what own code of the program takes itself has: it is what users change, and the rest follows from it. */
const OF_OWN = 0.6;

/** Numbers that are looked at together. */
interface Family {
  count: number;
  share: number;
}

/**
 * Returns how much a test matters beside the others. Own code of the program has more than half of all weight, however many
 * functions of V8 and the system there are, and however many totals follow from it. Within a family half of the weight is the same for
 * each, and half goes by share, so that a change of a function that takes a tenth of the time need not be as sure as one of
 * hundreds of functions with a few ticks each. The mean of all weights is 1. The share of both sides together, and whose code it is,
 * say nothing on which side has more.
 */
export function testWeights(tested: readonly Tested[]): (of: Tested) => number {
  const families = {
    own: { count: 0, share: 0 },
    self: { count: 0, share: 0 },
    total: { count: 0, share: 0 },
  };
  const familyOf = ({ kind, isOwn }: Tested): Family => families[kind === "self" && isOwn ? "own" : kind];
  for (const one of tested) {
    const family = familyOf(one);
    family.count++;
    family.share += one.share;
  }
  const others = tested.length - families.own.count;
  const partOfOwn =
    families.own.count === 0 || others === 0 ? 1 : Math.max(1, (OF_OWN * tested.length) / families.own.count);
  const partOfOthers = others === 0 ? 1 : (tested.length - partOfOwn * families.own.count) / others;
  return (one) => {
    const family = familyOf(one);
    const part = family === families.own ? partOfOwn : partOfOthers;
    const { count, share } = family;
    return part * (share > 0 ? ALIKE + ((1 - ALIKE) * one.share * count) / share : 1);
  };
}

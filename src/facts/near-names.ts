/** Longer names are not compared letter by letter. */
const LONGEST = 1000;
/** Shorter names are contained in others by chance. */
const SHORTEST_PART = 3;
/** Only this many letters of a query, and of the first names, are compared with parts of names: it takes longest. */
const PART_LIMITS = { query: 64, letters: 256, names: 2000 };

/**
 * Returns at most `limit` names that may be meant by a mistyped one, ignoring case. First come those that it
 * begins, then those that it is a part of, then those that are a large part of it, then those that differ in at
 * most a third of the letters, nearest first. If there are none of these, those with a similar part. Among
 * equals, the order of `names` stays.
 */
export function nearNames(query: string, names: Iterable<string>, limit = 3): string[] {
  const all = Array.from(new Set(names));
  const near = nearest(query, all, rankOf);
  if (near.length > 0 || query.length > PART_LIMITS.query) return near.slice(0, limit);
  return nearest(query, all.slice(0, PART_LIMITS.names), rankOfPart).slice(0, limit);
}

/** Returns how far a name is from a query, both in lower case; undefined if it is too far. */
type Rank = (query: string, name: string) => number | undefined;

function nearest(query: string, names: readonly string[], rank: Rank): string[] {
  const lower = query.toLowerCase();
  const found: { readonly name: string; readonly rank: number }[] = [];
  for (const name of names) {
    const at = rank(lower, name.toLowerCase());
    if (at !== undefined) found.push({ name, rank: at });
  }
  return found.sort((a, b) => a.rank - b.rank).map(({ name }) => name);
}

function rankOf(query: string, name: string): number | undefined {
  if (query.length > 1 && name.startsWith(query)) return 0;
  if (query.length > 1 && name.includes(query)) return 1;
  if (isLargePart(name, query)) return 2;
  const most = Math.floor(Math.max(query.length, name.length) / 3);
  // The difference in length is a lower bound of the distance.
  if (query.length > LONGEST || Math.abs(query.length - name.length) > most) return undefined;
  const distance = editDistance(query, name).at(-1)!;
  return distance <= most ? 2 + distance : undefined;
}

function rankOfPart(query: string, name: string): number | undefined {
  const most = Math.floor(query.length / 5);
  if (most === 0) return undefined;
  const distance = Math.min(...editDistance(query, name.slice(0, PART_LIMITS.letters), { isPart: true }));
  return distance <= most ? distance : undefined;
}

/** Returns whether a name is at least half of a query, or a word of it, as `handle` is of `Router.handle`. */
function isLargePart(name: string, query: string): boolean {
  const at = name.length < SHORTEST_PART ? -1 : query.indexOf(name);
  if (at < 0) return false;
  const isLetter = (index: number) => /[\p{L}\p{N}_$]/u.test(query.charAt(index));
  return name.length * 2 >= query.length || !(isLetter(at - 1) || isLetter(at + name.length));
}

/**
 * Returns how many insertions, deletions, replacements or swaps of neighbours turn one word into each start of
 * the other; with `isPart`, into the nearest of the parts that end where this start ends.
 */
function editDistance(from: string, to: string, { isPart = false } = {}): number[] {
  let before: number[] = [];
  let above: number[] = Array.from({ length: to.length + 1 }, (_, j) => (isPart ? 0 : j));
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      let least = Math.min(row[j - 1]! + 1, above[j]! + 1, above[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwapped) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    before = above;
    above = row;
  }
  return above;
}

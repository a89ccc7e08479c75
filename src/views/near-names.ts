/** Longer names are not compared. */
const LONGEST = 1000;

/** Returns at most `limit` names similar to a mistyped one, nearest first. */
export function nearNames(query: string, names: Iterable<string>, limit = 3): string[] {
  const lower = query.toLowerCase();
  const near: { readonly name: string; readonly distance: number }[] = [];
  for (const name of new Set(names)) {
    const other = name.toLowerCase();
    const isPart = lower.length > 1 && (other.includes(lower) || lower.includes(other)) && other !== "";
    const most = Math.max(1, Math.min(lower.length, other.length) / 3);
    // The difference in length is a lower bound of the distance.
    if (!isPart && (Math.abs(lower.length - other.length) > most || lower.length > LONGEST)) continue;
    const distance = isPart ? 0.5 : editDistance(lower, other);
    if (distance <= most) near.push({ name, distance });
  }
  near.sort((a, b) => a.distance - b.distance || a.name.length - b.name.length || (a.name < b.name ? -1 : 1));
  return near.slice(0, limit).map(({ name }) => name);
}

/**
 * Returns how many insertions, deletions, replacements or swaps of neighbours turn one word into the other.
 */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let above: number[] = Array.from({ length: to.length + 1 }, (_, j) => j);
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
  return above[to.length]!;
}

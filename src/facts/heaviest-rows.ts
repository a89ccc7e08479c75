import type { TreeRow, TreeRows } from "./tree-rows.js";

/** Returns the rows of a tree with the most ticks. The others count as left out. */
export function heaviestRows(tree: TreeRows, limit: number): TreeRows {
  const { rows } = tree;
  if (rows.length <= limit) return tree;
  // A caller has no fewer ticks than what it calls, and comes first among equals: none is left without it.
  const order = Array.from(rows.keys()).sort((a, b) => rows[b]!.ticks - rows[a]!.ticks || a - b);
  const isKept = new Uint8Array(rows.length);
  for (const row of order.slice(0, limit)) isKept[row] = 1;
  const newIndex = new Int32Array(rows.length).fill(-1);
  const kept: TreeRow[] = [];
  // By index of a row, the last one for the top.
  const left = Array.from({ length: limit + 1 }, () => ({ functions: 0, ticks: 0 }));
  for (const [i, row] of rows.entries()) {
    const parent = row.parent < 0 ? -1 : newIndex[row.parent]!;
    if (isKept[i] === 1) {
      newIndex[i] = kept.length;
      kept.push({ ...row, parent });
    } else if (row.parent < 0 || parent >= 0) {
      const counts = left.at(parent)!;
      counts.functions++;
      counts.ticks += row.ticks;
    }
  }
  return {
    ...tree,
    rows: kept.map((row, i) => ({
      ...row,
      children: row.children - left[i]!.functions,
      omitted: sum(row.omitted, left[i]!),
    })),
    omitted: sum(tree.omitted, left.at(-1)!),
  };
}

function sum(a: TreeRows["omitted"], b: TreeRows["omitted"]): TreeRows["omitted"] {
  return { functions: a.functions + b.functions, ticks: a.ticks + b.ticks };
}

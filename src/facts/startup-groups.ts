import { groupBy } from "../base/maps.js";
import type { Ticks } from "../base/units.js";
import { LOAD_PHASES, type LoadCost } from "./startup-loads.js";

/** A row of modules or loads: one, or many that are alike. */
export interface ModuleRow extends LoadCost {
  /** The files of its modules, in the order of their cost; nearly always one. */
  readonly files: readonly string[];
  /** From 0; 0 in a list that is no tree. */
  readonly depth: number;
}

/** So many small modules of one folder that one module loads are one row. */
const LEAST_ALIKE = 5;
/** A module that costs this part of all stands alone. */
const LARGE_PART = 0.05;

/** A module or a load of a start-up. */
interface Loaded extends LoadCost {
  readonly file: string;
}

interface Candidate extends Loaded {
  readonly depth: number;
  /** What loads it. */
  readonly parent: string;
  readonly isLeaf: boolean;
}

/** Returns the modules of a start-up as rows, the most own ticks first. */
export function moduleRows(
  modules: readonly (Loaded & { readonly parent?: string | null | undefined })[],
  whole: Ticks,
): ModuleRow[] {
  const parents = new Set(modules.map(({ parent }) => parent));
  const rows = modules.map((one) => ({
    ...one,
    ...{ depth: 0, parent: one.parent ?? "", isLeaf: !parents.has(one.file) },
  }));
  return grouped(rows, whole).sort((a, b) => b.self - a.self);
}

export function loadRowsOf(
  loads: readonly (Loaded & { readonly depth: number })[],
  whole: Ticks,
): ModuleRow[] {
  const path: number[] = [];
  const rows = loads.map((one, i) => {
    path.length = one.depth;
    const parent = String(path.at(-1) ?? "");
    path.push(i);
    return { ...one, parent, isLeaf: (loads[i + 1]?.depth ?? 0) <= one.depth };
  });
  return grouped(rows, whole);
}

/** Returns rows with those that are alike in one, where the first of them was. */
function grouped(rows: readonly Candidate[], whole: Ticks): ModuleRow[] {
  const keys = new Map(
    rows.map((row) => {
      const isAlike = row.isLeaf && row.total < LARGE_PART * whole;
      return [row, isAlike ? JSON.stringify([row.depth, row.parent, kindOf(row.file)]) : row];
    }),
  );
  const groups = groupBy(rows, (row) => keys.get(row)!);
  return rows.flatMap((row) => {
    const alike = groups.get(keys.get(row)!)!;
    if (alike.length < LEAST_ALIKE) return [sumOfRows([row])];
    return row === alike[0] ? [sumOfRows(alike)] : [];
  });
}

/** Returns the folder and the ending of a file. */
function kindOf(file: string): [string, string] {
  const slash = Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\"));
  return [file.slice(0, slash + 1), file.slice(Math.max(slash + 1, file.lastIndexOf(".")))];
}

function sumOfRows(rows: readonly Candidate[]): ModuleRow {
  const phases = { resolve: 0, read: 0, compile: 0, run: 0 };
  let [self, total] = [0, 0];
  for (const row of rows) {
    self += row.self;
    total += row.total;
    for (const phase of LOAD_PHASES) phases[phase] += row.phases[phase];
  }
  return { files: rows.map(({ file }) => file), depth: rows[0]!.depth, self, total, phases };
}

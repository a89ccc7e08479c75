import { REPORTS } from "../../reports/reports.js";
import type { TreeReport } from "../../reports/tree.js";
import type { Analysis } from "../../views/analysis.js";
import { FunctionNames } from "../../views/function-names.js";
import { FunctionStacks } from "../../views/function-stacks.js";
import { heavy, topDown } from "../../views/function-tree.js";
import { heaviestRows } from "../../views/heaviest-rows.js";
import { type TreeLimits, type TreeRows, treeRows } from "../../views/tree-rows.js";
import { loadView, warnProblems } from "../load-profile.js";
import type { ViewFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { warn } from "../terminal.js";
import { checkTokenLimit, type TokenLimitFlags } from "../token-limit.js";

interface TreeFlags extends ViewFlags, TokenLimitFlags {
  heavy?: boolean;
  limit?: number;
  depth?: number;
  /** In percent of the ticks that the filters keep. */
  min: number;
}

/** Runs `ticks tree`. Returns the exit status. */
export async function runTree(args: readonly string[], flags: TreeFlags): Promise<number> {
  checkTokenLimit(flags);
  const loaded = await loadView(args, flags, { lines: false });
  const { profile } = loaded;
  const isHeavy = flags.heavy ?? false;
  const { ticks, excluded } = profile.info;
  const limits = {
    depth: flags.depth ?? Number.POSITIVE_INFINITY,
    least: ((ticks - excluded) * flags.min) / 100,
  };
  const merged = profile.byCall();
  const stacks = new FunctionStacks(merged);
  const all = isHeavy ? heavyRows(merged, stacks, limits) : treeRows(topDown(merged, stacks), stacks, limits);
  const tree = heaviestRows(all, flags.limit ?? Number.POSITIVE_INFINITY);
  const report: TreeReport = {
    profile,
    isHeavy,
    tree,
    names: new FunctionNames(stacks.table.functions, profile.info),
  };
  await printReport(REPORTS.tree, report, flags);
  warnProblems(loaded);
  return 0;
}

/** Returns the rows of the heavy tree. Warns if there are too many. */
function heavyRows(profile: Analysis, stacks: FunctionStacks, limits: TreeLimits): TreeRows {
  const tree = heavy(profile, stacks, limits);
  const { least } = tree;
  const { ticks, excluded } = profile.info;
  if (least > limits.least) {
    const share = ((100 * least) / (ticks - excluded)).toPrecision(2);
    warn(
      `the tree has too many rows: those with less than ${share} % of the ticks are hidden (--min ${share})`,
    );
  }
  return treeRows(tree, stacks, { ...limits, least });
}

import { addTo, pushTo } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import { TIERS } from "../profile/frame.js";
import type { Cause, Change, Diff, DiffRow } from "./diff-model.js";
import type { RunRow, RunSummary } from "./run-summary.js";
import { changedLines, textsOf } from "./source-changes.js";

/** A fraction that changes by less is not worth a word. */
const CLEAR_FRACTION = 0.1;
/** A part explains a change if it has this fraction of it. */
const CLEAR_PART = 0.5;
/** Fractions of fewer ticks on a side are chance. */
const LEAST_TICKS = 20;
/** Deoptimizations in each run that are worth a word. */
const CLEAR_DEOPTS = 0.5;

const IS_SLOW = TIERS.map((tier) => tier === "~" || tier === "^");

/** Returns the causes of each row of a comparison; of rows that did not surely change, only another source. */
export function causesOf(diff: Pick<Diff, "rows" | "before" | "after" | "scale">): Cause[][] {
  const finder = new CauseFinder(diff);
  return diff.rows.map((row) =>
    isReal(row.self) || isReal(row.total) ? finder.causes(row) : finder.sourceOfPart(row),
  );
}

/** Whether a change has a verdict, or would have one almost surely if there were several runs a side. */
export function isReal({ verdict, isAlmostSure }: Change): boolean {
  return verdict !== "same" || isAlmostSure;
}

/** Whether the share of a row changed as what it takes in a run did: causes are told by shares. */
function isAlong({ total, perRun }: DiffRow): boolean {
  return total.change * perRun.total.change >= 0;
}

type Side = "before" | "after";

class CauseFinder {
  readonly #summaries: Record<Side, readonly RunSummary[]>;
  readonly #factors: Record<Side, readonly number[]>;
  readonly #ofRunRow = new Map<RunRow, DiffRow>();
  /** By row with a verdict: what it calls, with the change of its ticks through that row. */
  readonly #callees = new Map<DiffRow, { readonly row: DiffRow; readonly change: number }[]>();
  readonly #callers = new Map<DiffRow, { readonly row: DiffRow; readonly change: number }[]>();

  constructor({ rows, before, after, scale }: Pick<Diff, "rows" | "before" | "after" | "scale">) {
    this.#summaries = { before, after };
    this.#factors = scale;
    for (const row of rows) {
      for (const side of [row.runs.before, row.runs.after])
        for (const one of side) if (one !== undefined) this.#ofRunRow.set(one, row);
    }
    for (const row of rows) {
      if (!isReal(row.total) && !isReal(row.self)) continue;
      const callers = this.#callersOf(row);
      this.#callers.set(row, callers);
      for (const { row: caller, change } of callers) {
        pushTo(this.#callees, caller, { row, change });
      }
    }
  }

  causes(row: DiffRow): Cause[] {
    const own = [
      this.#source(row),
      this.#slowTiers(row),
      this.#deopts(row),
      this.#inlining(row),
      ...(isAlong(row) ? [this.#state(row, "gc"), this.#state(row, "compile"), this.#moved(row)] : []),
    ].filter((cause) => cause !== undefined);
    if (!isAlong(row)) return own;
    const rest = !isReal(row.self) ? this.#callee(row) : own.length === 0 ? this.#caller(row) : undefined;
    return rest === undefined ? own : [...own, rest];
  }

  /** Returns the source of a changed function of the program as a cause. */
  sourceOfPart(row: DiffRow): Cause[] {
    const source = row.part === "changed" ? this.#source(row) : undefined;
    return source === undefined ? [] : [source];
  }

  #source(row: DiffRow): Cause | undefined {
    if (row.part !== "changed") return undefined;
    const { before, after } = textsOf(row);
    if (row.nameBefore === undefined && after !== undefined)
      return { kind: "source", ...changedLines({ before: "", after }), isNew: true };
    const [now, old] = [row.name.sourceHash, row.nameBefore?.sourceHash];
    if (now === undefined || old === undefined || now === old) return undefined;
    return { kind: "source", ...changedLines({ before, after }), isNew: false };
  }

  #slowTiers(row: DiffRow): Cause | undefined {
    const slow = ({ tiers }: RunRow) => tiers.reduce((sum, ticks, i) => sum + (IS_SLOW[i] ? ticks : 0), 0);
    const found = this.#fractions(row, slow, CLEAR_FRACTION);
    return found && { kind: "slow-tiers", ...found };
  }

  #inlining(row: DiffRow): Cause | undefined {
    const found = this.#fractions(row, ({ inlined }) => inlined, 2.5 * CLEAR_FRACTION);
    return found && { kind: "inlining", ...found };
  }

  /** Returns the fractions of self ticks on both sides if they differ clearly. */
  #fractions({ runs }: DiffRow, part: (row: RunRow) => number, clear: number) {
    const of = (side: readonly (RunRow | undefined)[]) => {
      const whole = side.reduce((sum, row) => sum + (row?.self ?? 0), 0);
      return whole < LEAST_TICKS
        ? undefined
        : side.reduce((sum, row) => sum + (row === undefined ? 0 : part(row)), 0) / whole;
    };
    const [before, after] = [of(runs.before), of(runs.after)];
    if (before === undefined || after === undefined || Math.abs(after - before) < clear) return undefined;
    return { before, after };
  }

  #deopts({ runs }: DiffRow): Cause | undefined {
    const count = (row: RunRow | undefined) => (row?.deopts ?? []).reduce((sum, one) => sum + one.count, 0);
    const mean = (side: readonly (RunRow | undefined)[]) =>
      side.reduce((sum, row) => sum + count(row), 0) / side.length;
    const [before, after] = [mean(runs.before), mean(runs.after)];
    const [less, more] = before < after ? [before, after] : [after, before];
    if (more - less < CLEAR_DEOPTS || more < 1.5 * less) return undefined;
    const reasons = new Map<string, number>();
    for (const row of before < after ? runs.after : runs.before) {
      for (const { reason, count } of row?.deopts ?? []) addTo(reasons, reason, count);
    }
    const [most] = Array.from(reasons).sort((a, b) => b[1] - a[1] || compareTexts(a[0], b[0]));
    return { kind: "deopts", before, after, reason: most?.[0] ?? "" };
  }

  #state({ runs, total }: DiffRow, kind: "gc" | "compile"): Cause | undefined {
    const before = this.#mean("before", (run) => runs.before[run]?.[kind] ?? 0);
    const after = this.#mean("after", (run) => runs.after[run]?.[kind] ?? 0);
    return (after - before) / total.change >= CLEAR_PART ? { kind, before, after } : undefined;
  }

  #moved(row: DiffRow): Cause | undefined {
    if (!isReal(row.self)) return undefined;
    for (const { row: caller } of this.#callers.get(row) ?? []) {
      if (isReal(caller.total)) continue;
      for (const { row: other } of this.#callees.get(caller) ?? []) {
        if (other === row || !isReal(other.self)) continue;
        const [own, its] = [row.total.change, other.total.change];
        const larger = Math.max(Math.abs(own), Math.abs(its));
        if (own * its < 0 && Math.abs(own + its) < CLEAR_PART * larger)
          return { kind: "moved", other: other.name, caller: caller.name };
      }
    }
    return undefined;
  }

  #caller(row: DiffRow): Cause | undefined {
    const { name, nameBefore, matchedBy, total } = row;
    if (matchedBy === undefined) return undefined; // It has one side alone.
    if (name.sourceHash === undefined || name.sourceHash !== nameBefore?.sourceHash) return undefined;
    const [most] = this.#callers.get(row) ?? [];
    if (most === undefined || most.change / total.change < CLEAR_PART) return undefined;
    return { kind: "caller", caller: most.row.name, change: most.change };
  }

  #callee(row: DiffRow): Cause | undefined {
    const callees = this.#callees.get(row) ?? [];
    let most: { readonly row: DiffRow; readonly change: number } | undefined;
    for (const callee of callees)
      if (most === undefined || callee.change / row.total.change > most.change / row.total.change)
        most = callee;
    if (most === undefined || most.change / row.total.change < CLEAR_PART) return undefined;
    return { kind: "callee", callee: most.row.name, change: most.change };
  }

  /** Returns the callers of a row with the change of its ticks through each, the largest in its direction first. */
  #callersOf(row: DiffRow) {
    const changes = new Map<DiffRow, number>();
    for (const side of ["before", "after"] as const) {
      for (const [run, one] of row.runs[side].entries()) {
        const factor = this.#factors[side][run]! / this.#summaries[side].length;
        const { callers = [] } = one ?? {};
        for (let i = 0; i < callers.length; i += 2) {
          const caller = this.#ofRunRow.get(this.#summaries[side][run]!.rows[callers[i]!]!);
          if (caller === undefined) continue;
          const ticks = callers[i + 1]!;
          const change = side === "before" ? -ticks * factor : ticks * factor;
          addTo(changes, caller, change);
        }
      }
    }
    const sign = Math.sign(row.total.change);
    return Array.from(changes, ([caller, change]) => ({ row: caller, change })).sort(
      (a, b) => sign * (b.change - a.change),
    );
  }

  #mean(side: Side, ticks: (run: number) => number): number {
    const factors = this.#factors[side];
    return factors.reduce((sum, factor, run) => sum + ticks(run) * factor, 0) / factors.length;
  }
}

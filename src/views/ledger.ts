import { type Frame, TIERS, type Tier } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { VM_STATES, type VmStateName } from "../profile/vm-state.js";
import type { TierTicks } from "./tier-ticks.js";
import { sharesOf } from "./trust.js";

/** What a tick was spent on. */
export type LedgerCell =
  | "javascript"
  | "builtins"
  | "native"
  | "gc"
  | "compiler"
  | "bytecode-compiler"
  | "parser"
  | "logging"
  | "atomics-wait"
  | "idle"
  | "unknown";

/** The cells, with what each means. */
export const LEDGER_CELLS: readonly { readonly cell: LedgerCell; readonly title: string }[] = [
  { cell: "javascript", title: "JavaScript and WebAssembly" },
  { cell: "builtins", title: "V8's builtins, stubs and regular expressions" },
  { cell: "native", title: "C++ and other native code" },
  { cell: "gc", title: "garbage collection" },
  { cell: "compiler", title: "optimizing compilers" },
  { cell: "bytecode-compiler", title: "bytecode compiler" },
  { cell: "parser", title: "parser" },
  { cell: "logging", title: "V8's logging" },
  { cell: "atomics-wait", title: "waiting in Atomics.wait" },
  { cell: "idle", title: "idle" },
  { cell: "unknown", title: "unknown: no function is known there" },
];

/** The states of V8 that say more than the code that runs, and their cells. */
export const STATE_CELLS: Partial<Record<VmStateName, LedgerCell>> = {
  gc: "gc",
  compiler: "compiler",
  "bytecode-compiler": "bytecode-compiler",
  parser: "parser",
  logging: "logging",
  "atomics-wait": "atomics-wait",
  idle: "idle",
  "idle-external": "idle",
};

export interface LedgerRow {
  readonly cell: LedgerCell;
  readonly title: string;
  readonly ticks: Ticks;
  /** Of all rows; the rows sum to exactly 100.0, or to 0 where there are no ticks. With one decimal. */
  readonly percent: number;
  /** `ticks` by tier, the slowest first; empty for all but JavaScript. */
  readonly tiers: readonly TierTicks[];
}

/** What the ticks of a profile were spent on: each is in exactly one row. Most ticks first, then in the order of the cells. */
export function ledger({ frames, tree, samples }: Profile): LedgerRow[] {
  const ticks = new Map<LedgerCell, Ticks>(LEDGER_CELLS.map(({ cell }) => [cell, 0]));
  const tiers = new Map<Tier, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const frame = frames[tree.frame[samples.node[i]!]!]!;
    const cell = STATE_CELLS[VM_STATES[samples.vmState[i]!]!] ?? cellOf(frame);
    ticks.set(cell, ticks.get(cell)! + samples.ticks[i]!);
    if (cell === "javascript" && frame.kind === "js")
      tiers.set(frame.tier, (tiers.get(frame.tier) ?? 0) + samples.ticks[i]!);
  }
  const rows = LEDGER_CELLS.map(({ cell, title }) => ({ cell, title, ticks: ticks.get(cell)! }));
  const spread = TIERS.flatMap((tier) => (tiers.has(tier) ? [{ tier, ticks: tiers.get(tier)! }] : []));
  const shares = sharesOf(rows.map((row) => row.ticks));
  return rows
    .map((row, i) => ({ ...row, percent: shares[i]!, tiers: row.cell === "javascript" ? spread : [] }))
    .sort((a, b) => b.ticks - a.ticks);
}

function cellOf(frame: Frame): LedgerCell {
  switch (frame.kind) {
    case "js":
      return "javascript";
    case "code":
      return "builtins";
    case "native":
      return "native";
    case "unknown":
      return "unknown";
  }
}

import type { Frame, UnknownReason } from "../profile/frame.js";
import type { LibraryInfo, Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";

/** Where the leaf of a tick is, as far as it can be known. */
export type TrustCell = "function" | "v8-code" | "native" | "no-symbol" | "kernel" | UnknownReason;

/** The cells of the ledger in the order of reports, with what each means. */
export const TRUST_CELLS: readonly {
  readonly cell: TrustCell;
  readonly title: string;
  readonly hasFunction: boolean;
}[] = [
  { cell: "function", title: "JavaScript and WebAssembly functions", hasFunction: true },
  { cell: "v8-code", title: "V8's builtins, stubs and regular expressions", hasFunction: true },
  { cell: "native", title: "native functions", hasFunction: true },
  { cell: "kernel", title: "the kernel's page of the process ([vdso])", hasFunction: true },
  { cell: "no-symbol", title: "libraries, where no symbol is", hasFunction: false },
  { cell: "no-pc", title: "no address: the sampler had none", hasFunction: false },
  { cell: "builtin-gap", title: "between the builtins that V8 copied", hasFunction: false },
  { cell: "code-gone", title: "where code had moved or died", hasFunction: false },
  { cell: "unmapped", title: "outside every code and library of the log", hasFunction: false },
];

/** A library that owns frames of the profile. */
export interface LibraryTrust extends LibraryInfo {
  /** Ticks whose leaf is a function of it. */
  readonly named: Ticks;
  /** Ticks whose leaf is in it where no symbol is. */
  readonly unnamed: Ticks;
}

/** How far a profile can be trusted. */
export interface Trust {
  /** Every tick that is not excluded is in exactly one cell. */
  readonly ledger: readonly { readonly cell: TrustCell; readonly title: string; readonly ticks: Ticks }[];
  /** What the cells sum to. */
  readonly ticks: Ticks;
  /** The ticks of cells that name no function. */
  readonly unknown: Ticks;
  /** Most ticks first. */
  readonly libraries: readonly LibraryTrust[];
}

/** Sorts every tick of a profile by what is known of its leaf. */
export function trust({ frames, tree, samples, info }: Profile): Trust {
  const cells = new Map<TrustCell, Ticks>();
  const named = new Map<string, Ticks>();
  const unnamed = new Map<string, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const frame = frames[tree.frame[samples.node[i]!]!]!;
    const ticks = samples.ticks[i]!;
    count(cells, cellOf(frame), ticks);
    if (frame.kind === "native") count(frame.symbol === undefined ? unnamed : named, frame.library, ticks);
  }
  const ledger = TRUST_CELLS.map(({ cell, title }) => ({ cell, title, ticks: cells.get(cell) ?? 0 }));
  const libraries = info.libraries
    .map((library) => ({
      ...library,
      named: named.get(library.path) ?? 0,
      unnamed: unnamed.get(library.path) ?? 0,
    }))
    .sort((a, b) => b.named + b.unnamed - a.named - a.unnamed || (a.path < b.path ? -1 : 1));
  return {
    ledger,
    ticks: sum(ledger),
    unknown: sum(ledger.filter(({ cell }) => !TRUST_CELLS.find((c) => c.cell === cell)!.hasFunction)),
    libraries,
  };
}

function cellOf(frame: Frame): TrustCell {
  switch (frame.kind) {
    case "js":
      return "function";
    case "code":
      return "v8-code";
    case "native":
      if (frame.symbol !== undefined) return "native";
      return frame.library.startsWith("[") ? "kernel" : "no-symbol";
    case "unknown":
      return frame.reason;
  }
}

function count<Key>(counts: Map<Key, Ticks>, key: Key, ticks: Ticks): void {
  counts.set(key, (counts.get(key) ?? 0) + ticks);
}

function sum(cells: readonly { readonly ticks: Ticks }[]): Ticks {
  return cells.reduce((total, { ticks }) => total + ticks, 0);
}

/**
 * Shares in percent with one decimal that sum to exactly 100.0: each is rounded down, and the tenths that are left go to
 * the largest remainders. All are 0 where there is nothing to share.
 */
export function sharesOf(parts: readonly number[]): number[] {
  const whole = parts.reduce((total, part) => total + part, 0);
  if (whole === 0) return parts.map(() => 0);
  const exact = parts.map((part) => (part * 1000) / whole);
  const tenths = exact.map(Math.floor);
  const left = 1000 - tenths.reduce((total, n) => total + n, 0);
  const byRemainder = Array.from(parts.keys()).sort(
    (a, b) => exact[b]! - tenths[b]! - (exact[a]! - tenths[a]!) || a - b,
  );
  for (const i of byRemainder.slice(0, left)) tenths[i]!++;
  return tenths.map((n) => n / 10);
}

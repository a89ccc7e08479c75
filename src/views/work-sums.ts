/** A part of V8's work. */
export interface WorkSum {
  count: number;
  milliseconds: number;
}

/** Returns a sum of nothing. */
export function newSum(): WorkSum {
  return { count: 0, milliseconds: 0 };
}

/** Adds a piece of work to a sum. */
export function addTo(sum: WorkSum, milliseconds: number): void {
  sum.count++;
  sum.milliseconds += milliseconds;
}

/** A function's place in a script. */
export interface FunctionRange {
  readonly script: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Counts the time of preparsing. A function is logged after those inside of it, whose times are parts of its own:
 * only the outermost ones count.
 */
export class OpenPreparses {
  readonly #sum: WorkSum;
  readonly #open = new Map<number, (FunctionRange & { readonly milliseconds: number })[]>();

  constructor(sum: WorkSum) {
    this.#sum = sum;
  }

  /** Adds a row. */
  add(row: FunctionRange & { readonly milliseconds: number }): void {
    const open = this.#open.get(row.script) ?? [];
    this.#open.set(row.script, open);
    while (open.length > 0 && open.at(-1)!.start >= row.start && open.at(-1)!.end <= row.end) open.pop();
    open.push(row);
  }

  /** Ends the parsing that the open rows of a script are part of. */
  close(script: number): void {
    for (const { milliseconds } of this.#open.get(script) ?? []) addTo(this.#sum, milliseconds);
    this.#open.delete(script);
  }

  /** Ends all parsing. */
  finish(): void {
    for (const script of Array.from(this.#open.keys())) this.close(script);
  }
}

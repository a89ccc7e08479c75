/** Counts the ticks whose caller the sampler skipped, by the function that it skipped. */
export function hiddenCallers(log: string, symbols: string): Record<string, number>;

/** Counts what was inferred in the stacks of `ticks export --format collapsed`. */
export function inferredCallers(stacks: string): {
  readonly right: Record<string, number>;
  /** Callers of functions that had just been entered: `driver → caller → function`. */
  readonly entered: Record<string, number>;
  readonly wrong: string[];
};

/** Returns a row of a run with nothing but its ticks. */
export function runRow(key, self) {
  return {
    key,
    family: key,
    ordinal: 1,
    sourceHash: undefined,
    title: key,
    file: undefined,
    line: undefined,
    origin: "app",
    package: "app",
    self,
    total: self,
    selfEffect: undefined,
    totalEffect: undefined,
    tiers: [],
    inlined: 0,
    gc: 0,
    compile: 0,
    deopts: [],
    callers: [],
  };
}

/** The exports of src/kernels/assembly/node-passes.ts and tick-batches.ts. Columns are given by their offsets. */
export interface ViewExports {
  orderNodes(length: number, parent: number, sizes: number, next: number, nodes: number, ends: number): void;
  addTotals(
    length: number,
    frame: number,
    groups: number,
    nodes: number,
    ends: number,
    under: number,
    open: number,
    totals: number,
  ): void;
  innermostNodes(length: number, parent: number, frame: number, wanted: number, innermost: number): void;
  countFrames(
    rows: number,
    nodes: number,
    ticks: number,
    isDouble: boolean,
    frame: number,
    nodeOf: number,
    totals: number,
    own: number,
    isSeen: number,
    order: number,
  ): number;
  countLeaves(
    rows: number,
    nodes: number,
    vmState: number,
    ticks: number,
    isDouble: boolean,
    frame: number,
    kinds: number,
    all: number,
    busy: number,
    plain: number,
    states: number,
  ): void;
  markStacks(length: number, parent: number, frame: number, bits: number, marks: number): void;
  addTotalsAbove(
    length: number,
    parent: number,
    frame: number,
    wanted: number,
    groups: number,
    nodes: number,
    ends: number,
    under: number,
    inside: number,
    below: number,
    open: number,
    totals: number,
  ): void;
  ownNodes(
    length: number,
    parent: number,
    frame: number,
    packages: number,
    isLoader: number,
    nodes: number,
    outside: number,
    owner: number,
    isLoading: number,
  ): void;
  countTicks(
    from: number,
    to: number,
    numbers: number,
    weights: number,
    renumbered: number,
    counts: number,
    distinct: number,
    ticks: number,
    at: number,
  ): number;
  addSquares(
    from: number,
    to: number,
    numbers: number,
    ticks: number,
    rowOf: number,
    isMask: boolean,
    rows: number,
    size: number,
    counts: number,
    rowsOfBatch: number,
    inRun: number,
    rowsOfRun: number,
    found: number,
  ): void;
  endRun(
    batches: number,
    size: number,
    inRun: number,
    rowsOfRun: number,
    found: number,
    expected: number,
  ): void;
}

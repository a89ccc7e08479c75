/** The exports of src/kernels/assembly/node-passes.ts, stack-marks.ts, folded-nodes.ts, function-trees.ts and tick-batches.ts. */
export interface ViewExports {
  markRecursion(
    length: number,
    parent: number,
    frame: number,
    keys: number,
    isNative: number,
    entries: number,
    runs: number,
    isBare: number,
  ): void;
  joinRecursion(
    length: number,
    parent: number,
    frame: number,
    keys: number,
    runs: number,
    isBare: number,
    none: number,
    joined: number,
    isUsed: number,
    under: number,
  ): void;
  addToTree(
    length: number,
    frame: number,
    numbers: number,
    runs: number,
    isInlined: number,
    isInferred: number,
    own: number,
    under: number,
    self: number,
    inlined: number,
    inferred: number,
    depths: number,
  ): void;
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
  tally(length: number, column: number, least: number, counts: number): number;
  countStates(rows: number, vmState: number, ticks: number, isDouble: boolean, states: number): void;
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
  markNative(length: number, parent: number, frame: number, kinds: number, marks: number): void;
  categorize(
    rows: number,
    nodes: number,
    vmState: number,
    parent: number,
    frame: number,
    kinds: number,
    marks: number,
    hosts: number,
    ofState: number,
    ofFrame: number,
    profiler: number,
    categories: number,
  ): void;
  findCalls(
    length: number,
    parent: number,
    frame: number,
    functions: number,
    isProgram: number,
    mayRank: number,
    nodes: number,
    ends: number,
    under: number,
    levels: number,
    mine: number,
    open: number,
    depths: number,
    pairEnds: number,
    ticks: number,
  ): number;
  foldNodes(
    length: number,
    parent: number,
    frame: number,
    nodes: number,
    ends: number,
    functions: number,
    isJs: number,
    isProgram: number,
    light: number,
    foldedFrames: number,
    depth: number,
    isInside: number,
    at: number,
    calledAt: number,
    atBefore: number,
    calledBefore: number,
    open: number,
    callers: number,
  ): void;
  foldRows(
    rows: number,
    nodes: number,
    called: number,
    light: number,
    foldedFrames: number,
    callers: number,
  ): number;
  openSlices(): void;
  countSlices(
    ticks: number,
    sampleOf: number,
    nodes: number,
    threads: number,
    parent: number,
    ends: number,
    passes: number,
    size: number,
    mostRows: number,
    mostBoxes: number,
  ): number;
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

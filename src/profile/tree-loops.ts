/** The exports of src/kernels/assembly/merged-nodes.ts. Columns are given by their offsets. */
export interface MergedNodesExports {
  chainedLength(length: number, frame: number, starts: number, ends: number): number;
  openMerged(
    parent: number,
    frame: number,
    isShared: number,
    firstChild: number,
    nextSibling: number,
    childCount: number,
    slots: number,
  ): void;
  mergeChains(
    nodes: number,
    parent: number,
    frame: number,
    starts: number,
    ends: number,
    chains: number,
    isUsed: number,
    extras: number,
    extraNodes: number,
    extraFrames: number,
    extraNumbers: number,
    numbers: number,
  ): number;
  moveRows(
    rows: number,
    nodes: number,
    frame: number,
    isOutside: number,
    ofFrame: number,
    numbers: number,
  ): number;
  renumber(count: number, column: number, numbers: number): void;
}

/** The exports of src/kernels/assembly/pairs.ts. Columns are given by their offsets. */
export interface PairsExports {
  openPairs(first: number, second: number, slots: number, count: number): void;
}

/** The exports of src/kernels/assembly/shown-stacks.ts. Columns are given by their offsets. */
export interface ShownStacksExports {
  hasCaller(length: number, parent: number, frame: number, isMarked: number): number;
  calledRows(
    rows: number,
    nodes: number,
    parent: number,
    frame: number,
    isMarked: number,
    isCaller: number,
    found: number,
  ): number;
  markUsed(
    length: number,
    parent: number,
    frame: number,
    rows: number,
    nodes: number,
    isOwned: number,
    isLineless: number,
    isUsed: number,
    hasNode: number,
  ): void;
}

/** The exports of src/kernels/assembly/sample-rows.ts. Columns are given by their offsets. */
export interface SampleRowsExports {
  mergeRows(
    rows: number,
    nodes: number,
    vmState: number,
    thread: number,
    ticks: number,
    isDouble: boolean,
    isShared: number,
    last: number,
    before: number,
    numbers: number,
  ): number;
  sumTicks(
    length: number,
    parent: number,
    rows: number,
    nodes: number,
    ticks: number,
    isDouble: boolean,
    totals: number,
  ): void;
}

/** The exports of src/kernels/assembly/call-trees.ts itself. Columns are given by their offsets. */
export interface CallTreesExports {
  markShared(
    length: number,
    parent: number,
    frame: number,
    frames: number,
    isShared: number,
    mayMerge: number,
  ): number;
  mergeNodes(
    length: number,
    parent: number,
    frame: number,
    frames: number,
    mayMerge: number,
    numbers: number,
    wasMerged: number,
    table: number,
    slots: number,
  ): number;
  labelNodes(
    length: number,
    parent: number,
    frame: number,
    labels: number,
    isHidden: number,
    isUnknown: number,
    ofNode: number,
    visible: number,
    leaves: number,
    callers: number,
  ): void;
  enterNodes(length: number, parent: number, frame: number, wanted: number, entries: number): void;
}

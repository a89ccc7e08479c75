/**
 * The exports of src/kernels/assembly/export-stacks.ts and export-text.ts, which say what they do. Columns are given by their
 * offsets.
 */
export interface ExportLoops {
  readonly written: { readonly value: number };
  readonly located: { readonly value: number };
  takeEntries(length: number, indexes: number, from: number, to: number): void;
  markUnder(length: number, parent: number, frame: number, wanted: number, marks: number): void;
  numberPairs(
    length: number,
    first: number,
    second: number,
    numbers: number,
    firsts: number,
    seconds: number,
    table: number,
    slots: number,
  ): number;
  numberInlined(
    length: number,
    parent: number,
    frame: number,
    lines: number,
    lineCount: number,
    isInner: number,
    ofNode: number,
    outers: number,
    inners: number,
    table: number,
    slots: number,
  ): number;
  countNodes(length: number, frame: number, wanted: number): number;
  countInlined(length: number, parent: number, frame: number, wanted: number, depths: number): void;
  mergeNumbered(
    length: number,
    parent: number,
    frame: number,
    ofNode: number,
    isInner: number,
    mayMerge: number,
    numbers: number,
    wasMerged: number,
    table: number,
    slots: number,
  ): number;
  placeSamples(
    length: number,
    node: number,
    vmState: number,
    leaves: number,
    numbers: number,
    kept: number,
    parent: number,
    frame: number,
    table: number,
    slots: number,
    nodeOf: number,
  ): number;
  addSelfTicks(length: number, nodeOf: number, ticks: number, sums: number): void;
  sumCallees(length: number, parent: number, ticks: number): void;
  markOutermost(
    length: number,
    parent: number,
    ofNode: number,
    children: number,
    siblings: number,
    onPath: number,
    marks: number,
  ): void;
  addMarked(
    length: number,
    marks: number,
    ofNode: number,
    ticks: number,
    sums: number,
    isCounted: number,
  ): void;
  mergeSamples(
    length: number,
    nodeOf: number,
    sets: number,
    ticks: number,
    wasMerged: number,
    table: number,
    slots: number,
  ): number;
  narrowTicks(length: number, ticks: number, narrow: number): void;
  labelSamples(
    length: number,
    nodes: number,
    vmState: number,
    frame: number,
    tiers: number,
    none: number,
    marks: number,
    labels: number,
  ): void;
  writeSamples(
    start: number,
    length: number,
    nodeOf: number,
    tailOf: number,
    parent: number,
    frame: number,
    ids: number,
    order: number,
    path: number,
    tails: number,
    tailEnds: number,
    to: number,
    limit: number,
  ): number;
  writeFolded(
    start: number,
    length: number,
    parent: number,
    frame: number,
    ticks: number,
    names: number,
    ends: number,
    leafStarts: number,
    leafEnds: number,
    line: number,
    lineBytes: number,
    nodes: number,
    lineEnds: number,
    path: number,
    to: number,
    limit: number,
  ): number;
}

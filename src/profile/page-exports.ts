import type { KernelNumber } from "../kernels/load-kernel.js";

/** The exports of src/kernels/assembly/page-nodes.ts and page-stacks.ts. */
export interface PageExports {
  readonly leftOut: KernelNumber;
  packIntegers(count: number, column: number, bytes: number): number;
  keepAbove(
    length: number,
    parent: number,
    ticks: number,
    bound: number,
    room: number,
    depths: number,
    counts: number,
    kept: number,
  ): number;
  gatherCallees(
    length: number,
    parent: number,
    kept: number,
    merging: number,
    first: number,
    next: number,
    callees: number,
  ): number;
  orderPage(
    nodes: number,
    length: number,
    parent: number,
    frame: number,
    ticks: number,
    kept: number,
    merging: number,
    first: number,
    callees: number,
    pending: number,
    merged: number,
    pageParent: number,
    pageDepth: number,
    pageFrame: number,
    pageNode: number,
  ): void;
  markNeeded(
    rows: number,
    nodes: number,
    vmState: number,
    kinds: number,
    wanted: number,
    ticks: number,
    isDouble: boolean,
    length: number,
    parent: number,
    needed: number,
  ): number;
  addNeeded(
    length: number,
    parent: number,
    frame: number,
    needed: number,
    root: number,
    shift: number,
    from: number,
    numbers: number,
    newParent: number,
    newFrame: number,
  ): number;
  moveNeeded(
    rows: number,
    nodes: number,
    vmState: number,
    kinds: number,
    wanted: number,
    numbers: number,
    newNodes: number,
  ): void;
  ticksByNode(
    rows: number,
    nodes: number,
    ticks: number,
    isDouble: boolean,
    length: number,
    sums: number,
    found: number,
    ofFound: number,
  ): number;
}

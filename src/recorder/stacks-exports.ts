import type { Kernel, KernelNumber } from "../kernels/load-kernel.js";
import type { Address, Micros } from "../profile/units.js";
import type { VmState } from "../profile/vm-state.js";

/** The exports of src/kernels/assembly/stacks.ts. */
export interface StacksExports extends Kernel {
  readonly fields: KernelNumber;
  readonly nodes: KernelNumber;
  readonly length: KernelNumber;
  readonly times: KernelNumber;
  readonly steps: KernelNumber;
  readonly firsts: KernelNumber;
  readonly firstCount: KernelNumber;
  readonly countsByState: KernelNumber;
  useInlines(): void;
  useCounts(): void;
  remember(kind: number, address: Address, answer: number): void;
  rememberGrains(start: Address, end: Address, answer: number): void;
  forget(start: Address, end: Address): void;
  forgetAll(): void;
  breakPath(): void;
  nodesOf(bytes: number, counts: number, unit: Micros): number;
  count(node: number, state: VmState): number;
  takeCounts(length: number): void;
  takeColumn(field: number, first: number, length: number): void;
  child(parent: number, frame: number): number;
}

import type { Micros } from "../profile/units.js";
import type { VmState } from "../profile/vm-state.js";

/** Single ticks in the order of the log, in columns. Only the first `length` entries count. */
export class TickColumns {
  length = 0;
  /** The stack: a node of a call tree. */
  node = new Int32Array(1024);
  timestamp = new Float64Array(1024);
  vmState = new Uint8Array(1024);

  /** Spaces the ticks evenly, for logs without times. */
  space(interval: Micros): void {
    for (let tick = 0; tick < this.length; tick++) this.timestamp[tick] = tick * interval;
  }

  push(node: number, timestamp: Micros, state: VmState): void {
    if (this.length === this.node.length) this.#grow();
    const tick = this.length++;
    this.node[tick] = node;
    this.timestamp[tick] = timestamp;
    this.vmState[tick] = state;
  }

  #grow(): void {
    const capacity = this.length * 2;
    const node = new Int32Array(capacity);
    node.set(this.node);
    this.node = node;
    const timestamp = new Float64Array(capacity);
    timestamp.set(this.timestamp);
    this.timestamp = timestamp;
    const vmState = new Uint8Array(capacity);
    vmState.set(this.vmState);
    this.vmState = vmState;
  }
}

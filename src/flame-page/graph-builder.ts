import { CallTreeBuilder } from "../profile/call-tree.js";
import { reaching } from "../profile/columns.js";
import { KIND_COUNT, type Sorted, sortGraph } from "./graph.js";
import { SideSums } from "./side-ticks.js";

/** Builds a graph; stacks with equal keys are merged. */
export class GraphBuilder {
  readonly #tree: CallTreeBuilder;
  #self: Float64Array;
  #total: Float64Array;
  #inlined: Float64Array;
  #inferred: Float64Array;
  #kinds: Float64Array;
  /** Ticks before and after; only if the page compares two sides. */
  readonly sides: SideSums | undefined;

  /** `capacity` is the number of nodes that fit before the columns grow. */
  constructor(capacity = 1024, hasSides = false) {
    this.sides = hasSides ? new SideSums(capacity) : undefined;
    this.#tree = new CallTreeBuilder(capacity);
    this.#self = new Float64Array(capacity);
    this.#total = new Float64Array(capacity);
    this.#inlined = new Float64Array(capacity);
    this.#inferred = new Float64Array(capacity);
    this.#kinds = new Float64Array(capacity * KIND_COUNT);
  }

  /** Returns the node of a callee by its key, and adds it if it is new. The root is 0. */
  child(parent: number, key: number): number {
    const node = this.#tree.child(parent, key);
    if (node >= this.#self.length) {
      this.#self = reaching(this.#self, node);
      this.#total = reaching(this.#total, node);
      this.#inlined = reaching(this.#inlined, node);
      this.#inferred = reaching(this.#inferred, node);
      this.#kinds = reaching(this.#kinds, this.#self.length * KIND_COUNT - 1);
      this.sides?.reach(node);
    }
    return node;
  }

  addSelf(node: number, ticks: number): void {
    this.#self[node]! += ticks;
  }

  /** Adds total ticks of one kind to a node. */
  addTotal(node: number, ticks: number, kind: number): void {
    this.#total[node]! += ticks;
    this.#kinds[node * KIND_COUNT + kind]! += ticks;
  }

  addInlined(node: number, ticks: number): void {
    this.#inlined[node]! += ticks;
  }

  addInferred(node: number, ticks: number): void {
    this.#inferred[node]! += ticks;
  }

  /**
   * Returns the graph, and the new index of each node that {@link child} returned. `functionOf` returns the
   * function of a key.
   */
  finish(functionOf: (key: number) => number, root: number, titles: readonly string[]): Sorted {
    const { length, parent, frame } = this.#tree.finish();
    const functions = frame.map((key, node) => (node === 0 ? root : functionOf(key)));
    return sortGraph(
      {
        length,
        parent,
        function: functions,
        self: this.#self,
        total: this.#total,
        kindTicks: this.#kinds,
        inlinedTicks: this.#inlined,
        inferredTicks: this.#inferred,
        sides: this.sides?.ticks,
      },
      titles,
    );
  }
}

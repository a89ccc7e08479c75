import { reaching } from "../profile/columns.js";
import type { DeoptCharge } from "../profile/deopt.js";
import { TIERS } from "../profile/frame.js";
import { PairNumbers } from "../profile/pair-numbers.js";

/** A tick that a deoptimization cost. */
interface ChargedTick {
  /** The tier that the function ran in, as an index into {@link TIERS}. */
  readonly rank: number;
  /** A row of the samples. */
  readonly sample: number;
  /** The stack, which tells whether the charge holds if that is not sure. */
  readonly node: number;
  readonly isSure: boolean;
}

/** What stands for the stack of a charge that is sure. */
const SURE = -1;

/** {@link DeoptCharge}s in the making, in columns: there may be one for each stack. */
export class ChargeColumns {
  /** By charge: its sample, and its deoptimization and tier as one number. */
  readonly #keys = new PairNumbers();
  #node = new Int32Array(64);
  #ticks = new Float64Array(64);

  /** Counts a tick for a deoptimization, by its number. */
  add(deopt: number, { rank, sample, node, isSure }: ChargedTick): void {
    const charge = this.#keys.of(sample, deopt * TIERS.length + rank);
    this.#node = reaching(this.#node, charge);
    this.#ticks = reaching(this.#ticks, charge);
    if (this.#ticks[charge]!++ === 0) this.#node[charge] = isSure ? SURE : node;
  }

  /** Returns the charges in the order of their first ticks. `holds` tells of the stack of an unsure one. */
  list(holds: (node: number) => boolean): DeoptCharge[] {
    const keys = this.#keys;
    const charges: DeoptCharge[] = [];
    for (let i = 0; i < keys.length; i++) {
      if (this.#node[i] !== SURE && !holds(this.#node[i]!)) continue;
      const kind = keys.secondOf(i);
      const rank = kind % TIERS.length;
      const deopt = (kind - rank) / TIERS.length;
      charges.push({ deopt, tier: TIERS[rank]!, sample: keys.firstOf(i), ticks: this.#ticks[i]! });
    }
    return charges;
  }
}

import { ROOT } from "../../profile/call-tree.js";
import { zeros } from "../../profile/long-column.js";
import { PairNumbers } from "../../profile/pair-numbers.js";
import type { Profile } from "../../profile/profile.js";
import { soundPosition } from "../../profile/sound-numbers.js";
import type { VmState } from "../../profile/vm-state.js";
import { type CategoryPair, type GeckoFunctions, tierCategory } from "./gecko-functions.js";

/** A row of `frameTable`: a function in a tier at a line, with its depth of inlining. */
export interface GeckoFrame extends CategoryPair {
  readonly function: number;
  /** How many functions it is below the one whose code it is in; 0 for that one itself. */
  readonly inlineDepth: number;
  readonly line: number | null;
}

/** Numbers the frames in the stacks of a profile. */
export class GeckoFrames {
  readonly rows: GeckoFrame[] = [];
  readonly #profile: Pick<Profile, "frames" | "tree">;
  readonly #functions: GeckoFunctions;
  readonly #numbers = {
    functionAndDepth: new PairNumbers(),
    lineAndTier: new PairNumbers(),
    both: new PairNumbers(),
  };
  /** By node of the profile's tree. */
  readonly #depths: Int32Array;

  constructor(profile: Pick<Profile, "frames" | "tree">, functions: GeckoFunctions) {
    this.#profile = profile;
    this.#functions = functions;
    this.#depths = zeros(Int32Array, profile.tree.length);
  }

  /** Returns the row for a node of the profile's tree. Call it in the order of the nodes, callers first. */
  at(node: number): number {
    const { frames, tree } = this.#profile;
    const frame = frames[tree.frame[node]!]!;
    const caller = tree.parent[node]!;
    const isInlined = frame.kind === "js" && frame.inlined;
    const inlineDepth = isInlined && caller !== ROOT ? this.#depths[caller]! + 1 : 0;
    if (inlineDepth > 0) this.#depths[node] = inlineDepth; // Memory that is never written to takes no room.
    const of = this.#functions.ofFrame[tree.frame[node]!]!;
    if (frame.kind !== "js") return this.#row(this.#ofFunction(of));
    const line = soundPosition(frame.line) || null;
    return this.#row({ function: of, inlineDepth, line, ...tierCategory(frame) });
  }

  /** Returns the row to append for a VM state; -1 if there is none. */
  leafOf(state: VmState): number {
    const number = this.#functions.leafOf(state);
    return number < 0 ? -1 : this.#row(this.#ofFunction(number));
  }

  #ofFunction(number: number): GeckoFrame {
    const { category, subcategory } = this.#functions.functions[number]!;
    return { function: number, inlineDepth: 0, line: null, category, subcategory };
  }

  #row(frame: GeckoFrame): number {
    const { functionAndDepth, lineAndTier, both } = this.#numbers;
    const line = frame.line ?? 0;
    const number = both.of(
      functionAndDepth.of(frame.function, frame.inlineDepth),
      lineAndTier.of(line, frame.subcategory),
    );
    if (number === this.rows.length) this.rows.push(frame);
    return number;
  }
}

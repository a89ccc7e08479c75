import type { BuiltinFrames, FramesByBuiltin } from "../symbols/builtin-frames.js";
import type { WholeLogFacts } from "./libraries.js";
import type { Code, RecordedFrame } from "./recorded-frame.js";

/** What says which places in builtins need to be told apart, once there are many of them. */
export interface ManyPlaces extends WholeLogFacts {
  /** The builtins that are to be looked up, by name. */
  readonly wanted: ReadonlySet<string>;
  readonly frames: readonly RecordedFrame[];
  /** Takes what is known of them: of the others, no place is told apart from now on. */
  use(found: FramesByBuiltin): void;
}

/** From this number of places on, those that need not be told apart are worth finding. */
const MANY = 1 << 12;

/**
 * The places in builtins at the top of stacks. It only matters whether the builtin has a frame there: once that is
 * known, all places where it has one are one frame, and all others are another.
 */
export class BuiltinPlaces {
  /** The builtins whose places are told apart by offset. */
  readonly #open = new Set<Code>();
  readonly #known = new Map<string, BuiltinFrames | undefined>();
  #onChange: () => void;
  #places = 0;

  /** `onChange` is called when places get other frames than before. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Takes note of one more place in a builtin. */
  add(code: Code): void {
    if (code.frameless !== undefined) return;
    this.#open.add(code);
    this.#places++;
  }

  /** Returns what is needed to merge places; undefined as long as there are few. */
  many(facts: Omit<ManyPlaces, "wanted" | "use">): ManyPlaces | undefined {
    if (this.#places < MANY) return undefined;
    const wanted = new Set(Array.from(this.#open, ({ name }) => name));
    return { ...facts, wanted, use: (found) => this.#use(found) };
  }

  /** Returns itself, without a hold on what it was made for: that can be freed. Call it after the last tick. */
  finish(): this {
    this.#onChange = () => {};
    return this;
  }

  #use(found: FramesByBuiltin): void {
    for (const code of this.#open) {
      if (!this.#known.has(code.name)) this.#known.set(code.name, found.get(code.name));
      code.frameless = this.#known.get(code.name)?.frameless ?? [];
    }
    this.#open.clear();
    this.#places = 0;
    this.#onChange();
  }

  /** Returns what is known of builtins, without those whose places were merged by something else. */
  agreeing(found: FramesByBuiltin): FramesByBuiltin {
    return new Map(
      Array.from(found).filter(
        ([name, { frameless }]) =>
          !this.#known.has(name) || `${frameless}` === `${this.#known.get(name)?.frameless}`,
      ),
    );
  }
}

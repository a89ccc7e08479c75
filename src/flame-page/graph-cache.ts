import type { Model } from "./model.js";
import type { Settings } from "./settings.js";
import { type Choice, isSameChoice, type Shown, showGraph } from "./shown-graph.js";

/** What charts show, and the frames of both sides: the same if the page has one side. */
export interface ShownGraphs {
  readonly shown: Shown;
  readonly whole: Shown;
}

/** Makes the graphs that a reader chose, and keeps that of both sides while only the widths change. */
export class GraphCache {
  readonly #model: Model;
  #whole: { readonly choice: Choice; readonly shown: Shown } | undefined;

  constructor(model: Model) {
    this.#model = model;
  }

  /** Returns the graphs to show. */
  show({ choice, width }: Pick<Settings, "choice" | "width">): ShownGraphs {
    const all = this.#model.sides === undefined ? choice : { ...choice, threads: [true, true] };
    if (this.#whole === undefined || !isSameChoice(this.#whole.choice, all))
      this.#whole = { choice: all, shown: showGraph(this.#model, all) };
    const whole = this.#whole.shown;
    const isWhole = this.#model.sides === undefined || width === "both";
    return { shown: isWhole ? whole : showGraph(this.#model, choice), whole };
  }
}

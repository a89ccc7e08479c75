/** Cuts texts to the width of their boxes without measuring each in the browser. */
export class TextFitter {
  readonly #context: CanvasRenderingContext2D;
  readonly #widths = new Map<string, number>();

  /** `context` must have the font of the texts. */
  constructor(context: CanvasRenderingContext2D) {
    this.#context = context;
  }

  /**
   * Returns the text, or as much of its beginning as fits before an ellipsis; empty if fewer than two
   * characters fit.
   */
  fit(text: string, width: number): string {
    let used = 0;
    let end = 0;
    const ellipsis = this.#width("…");
    // Where to cut if the rest does not fit.
    let cut = 0;
    for (const character of text) {
      used += this.#width(character);
      if (used > width) return cut < 2 ? "" : `${text.slice(0, cut)}…`;
      end += character.length;
      if (used + ellipsis <= width) cut = end;
    }
    return text;
  }

  #width(character: string): number {
    let width = this.#widths.get(character);
    if (width === undefined) {
      width = this.#context.measureText(character).width;
      this.#widths.set(character, width);
    }
    return width;
  }
}

/** Cuts texts to the width of their boxes, without asking the browser for each. */
export class TextFitter {
  readonly #context: CanvasRenderingContext2D;
  readonly #widths = new Map<string, number>();

  /** `context` must have the font of the texts. */
  constructor(context: CanvasRenderingContext2D) {
    this.#context = context;
  }

  /** The text, or as much of its beginning as has room before an ellipsis; empty where less than two characters have. */
  fit(text: string, width: number): string {
    let used = 0;
    let end = 0;
    const ellipsis = this.#width("…");
    // Where to cut, should what follows have no room.
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

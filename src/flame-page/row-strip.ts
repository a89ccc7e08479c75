/**
 * The colours of all visible rows, one pixel high each. A row is stretched to its height in one call, so that
 * a picture of a hundred thousand boxes takes as many calls as it has rows.
 */
export class RowStrip {
  width = 1;
  readonly #canvas = document.createElement("canvas");
  readonly #context: CanvasRenderingContext2D;
  #image = new ImageData(1, 1);
  #pixels = new Uint32Array(this.#image.data.buffer);

  constructor() {
    const context = this.#canvas.getContext("2d");
    if (context === null) throw new Error("this browser does not support canvas");
    this.#context = context;
  }

  /** Makes room for rows of `width` screen pixels and clears them. */
  reset(width: number, rows: number): void {
    this.width = Math.max(1, width);
    const height = Math.max(1, rows);
    if (this.#image.width === this.width && this.#image.height === height) this.#pixels.fill(0);
    else {
      this.#canvas.width = this.width;
      this.#canvas.height = height;
      this.#image = new ImageData(this.width, height);
      this.#pixels = new Uint32Array(this.#image.data.buffer);
    }
  }

  /** Fills the pixels of a row from `left` to `right` with a colour of `packColor`. */
  fill(row: number, left: number, right: number, color: number): void {
    const from = row * this.width;
    const last = Math.min(this.width, right);
    for (let x = Math.max(0, left); x < last; x++) this.#pixels[from + x] = color;
  }

  /** Returns the rows as an image; transparent where nothing was filled. */
  image(): CanvasImageSource {
    this.#context.putImageData(this.#image, 0, 0);
    return this.#canvas;
  }
}

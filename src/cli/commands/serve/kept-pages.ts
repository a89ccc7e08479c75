/** What commands printed, as long as that is not too much: the longest unused goes first. */
export class KeptPages<Page extends { readonly text: Buffer }> {
  readonly #most: number;
  /** In the order of their last use. */
  readonly #pages = new Map<string, Page>();
  #bytes = 0;

  /** `most` is in bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Page | undefined {
    const page = this.#pages.get(key);
    if (page === undefined) return undefined;
    this.#pages.delete(key);
    this.#pages.set(key, page);
    return page;
  }

  add(key: string, page: Page): void {
    this.#delete(key);
    this.#pages.set(key, page);
    this.#bytes += page.text.length;
    for (const [oldest] of this.#pages) {
      if (this.#bytes <= this.#most) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#bytes -= this.#pages.get(key)?.text.length ?? 0;
    this.#pages.delete(key);
  }
}

/** What opens a bracket. */
export const OPEN = {
  none: 0,
  brace: 1,
  bracket: 2,
  parenthesis: 3,
  /** The parenthesis after `if` and the like. */
  control: 4,
  /** A parenthesis after a word that may be a name. */
  unsure: 5,
  /** The `${` of a template. */
  template: 6,
} as const;

/** The brackets that are open. */
export class BracketStack {
  readonly #numbers: number[] = [];

  get depth(): number {
    return this.#numbers.length;
  }

  /** Opens one at an offset, with a number of its own. */
  push(kind: number, offset: number, index: number): void {
    this.#numbers.push(kind, offset, index);
  }

  /** Closes the innermost; its kind is `none` if there is none. */
  pop(): { readonly kind: number; readonly offset: number; readonly index: number } {
    const index = this.#numbers.pop() ?? -1;
    const offset = this.#numbers.pop() ?? -1;
    return { kind: this.#numbers.pop() ?? OPEN.none, offset, index };
  }
}

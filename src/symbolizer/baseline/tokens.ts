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

const BACKSLASH = 92;

/** By ASCII letter: 1 for white space, 2 for what is in words. `#` begins the name of a private property. */
const KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const letter = String.fromCharCode(unit);
  return /\s/.test(letter) ? 1 : /[\w$#]/.test(letter) ? 2 : 0;
});

/** Returns whether a UTF-16 unit is white space. */
export function isSpaceUnit(unit: number): boolean {
  return unit < 128 ? KINDS[unit] === 1 : isWideSpace(unit);
}

/** Returns whether a UTF-16 unit is part of a word or number; false for NaN. */
export function isWordUnit(unit: number): boolean {
  return unit < 128 ? KINDS[unit] === 2 : unit >= 128 && !isWideSpace(unit);
}

function isWideSpace(unit: number): boolean {
  if (unit === 0xa0 || unit === 0xfeff || unit === 0x3000 || unit === 0x1680) return true;
  if (unit < 0x2000 || unit > 0x205f) return false;
  return unit <= 0x200a || unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f;
}

/** Returns the offset where the line ends that an offset is in. */
export function lineEnd(text: string, offset: number): number {
  for (let at = offset; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || unit === 13 || unit === 0x2028 || unit === 0x2029) return at;
  }
  return text.length;
}

/** Returns the offset behind a string that begins at an offset; -1 if it does not end on its line. */
export function stringEnd(text: string, start: number): number {
  const quote = text.charCodeAt(start);
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) return at + 1;
    if (unit === BACKSLASH) at += text.charCodeAt(at + 1) === 13 && text.charCodeAt(at + 2) === 10 ? 2 : 1;
    else if (unit === 10 || unit === 13) return -1;
  }
  return -1;
}

/** Returns the offset behind the last slash of a pattern that begins at an offset; -1 if it does not end on its line. */
export function regexEnd(text: string, start: number): number {
  let isInClass = false;
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || unit === 13 || unit === 0x2028 || unit === 0x2029) return -1;
    if (unit === BACKSLASH) at++;
    else if (unit === 0x5b) isInClass = true;
    else if (unit === 0x5d) isInClass = false;
    else if (unit === 0x2f && !isInClass) return at + 1;
  }
  return -1;
}

/** Returns the offset of what ends a part of a template, its last quote or `${`; -1 if nothing does. */
export function nextTemplatePart(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x60 || (unit === 0x24 && text.charCodeAt(at + 1) === 0x7b)) return at;
    if (unit === BACKSLASH) at++;
  }
  return -1;
}

/** Returns whether the word before an offset declares what is there: `const`, `let` or `var`. */
export function declaresAt(text: string, offset: number): boolean {
  let end = offset;
  while (end > 0 && isSpaceUnit(text.charCodeAt(end - 1))) end--;
  let start = end;
  while (start > Math.max(0, end - 6) && isWordUnit(text.charCodeAt(start - 1))) start--;
  const word = text.slice(start, end);
  return (word === "const" || word === "let" || word === "var") && text[start - 1] !== ".";
}

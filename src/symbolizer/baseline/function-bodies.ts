import { lowerBound } from "../../profile/sorted.js";
import {
  BracketStack,
  declaresAt,
  isSpaceUnit,
  isWordUnit,
  lineEnd,
  nextTemplatePart,
  OPEN,
  regexEnd,
  stringEnd,
  wordsIn,
} from "./tokens.js";

/** Where the blocks of a script end, and which parts of it are needed to know what its names stand for. */
class ScriptOutline {
  readonly #opens: readonly number[];
  readonly #closes: readonly number[];
  readonly #needed: readonly number[];

  /** The offsets of braces, opening ones in order; and offsets that must not be skipped. */
  constructor(opens: readonly number[], closes: readonly number[], needed: readonly number[]) {
    this.#opens = opens;
    this.#closes = closes;
    this.#needed = needed.toSorted((a, b) => a - b);
  }

  /** Returns the offset of the brace that closes the one at an offset, if nothing between them is needed; else -1. */
  skippedEnd(open: number): number {
    const index = lowerBound(this.#opens, open);
    if (this.#opens[index] !== open) return -1;
    const close = this.#closes[index]!;
    const next = this.#needed[lowerBound(this.#needed, open)];
    return next === undefined || next > close ? close : -1;
  }
}

/** What a token before says of the next one: a slash divides a value, and begins a pattern after an operator. */
const LAST = {
  operator: 0,
  value: 1,
  dot: 2,
  word: 3,
  property: 4,
  closed: 5,
  closedBrace: 6,
  unsure: 7,
} as const;
type Last = (typeof LAST)[keyof typeof LAST];

/** Words before a pattern. */
const BEFORE_PATTERN: ReadonlySet<string> = new Set(
  "return typeof instanceof in new delete void throw case do else default extends".split(" "),
);
/** Words that are names in some places and not in others. */
const UNSURE: ReadonlySet<string> = new Set("of yield await break continue debugger let async".split(" "));
/** Words before a parenthesis that ends no value. */
const CONTROL: ReadonlySet<string> = new Set(["if", "while", "for", "with"]);

/** Assignments and braces that are kept. */
const MOST_KEPT = 1 << 18;

/**
 * Returns where the blocks of a script end. Those must not be skipped that have a wanted offset, may assign to one of these
 * names, or may give names other meanings (`with`, `eval`). Returns undefined if this is not certain: the text is only split
 * into tokens, and whether a slash begins a pattern can depend on more.
 */
export function scriptOutline(
  text: string,
  wanted: ReadonlySet<number>,
  names: ReadonlySet<string>,
): ScriptOutline | undefined {
  return new OutlineReader(text, names).read(wanted);
}

class OutlineReader {
  readonly #text: string;
  readonly #names: ReadonlySet<string>;
  readonly #stack = new BracketStack();
  readonly #opens: number[] = [];
  readonly #closes: number[] = [];
  readonly #needed: number[] = [];
  /** Start and end of texts in brackets that are assigned to; each is outside of those before. */
  readonly #targets: number[] = [];
  #last: Last = LAST.operator;
  /** Of the last token, if it is a word; of the last brackets, if it closes them. */
  #start = 0;
  #end = 0;
  /** Whether the last token is `++` or `--`. */
  #isUpdate = false;

  constructor(text: string, names: ReadonlySet<string>) {
    this.#text = text;
    this.#names = names;
  }

  read(wanted: ReadonlySet<number>): ScriptOutline | undefined {
    const text = this.#text;
    const { length } = text;
    let at = text.startsWith("#!") ? lineEnd(text, 0) : 0;
    while (at >= 0 && at < length) {
      const unit = text.charCodeAt(at);
      if (isSpaceUnit(unit)) at++;
      else if (isWordUnit(unit)) {
        const start = at;
        do at++;
        while (isWordUnit(text.charCodeAt(at)));
        this.#word(start, at);
      } else at = this.#punctuation(at, unit);
      if (this.#opens.length + this.#needed.length + this.#targets.length > MOST_KEPT) return undefined;
    }
    if (at < 0 || this.#stack.depth > 0) return undefined;
    for (let i = 0; i < this.#targets.length; i += 2)
      this.#needNames(this.#targets[i]!, this.#targets[i + 1]!);
    return new ScriptOutline(this.#opens, this.#closes, [...this.#needed, ...wanted]);
  }

  #word(start: number, end: number): void {
    const isProperty = this.#last === LAST.dot;
    const size = end - start;
    if (!isProperty && (size === 2 || size === 4)) {
      const word = this.#text.slice(start, end);
      if (word === "of" || word === "in") this.#assign();
      else if (word === "with" || word === "eval") this.#needed.push(start);
    }
    this.#last = isProperty ? LAST.property : LAST.word;
    this.#start = start;
    this.#end = end;
    if (this.#isUpdate) this.#assign();
    this.#isUpdate = false;
  }

  /** Reads what begins with something other than a letter. Returns the offset behind it; -1 if it is not certain. */
  #punctuation(at: number, unit: number): number {
    const text = this.#text;
    const next = text.charCodeAt(at + 1);
    if (unit === 0x2f && next === 0x2f) return lineEnd(text, at);
    if (unit === 0x2f && next === 0x2a) {
      const end = text.indexOf("*/", at + 2);
      return end < 0 ? -1 : end + 2;
    }
    const isUpdate = this.#isUpdate;
    this.#isUpdate = false;
    switch (unit) {
      case 0x22: // "
      case 0x27: // '
        this.#last = LAST.value;
        return stringEnd(text, at);
      case 0x60: // `
        return this.#template(at + 1);
      case 0x28: // (
        // What is updated may be in parentheses.
        return isUpdate ? -1 : this.#open(at, this.#parenthesis());
      case 0x5b: // [
        return this.#open(at, OPEN.bracket);
      case 0x7b: // {
        this.#opens.push(at);
        this.#closes.push(-1);
        return this.#open(at, OPEN.brace);
      case 0x29: // )
      case 0x5d: // ]
      case 0x7d: // }
        return this.#close(at, unit);
      case 0x2e: // .
        if (next === 0x2e) {
          this.#last = LAST.operator;
          return at + 3;
        }
        this.#last = LAST.dot;
        return at + 1;
      case 0x2f: // /
        return this.#slash(at);
      case 0x3b: // ;
      case 0x2c: // ,
      case 0x3a: // :
      case 0x7e: // ~
      case 0x40: // @
        this.#last = LAST.operator;
        return at + 1;
      default:
        return OPERATORS.includes(text[at]!) ? this.#operator(at, unit, next) : -1;
    }
  }

  #operator(at: number, unit: number, next: number): number {
    const text = this.#text;
    // HTML's comments are comments in scripts too.
    if (text.startsWith(unit === 0x3c ? "<!--" : "-->", at)) return -1;
    if ((unit === 0x2b || unit === 0x2d) && next === unit) {
      this.#assign();
      this.#last = LAST.unsure;
      this.#isUpdate = true;
      return at + 2;
    }
    if (unit === 0x3f && next === 0x2e) {
      this.#last = LAST.dot;
      return at + 2;
    }
    let end = at + 1;
    if (unit !== 0x3d && unit !== 0x21) while (text.charCodeAt(end) === unit) end++;
    const isComparison = unit === 0x21 || ((unit === 0x3c || unit === 0x3e) && end === at + 1);
    if (unit === 0x3d) {
      // Neither `==` nor `=>`.
      if (next !== 0x3d && next !== 0x3e) this.#assign();
      else end++;
    } else if (text.charCodeAt(end) === 0x3d) {
      if (!isComparison) this.#assign();
      end++;
    }
    if ((unit === 0x3d && next === 0x3d) || unit === 0x21) while (text.charCodeAt(end) === 0x3d) end++;
    this.#last = LAST.operator;
    return end;
  }

  #slash(at: number): number {
    switch (this.#last) {
      case LAST.unsure:
      case LAST.closedBrace:
        return -1;
      case LAST.operator:
        this.#last = LAST.value;
        return regexEnd(this.#text, at);
      case LAST.word: {
        const word = this.#text.slice(this.#start, this.#end);
        if (UNSURE.has(word)) return -1;
        if (BEFORE_PATTERN.has(word)) {
          this.#last = LAST.value;
          return regexEnd(this.#text, at);
        }
      }
    }
    const isAssignment = this.#text.charCodeAt(at + 1) === 0x3d;
    if (isAssignment) this.#assign();
    this.#last = LAST.operator;
    return isAssignment ? at + 2 : at + 1;
  }

  #parenthesis(): number {
    if (this.#last !== LAST.word) return OPEN.parenthesis;
    const word = this.#text.slice(this.#start, Math.min(this.#end, this.#start + MOST_LETTERS));
    return CONTROL.has(word) ? OPEN.control : UNSURE.has(word) ? OPEN.unsure : OPEN.parenthesis;
  }

  #open(at: number, kind: number): number {
    this.#stack.push(kind, at, this.#opens.length - 1);
    this.#last = LAST.operator;
    return at + 1;
  }

  #close(at: number, unit: number): number {
    const { kind, offset, index } = this.#stack.pop();
    this.#start = offset;
    this.#end = at;
    switch (kind) {
      case OPEN.template:
        return unit === 0x7d ? this.#template(at + 1) : -1;
      case OPEN.brace:
        this.#closes[index] = at;
        this.#last = LAST.closedBrace;
        return unit === 0x7d ? at + 1 : -1;
      case OPEN.bracket:
        this.#last = LAST.closed;
        return unit === 0x5d ? at + 1 : -1;
      default:
        this.#last = kind === OPEN.control ? LAST.operator : kind === OPEN.unsure ? LAST.unsure : LAST.closed;
        return unit === 0x29 && kind !== OPEN.none ? at + 1 : -1;
    }
  }

  /** Goes on in a template. */
  #template(start: number): number {
    const at = nextTemplatePart(this.#text, start);
    if (at < 0) return -1;
    if (this.#text[at] === "`") {
      this.#last = LAST.value;
      return at + 1;
    }
    return this.#open(at + 1, OPEN.template);
  }

  /** Notes what may be assigned to: the last token, or what is in brackets that it closes. */
  #assign(): void {
    const last = this.#last;
    if (last === LAST.word) {
      const name = this.#text.slice(this.#start, this.#end);
      if (this.#names.has(name) && !declaresAt(this.#text, this.#start)) this.#needed.push(this.#start);
    } else if (last === LAST.closed || last === LAST.closedBrace) {
      if (declaresAt(this.#text, this.#start)) return;
      while (this.#targets.length > 0 && this.#targets.at(-2)! > this.#start) this.#targets.length -= 2;
      this.#targets.push(this.#start, this.#end);
    }
  }

  #needNames(start: number, end: number): void {
    for (const { at, word } of wordsIn(this.#text, start, end))
      if (this.#names.has(word)) this.#needed.push(at);
  }
}

const OPERATORS = "=!<>+-*%&|^?";
/** No word that matters before a parenthesis is longer. */
const MOST_LETTERS = 9;

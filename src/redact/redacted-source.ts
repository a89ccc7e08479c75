import { placeholderLine, publicHash, splitPlaceholders } from "../profile/placeholders.js";
import type { KeptStrings, NameHash } from "./name-hash.js";
import { isV8Name, SOURCE_WORDS } from "./v8-words.js";

/** More words of a log are all replaced by the same letters. */
const MOST_WORDS = 1 << 18;
/** Longer words are, too. */
const LONGEST_WORD = 255;
/** What can begin the word that stands for one that begins with a capital, with a small letter or with anything else; what follows. */
const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SMALL = "abcdefghijklmnopqrstuvwxyz";
const OTHERS = "$_";
const NEXT = "0123456789_$zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA";
const CAPITAL = /^\p{Lu}/u;
const SMALL_LETTER = /^\p{Ll}/u;

const STRICT = "use strict";
/** A mark of a private name may stand alone. */
const NAME = /^#?[\w$]+$/;

const SPACE = 32;
const [SLASH, STAR, BACKTICK, BACKSLASH, HASH, ONE] = [0x2f, 0x2a, 0x60, 0x5c, 0x23, 0x31];
const REPLACEMENT = 0xfffd;
const LINE_ENDS: ReadonlySet<number> = new Set([10, 13, 0x2028, 0x2029]);
const PUNCTUATION: ReadonlySet<number> = new Set(Buffer.from("!%&()*+,-./:;<=>?@[\\]^{|}~\"'`"));

/** Words before a pattern, and before a parenthesis that ends no value. */
const BEFORE_PATTERN: ReadonlySet<string> = new Set(
  "return typeof instanceof in of new delete void throw case do else default extends yield await".split(" "),
);
const CONTROL: ReadonlySet<string> = new Set(["if", "while", "for", "with"]);

/**
 * Replaces what a program's text reveals, and keeps its structure and every position: marks, line ends and the words of
 * JavaScript stay; each other word becomes one of the same length, the same one in all texts of a log; texts, comments,
 * patterns and digits become blanks and ones. What reports infer from calls is then inferred as before.
 *
 * Words are numbered in the order of the log, so that they have nothing of the originals. A line below the text says which hash
 * in the rows of functions is meant. The text is only split into tokens. Where that fails, less is kept, but never more.
 */
export class SourceRedactor {
  readonly #hash: NameHash;
  readonly #kept: KeptStrings;
  readonly #names: PublicNames;
  readonly #words = new Map<string, string>();
  /** How many words have been numbered, by their length and case. */
  readonly #counts = new Map<string, number>();
  /** The words whose hash is in the log, with the kind of the hash. */
  readonly #listed = new Set<string>();

  constructor(hash: NameHash, kept: KeptStrings, names: PublicNames) {
    this.#hash = hash;
    this.#kept = kept;
    this.#names = names;
  }

  /** Returns the redacted text. `isPublic` is whether the rows of its functions have their names. */
  redact(whole: string, isPublic = false): string {
    const { text, placeholders } = splitPlaceholders(whole);
    if (text === "") return "";
    // In a text that is redacted already, words are known by the hashes of their originals.
    const given =
      placeholders && new Map(Array.from(placeholders.words, ([hash, word]) => [hash[0] + word, hash]));
    const added = new Map<string, string>();
    const list = (kind: "f" | "w", word: string, isSure: boolean) => {
      const entry = kind + word;
      const hash = given?.get(entry);
      if (this.#listed.has(entry) || (hash === undefined && !isSure)) return;
      this.#listed.add(entry);
      if (hash !== undefined && kind === "w" && !isPublic) this.#names.claimed.add(hash);
      added.set(this.#hash.token(kind, hash ?? word), this.#words.get(word)!);
    };
    const wordFor = (word: string) => {
      let made = this.#words.get(word);
      if (made === undefined) {
        if (this.#isPublic(word)) return word;
        made = this.#placeholder(word);
        // Those that are left have no name of their own.
        if (made === undefined) return otherLetters(word);
        this.#words.set(word, made);
      }
      if (!NAME.test(made)) return made;
      if (!isPublic) list("f", word, true);
      // Functions of Node's are called in texts of the program too.
      list("w", word, isPublic || (given === undefined && this.#names.kept.has(word)));
      return made;
    };
    const redacted = new SourceReader(text, wordFor, this.#kept).read();
    const ofText = this.#hash.token("t", placeholders?.text ?? text.replaceAll("\ufffd", "\u0001"));
    return redacted + placeholderLine({ words: added, text: ofText });
  }

  #isPublic(word: string): boolean {
    const isKnown = SOURCE_WORDS.has(word) || isPrimordial(word);
    return isKnown && this.#kept.keep("V8", word);
  }

  /** Returns the next word of a length; undefined if there is none left. */
  #placeholder(word: string): string | undefined {
    const mark = word.startsWith("#") ? "#" : "";
    const length = word.length - mark.length;
    if (length === 0 || length > LONGEST_WORD || this.#words.size >= MOST_WORDS) return undefined;
    const firsts = firstsOf(word);
    const kind = `${mark}${length}${firsts[0]}`;
    for (let number = this.#counts.get(kind) ?? 0; ; number++) {
      let made = firsts[number % firsts.length]!;
      let left = Math.floor(number / firsts.length);
      for (let i = 1; i < length; i++) {
        made += NEXT[left % NEXT.length]!;
        left = Math.floor(left / NEXT.length);
      }
      this.#counts.set(kind, number + 1);
      if (left > 0) return undefined;
      if (!SOURCE_WORDS.has(made)) return mark + made;
    }
  }
}

/** Returns whether a word is a name by which Node's own code calls methods: `ArrayPrototypePush`. */
function isPrimordial(word: string): boolean {
  const at = word.indexOf("Prototype");
  return (
    at > 0 && /^[A-Z]/.test(word) && /^[A-Z]/.test(word.slice(at + "Prototype".length)) && isV8Name(word)
  );
}

function firstsOf(word: string): string {
  const name = word.replace(/^#/, "");
  return CAPITAL.test(name) ? CAPITALS : SMALL_LETTER.test(name) ? SMALL : OTHERS;
}

/** Returns a word of the same length and case that many share. */
function otherLetters(word: string): string {
  const mark = word.startsWith("#") ? "#" : "";
  return (
    mark +
    firstsOf(word)
      .at(-1)!
      .repeat(word.length - mark.length)
  );
}

/** What the token before says of a slash: it divides a value, or begins a pattern. */
type Last = "operator" | "value" | "word";

/** The `${` of a template, the parenthesis after `if` and the like, or another bracket. */
type Bracket = "template" | "control" | "other";

/** Splits a text into tokens and writes each as it is kept. */
class SourceReader {
  readonly #text: string;
  readonly #wordFor: (word: string) => string;
  readonly #kept: KeptStrings;
  /** The text that is written, whose units stay where they are. */
  readonly #units: Uint16Array;
  /** What opened the brackets that are open. */
  readonly #open: Bracket[] = [];
  #last: Last = "operator";
  /** The last token, if it is a word. */
  #word = "";
  #isProperty = false;

  constructor(text: string, wordFor: (word: string) => string, kept: KeptStrings) {
    this.#text = text;
    this.#kept = kept;
    this.#wordFor = wordFor;
    this.#units = new Uint16Array(text.length);
  }

  read(): string {
    const text = this.#text;
    for (let at = text.startsWith("#!") ? this.#blank(0, lineEnd(text, 0)) : 0; at < text.length; ) {
      const unit = text.charCodeAt(at);
      if (unit === REPLACEMENT || isSpaceUnit(unit)) this.#units[at] = text.charCodeAt(at++);
      else if (isWordUnit(unit)) at = this.#readWord(at);
      else at = this.#punctuation(at, unit);
    }
    const pieces: string[] = [];
    const bytes = Buffer.from(this.#units.buffer);
    for (let i = 0; i < bytes.length; i += PIECE) pieces.push(bytes.toString("utf16le", i, i + PIECE));
    return pieces.join("");
  }

  #readWord(start: number): number {
    const text = this.#text;
    let end = start + 1;
    while (end < text.length && isInWord(text.charCodeAt(end))) end++;
    const word = text.slice(start, end);
    const made = /^\d/.test(word) ? numberFor(word) : this.#wordFor(word);
    for (let i = 0; i < made.length; i++) this.#units[start + i] = made.charCodeAt(i);
    this.#isProperty = this.#last === "operator" && text[start - 1] === ".";
    this.#last = "word";
    this.#word = made;
    return end;
  }

  /** Writes what begins with something other than a letter. Returns the offset behind it. */
  #punctuation(at: number, unit: number): number {
    const text = this.#text;
    this.#units[at] = PUNCTUATION.has(unit) ? unit : SPACE;
    if (unit === SLASH) return this.#slash(at);
    switch (unit) {
      case 0x22: // "
      case 0x27: // '
        return this.#string(at);
      case BACKTICK:
        return this.#template(at + 1);
      case 0x28: // (
      case 0x5b: // [
      case 0x7b: // {
        this.#open.push(this.#isControl(unit) ? "control" : "other");
        this.#last = "operator";
        break;
      case 0x29: // )
      case 0x5d: // ]
      case 0x7d: {
        const kind = this.#open.pop();
        if (kind === "template" && unit === 0x7d) return this.#template(at + 1);
        this.#last = kind === "control" ? "operator" : "value";
        break;
      }
      case 0x2b: // +
      case 0x2d: // -
        // After `++` of a value, a slash divides.
        if (text.charCodeAt(at + 1) === unit && this.#last !== "operator") {
          this.#units[at + 1] = unit;
          this.#last = "value";
          return at + 2;
        }
        this.#last = "operator";
        break;
      default:
        this.#last = "operator";
    }
    return at + 1;
  }

  #isControl(unit: number): boolean {
    return unit === 0x28 && this.#last === "word" && !this.#isProperty && CONTROL.has(this.#word);
  }

  #slash(at: number): number {
    const text = this.#text;
    const next = text.charCodeAt(at + 1);
    if (next === SLASH || next === STAR) {
      this.#units[at + 1] = next;
      if (next === SLASH) return this.#blank(at + 2, lineEnd(text, at));
      const end = text.indexOf("*/", at + 2);
      if (end < 0) return this.#blank(at + 2, text.length);
      this.#blank(at + 2, end);
      this.#units[end] = STAR;
      this.#units[end + 1] = SLASH;
      return end + 2;
    }
    const isPattern =
      this.#last === "operator" ||
      (this.#last === "word" && !this.#isProperty && BEFORE_PATTERN.has(this.#word));
    if (!isPattern) {
      this.#last = "operator";
      return at + 1;
    }
    const end = regexEnd(text, at);
    if (end < 0 || /[\n\r\u2028\u2029]/.test(text.slice(at, end))) return this.#blank(at, at + 1);
    this.#blank(at + 1, end - 1);
    this.#units[end - 1] = SLASH;
    const flags = /^[dgimsuvy]{1,8}(?![\w$])/.exec(text.slice(end, end + 9))?.[0] ?? "";
    for (let i = 0; i < flags.length; i++) this.#units[end + i] = flags.charCodeAt(i);
    this.#last = "value";
    return end + flags.length;
  }

  #string(at: number): number {
    const text = this.#text;
    const end = stringEnd(text, at);
    // What does not end is none, also when what is behind it is read again without its contents.
    if (end < 0) return this.#blank(at, at + 1);
    this.#last = "value";
    const content = text.slice(at + 1, end - 1);
    // It makes a function strict.
    if (content === STRICT && this.#kept.keep("V8", content))
      for (let i = at + 1; i < end - 1; i++) this.#units[i] = text.charCodeAt(i);
    else {
      this.#blank(at + 1, end - 1);
      for (const { index } of content.matchAll(/\\[\n\r\u2028\u2029]/g))
        this.#units[at + 1 + index] = BACKSLASH;
    }
    this.#units[end - 1] = text.charCodeAt(end - 1);
    return end;
  }

  /** Goes on in a template. */
  #template(start: number): number {
    const text = this.#text;
    const found = nextTemplatePart(text, start);
    const end = this.#blank(start, found < 0 ? text.length : found);
    this.#last = "value";
    if (found < 0) return end;
    this.#units[end] = text.charCodeAt(end);
    if (text.charCodeAt(end) === BACKTICK) return end + 1;
    this.#units[end + 1] = text.charCodeAt(end + 1);
    this.#open.push("template");
    this.#last = "operator";
    return end + 2;
  }

  /** Writes blanks except for line ends. Returns the end. */
  #blank(start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const unit = this.#text.charCodeAt(at);
      this.#units[at] = LINE_ENDS.has(unit) || unit === REPLACEMENT ? unit : SPACE;
    }
    return end;
  }
}

/** Bytes that become text at once. */
const PIECE = 1 << 20;

/** Returns whether a unit goes on a word. A private name begins with its mark. */
function isInWord(unit: number): boolean {
  return unit !== HASH && unit !== REPLACEMENT && isWordUnit(unit);
}

/** Returns a number of the same form, in digits that say nothing. */
function numberFor(word: string): string {
  const isHex = /^0[xX]/.test(word);
  const body = (isHex ? word.slice(2) : word).replace(/[^_]/g, (letter, at: number) => {
    if (letter === "0" && at === 0 && !isHex) return "0";
    if (/\d/.test(letter) || (isHex && /[a-f]/i.test(letter))) return String.fromCharCode(ONE);
    return /[xXoObBeEn]/.test(letter) ? letter : "1";
  });
  return isHex ? `0${word[1]}${body}` : body;
}

/** By ASCII letter: 1 for white space, 2 for what is in words. `#` begins the name of a private property. */
const KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const letter = String.fromCharCode(unit);
  return /\s/.test(letter) ? 1 : /[\w$#]/.test(letter) ? 2 : 0;
});

/** Returns whether a UTF-16 unit is white space. */
function isSpaceUnit(unit: number): boolean {
  return unit < 128 ? KINDS[unit] === 1 : isWideSpace(unit);
}

/** Returns whether a UTF-16 unit is part of a word or number; false for NaN. */
function isWordUnit(unit: number): boolean {
  return unit < 128 ? KINDS[unit] === 2 : unit >= 128 && !isWideSpace(unit);
}

function isWideSpace(unit: number): boolean {
  if (unit === 0xa0 || unit === 0xfeff || unit === 0x3000 || unit === 0x1680) return true;
  if (unit < 0x2000 || unit > 0x205f) return false;
  return unit <= 0x200a || unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f;
}

function lineEnd(text: string, offset: number): number {
  for (let at = offset; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || unit === 13 || unit === 0x2028 || unit === 0x2029) return at;
  }
  return text.length;
}

/** Returns the offset behind a string that begins at an offset; -1 if it does not end on its line. */
function stringEnd(text: string, start: number): number {
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
function regexEnd(text: string, start: number): number {
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
function nextTemplatePart(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x60 || (unit === 0x24 && text.charCodeAt(at + 1) === 0x7b)) return at;
    if (unit === BACKSLASH) at++;
  }
  return -1;
}

/** More names are not looked for in texts. */
const LIMIT = 100_000;

/** The functions whose names the rows of a log keep, such as Node's own: texts of the program may call them. */
export class PublicNames {
  /** Without their classes and objects. */
  readonly kept = new Set<string>();
  /** The hashes of words that a redacted text states as such names. */
  readonly claimed = new Set<string>();

  /** Names in scripts that only their path tells, by how they stand in rows: in one so far, and in several. */
  readonly #once = new Map<string, string>();
  readonly #again = new Map<string, string>();
  #isTorn = false;

  add(name: string): void {
    if (this.kept.size < LIMIT) this.kept.add(bareName(name));
  }

  /**
   * Returns whether a name belongs to a script that only its path tells, such as `internal/url.js`. Where rows are torn, what
   * is left of one may stand before the end of another: there a name is sure that several rows have at the same `place`.
   */
  isSure(name: string, place: string): boolean {
    if (name === "") return true;
    const key = `${name} ${place}`;
    if (this.#isTorn) return this.#again.has(key);
    if (this.#once.has(key)) this.#again.set(key, name);
    else if (this.#once.size < LIMIT) this.#once.set(key, name);
    return true;
  }

  /** Ends the first reading of the log, which tells whether rows are torn. Only sure names are kept then. */
  endFirst(isTorn: boolean): void {
    this.#isTorn = isTorn;
    if (!isTorn) return;
    for (const name of this.#once.values()) this.kept.delete(bareName(name));
    for (const name of this.#again.values()) this.add(name);
  }

  /** Returns the hashes that are of none of the names. */
  unproven(): string[] {
    const known = new Set(Array.from(this.kept, publicHash));
    return Array.from(this.claimed).filter((hash) => !known.has(hash));
  }
}

function bareName(name: string): string {
  return name.replace(/^.*[. ]/s, "");
}

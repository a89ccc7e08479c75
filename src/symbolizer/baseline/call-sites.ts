import {
  type AnyNode,
  type CallExpression,
  type Class,
  type NewExpression,
  type Node,
  type Options,
  Parser,
  type Pattern,
  type Program,
  type TaggedTemplateExpression,
} from "acorn";
import { PARSED_SCRIPT_LENGTH, PARSED_SCRIPT_NODES } from "../../limits.js";
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
} from "./tokens.js";

/** Returns the words between two offsets, even those of strings and comments. */
function* wordsIn(
  text: string,
  start: number,
  end: number,
): Generator<{ readonly at: number; readonly word: string }> {
  for (let at = start; at < end; at++) {
    if (!isWordUnit(text.charCodeAt(at))) continue;
    const from = at;
    while (at < end && isWordUnit(text.charCodeAt(at))) at++;
    yield { at: from, word: text.slice(from, at) };
  }
}

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

/** A function or class in a script's text. */
type FunctionNode = Extract<AnyNode, { readonly body: unknown; readonly params: unknown }>;

/** Adds the nodes directly below a node to a list, in the order of the text but for rare cases. */
function addChildren(node: AnyNode, nodes: AnyNode[]): void {
  const fields = node as unknown as Readonly<Record<string, unknown>>;
  // Nodes are plain objects. This takes a third of the time of `Object.values`.
  for (const name in fields) {
    const value = fields[name];
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) for (const item of value) addNode(nodes, item);
    else addNode(nodes, value);
  }
}

function addNode(nodes: AnyNode[], value: unknown): void {
  if (typeof value === "object" && value !== null && "type" in value && "start" in value) {
    nodes.push(value as AnyNode);
  }
}

/** Returns the name of a property that the text states; undefined if it is computed. */
function propertyName(key: AnyNode, isComputed: boolean): string | undefined {
  if (key.type === "PrivateIdentifier") return `#${key.name}`;
  if (key.type === "Identifier" && !isComputed) return key.name;
  if (key.type === "Literal" && typeof key.value === "string") return key.value;
  return undefined;
}

/** Returns an expression without what `?.` puts around it. */
function unwrapped(node: AnyNode): AnyNode {
  return node.type === "ChainExpression" ? node.expression : node;
}

/**
 * Returns the offset of the parenthesis that opens after an offset, behind closing ones, comments and `?.`; -1
 * if there is none before `end`.
 */
function parenthesisAfter(text: string, offset: number, end: number): number {
  let at = offset;
  while (at < end) {
    const letter = text[at];
    if (letter === "(") return at;
    if (text.startsWith("//", at)) at = lineEnd(text, at);
    else if (text.startsWith("/*", at)) {
      const close = text.indexOf("*/", at + 2);
      if (close < 0) return -1;
      at = close + 2;
    } else at++;
  }
  return -1;
}

/** Where a function is defined in its script, in UTF-16 units. */
interface Definition {
  readonly start: number;
  /** Where its body starts: behind the start that V8 states for the function. */
  readonly body: number;
  readonly end: number;
}

/** What a name or an expression is known to stand for when it is called. */
interface Meaning {
  /** The function; undefined if the text does not tell. */
  readonly definition: Definition | undefined;
  /** The names that the function is likely to have. */
  readonly names: readonly string[];
  /** Whether it can be a function of any name. */
  readonly isAlias: boolean;
}

/** What a name of its own says nothing about: a parameter, an element, a result. */
function alias(...names: string[]): Meaning {
  return { definition: undefined, names, isAlias: true };
}

/** What is likely to have one of these names: a property, an import, a global. */
function named(...names: string[]): Meaning {
  return { definition: undefined, names, isAlias: false };
}

/** The names declared in one function or block. */
interface Scope<Use> {
  readonly names: Map<string, Meaning>;
  readonly inner: Scope<Use>[];
  /** The scope of the function that it is in. */
  readonly function: Scope<Use>;
  readonly outer: Scope<Use> | undefined;
  /** Whether it, or one in it, has anything that uses names. */
  isUsed: boolean;
  /** What uses the names. */
  readonly uses: Use[];
}

/** Makes a scope in another one; without one, that of a script. */
function openScope<Use>(outer?: Scope<Use>, isFunction = outer === undefined): Scope<Use> {
  const empty = { names: new Map(), inner: [], uses: [], outer, isUsed: false };
  const scope = empty as unknown as { function: Scope<Use> } & Scope<Use>;
  scope.function = isFunction || outer === undefined ? scope : outer.function;
  outer?.inner.push(scope);
  return scope;
}

/** Adds what uses names in a scope. */
function addUse<Use>(scope: Scope<Use>, use: Use): void {
  scope.uses.push(use);
  for (let at: Scope<Use> | undefined = scope; at !== undefined && !at.isUsed; at = at.outer)
    at.isUsed = true;
}

/** Declares a name. Declared twice in a scope, it can stand for anything. */
function declare({ names }: Pick<Scope<unknown>, "names">, name: string, meaning: Meaning): void {
  names.set(name, names.has(name) ? alias(name) : meaning);
}

/** Declares the names of a pattern as what they get from a value; undefined if that is unknown. */
function declarePattern(
  scope: Pick<Scope<unknown>, "names">,
  pattern: Pattern,
  value: AnyNode | undefined,
): void {
  const open: { readonly pattern: AnyNode; readonly meaning: (local: string) => Meaning }[] = [
    { pattern, meaning: (local) => meaningOfValue(value, local) },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { pattern: node, meaning } = next;
    if (node.type === "Identifier") declare(scope, node.name, meaning(node.name));
    else if (node.type === "ObjectPattern") {
      for (const property of node.properties) {
        if (property.type === "RestElement") open.push({ pattern: property.argument, meaning: alias });
        else {
          const key = value === undefined ? undefined : propertyName(property.key, property.computed);
          const ofKey = (local: string) => (key === undefined ? alias(local) : named(key, local));
          open.push({ pattern: property.value, meaning: ofKey });
        }
      }
    } else if (node.type === "ArrayPattern") {
      for (const item of node.elements) if (item !== null) open.push({ pattern: item, meaning: alias });
    } else if (node.type === "AssignmentPattern") open.push({ pattern: node.left, meaning: alias });
    else if (node.type === "RestElement") open.push({ pattern: node.argument, meaning: alias });
  }
}

/** Adds the names that a pattern assigns to. */
function addAssigned(names: Set<string>, pattern: AnyNode): void {
  const open: AnyNode[] = [pattern];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === "Identifier") names.add(node.name);
    else if (node.type === "ObjectPattern") {
      for (const property of node.properties) {
        open.push(property.type === "RestElement" ? property.argument : property.value);
      }
    } else if (node.type === "ArrayPattern") {
      for (const item of node.elements) if (item !== null) open.push(item);
    } else if (node.type === "AssignmentPattern") open.push(node.left);
    else if (node.type === "RestElement") open.push(node.argument);
  }
}

/** Returns what a name stands for that is set once, to a value. */
function meaningOfValue(value: AnyNode | undefined, local: string): Meaning {
  if (value === undefined) return alias(local);
  const node = unwrapped(value);
  switch (node.type) {
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return ofFunction(node);
    case "ClassExpression":
      return ofClass(node, local);
    case "MemberExpression": {
      const name = propertyName(node.property, node.computed);
      return name === undefined ? alias(local) : named(name, local);
    }
    case "CallExpression":
      return node.callee.type === "Identifier" && node.callee.name === "require"
        ? named(local)
        : alias(local);
    default:
      return alias(local);
  }
}

/** Returns the meaning of a function's own name. */
function ofFunction({ start, end, body }: FunctionNode): Meaning {
  return { definition: { start, end, body: body.start }, names: [], isAlias: false };
}

/**
 * Returns the meaning of a class's name: its constructor. V8 leaves out a constructor that is not in the text
 * and calls that of the class's parent, if it has one.
 */
function ofClass(node: Class, name: string): Meaning {
  for (const member of node.body.body) {
    if (member.type === "MethodDefinition" && member.kind === "constructor") return ofFunction(member.value);
  }
  return alias(name);
}

/** What calls something in a script. */
type Call = CallExpression | NewExpression | TaggedTemplateExpression;

/** Properties of functions that call them. */
const FORWARDING: ReadonlySet<string> = new Set(["call", "apply"]);

/** Names that are looked for around a call are not longer, nor the gaps between. */
const LONGEST = 256;
/** What can be between the name of what is called and the position of the call. */
const BEFORE_CALL = ".?() \n";

/**
 * Returns whether a call can have its position at an offset: a parenthesis or template is there, or a word before one. Words
 * with escapes and gaps with comments may have one.
 */
function mayCallAt(text: string, offset: number): boolean {
  const unit = text.charCodeAt(offset);
  if (!isWordUnit(unit)) return "(`\\".includes(text[offset] ?? " ");
  const last = offset + LONGEST;
  let at = offset + 1;
  while (at < last && isWordUnit(text.charCodeAt(at))) at++;
  if (at - offset === 3 && text.startsWith("new", offset)) return true;
  while (at < last && isSpaceUnit(text.charCodeAt(at))) at++;
  return at === last || "()`?/\\".includes(text[at] ?? " ");
}

/** Returns the names that seem to be called at some offsets, which may not be all. */
function namesAt(text: string, wanted: ReadonlySet<number>): Set<string> {
  const names = new Set<string>();
  for (const offset of wanted) {
    const word = wordAt(text, offset);
    if (word === "new") names.add(wordAt(text, offset + word.length + 1));
    else if (word === "" || FORWARDING.has(word)) names.add(wordBefore(text, offset));
    else if (!isProperty(text, offset)) names.add(word);
  }
  return names;
}

/** Returns the word that begins at an offset, or the beginning of a long one; may be empty. */
function wordAt(text: string, offset: number): string {
  let end = offset;
  while (end < offset + LONGEST && isWordUnit(text.charCodeAt(end))) end++;
  return text.slice(offset, end);
}

/** Returns the word before an offset and the marks that are between; may be empty. */
function wordBefore(text: string, offset: number): string {
  let end = offset;
  while (end > Math.max(0, offset - LONGEST) && BEFORE_CALL.includes(text[end - 1]!)) end--;
  let start = end;
  while (start > Math.max(0, offset - LONGEST) && isWordUnit(text.charCodeAt(start - 1))) start--;
  return text.slice(start, end);
}

/** Returns whether a dot is before a word, on the same line. */
function isProperty(text: string, start: number): boolean {
  let at = start - 1;
  while (at > start - LONGEST && text[at] === " ") at--;
  return text[at] === ".";
}

/** Returns the offsets that V8 may state for a call; -1 for none. */
function positionsOf(call: Call, text: string): number[] {
  if (call.type === "NewExpression") return [call.start];
  const callee = call.type === "CallExpression" ? call.callee : call.tag;
  const next =
    call.type === "CallExpression" ? parenthesisAfter(text, callee.end, call.end) : call.quasi.start;
  if (callee.type === "MemberExpression") return callee.computed ? [next] : [callee.property.start, next];
  return callee.type === "Identifier" || callee.type === "Super" ? [callee.start, next] : [next];
}

/** Digits of a number. Making a number of more takes long. */
const DIGITS = 4096;

/** Returns the offset of the brace that closes the one at an offset, if what is between them is not needed; else -1. */
type SkippedEnd = (open: number) => number;

/** What acorn's parser has for plugins, beyond its types. */
interface Internals {
  pos: number;
  /** Where the token begins that is next. */
  readonly start: number;
  parse(): Program;
  parseFunctionBody(node: Node, isArrow: boolean, isMethod: boolean, forInit?: boolean | string): void;
  parseBlock(isScope?: boolean, node?: Node, exitStrict?: boolean): Node;
  startNode(): Node;
  startNodeAt(offset: number, location: unknown): Node;
  readInt(radix: number, length?: number, mayBeLegacy?: boolean): number | null;
}

const OPTIONS: Options = {
  ecmaVersion: "latest",
  sourceType: "script",
  allowAwaitOutsideFunction: true,
  allowHashBang: true,
  allowImportExportEverywhere: true,
  allowReturnOutsideFunction: true,
  allowSuperOutsideMethod: true,
  checkPrivateFields: false,
};

/**
 * A parser of scripts, modules and functions' bodies. It leaves out checks of declarations, which take
 * quadratic time.
 */
const TolerantParser: new (
  options: Options,
  text: string,
) => Pick<Internals, "parse"> & { skippedEnd: SkippedEnd | undefined } = Parser.extend((Base) => {
  const Open = Base as unknown as new (options: Options, text: string) => Internals;
  class Tolerant extends Open {
    #nodes = 0;
    /** Where the body of a function begins that is next. */
    #body = -1;
    skippedEnd: SkippedEnd | undefined;

    declareName(): void {}

    checkLocalExport(): void {}

    override parseFunctionBody(
      node: Node,
      isArrow: boolean,
      isMethod: boolean,
      forInit?: boolean | string,
    ): void {
      this.#body = this.start;
      super.parseFunctionBody(node, isArrow, isMethod, forInit);
    }

    override parseBlock(isScope?: boolean, node?: Node, exitStrict?: boolean): Node {
      const end = this.start === this.#body ? (this.skippedEnd?.(this.start) ?? -1) : -1;
      // The opening brace is already read.
      if (end >= 0) this.pos = end;
      return super.parseBlock(isScope, node, exitStrict);
    }

    override startNode(): Node {
      this.#count();
      return super.startNode();
    }

    override startNodeAt(offset: number, location: unknown): Node {
      this.#count();
      return super.startNodeAt(offset, location);
    }

    override readInt(radix: number, length?: number, mayBeLegacy?: boolean): number | null {
      const start = this.pos;
      const number = super.readInt(radix, length, mayBeLegacy);
      if (this.pos - start > DIGITS) throw new RangeError("a number is too long");
      return number;
    }

    #count(): void {
      if (++this.#nodes > PARSED_SCRIPT_NODES) throw new RangeError("a script is too long");
    }
  }
  return Tolerant as unknown as typeof Parser;
}) as never;

/**
 * Returns the syntax tree of a script's text, which is not run; undefined if it is not JavaScript, is too long
 * or nests too deeply. Bodies of functions that `skippedEnd` has an end for are empty in it.
 */
export function parseScript(text: string, skippedEnd?: SkippedEnd): Program | undefined {
  if (text.length > PARSED_SCRIPT_LENGTH) return undefined;
  try {
    const parser = new TolerantParser(OPTIONS, text);
    parser.skippedEnd = skippedEnd;
    return parser.parse();
  } catch {
    // Whatever is wrong with a text, or with its parser: lines stay unknown.
    return undefined;
  }
}

interface Callee extends Meaning {
  /** Whether it is called with `new`. */
  readonly isNew?: true;
}

/** A call in a script's text, and what its callee is known to be. */
export interface CallSite extends Callee {
  /** The names of functions passed to the callee, which may call them without a frame of its own. */
  readonly passed: readonly string[];
}

/** The calls in a script by the offsets that V8 states for them, in UTF-16 units. */
export type CallSites = ReadonlyMap<number, CallSite>;

/** How often a text is parsed in parts, with more names that turn out to matter, before it is parsed as a whole. */
const MOST_ROUNDS = 3;

/**
 * Returns those calls in a script's text that are at the offsets asked for, or all; undefined if the text cannot be parsed. Bodies
 * of functions in which nothing is wanted are not parsed, unless they may assign to a name that is called elsewhere.
 *
 * Source: V8, src/parsing/parser-base.h, `ParseLeftHandSideContinuation` and
 * `ParseMemberWithPresentNewTargetsExpression`: a call's position is the last word of its callee, or else the
 * parenthesis.
 */
export function callSites(text: string, asked?: ReadonlySet<number>): CallSites | undefined {
  const wanted = asked && new Set(Array.from(asked).filter((offset) => mayCallAt(text, offset)));
  const names = wanted && namesAt(text, wanted);
  for (let round = 0; names !== undefined && round < MOST_ROUNDS; round++) {
    const outline = scriptOutline(text, wanted!, names);
    const found = outline && sitesIn(text, { wanted, skippedEnd: (open) => outline.skippedEnd(open) });
    if (found === undefined) break;
    const { sites, declared } = found;
    const known = names.size;
    for (const name of declared) names.add(name);
    if (names.size === known) return sites;
  }
  return sitesIn(text, { wanted })?.sites;
}

/** The calls in a text, and the names that they use and the text declares. */
interface FoundSites {
  readonly sites: CallSites;
  readonly declared: ReadonlySet<string>;
}

function sitesIn(
  text: string,
  {
    wanted,
    skippedEnd,
  }: { readonly wanted?: ReadonlySet<number> | undefined; readonly skippedEnd?: SkippedEnd },
): FoundSites | undefined {
  const program = parseScript(text, skippedEnd);
  if (program === undefined) return undefined;
  const scopes = new ScriptScopes(text, (offset) => wanted === undefined || wanted.has(offset));
  scopes.visit(program);
  return scopes.sites();
}

/** A call and the wanted ones of its offsets. */
interface PlacedCall {
  readonly call: Call;
  readonly offsets: readonly number[];
}

/** The scopes of a script with the calls in them that are at wanted offsets. */
class ScriptScopes {
  readonly #text: string;
  readonly #isWanted: (offset: number) => boolean;
  readonly #script = openScope<PlacedCall>();
  /** The names that anything in the script is assigned to after its declaration. */
  readonly #assigned = new Set<string>();
  /** The bodies of functions, which declare their names with the parameters. */
  readonly #bodies = new Set<AnyNode>();
  /** Whether names can have other meanings than the text tells, because of `with` or `eval`. */
  #isOpen = false;

  constructor(text: string, isWanted: (offset: number) => boolean) {
    this.#text = text;
    this.#isWanted = isWanted;
  }

  /** Finds the scopes and calls below a node. */
  visit(program: AnyNode): void {
    // Two lists, since there are more nodes than anything else.
    const nodes: AnyNode[] = [program];
    const scopes: Scope<PlacedCall>[] = [this.#script];
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      const inner = this.#enter(node, scopes.pop()!);
      addChildren(node, nodes);
      while (scopes.length < nodes.length) scopes.push(inner);
    }
  }

  sites(): FoundSites {
    const sites = new Map<number, CallSite>();
    const declared = new Set<string>();
    /** By name: what it stands for in the scopes that are open, the innermost last. */
    const meanings = new Map<string, Meaning[]>();
    const find = (name: string): Meaning => {
      if (this.#isOpen) return alias(name);
      const found = meanings.get(name)?.at(-1);
      if (found === undefined) return named(name);
      declared.add(name);
      return this.#assigned.has(name) ? alias(name) : found;
    };
    const open: { readonly scope: Scope<PlacedCall>; readonly isLeft: boolean }[] = [
      { scope: this.#script, isLeft: false },
    ];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { scope, isLeft } = next;
      for (const [name, meaning] of scope.names) {
        if (isLeft) meanings.get(name)?.pop();
        else {
          const known = meanings.get(name);
          if (known === undefined) meanings.set(name, [meaning]);
          else known.push(meaning);
        }
      }
      if (isLeft) continue;
      for (const { call, offsets } of scope.uses) {
        const site = { ...calleeOf(call, find), passed: passedTo(call) };
        for (const offset of offsets) sites.set(offset, site);
      }
      open.push({ scope, isLeft: true });
      for (const inner of scope.inner) if (inner.isUsed) open.push({ scope: inner, isLeft: false });
    }
    return { sites, declared };
  }

  /** Declares the names of a node and returns the scope of what is in it. */
  #enter(node: AnyNode, scope: Scope<PlacedCall>): Scope<PlacedCall> {
    switch (node.type) {
      case "FunctionDeclaration":
        // An exported function may have no name.
        if (node.id) {
          declare(scope, node.id.name, ofFunction(node));
          // Outside of its block, its name may stand for it from some time on.
          if (scope !== scope.function) declare(scope.function, node.id.name, alias(node.id.name));
        }
        return this.#enterFunction(node, scope);
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return this.#enterFunction(node, scope);
      case "ClassDeclaration":
        if (node.id) declare(scope, node.id.name, ofClass(node, node.id.name));
        return openScope(scope);
      case "ClassExpression": {
        const inner = openScope(scope);
        if (node.id) declare(inner, node.id.name, ofClass(node, node.id.name));
        return inner;
      }
      case "StaticBlock":
        return openScope(scope, true);
      case "BlockStatement":
        return this.#bodies.has(node) ? scope : openScope(scope);
      case "ForStatement":
      case "SwitchStatement":
        return openScope(scope);
      case "ForInStatement":
      case "ForOfStatement": {
        const inner = openScope(scope);
        if (node.left.type !== "VariableDeclaration") addAssigned(this.#assigned, node.left);
        else {
          const to = node.left.kind === "var" ? scope.function : inner;
          for (const { id } of node.left.declarations) declarePattern(to, id, undefined);
        }
        return inner;
      }
      case "CatchClause": {
        const inner = openScope(scope);
        if (node.param) declarePattern(inner, node.param, undefined);
        return inner;
      }
      case "VariableDeclaration": {
        const to = node.kind === "var" ? scope.function : scope;
        for (const { id, init } of node.declarations) {
          // Without a value it is set later, or by a loop.
          if (init) declarePattern(to, id, init);
          else if (id.type === "Identifier" && !to.names.has(id.name)) declare(to, id.name, alias(id.name));
        }
        return scope;
      }
      case "ImportDeclaration":
        for (const specifier of node.specifiers) {
          const local = specifier.local.name;
          const key = specifier.type === "ImportSpecifier" ? propertyName(specifier.imported, false) : local;
          declare(scope, local, named(key ?? local, local));
        }
        return scope;
      case "AssignmentExpression":
        addAssigned(this.#assigned, node.left);
        return scope;
      case "UpdateExpression":
        addAssigned(this.#assigned, node.argument);
        return scope;
      case "WithStatement":
        this.#isOpen = true;
        return scope;
      case "CallExpression":
        if (node.callee.type === "Identifier" && node.callee.name === "eval") this.#isOpen = true;
        this.#call(node, scope);
        return scope;
      case "NewExpression":
      case "TaggedTemplateExpression":
        this.#call(node, scope);
        return scope;
      default:
        return scope;
    }
  }

  #call(call: Call, scope: Scope<PlacedCall>): void {
    const offsets = positionsOf(call, this.#text).filter((offset) => offset >= 0 && this.#isWanted(offset));
    if (offsets.length > 0) addUse(scope, { call, offsets });
  }

  #enterFunction(
    node: Extract<AnyNode, { readonly params: unknown }>,
    outer: Scope<PlacedCall>,
  ): Scope<PlacedCall> {
    const scope = openScope(outer, true);
    if (node.type === "FunctionExpression" && node.id) declare(scope, node.id.name, ofFunction(node));
    for (const parameter of node.params) declarePattern(scope, parameter, undefined);
    this.#bodies.add(node.body);
    return scope;
  }
}

/** Returns what a call's callee is known to be. `find` returns what a name stands for. */
function calleeOf(call: Call, find: (name: string) => Meaning): Callee {
  if (call.type === "NewExpression") {
    const meaning = meaningOf(call.callee, find);
    return { ...meaning, isNew: true };
  }
  const callee = unwrapped(call.type === "CallExpression" ? call.callee : call.tag);
  if (callee.type !== "MemberExpression") return meaningOf(callee, find);
  const name = propertyName(callee.property, callee.computed);
  if (name === undefined) return alias();
  if (!FORWARDING.has(name)) return named(name);
  // It calls a function of that name, or the one that it is a property of.
  const meaning = meaningOf(unwrapped(callee.object as AnyNode), find);
  return { ...meaning, names: [name, ...meaning.names] };
}

function meaningOf(callee: AnyNode, find: (name: string) => Meaning): Meaning {
  switch (callee.type) {
    case "Identifier":
      return find(callee.name);
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return ofFunction(callee);
    case "SequenceExpression": {
      // Compilers write `(0, module.name)(…)`.
      const last = callee.expressions.at(-1);
      return last === undefined || last.type === "SequenceExpression" ? alias() : meaningOf(last, find);
    }
    case "MemberExpression": {
      const name = propertyName(callee.property, callee.computed);
      return name === undefined ? alias() : named(name);
    }
    default:
      return alias();
  }
}

/** Returns the names of the arguments that may be functions. */
function passedTo(call: Call): string[] {
  const given = call.type === "TaggedTemplateExpression" ? call.quasi.expressions : call.arguments;
  return given.flatMap((argument) => {
    const node = argument.type === "SpreadElement" ? argument.argument : argument;
    if (node.type === "Identifier") return [node.name];
    const name = node.type === "MemberExpression" ? propertyName(node.property, node.computed) : undefined;
    return name === undefined ? [] : [name];
  });
}

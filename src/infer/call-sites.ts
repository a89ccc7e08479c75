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
import { PARSED_SCRIPT_LENGTH, PARSED_SCRIPT_NODES } from "../base/limits.js";
import { valueAt } from "../base/maps.js";

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

const LINE_END = /[\n\r\u2028\u2029]/g;

/**
 * Returns the offset of the parenthesis that opens after an offset, behind closing ones, comments and `?.`; -1
 * if there is none before `end`.
 */
function parenthesisAfter(text: string, offset: number, end: number): number {
  let at = offset;
  while (at < end) {
    const letter = text[at];
    if (letter === "(") return at;
    if (text.startsWith("//", at)) {
      LINE_END.lastIndex = at;
      at = LINE_END.exec(text)?.index ?? text.length;
    } else if (text.startsWith("/*", at)) {
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
interface Scope {
  readonly names: Map<string, Meaning>;
  readonly inner: Scope[];
  readonly function: Scope;
  outer: Scope | undefined;
  /** Whether it, or one in it, has anything that uses names. */
  isUsed: boolean;
  /** What uses the names. */
  readonly uses: PlacedCall[];
}

/** Makes a scope in another one; without one, that of a script. */
function openScope(outer?: Scope, isFunction = outer === undefined): Scope {
  const empty = { names: new Map(), inner: [], uses: [], outer, isUsed: false };
  const scope = empty as unknown as { function: Scope } & Scope;
  scope.function = isFunction || outer === undefined ? scope : outer.function;
  outer?.inner.push(scope);
  return scope;
}

/** Puts the finished scope of a function into another one. */
function putScope(scope: Scope, outer: Scope): void {
  scope.outer = outer;
  outer.inner.push(scope);
  if (scope.isUsed) markUsed(outer);
}

/** Adds what uses names in a scope. */
function addUse(scope: Scope, use: PlacedCall): void {
  scope.uses.push(use);
  markUsed(scope);
}

function markUsed(scope: Scope): void {
  for (let at: Scope | undefined = scope; at !== undefined && !at.isUsed; at = at.outer) at.isUsed = true;
}

/** Declares a name. Declared twice in a scope, it can stand for anything. */
function declare({ names }: Pick<Scope, "names">, name: string, meaning: Meaning): void {
  names.set(name, names.has(name) ? alias(name) : meaning);
}

/** Yields the names that a pattern assigns to, and what each gets from a value; undefined if that is unknown. */
function* namesIn(whole: AnyNode, value: AnyNode | undefined): Iterable<readonly [string, Meaning]> {
  const open: { readonly pattern: AnyNode; readonly meaning: (local: string) => Meaning }[] = [
    { pattern: whole, meaning: (local) => meaningOfValue(value, local) },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { pattern: node, meaning } = next;
    if (node.type === "Identifier") yield [node.name, meaning(node.name)];
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

/** Declares the names of a pattern as what they get from a value; undefined if that is unknown. */
function declarePattern(scope: Pick<Scope, "names">, pattern: Pattern, value: AnyNode | undefined): void {
  for (const [name, meaning] of namesIn(pattern, value)) declare(scope, name, meaning);
}

function addAssigned(names: Set<string>, pattern: AnyNode): void {
  for (const [name] of namesIn(pattern, undefined)) names.add(name);
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

/** What acorn's parser has for plugins, beyond its types. */
interface Internals {
  pos: number;
  parse(): Program;
  startNode(): Node;
  startNodeAt(offset: number, location: unknown): Node;
  parseFunctionBody(node: FunctionNode, isArrow: boolean, isMethod: boolean, forInit?: unknown): void;
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
 * quadratic time. `onFunction` gets each function when its body is parsed, inner ones first, and may replace the body.
 */
const TolerantParser: new (
  options: Options,
  text: string,
  onFunction: (node: FunctionNode) => void,
) => Pick<Internals, "parse"> = Parser.extend((Base) => {
  const Open = Base as unknown as new (options: Options, text: string) => Internals;
  class Tolerant extends Open {
    readonly #onFunction: (node: FunctionNode) => void;
    #nodes = 0;

    constructor(options: Options, text: string, onFunction: (node: FunctionNode) => void) {
      super(options, text);
      this.#onFunction = onFunction;
    }

    declareName(): void {}

    checkLocalExport(): void {}

    override startNode(): Node {
      this.#count();
      return super.startNode();
    }

    override startNodeAt(offset: number, location: unknown): Node {
      this.#count();
      return super.startNodeAt(offset, location);
    }

    override parseFunctionBody(
      node: FunctionNode,
      isArrow: boolean,
      isMethod: boolean,
      forInit?: unknown,
    ): void {
      super.parseFunctionBody(node, isArrow, isMethod, forInit);
      this.#onFunction(node);
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

/** Returns the syntax tree of a text, which is not run; undefined if it is not JavaScript, is too long or nests too deeply. */
function parseScript(text: string, onFunction: (node: FunctionNode) => void): Program | undefined {
  if (text.length > PARSED_SCRIPT_LENGTH) return undefined;
  try {
    return new TolerantParser(OPTIONS, text, onFunction).parse();
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

/**
 * Returns those calls in a script's text that are at the offsets asked for, or all; undefined if the text cannot be parsed.
 *
 * Source: V8, src/parsing/parser-base.h, `ParseLeftHandSideContinuation` and
 * `ParseMemberWithPresentNewTargetsExpression`: a call's position is the last word of its callee, or else the
 * parenthesis.
 */
export function callSites(text: string, wanted?: ReadonlySet<number>): CallSites | undefined {
  const scopes = new ScriptScopes(text, (offset) => wanted === undefined || wanted.has(offset));
  // The tree of a function goes when it is parsed: that of a whole script takes many times the memory of its text.
  const program = parseScript(text, (node) => scopes.takeBody(node));
  if (program === undefined) return undefined;
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
  readonly #script = openScope();
  /** The names that anything in the script is assigned to after its declaration. */
  readonly #assigned = new Set<string>();
  /** By function that no scope has yet: its own scope, with what is in its body. */
  readonly #ofFunctions = new Map<AnyNode, Scope>();
  /** Whether names can have other meanings than the text tells, because of `with` or `eval`. */
  #isOpen = false;

  constructor(text: string, isWanted: (offset: number) => boolean) {
    this.#text = text;
    this.#isWanted = isWanted;
  }

  /** Finds the scopes and calls below the node of a script. */
  visit(program: AnyNode): void {
    this.#visit([program], this.#script);
  }

  /** Finds the scopes and calls in the body of a function, and leaves only where it was. Functions in it were taken before. */
  takeBody(node: FunctionNode): void {
    const { body } = node;
    const scope = openScope();
    const inside: AnyNode[] = [];
    // A block that is a body declares its names with the parameters.
    if (body.type === "BlockStatement") addChildren(body, inside);
    else inside.push(body);
    this.#visit(inside, scope);
    this.#ofFunctions.set(node, scope);
    node.body = { type: "BlockStatement", start: body.start, end: body.end, body: [] };
  }

  #visit(nodes: AnyNode[], scope: Scope): void {
    // Two lists, since there are more nodes than anything else.
    const scopes: Scope[] = nodes.map(() => scope);
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      const inner = this.#enter(node, scopes.pop()!);
      addChildren(node, nodes);
      while (scopes.length < nodes.length) scopes.push(inner);
    }
  }

  sites(): CallSites {
    const sites = new Map<number, CallSite>();
    /** By name: what it stands for in the scopes that are open, the innermost last. */
    const meanings = new Map<string, Meaning[]>();
    const find = (name: string): Meaning => {
      if (this.#isOpen) return alias(name);
      const found = meanings.get(name)?.at(-1);
      if (found === undefined) return named(name);
      return this.#assigned.has(name) ? alias(name) : found;
    };
    const open: { readonly scope: Scope; readonly isLeft: boolean }[] = [
      { scope: this.#script, isLeft: false },
    ];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { scope, isLeft } = next;
      for (const [name, meaning] of scope.names) {
        if (isLeft) meanings.get(name)?.pop();
        else {
          valueAt(meanings, name, () => []).push(meaning);
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
    return sites;
  }

  /** Declares the names of a node and returns the scope of what is in it. */
  #enter(node: AnyNode, scope: Scope): Scope {
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
        return node.body.length === 0 ? scope : openScope(scope);
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

  #call(call: Call, scope: Scope): void {
    const offsets = positionsOf(call, this.#text).filter((offset) => offset >= 0 && this.#isWanted(offset));
    if (offsets.length > 0) addUse(scope, { call, offsets });
  }

  #enterFunction(node: Extract<AnyNode, { readonly params: unknown }>, outer: Scope): Scope {
    const scope = this.#ofFunctions.get(node)!;
    this.#ofFunctions.delete(node);
    putScope(scope, outer);
    if (node.type === "FunctionExpression" && node.id) declare(scope, node.id.name, ofFunction(node));
    for (const parameter of node.params) declarePattern(scope, parameter, undefined);
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

import type { AnyNode } from "acorn";
import {
  addAssigned,
  addUse,
  alias,
  declare,
  declarePattern,
  type Meaning,
  named,
  ofClass,
  ofFunction,
  openScope,
  type Scope,
} from "./bindings.js";
import { type Call, FORWARDING, mayCallAt, namesAt, positionsOf } from "./call-positions.js";
import { scriptOutline } from "./function-bodies.js";
import { addChildren, propertyName, unwrapped } from "./syntax.js";
import { parseScript, type SkippedEnd } from "./tolerant-parser.js";

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

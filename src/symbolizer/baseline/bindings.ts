import type { AnyNode, Class, Pattern } from "acorn";
import { type FunctionNode, propertyName, unwrapped } from "./syntax.js";

/** Where a function is defined in its script, in UTF-16 units. */
export interface Definition {
  readonly start: number;
  /** Where its body starts: behind the start that V8 states for the function. */
  readonly body: number;
  readonly end: number;
}

/** What a name or an expression is known to stand for when it is called. */
export interface Meaning {
  /** The function; undefined if the text does not tell. */
  readonly definition: Definition | undefined;
  /** The names that the function is likely to have. */
  readonly names: readonly string[];
  /** Whether it can be a function of any name. */
  readonly isAlias: boolean;
}

/** What a name of its own says nothing about: a parameter, an element, a result. */
export function alias(...names: string[]): Meaning {
  return { definition: undefined, names, isAlias: true };
}

/** What is likely to have one of these names: a property, an import, a global. */
export function named(...names: string[]): Meaning {
  return { definition: undefined, names, isAlias: false };
}

/** The names declared in one function or block. */
export interface Scope<Use> {
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
export function openScope<Use>(outer?: Scope<Use>, isFunction = outer === undefined): Scope<Use> {
  const empty = { names: new Map(), inner: [], uses: [], outer, isUsed: false };
  const scope = empty as unknown as { function: Scope<Use> } & Scope<Use>;
  scope.function = isFunction || outer === undefined ? scope : outer.function;
  outer?.inner.push(scope);
  return scope;
}

/** Adds what uses names in a scope. */
export function addUse<Use>(scope: Scope<Use>, use: Use): void {
  scope.uses.push(use);
  for (let at: Scope<Use> | undefined = scope; at !== undefined && !at.isUsed; at = at.outer)
    at.isUsed = true;
}

/** Declares a name. Declared twice in a scope, it can stand for anything. */
export function declare({ names }: Pick<Scope<unknown>, "names">, name: string, meaning: Meaning): void {
  names.set(name, names.has(name) ? alias(name) : meaning);
}

/** Declares the names of a pattern as what they get from a value; undefined if that is unknown. */
export function declarePattern(
  scope: Pick<Scope<unknown>, "names">,
  pattern: Pattern,
  value: AnyNode | undefined,
): void {
  const open: { readonly pattern: AnyNode; readonly meaning: (local: string) => Meaning }[] = [
    { pattern, meaning: (local) => meaningOf(value, local) },
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
export function addAssigned(names: Set<string>, pattern: AnyNode): void {
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
function meaningOf(value: AnyNode | undefined, local: string): Meaning {
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
export function ofFunction({ start, end, body }: FunctionNode): Meaning {
  return { definition: { start, end, body: body.start }, names: [], isAlias: false };
}

/**
 * Returns the meaning of a class's name: its constructor. V8 leaves out a constructor that is not in the text
 * and calls that of the class's parent, if it has one.
 */
export function ofClass(node: Class, name: string): Meaning {
  for (const member of node.body.body) {
    if (member.type === "MethodDefinition" && member.kind === "constructor") return ofFunction(member.value);
  }
  return alias(name);
}

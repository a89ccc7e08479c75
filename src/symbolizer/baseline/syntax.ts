import type { AnyNode } from "acorn";
import { lineEnd } from "./tokens.js";

/** A function or class in a script's text. */
export type FunctionNode = Extract<AnyNode, { readonly body: unknown; readonly params: unknown }>;

/** Adds the nodes directly below a node to a list, in the order of the text but for rare cases. */
export function addChildren(node: AnyNode, nodes: AnyNode[]): void {
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
export function propertyName(key: AnyNode, isComputed: boolean): string | undefined {
  if (key.type === "PrivateIdentifier") return `#${key.name}`;
  if (key.type === "Identifier" && !isComputed) return key.name;
  if (key.type === "Literal" && typeof key.value === "string") return key.value;
  return undefined;
}

/** Returns an expression without what `?.` puts around it. */
export function unwrapped(node: AnyNode): AnyNode {
  return node.type === "ChainExpression" ? node.expression : node;
}

/**
 * Returns the offset of the parenthesis that opens after an offset, behind closing ones, comments and `?.`; -1
 * if there is none before `end`.
 */
export function parenthesisAfter(text: string, offset: number, end: number): number {
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

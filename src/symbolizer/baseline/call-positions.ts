import type { CallExpression, NewExpression, TaggedTemplateExpression } from "acorn";
import { parenthesisAfter } from "./syntax.js";
import { isSpaceUnit, isWordUnit } from "./tokens.js";

/** What calls something in a script. */
export type Call = CallExpression | NewExpression | TaggedTemplateExpression;

/** Properties of functions that call them. */
export const FORWARDING: ReadonlySet<string> = new Set(["call", "apply"]);

/** Names that are looked for around a call are not longer, nor the gaps between. */
const LONGEST = 256;
/** What can be between the name of what is called and the position of the call. */
const BEFORE_CALL = ".?() \n";

/**
 * Returns whether a call can have its position at an offset: a parenthesis or template is there, or a word before one. Words
 * with escapes and gaps with comments may have one.
 */
export function mayCallAt(text: string, offset: number): boolean {
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
export function namesAt(text: string, wanted: ReadonlySet<number>): Set<string> {
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
export function positionsOf(call: Call, text: string): number[] {
  if (call.type === "NewExpression") return [call.start];
  const callee = call.type === "CallExpression" ? call.callee : call.tag;
  const next =
    call.type === "CallExpression" ? parenthesisAfter(text, callee.end, call.end) : call.quasi.start;
  if (callee.type === "MemberExpression") return callee.computed ? [next] : [callee.property.start, next];
  return callee.type === "Identifier" || callee.type === "Super" ? [callee.start, next] : [next];
}

/** The most parts within parts. */
export const DEEPEST = 300;
/** The most characters that are printed, and the most steps that this takes. */
const LONGEST_TEXT = 1 << 16;
const MOST_STEPS = 1 << 16;

/** Thrown where a name is in no known form or too large. */
export class Unreadable extends Error {}

/** The state of printing one name. */
export class Printing {
  #steps = 0;
  #letters = 0;
  #depth = 0;
  /** Which argument of a pack is printed, while one is; else -1. */
  index = -1;
  /** How many arguments the packs have that were met. */
  packLength = -1;
  /** The arguments that template parameters stand for now. Parts are shared by functions, so they are not known before. */
  scope: Scope = { args: [] };
  /** The arguments that counted when a reference to a template parameter was first printed. */
  readonly saved = new Map<Part, Scope>();
  /** In the parameters of how many lambdas the printer is: template parameters are `auto` there. */
  lambdas = 0;

  /** Counts a step into a part. */
  enter(): void {
    if (++this.#steps > MOST_STEPS || ++this.#depth > DEEPEST * 2) throw new Unreadable();
  }

  leave(text: string): string {
    this.#depth--;
    this.#letters += text.length;
    if (text.length > LONGEST_TEXT || this.#letters > LONGEST_TEXT << 5) throw new Unreadable();
    return text;
  }
}

/** What a part is, where others are printed differently beside it. */
type Kind = "function" | "array" | "lvalue" | "rvalue" | "pack" | "plain";

/** A part of a name. A declarator, such as `*`, comes between its left and its right text: `void (*)(int)`. */
export interface Part {
  readonly kind: Kind;
  readonly left: (to: Printing) => string;
  readonly right: (to: Printing) => string;
  /** The part that a template parameter stands for, or the type that a reference refers to. */
  readonly behind?: (to: Printing) => Part;
  readonly isParameter?: boolean;
  /** The kind where that of a type within decides, as of `T const` where `T` is an array. */
  readonly shape?: (to: Printing) => Kind;
  /** The arguments of a pack. */
  readonly parts?: readonly Part[];
  /** The name of a function, without its parameters. */
  readonly called?: Part;
  /** What a constructor of this class is called. */
  readonly base?: string;
  /** Of names: whether the last part has template arguments, and whether it has no return type. */
  readonly isTemplate?: boolean;
  readonly hasNoReturn?: boolean;
  /** Of names: what is written after the parameters. */
  readonly after?: string;
}

export const NOTHING = () => "";

export function plain(text: string, more: Partial<Part> = {}): Part {
  return { kind: "plain", left: () => text, right: NOTHING, ...more };
}

export function print(part: Part, to: Printing): string {
  return left(part, to) + right(part, to);
}

export function left(part: Part, to: Printing): string {
  to.enter();
  return to.leave(part.left(to));
}

export function right(part: Part, to: Printing): string {
  to.enter();
  return to.leave(part.right(to));
}

/** Prints parts with commas between those that are not empty. */
export function list(parts: readonly Part[], to: Printing): string {
  return parts
    .map((part) => print(part, to))
    .filter((text) => text !== "")
    .join(", ");
}

/** Returns what a template parameter stands for; other parts as they are. */
export function resolved(part: Part, to: Printing): Part {
  let one = part;
  for (let i = 0; i < DEEPEST && one.kind === "plain" && one.behind !== undefined; i++) one = one.behind(to);
  return one;
}

/** Returns the kind of what is written for a part: that of its type where it only adds a word. */
export function shapeOf(part: Part, to: Printing): Kind {
  to.enter();
  const found = resolved(part, to);
  const kind = found.shape?.(to) ?? found.kind;
  to.leave("");
  return kind;
}

export function pointer(to: Part, mark: string): Part {
  const wraps = (printing: Printing) => ["function", "array"].includes(shapeOf(to, printing));
  return {
    kind: "plain",
    left: (printing) => {
      const text = left(to, printing);
      if (!wraps(printing)) return text + mark;
      return `${text}${shapeOf(to, printing) === "array" ? " " : ""}(${mark.trimStart()}`;
    },
    right: (printing) => (wraps(printing) ? ")" : "") + right(to, printing),
  };
}

export function reference(to: Part, kind: "lvalue" | "rvalue"): Part {
  // A reference to a reference is one: to an lvalue unless both are to rvalues.
  const inner = (printing: Printing): Part => {
    const found = resolved(to, printing);
    return found.kind === "lvalue" || found.kind === "rvalue" ? found : to;
  };
  const whole = (printing: Printing): Part => {
    const found = inner(printing);
    if (found === to) return pointer(to, kind === "lvalue" ? "&" : "&&");
    if (found.kind === "lvalue" || kind === "rvalue") return found;
    return pointer(found.behind!(printing), "&");
  };
  // Functions share parts with template parameters. As c++filt does, take the arguments of the first.
  const inScope = (printing: Printing, text: () => string): string => {
    if (to.isParameter !== true) return text();
    const { scope } = printing;
    const first = printing.saved.get(to);
    if (first === undefined) printing.saved.set(to, scope);
    else printing.scope = first;
    const result = text();
    printing.scope = scope;
    return result;
  };
  return {
    kind,
    left: (printing) => inScope(printing, () => left(whole(printing), printing)),
    right: (printing) => inScope(printing, () => right(whole(printing), printing)),
    behind: () => to,
  };
}

export function qualified(inner: Part, words: string): Part {
  return {
    kind: "plain",
    shape: (to) => shapeOf(inner, to),
    left: (to) => {
      const isDeclarator = ["lvalue", "rvalue", "function"].includes(shapeOf(inner, to));
      const text = left(inner, to);
      return isDeclarator || text.endsWith(words) ? text : text + words;
    },
    right: (to) => right(inner, to) + (shapeOf(inner, to) === "function" ? words : ""),
  };
}

/** The template arguments that parameters of an encoding refer to. */
export interface Scope {
  readonly args: readonly Part[];
}

/** A name with template arguments. */
export function applied(name: Part, args: readonly Part[]): Part {
  return {
    ...name,
    isTemplate: true,
    left: (to) => {
      const before = left(name, to);
      const texts = args.map((arg) => print(arg, to));
      const text = texts.filter((one) => one !== "").join(", ");
      // After an empty pack at the end, c++filt leaves out the space.
      const space = texts.at(-1)?.endsWith(">") ? " " : "";
      return `${before}${before.endsWith("<") ? " " : ""}<${text}${space}>`;
    },
  };
}

/** An operand, in brackets unless it is a name. */
export function bracketed(part: Part, to: Printing): string {
  const text = print(part, to);
  return part.base === undefined ? `(${text})` : text;
}

/** A pattern, once for each argument of the packs in it. */
export function expansion(pattern: Part): Part {
  const whole = (to: Printing): string => {
    const { index, packLength } = to;
    to.index = 0;
    to.packLength = -1;
    const first = print(pattern, to);
    const length = to.packLength;
    const texts = length < 0 ? [`(${first})...`] : length === 0 ? [] : [first];
    for (let i = 1; i < length; i++) {
      to.index = i;
      texts.push(print(pattern, to));
    }
    to.index = index;
    to.packLength = packLength;
    return texts.filter((text) => text !== "").join(", ");
  };
  return { kind: "plain", left: whole, right: NOTHING };
}

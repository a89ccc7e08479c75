/** The most parts within parts. */
const DEEPEST = 300;
/** The most characters that are printed, and the most steps that this takes. */
const LONGEST_TEXT = 1 << 16;
const MOST_STEPS = 1 << 16;

/** Thrown where a name is in no known form or too large. */
class Unreadable extends Error {}

/** The state of printing one name. */
class Printing {
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
interface Part {
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

const NOTHING = () => "";

/** Returns a part of which all text is to the left. */
function printed(left: Part["left"], more: Partial<Part> = {}): Part {
  return { kind: "plain", left, right: NOTHING, ...more };
}

function plain(text: string, more: Partial<Part> = {}): Part {
  return printed(() => text, more);
}

/** Returns a part with words before it. */
function preceded(words: string, of: Part): Part {
  return { ...of, left: (to) => words + print(of, to), right: NOTHING };
}

function print(part: Part, to: Printing): string {
  return left(part, to) + right(part, to);
}

function left(part: Part, to: Printing): string {
  to.enter();
  return to.leave(part.left(to));
}

function right(part: Part, to: Printing): string {
  to.enter();
  return to.leave(part.right(to));
}

/** Prints parts with commas between those that are not empty. */
function list(parts: readonly Part[], to: Printing): string {
  return joined(parts.map((part) => print(part, to)));
}

/** Joins texts that are not empty. */
function joined(texts: readonly string[], mark = ", "): string {
  return texts.filter((text) => text !== "").join(mark);
}

/** Returns what a template parameter stands for; other parts as they are. */
function resolved(part: Part, to: Printing): Part {
  let one = part;
  for (let i = 0; i < DEEPEST && one.kind === "plain" && one.behind !== undefined; i++) one = one.behind(to);
  return one;
}

/** Returns the kind of what is written for a part: that of its type where it only adds a word. */
function shapeOf(part: Part, to: Printing): Kind {
  to.enter();
  const found = resolved(part, to);
  const kind = found.shape?.(to) ?? found.kind;
  to.leave("");
  return kind;
}

function pointer(to: Part, mark: string): Part {
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

function reference(to: Part, kind: "lvalue" | "rvalue"): Part {
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

function qualified(inner: Part, words: string): Part {
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
interface Scope {
  readonly args: readonly Part[];
}

/** A name with template arguments. */
function applied(name: Part, args: readonly Part[]): Part {
  return {
    ...name,
    isTemplate: true,
    left: (to) => {
      const before = left(name, to);
      const texts = args.map((arg) => print(arg, to));
      const text = joined(texts);
      // After an empty pack at the end, c++filt leaves out the space.
      const space = texts.at(-1)?.endsWith(">") ? " " : "";
      return `${before}${before.endsWith("<") ? " " : ""}<${text}${space}>`;
    },
  };
}

/** An operand, in brackets unless it is a name. */
function bracketed(part: Part, to: Printing): string {
  const text = print(part, to);
  return part.base === undefined ? `(${text})` : text;
}

/** A pattern, once for each argument of the packs in it. */
function expansion(pattern: Part): Part {
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
    return joined(texts);
  };
  return printed(whole);
}

/**
 * Returns a C++ name of GCC or Clang as `c++filt` spells it, so that a function has one name whether or not that
 * program is there; undefined if the name is not read to its end. Other than some versions of that program, it
 * reads the templates of C++20, whose constraints it leaves out.
 *
 *     _ZN2v88internal4HeapC2Ei       v8::internal::Heap::Heap(int)
 *       N2v8                         a nested name, up to its E: its first part has 2 letters
 *          8internal4HeapC2E         …, and its last part is a constructor
 *                           i        a parameter
 *
 * A part becomes text only when the name is printed, because a template parameter can come before its argument. What
 * is printed is bounded: a short name can refer to its own parts and double each time.
 *
 * Source: Itanium C++ ABI, 5.1 "External Names"; the spelling: binutils, libiberty/cp-demangle.c.
 */
export function demangleItanium(mangled: string): string | undefined {
  const reader = readerOf(mangled);
  try {
    if (reader === undefined) return undefined;
    const encoding = reader.encoding(true);
    const clones = reader.clones();
    return clones === undefined ? undefined : print(encoding, new Printing()) + clones;
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/**
 * Returns the qualified name of a C++ function as far as it can be read, without its return type, arguments and
 * parameters; undefined if nothing can be read, or if the name is cut.
 */
export function qualifiedName(mangled: string): string | undefined {
  const reader = readerOf(mangled);
  if (reader === undefined) return undefined;
  try {
    reader.encoding(true);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    if (reader.isAtEnd) return undefined;
  }
  return reader.names.length === 0 ? undefined : reader.names.join("::");
}

function readerOf(mangled: string): Reader | undefined {
  const name = mangled.replace(/^__Z/, "_Z"); // macOS puts one more underscore before it.
  const isRead = MANGLED.test(name) && name.length <= LONGEST && !RUST.test(name);
  return isRead ? new Reader(name) : undefined;
}

/** The lengths of parts count bytes, so other names than of ASCII are not read. */
const MANGLED = /^_Z[\x21-\x7e]+$/;
/** Longer names are not read. */
const LONGEST = 1 << 15;
/** The end of a name of older Rust compilers, which is spelled in another way. */
const RUST = /17h[0-9a-f]{16}E/;

/** Returns a table of what is behind the first blank of each entry; entries end at a semicolon. */
function words(entries: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entries.split(";").map((entry) => {
      const blank = entry.indexOf(" ");
      return [entry.slice(0, blank), entry.slice(blank + 1)];
    }),
  );
}

const BUILTINS = words(
  "v void;w wchar_t;b bool;c char;a signed char;h unsigned char;s short;t unsigned short;i int;" +
    "j unsigned int;l long;m unsigned long;x long long;y unsigned long long;n __int128;" +
    "o unsigned __int128;f float;d double;e long double;g __float128;z ...",
);
const WIDE_BUILTINS = words(
  "Dn decltype(nullptr);Da auto;Dc decltype(auto);Di char32_t;Ds char16_t;Du char8_t;Dd decimal64;" +
    "De decimal128;Df decimal32;Dh half",
);
/** What follows the value of a literal of these types. */
const SUFFIXES: Readonly<Record<string, string>> = { i: "", j: "u", l: "l", m: "ul", x: "ll", y: "ull" };
const ABBREVIATIONS: Readonly<Record<string, readonly [text: string, base: string]>> = {
  St: ["std", "std"],
  Sa: ["std::allocator", "allocator"],
  Sb: ["std::basic_string", "basic_string"],
  Ss: ["std::string", "string"],
  Si: ["std::istream", "istream"],
  So: ["std::ostream", "ostream"],
  Sd: ["std::iostream", "iostream"],
};
/** What the abbreviations with arguments stand for where a constructor or destructor follows. */
const LONG_ABBREVIATIONS: Readonly<Record<string, readonly [text: string, base: string]>> = {
  Ss: ["std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "basic_string"],
  Si: ["std::basic_istream<char, std::char_traits<char> >", "basic_istream"],
  So: ["std::basic_ostream<char, std::char_traits<char> >", "basic_ostream"],
  Sd: ["std::basic_iostream<char, std::char_traits<char> >", "basic_iostream"],
};
/** By code: what is written for it, and for how many operands. */
const OPERATORS: Readonly<Record<string, readonly [text: string, operands: number]>> = Object.fromEntries(
  Object.entries(
    words(
      "aN &= 2;aS = 2;aa && 2;ad & 1;an & 2;at alignof  1;aw co_await  1;az alignof  1;cl () 0;cm , 2;" +
        "co ~ 1;dV /= 2;da delete[]  1;de * 1;dl delete  1;ds .* 2;dv / 2;eO ^= 2;eo ^ 2;eq == 2;ge >= 2;" +
        "gt > 2;ix [] 0;lS <<= 2;le <= 2;ls << 2;lt < 2;mI -= 2;mL *= 2;mi - 2;ml * 2;mm -- 1;na new[] 0;" +
        "ne != 2;ng - 1;nt ! 1;nw new 0;nx noexcept 1;oR |= 2;oo || 2;or | 2;pL += 2;pl + 2;pm ->* 2;" +
        "pp ++ 1;ps + 1;pt -> 0;qu ? 3;rM %= 2;rS >>= 2;rm % 2;rs >> 2;ss <=> 2;st sizeof  1;" +
        "sz sizeof  1",
    ),
  ).map(([code, entry]) => [code, [entry.slice(0, -2), Number(entry.at(-1))]]),
);
const SPECIAL = words(
  "TV vtable for ;TT VTT for ;TI typeinfo for ;TS typeinfo name for ;TA template parameter object for ;" +
    "GV guard variable for ;TH TLS init function for ;TW TLS wrapper function for ",
);

const THUNKS = words("Th non-virtual thunk to ;Tv virtual thunk to ;Tc covariant return thunk to ");

class Reader {
  readonly #text: string;
  at = 2; // After _Z.
  #depth = 0;
  readonly #substitutions: Part[] = [];
  /** Where the arguments of the function's name go that is being read. */
  #scope: { args: readonly Part[] } = { args: [] };
  /** How many types, or template arguments, the reader is in. Names in them are no part of the qualified name. */
  #inner = 0;
  /** Whether the type of a conversion is read: arguments after a parameter in it are those of the operator. */
  #isConversion = false;
  /** The qualified name as far as it was read, for names that are not read to their end. */
  readonly names: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#text.length;
  }

  /** Returns ` [clone .cold]` for what GCC adds to names; undefined if something else is left to read. */
  clones(): string | undefined {
    const rest = this.#text.slice(this.at);
    const clones = rest.match(/\.[a-zA-Z_]+(?:\.\d+)*|\.\d+/g) ?? [];
    return clones.join("") === rest ? clones.map((clone) => ` [clone ${clone}]`).join("") : undefined;
  }

  /** Reads a function, variable or special name. Local names are `isOuter` false: they have no return type. */
  encoding(isOuter: boolean): Part {
    return this.#within(() => (this.#peeks("G", "T") ? this.#special() : this.#function(isOuter)));
  }

  #function(isOuter: boolean): Part {
    const outer = this.#scope;
    const scope: { args: readonly Part[] } = { args: [] };
    this.#scope = scope;
    const name = this.#name();
    const isData = this.at >= this.#text.length || this.#peeks("E", ".");
    if (isData) {
      this.#scope = outer;
      return name;
    }
    const returns = name.isTemplate === true && name.hasNoReturn !== true ? this.#type() : undefined;
    const parameters = this.#parameters(() => this.at >= this.#text.length || this.#peeks("E", ".", "Q"));
    this.#constraint();
    this.#scope = outer;
    const whole = (to: Printing): string => {
      const called = `${print(name, to)}(${list(parameters, to)})${name.after ?? ""}`;
      if (returns === undefined || !isOuter) return called;
      const [before, behind] = [left(returns, to), right(returns, to)];
      const space = behind !== "" && /[(*&]$/.test(before) ? "" : " ";
      return `${before}${space}${called}${behind}`;
    };
    const inScope = (to: Printing): string => {
      const { scope: outside } = to;
      if (name.isTemplate === true) to.scope = scope;
      const text = whole(to);
      to.scope = outside;
      return text;
    };
    return printed(inScope, { called: name });
  }

  /** Skips the constraint of a template, which is not shown. */
  #constraint(): void {
    if (this.#eat("Q")) this.#expression();
  }

  #special(): Part {
    const code = this.#two;
    this.at += 2;
    const words = SPECIAL[code];
    if (words !== undefined) {
      return preceded(words, /^T[VTIS]$/.test(code) ? this.#type() : this.#name());
    }
    const thunk = THUNKS[code];
    if (thunk !== undefined) {
      if (code === "Tc") this.#offset();
      else this.at--;
      this.#offset();
      return preceded(thunk, this.encoding(true));
    }
    if (code === "TC") {
      const derived = this.#type();
      this.#number();
      this.#expect("_");
      const base = this.#type();
      return printed((to) => `construction vtable for ${print(base, to)}-in-${print(derived, to)}`);
    }
    if (code === "GT") {
      const words = this.#take() === "n" ? "non-transaction clone for " : "transaction clone for ";
      return preceded(words, this.encoding(true));
    }
    if (code === "GR") {
      const of = this.#name();
      const at = this.#sequence();
      return printed((to) => `reference temporary #${at} for ${print(of, to)}`);
    }
    throw new Unreadable();
  }

  #offset(): void {
    const kind = this.#take();
    if (kind === "h") this.#number();
    else if (kind === "v") {
      this.#number();
      this.#expect("_");
      this.#number();
    } else throw new Unreadable();
    this.#expect("_");
  }

  #name(): Part {
    return this.#within(() => this.#anyName());
  }

  #anyName(): Part {
    if (this.#eat("N")) return this.#nested();
    if (this.#eat("Z")) return this.#local();
    if (this.#peek("S") && !this.#peek("St")) {
      const part = this.#substitution();
      return this.#peek("I") ? this.#withArguments(part) : part;
    }
    const isStd = this.#eat("St");
    const own = this.#unqualified(undefined);
    const part: Part = isStd ? { ...own, left: (to) => `std::${left(own, to)}` } : own;
    if (isStd) this.#named("std");
    this.#named(own.base ?? "");
    if (!this.#peek("I")) return part;
    this.#substitutions.push(part);
    return this.#withArguments(part);
  }

  #withArguments(part: Part): Part {
    return applied(part, this.#arguments());
  }

  /** Reads the arguments of a name within a type, if it has some. */
  #orApplied(part: Part): Part {
    return this.#peek("I") ? this.#inOwnScope(() => this.#withArguments(part)) : part;
  }

  #nested(): Part {
    let after = this.#qualifiers();
    if (this.#eat("R")) after += " &";
    else if (this.#eat("O")) after += " &&";
    let prefix: Part | undefined;
    while (!this.#eat("E")) {
      this.#step();
      if (this.#peek("S") && !this.#peek("St")) {
        if (prefix !== undefined) throw new Unreadable();
        prefix = this.#substitution();
        if (this.#inner === 0) this.#named(nameText(prefix));
        continue;
      }
      if (this.#peek("I")) {
        if (prefix === undefined) throw new Unreadable();
        prefix = this.#withArguments(prefix);
      } else if (this.#peeks("T", "DT", "Dt")) {
        if (prefix !== undefined) throw new Unreadable();
        prefix = this.#type();
        continue;
      } else if (this.#eat("St")) {
        prefix = plain("std", { base: "std" });
        this.#named("std");
        continue;
      } else {
        const own = this.#unqualified(prefix);
        const before: Part | undefined = prefix;
        const base = own.base ?? before?.base ?? "";
        prefix =
          before === undefined
            ? own
            : { ...own, base, left: (to) => `${print(before, to)}::${left(own, to)}` };
        this.#named(base);
      }
      if (!this.#peek("E")) this.#substitutions.push(prefix);
    }
    if (prefix === undefined) throw new Unreadable();
    return after === "" ? prefix : { ...prefix, after };
  }

  /** Reads `r`, `V` and `K`. The innermost comes last and is written first. */
  #qualifiers(): string {
    let words = "";
    for (;;) {
      if (this.#eat("r")) words = ` restrict${words}`;
      else if (this.#eat("V")) words = ` volatile${words}`;
      else if (this.#eat("K")) words = ` const${words}`;
      else return words;
    }
  }

  #local(): Part {
    const outer = this.encoding(false);
    this.#expect("E");
    if (this.#eat("s")) {
      this.#discriminator();
      return printed((to) => `${print(outer, to)}::string literal`);
    }
    let argument = "";
    if (this.#eat("d")) argument = `{default arg#${this.#sequence() + 1}}::`;
    const name = this.#name();
    this.#discriminator();
    return { ...name, left: (to) => `${print(outer, to)}::${argument}${left(name, to)}` };
  }

  #discriminator(): void {
    if (!this.#peek("_")) return;
    const match = /^_(?:_\d+_|\d)/.exec(this.#text.slice(this.at, this.at + 16));
    if (match !== null) this.at += match[0].length;
  }

  /** Reads one part of a name; `prefix` is what stands before it. */
  #unqualified(prefix: Part | undefined): Part {
    this.#eat("F");
    this.#eat("L");
    const part = this.#unqualifiedOwn(prefix);
    let tags = "";
    while (this.#eat("B")) tags += `[abi:${this.#source()}]`;
    return tags === "" ? part : { ...part, left: (to) => left(part, to) + tags };
  }

  #unqualifiedOwn(prefix: Part | undefined): Part {
    const first = this.#text[this.at] ?? "";
    if (first >= "0" && first <= "9") {
      const source = this.#source();
      const text = /^_GLOBAL_[._$]N/.test(source) ? "(anonymous namespace)" : source;
      return plain(text, { base: text });
    }
    if (first === "C" && /^C(?:I?[1-5])/.test(this.#text.slice(this.at, this.at + 3))) {
      this.at++;
      const isInherited = this.#eat("I");
      this.at++;
      const base = (isInherited ? this.#type().base : prefix?.base) ?? "";
      return plain(base, { base, hasNoReturn: true });
    }
    if (first === "D" && /^D[0-5]/.test(this.#two)) {
      this.at += 2;
      const base = `~${prefix?.base ?? ""}`;
      return plain(base, { base, hasNoReturn: true });
    }
    if (this.#eat("Ul")) {
      const heads: Part[] = [];
      while (/^T[yntpk]/.test(this.#two)) heads.push(this.#declaration(heads.length));
      const parameters = this.#parameters(() => this.#peeks("E", "Q"));
      this.#constraint();
      this.#expect("E");
      const number = this.#sequence() + 1;
      return {
        ...plain("", { base: "{lambda}" }),
        left: (to) => {
          to.lambdas++;
          const head = heads.length === 0 ? "" : `<${list(heads, to)}>`;
          const text = list(parameters, to);
          to.lambdas--;
          return `{lambda${head}(${text})#${number}}`;
        },
      };
    }
    if (this.#eat("Ut")) {
      const text = `{unnamed type#${this.#sequence() + 1}}`;
      return this.#added(plain(text, { base: text }));
    }
    if (this.#eat("DC")) {
      const names: string[] = [];
      while (!this.#eat("E")) names.push(this.#source());
      const text = `[${names.join(", ")}]`;
      return plain(text, { base: text });
    }
    return this.#operator();
  }

  #operator(): Part {
    const code = this.#two;
    this.at += 2;
    if (code === "cv") {
      this.#isConversion = true;
      const to = this.#type();
      this.#isConversion = false;
      return {
        ...plain("", { base: "operator", hasNoReturn: true }),
        left: (p) => `operator ${print(to, p)}`,
      };
    }
    if (code === "li") {
      const text = `operator"" ${this.#source()}`;
      return plain(text, { base: text });
    }
    const found = OPERATORS[code];
    if (found === undefined) throw new Unreadable();
    const word = found[0].trimEnd();
    const text = `operator${/^[a-z]/.test(word) ? " " : ""}${word}`;
    return plain(text, { base: text });
  }

  #source(): string {
    const length = this.#number();
    const start = this.at;
    this.at = Math.min(start + length, this.#text.length);
    if (length <= 0 || start + length > this.#text.length) throw new Unreadable();
    return this.#text.slice(start, this.at);
  }

  /** Reads types up to a place where `isEnd`. A lone `v` is no parameter. */
  #parameters(isEnd: () => boolean): Part[] {
    const parts: Part[] = [];
    while (!isEnd()) {
      this.#step();
      if (parts.length === 0 && this.#peek("v")) {
        this.at++;
        if (isEnd()) return [];
        throw new Unreadable();
      }
      parts.push(this.#type());
    }
    return parts;
  }

  #arguments(): Part[] {
    this.#expect("I");
    const args: Part[] = [];
    const isConversion = this.#isConversion;
    this.#isConversion = false;
    this.#inner++;
    while (!this.#eat("E")) {
      this.#step();
      if (this.#peek("Q")) this.#constraint();
      else args.push(this.#argument());
    }
    this.#inner--;
    this.#isConversion = isConversion;
    // Arguments of the name that the parameters of this encoding follow: the last ones count.
    this.#scope.args = args;
    return args;
  }

  #argument(): Part {
    return this.#within(() => {
      while (/^T[yntpk]/.test(this.#two)) this.#declaration();
      if (this.#peek("L")) return this.#literal();
      if (this.#eat("X")) {
        const part = this.#expression();
        this.#expect("E");
        return part;
      }
      // A pack; GCC before 5 wrote I.
      if (!this.#eat("J") && !this.#eat("I")) return this.#type();
      const parts = this.#upToEnd(() => this.#argument());
      return { kind: "pack", left: (to) => list(parts, to), right: NOTHING, parts };
    });
  }

  /** Reads the declaration of a template parameter: a type, a value, a template, a pack or one of a concept. */
  #declaration(index = 0): Part {
    return this.#within(() => {
      this.#expect("T");
      switch (this.#take()) {
        case "y":
          return plain(`typename $T${index}`);
        case "n": {
          const type = this.#type();
          return printed((to) => `${print(type, to)} $N${index}`);
        }
        case "k":
          return this.#inOwnScope(() => this.#name());
        case "p":
          return this.#declaration(index);
        case "t":
          this.#upToEnd(() => this.#declaration());
          return plain(`template<> class $TT${index}`);
        default:
          throw new Unreadable();
      }
    });
  }

  #type(): Part {
    this.#inner++;
    const part = this.#within(() => this.#anyType());
    this.#inner--;
    return part;
  }

  #anyType(): Part {
    const first = this.#text[this.at] ?? "";
    const two = this.#two;
    const builtin = BUILTINS[first];
    if (builtin !== undefined) {
      this.at++;
      return plain(builtin);
    }
    if (WIDE_BUILTINS[two] !== undefined) {
      this.at += 2;
      return plain(WIDE_BUILTINS[two]!);
    }
    if (first === "u") {
      this.at++;
      return this.#added(plain(this.#source()));
    }
    if (first === "S" && two !== "St") {
      const part = this.#substitution();
      return this.#peek("I") ? this.#added(this.#orApplied(part)) : part;
    }
    if (/[KVr]/.test(first)) {
      const words = this.#qualifiers();
      // The qualifiers of a function belong to its type: both are one part to refer to.
      const isFunction = /^(?:F|Do)/.test(this.#two);
      if (!isFunction) return this.#added(qualified(this.#type(), words));
      const after = this.#eat("Do") ? `${words} noexcept` : words;
      return this.#added(this.#functionType(after));
    }
    switch (first) {
      case "P":
        this.at++;
        return this.#added(pointer(this.#type(), "*"));
      case "R":
        this.at++;
        return this.#added(reference(this.#type(), "lvalue"));
      case "O":
        this.at++;
        return this.#added(reference(this.#type(), "rvalue"));
      case "F":
        return this.#added(this.#functionType(""));
      case "A":
        return this.#added(this.#array());
      case "M": {
        this.at++;
        const owner = this.#type();
        const member = this.#type();
        return this.#added({
          ...pointer(member, ""),
          left: (to) => {
            const isWrapped = ["function", "array"].includes(shapeOf(member, to));
            return `${left(member, to)}${isWrapped ? "(" : " "}${print(owner, to)}::*`;
          },
        });
      }
      case "T": {
        if (/^T[sue]/.test(two)) {
          this.at += 2;
          return this.#added(this.#inOwnScope(() => this.#name()));
        }
        const part = this.#added(this.#parameter());
        return this.#peek("I") && !this.#isConversion ? this.#added(this.#orApplied(part)) : part;
      }
      case "D":
        return this.#added(this.#declared(two));
      default:
        return this.#added(this.#inOwnScope(() => this.#name()));
    }
  }

  /** Reads a type of which the arguments are not those that the parameters of the encoding stand for. */
  #inOwnScope(read: () => Part): Part {
    const { args } = this.#scope;
    this.#inner++;
    const part = read();
    this.#inner--;
    this.#scope.args = args;
    return part;
  }

  #declared(two: string): Part {
    this.at += 2;
    switch (two) {
      case "Dp": {
        const pattern = this.#type();
        return expansion(pattern);
      }
      case "DT":
      case "Dt": {
        const of = this.#expression();
        this.#expect("E");
        return printed((to) => `decltype (${print(of, to)})`);
      }
      case "Do":
        return this.#functionType(" noexcept");
      case "Dv": {
        const size = this.#number();
        this.#expect("_");
        const of = this.#type();
        return printed((to) => `${print(of, to)} __vector(${size})`);
      }
      case "DF": {
        const bits = this.#number();
        const isExtended = this.#eat("x");
        if (!isExtended) this.#expect("_");
        return plain(`_Float${bits}${isExtended ? "x" : ""}`);
      }
      default:
        throw new Unreadable();
    }
  }

  #functionType(after: string): Part {
    this.#expect("F");
    this.#eat("Y");
    const returns = this.#type();
    const parameters = this.#parameters(() => this.#peeks("E", "RE", "OE"));
    const reference = this.#eat("R") ? " &" : this.#eat("O") ? " &&" : "";
    this.#expect("E");
    return {
      kind: "function",
      left: (to) => `${left(returns, to)}${right(returns, to) === "" ? " " : ""}`,
      right: (to) => `(${list(parameters, to)})${reference}${after}${right(returns, to)}`,
    };
  }

  #array(): Part {
    this.#expect("A");
    let size: Part = plain("");
    if (/\d/.test(this.#text[this.at] ?? "")) size = plain(String(this.#number()));
    else if (!this.#peek("_")) size = this.#expression();
    this.#expect("_");
    const of = this.#type();
    return {
      kind: "array",
      left: (to) => left(of, to),
      right: (to) => ` [${print(size, to)}]${right(of, to).replace(/^ /, "")}`,
    };
  }

  /** Reads `T_`, `T0_`, …: a parameter of a template. */
  #parameter(): Part {
    this.#expect("T");
    if (this.#eat("L")) this.#sequence();
    const index = this.#sequence();
    const behind = (to: Printing): Part => {
      if (to.lambdas > 0) return plain(`auto:${index + 1}`);
      to.enter();
      const found = to.scope.args[index];
      if (found === undefined) throw new Unreadable();
      to.leave("");
      if (found.kind !== "pack") return found;
      to.packLength = Math.max(to.packLength, found.parts!.length);
      if (to.index < 0) return found;
      return found.parts![to.index] ?? plain("");
    };
    return {
      kind: "plain",
      left: (to) => left(behind(to), to),
      right: (to) => right(behind(to), to),
      behind,
      isParameter: true,
    };
  }

  #substitution(): Part {
    const two = this.#two;
    if (ABBREVIATIONS[two] !== undefined) {
      this.at += 2;
      const isLong = this.#peeks("C", "D");
      const [text, base] = (isLong ? LONG_ABBREVIATIONS[two] : undefined) ?? ABBREVIATIONS[two]!;
      let tags = "";
      while (this.#eat("B")) tags += `[abi:${this.#source()}]`;
      const part = plain(text + tags, { base });
      return tags === "" ? part : this.#added(part);
    }
    this.#expect("S");
    const found = this.#substitutions[this.#sequence(36)];
    if (found === undefined) throw new Unreadable();
    return found;
  }

  #literal(): Part {
    this.#expect("L");
    if (this.#eat("_Z")) {
      const of = this.encoding(true);
      this.#expect("E");
      return of;
    }
    const code = this.#text[this.at] ?? "";
    const type = this.#type();
    const end = this.#text.indexOf("E", this.at);
    if (end < 0) throw new Unreadable();
    const value = this.#text.slice(this.at, end).replace(/^n/, "-");
    this.at = end + 1;
    if (code === "b" && (value === "0" || value === "1")) return plain(value === "1" ? "true" : "false");
    const suffix = SUFFIXES[code];
    if (suffix !== undefined) return plain(value + suffix);
    if (value === "") return type;
    return printed((to) => `(${print(type, to)})${/^[fdeg]$/.test(code) ? `[${value}]` : value}`);
  }

  /** Reads the kinds of expressions that names of real programs have. */
  #expression(): Part {
    return this.#within(() => this.#anyExpression());
  }

  #anyExpression(): Part {
    if (this.#peek("L")) return this.#literal();
    if (this.#peek("T")) return this.#parameter();
    if (/^(?:\d|gs|on)/.test(this.#two)) return this.#unresolved();
    const two = this.#two;
    if (two === "sr") {
      this.at += 2;
      const owners: Part[] = [];
      if (/\d/.test(this.#text[this.at] ?? "")) while (!this.#eat("E")) owners.push(this.#unresolved());
      else owners.push(this.#type());
      const parts = [...owners, this.#unresolved()];
      return printed((to) => parts.map((part) => print(part, to)).join("::"), { base: "" });
    }
    if (two === "sp") {
      this.at += 2;
      return expansion(this.#expression());
    }
    if (two === "sZ") {
      this.at += 2;
      const pack = this.#expression();
      return printed((to) => {
        const found = resolved(pack, to);
        return found.kind === "pack" ? String(found.parts!.length) : `sizeof...(${print(pack, to)})`;
      });
    }
    if (/^f[lrLR]$/.test(two) && OPERATORS[this.#text.slice(this.at + 2, this.at + 4)] !== undefined) {
      const [mark] = OPERATORS[this.#text.slice(this.at + 2, this.at + 4)]!;
      this.at += 4;
      const parts = [this.#expression(), ...(/[LR]/.test(two) ? [this.#expression()] : [])];
      const dots = { fl: ["...", ""], fr: ["", "..."] }[two] ?? ["", ""];
      return printed((to) => {
        const texts = [dots[0]!, ...parts.map((part) => bracketed(part, to)), dots[1]!];
        return `(${joined(texts, mark)})`;
      });
    }
    if (two === "fp") return this.#functionParameter();
    if (two === "tl" || two === "il") {
      this.at += 2;
      const type = two === "tl" ? this.#type() : plain("");
      const parts = this.#expressions();
      return printed((to) => `${print(type, to)}{${list(parts, to)}}`);
    }
    if (two === "cl") {
      this.at += 2;
      const called = this.#expression();
      const parts = this.#expressions();
      return printed((to) => `${bracketed(called, to)}(${list(parts, to)})`);
    }
    if (two === "cv") {
      this.at += 2;
      const type = this.#type();
      const parts = this.#eat("_") ? this.#expressions() : [this.#expression()];
      return printed((to) => `(${print(type, to)})(${list(parts, to)})`);
    }
    if (two === "dt" || two === "pt") {
      this.at += 2;
      const [of, member] = [this.#expression(), this.#expression()];
      const mark = two === "dt" ? "." : "->";
      return printed((to) => `${bracketed(of, to)}${mark}${print(member, to)}`);
    }
    if (two === "st" || two === "at") {
      this.at += 2;
      const type = this.#type();
      return printed((to) => `${OPERATORS[two]![0]}(${print(type, to)})`);
    }
    const [mark, operands] = OPERATORS[two] ?? ["", 0];
    if (operands === 0) throw new Unreadable();
    this.at += 2;
    const parts = Array.from({ length: operands }, () => this.#expression());
    const [first, second, third] = parts;
    const { called } = first!;
    // The address of a member function is written without its parameters.
    const isMember =
      two === "ad" && called !== undefined && called.isTemplate !== true && called.after === undefined;
    return printed((to) => {
      if (operands === 1) return isMember ? `&${print(called, to)}` : `${mark}${bracketed(first!, to)}`;
      const text = `${bracketed(first!, to)}${mark}${bracketed(second!, to)}`;
      if (third !== undefined) return `${text} : ${bracketed(third, to)}`;
      return two === "gt" ? `(${text})` : text;
    });
  }

  #expressions(): Part[] {
    return this.#upToEnd(() => this.#expression());
  }

  /** Reads `fp_`: a parameter of the function. */
  #functionParameter(): Part {
    if (this.#eat("fpT")) return plain("this", { base: "this" });
    this.#expect("fp");
    this.#qualifiers();
    const text = `{parm#${this.#sequence() + 1}}`;
    return plain(text, { base: text });
  }

  #unresolved(): Part {
    const isGlobal = this.#eat("gs");
    if (this.#eat("on")) return this.#orApplied(this.#operator());
    const source = this.#source();
    return this.#orApplied(plain(isGlobal ? `::${source}` : source, { base: source }));
  }

  #named(name: string): void {
    if (this.#inner === 0 && name !== "") this.names.push(name);
  }

  #added(part: Part): Part {
    this.#substitutions.push(part);
    return part;
  }

  #within(read: () => Part): Part {
    if (++this.#depth > DEEPEST) throw new Unreadable();
    const part = read();
    this.#depth--;
    return part;
  }

  /** Reads parts up to an `E`. */
  #upToEnd(read: () => Part): Part[] {
    const parts: Part[] = [];
    while (!this.#eat("E")) {
      this.#step();
      parts.push(read());
    }
    return parts;
  }

  /** Fails at the end of the text, so that every loop ends. */
  #step(): void {
    if (this.at >= this.#text.length) throw new Unreadable();
  }

  /** The next two characters. */
  get #two(): string {
    return this.#text.slice(this.at, this.at + 2);
  }

  #peek(text: string): boolean {
    return this.#text.startsWith(text, this.at);
  }

  #peeks(...texts: readonly string[]): boolean {
    return texts.some((text) => this.#peek(text));
  }

  #eat(text: string): boolean {
    if (!this.#peek(text)) return false;
    this.at += text.length;
    return true;
  }

  #expect(text: string): void {
    if (!this.#eat(text)) throw new Unreadable();
  }

  #take(): string {
    return this.#text[this.at++] ?? "";
  }

  /** Reads a decimal number, which `n` makes negative; -1 if there is none. */
  #number(): number {
    const isNegative = this.#eat("n");
    const start = this.at;
    let value = 0;
    for (let digit = this.#digit(10); digit >= 0; digit = this.#digit(10)) {
      value = value * 10 + digit;
      this.at++;
    }
    if (this.at === start || value > Number.MAX_SAFE_INTEGER) return -1;
    return isNegative ? -value : value;
  }

  /** Reads the number of something after `_`: 0 for `_`, 1 for `0_`, and so on, to the base. */
  #sequence(base = 10): number {
    if (this.#eat("_")) return 0;
    let value = 0;
    for (let digit = this.#digit(base); digit >= 0; digit = this.#digit(base)) {
      value = value * base + digit;
      this.at++;
    }
    this.#expect("_");
    if (value > LONGEST) throw new Unreadable();
    return value + 1;
  }

  #digit(base: number): number {
    const code = this.#text.charCodeAt(this.at);
    if (code >= 48 && code <= 57) return code - 48;
    return base === 36 && code >= 65 && code <= 90 ? code - 55 : -1;
  }
}

function nameText(part: Part): string {
  try {
    return print(part, new Printing());
  } catch {
    return part.base ?? "";
  }
}

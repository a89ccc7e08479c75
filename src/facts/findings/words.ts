import { named, type Text, text } from "../../base/text.js";

/**
 * Where code runs that blocks: in a server's request or event, in another callback, in the code of a script as it loads, or in a
 * worker.
 */
export type Context = "server" | "callback" | "main" | "worker";

/** What the words of a finding are made of. */
export interface Evidence {
  /** The names of the frames that tell its kind, those with most ticks first, and their part of it: 0 to 1. */
  readonly names: readonly { readonly name: string; readonly part: number }[];
  readonly context: Context;
  /** The source of its line; empty if the log has none. */
  readonly source: string;
}

export interface Words {
  readonly what: Text;
  readonly advice?: string | undefined;
}

export const SYNC = /^\w{1,40}Sync$/;

/** What asks the system for facts, which takes files of `/proc` on Linux. */
const SYSTEM_CALLS: Readonly<Record<string, RegExp>> = {
  process: /^(?:memoryUsage|cpuUsage|threadCpuUsage|resourceUsage)$/,
  os: /^(?:cpus|networkInterfaces|totalmem|freemem|loadavg|getUserInfo|userInfo)$/,
};

/** What makes the text of a stack, or the list of its calls; V8 does so when it is read. */
export const READS_STACK =
  /prepareStackTrace|CallSitePrototype|ErrorUtils::(?:Get|Format)|ErrorCaptureStackTrace/i;

export const THROWS = /Runtime_(?:Re)?Throw\(/;

/** Returns `os.cpus`; undefined for what does not ask the system. */
export function systemCallOf(file: string, name: string): string | undefined {
  const owner = file === "internal/process/per_thread" ? "process" : file;
  return SYSTEM_CALLS[owner]?.test(name) === true ? `${owner}.${name}` : undefined;
}

export const USES_POOL = "uses the thread pool";

/** What blocking means. A script that only works has nobody who waits. */
export function blocks(context: Context, isPlural = false): string {
  const verb = isPlural ? "block" : "blocks";
  switch (context) {
    case "server":
      return `${verb} the event loop: no other request is served meanwhile`;
    case "callback":
      return `${verb} the event loop: nothing else runs meanwhile`;
    case "main":
      return "in the script's main code";
    case "worker":
      return "in a worker, where only that worker waits for it";
  }
}

/** What is said of a synchronous function of Node that has a twin which does not block. */
export function insteadOf(module: string, { names, context, source }: Evidence, does: string): Words {
  const known = names.find(({ name }) => SYNC.test(name))?.name;
  const inLine = new Set(source.match(/\b\w{1,40}Sync(?=\()/g));
  const name = known ?? (inLine.size === 1 ? Array.from(inLine)[0]! : undefined);
  const twin = name === undefined ? `${module}'s other functions` : `${module}.${name.slice(0, -4)}`;
  const verb = name === undefined ? does.replace(/s\b/, "") : does;
  const advice = `${twin} ${verb}`;
  return {
    what: `${name === undefined ? `a synchronous function of ${module}` : `${module}.${name}`} ${blocks(context)}`,
    advice: context === "worker" || name === "existsSync" ? undefined : advice,
  };
}

/** Adds that a request can have the result of another, which helps more than to wait for it elsewhere. */
export function orKept({ what, advice }: Words, { context }: Evidence): Words {
  if (advice === undefined || context !== "server") return { what, advice };
  return { what, advice: `keep the result if it is always the same, else ${advice}` };
}

export function intlWords({ names }: Evidence): Words {
  if (names.some(({ name, part }) => part >= 0.5 && name.includes("LocaleCompare")))
    return {
      what: "localeCompare compares texts by a language",
      advice: "make one Intl.Collator, and use its compare",
    };
  const constructed = names.filter(({ name }) => /[a-z]Constructor\(/.test(name));
  const part = constructed.reduce((sum, one) => sum + one.part, 0);
  const kind = /^v8::internal::Builtin_(?:Impl_)?([A-Za-z]{1,40})Constructor\(/.exec(
    constructed[0]?.name ?? "",
  )?.[1];
  // One object is made in a millisecond or two: what is seen this often is made again and again.
  if (kind !== undefined && part >= 0.2)
    return { what: `Intl.${kind} objects are made again and again`, advice: "make one, and keep it" };
  return {
    what: "numbers, dates or texts are formatted for a language (Intl)",
    advice: "keep one Intl object, and call its format",
  };
}

/** Of a longer pattern only the start is looked at. */
const LONGEST_PATTERN = 1000;

/** What is escaped in a pattern, and classes. */
const ESCAPED = /\\.|\[(?:\\.|[^\]\\])*\]/gs;

/** Returns the group of `RegExp: source` with a repeat that is repeated itself, with that: `(a+)+`, `([^,]*,?)*`; undefined if there is none. */
function nestedRepeat(name: string): string | undefined {
  const groups: { readonly start: number; hasRepeat: boolean }[] = [];
  let after: (typeof groups)[number] | undefined;
  const pattern = name.slice(0, LONGEST_PATTERN);
  const source = pattern.replace(ESCAPED, (escaped) => "x".repeat(escaped.length));
  for (let i = 0; i < source.length; i++) {
    const character = source[i]!;
    const isRepeat = character === "*" || character === "+" || /^\{\d+,\d*\}/.test(source.slice(i, i + 16));
    if (isRepeat && after?.hasRepeat)
      return pattern.slice(after.start, (character === "{" ? source.indexOf("}", i) : i) + 1);
    after = undefined;
    if (isRepeat && groups.length > 0) groups.at(-1)!.hasRepeat = true;
    if (character === "(") groups.push({ start: i, hasRepeat: false });
    else if (character === ")") {
      after = groups.pop();
      if (after?.hasRepeat && groups.length > 0) groups.at(-1)!.hasRepeat = true;
    }
  }
  return undefined;
}

/** Longer patterns are cut in sentences. */
const SHOWN_PATTERN = 60;

/** Returns the text of a regular expression as it stands in a source: `/^(a+)+$/`. */
function patternText(name: string): Text {
  const source = name.slice(REGEXP.length);
  return named(`/${source.length > SHOWN_PATTERN ? `${source.slice(0, SHOWN_PATTERN)}…` : source}/`);
}

export const REGEXP = "RegExp: ";

/** Returns the regular expression that most of the ticks are in, as `RegExp: source`; undefined if there is none. */
export function mostRegexp(names: Evidence["names"]): string | undefined {
  return names.find(({ name, part }) => name.startsWith(REGEXP) && part >= 0.1)?.name;
}

/** What is said of a regular expression whose first repeat is tried from each character: as little as this part of the ticks is no sign of it. */
const MOSTLY = 0.5;

/** A repeat of a character or a class, and something that must come after it: `\s+$`, `.*=`. Of what is escaped, and of classes, only the first character is left, with zeros. */
const REPEAT_FIRST =
  /([^(){}*+?|^$\0]\0*(?:[+*]|\{\d+,\})\??)(?:\$|\(\?<?[=!]|[^(){}*+?|^$\0]\0*(?![\0*?]|\{0))/y;

/** Returns the repeat that an alternative of `RegExp: source` begins with: `\s+` of `^\s+|\s+$`; undefined if there is none. */
function leadingRepeat(name: string): string | undefined {
  const pattern = name.slice(REGEXP.length, LONGEST_PATTERN);
  const source = pattern.replace(ESCAPED, (escaped) => `x${"\0".repeat(escaped.length - 1)}`);
  for (let i = 0, depth = 0; i < source.length; i++) {
    if (source[i] === "(") depth++;
    else if (source[i] === ")") depth--;
    if (depth > 0 || (i > 0 && source[i - 1] !== "|")) continue;
    REPEAT_FIRST.lastIndex = i;
    const repeat = REPEAT_FIRST.exec(source)?.[1];
    if (repeat !== undefined) return pattern.slice(i, i + repeat.length);
  }
  return undefined;
}

/** Returns what is said of a regular expression that repeats a repeat, or begins with one; undefined if none of them does. */
export function badRegexp({ names }: Evidence): Words | undefined {
  const bad = names.find(({ name, part }) => part >= 0.1 && nestedRepeat(name) !== undefined)?.name;
  if (bad === undefined) {
    const slow = names.find(({ name, part }) => part >= MOSTLY && leadingRepeat(name) !== undefined)?.name;
    if (slow === undefined) return undefined;
    const repeat = leadingRepeat(slow)!;
    const isTrim = /^RegExp: (?:\^\\s[+*]\|)?\\s[+*]\$$/.test(slow);
    return {
      what: text`${patternText(slow)} may begin anywhere with the repeat ${named(repeat)}: in a long run of such characters it is tried from each of them (backtracking)`,
      advice: isTrim ? "use trimEnd() or trim()" : "begin it with ^, or with what is rare",
    };
  }
  return {
    what: text`${patternText(bad)} repeats a repeat, ${named(nestedRepeat(bad)!)}: it may try a text in very many ways (backtracking)`,
    advice: "write it so that there is one way to match",
  };
}

export function regexpWords(evidence: Evidence): Words {
  const bad = badRegexp(evidence);
  if (bad !== undefined) return bad;
  const most = mostRegexp(evidence.names);
  return {
    what:
      most === undefined
        ? "regular expressions search text here"
        : text`${patternText(most)} searches text here`,
  };
}

/**
 * Returns what to do if the regular expression with most ticks is tried from an index that is set just before, but looks on behind it: it
 * has the flag g and not y. `lines` is the source of its call and of the lines above, that of the call first.
 */
export function stickyAdvice(
  names: Evidence["names"],
  { made, lines }: { readonly made: string; readonly lines: readonly string[] },
): string | undefined {
  const literal = `/${mostRegexp(names)?.slice(REGEXP.length)}/`;
  const start = made.indexOf(literal);
  if (start < 0 || !/\.(?:exec|test)\(/.test(lines[0]!)) return undefined;
  const flags = /^[a-z]{0,8}/.exec(made.slice(start + literal.length))![0];
  const isAtIndex = lines.some((line) => /\.lastIndex\s?=[^=]/.test(line));
  return flags.includes("g") && !flags.includes("y") && isAtIndex
    ? "with the flag y it looks at lastIndex alone, and not on to the end of the text"
    : undefined;
}

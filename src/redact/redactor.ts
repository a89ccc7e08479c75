import { originOfFile } from "../facts/origin.js";
import { parseLoggedName, parseOldName } from "../profile/logged-name.js";
import { NODE_SCRIPTS } from "../profile/node-scripts.js";
import { isRecorderFile } from "../profile/stable-files.js";
import type { V8Version } from "../profile/v8-version.js";
import { type HashKind, KeptStrings, type NameHash } from "./name-hash.js";
import { PublicNames, SourceRedactor } from "./redacted-source.js";
import {
  CODE_PHRASES,
  CODE_TYPES,
  FUNCTION_WORDS,
  isV8Name,
  SCRIPT_WORDS,
  SOURCE_WORDS,
  V8_WORDS,
} from "./v8-words.js";

/** Publicly available programs and libraries, by file name. */
const PUBLIC: readonly RegExp[] = [
  /^(?:node|nodejs|iojs|deno|d8|electron|chrome|chromium|nw)(?:\.exe)?$/,
  /^lib(?:node|v8|v8_libbase|v8_libplatform|uv|cares|nghttp2|nghttp3|ngtcp2|ada|simdjson|simdutf|sqlite3|llhttp)\.so[\d.]*$/,
  /^lib(?:c|m|dl|pthread|rt|util|resolv|crypt|nsl|anl|mvec|thread_db|gcc_s|stdc\+\+|c\+\+|c\+\+abi|atomic|gomp|unwind)(?:-\d[\d.]*)?\.so[\d.]*$/,
  /^lib(?:z|zstd|lzma|bz2|ssl|crypto|icuuc|icui18n|icudata|brotlicommon|brotlidec|brotlienc|jemalloc|tcmalloc|asan)\.so[\d.]*$/,
  /^libnss_(?:files|dns|compat|systemd|myhostname|resolve)(?:-\d[\d.]*)?\.so[\d.]*$/,
  /^ld-(?:linux(?:-(?:x86-64|x32|aarch64|armhf|riscv64|loongarch|cris))?|\d[\d.]*|musl-(?:x86_64|aarch64|armhf|i386|riscv64|s390x))\.so[\d.]*$/,
  /^linux-(?:gate|vdso)\.so[\d.]*$/,
  /^dyld$/,
  /^(?:ntdll|kernel32|kernelbase|user32|gdi32|gdi32full|win32u|advapi32|sechost|rpcrt4|ws2_32|mswsock|winmm|bcrypt|bcryptprimitives|crypt32|cryptbase|iphlpapi|psapi|userenv|dbghelp|shell32|ole32|combase|ucrtbase|msvcrt|msvcp_win|msvcp140|vcruntime140|vcruntime140_1|powrprof|dnsapi|nsi|imm32)\.dll$/,
];

/** Paths of macOS itself, where nobody else can write. */
const APPLE = /^(?:\/System\/Library\/|\/usr\/lib\/(?:system\/)?[\w.+-]+\.dylib$)/;

/** System folders: that a library is there reveals nothing. */
const SYSTEM_FOLDERS: readonly RegExp[] = [
  /^(?:\/usr)?\/lib(?:32|64|x32)?(?:\/(?:x86_64|aarch64|arm|i386|riscv64|s390x|powerpc64le)-linux-(?:gnu|musl)(?:eabihf|eabi)?)?$/,
  /^\/usr(?:\/local)?\/(?:bin|lib|lib64)$/,
  /^[A-Z]:\\Windows\\(?:System32|SysWOW64)$/i,
];

/** Mappings that are not files: the kernel's, and anonymous ones, which old versions name by their range. */
export const NO_FILE = /^(?:\[(?:vdso|vsyscall|vvar|heap|stack)\]|[0-9a-f]{1,16}-[0-9a-f]{1,16})$/;

/** Returns whether a library is public, by its file name: its functions may then be shown. */
export function isPublicLibrary(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const folded = name.endsWith(".dll") || name.includes(".DLL") ? name.toLowerCase() : name;
  return NO_FILE.test(path) || APPLE.test(path) || PUBLIC.some((pattern) => pattern.test(folded));
}

function isPublicPath(path: string): boolean {
  return APPLE.test(path);
}

/** Returns whether a folder is a standard folder of its system. */
function isSystemFolder(folder: string): boolean {
  return SYSTEM_FOLDERS.some((pattern) => pattern.test(folder));
}

/** V8's own scripts up to V8 6, logged as `native NAME.js`. Source: V8, src/js. */
const NATIVES: ReadonlySet<string> = new Set(
  `
array array-iterator arraybuffer collection collection-iterator date fdlibm generator harmony-array harmony-object
harmony-regexp-exec harmony-species harmony-typedarray harmony-unicode-regexps i18n intl iterator-prototype json math
max-min messages object-observe prologue promise promise-extra regexp runtime string string-iterator symbol templates
typedarray uri v8natives weak-collection
`
    .trim()
    .split(/\s+/),
);

/**
 * Returns whether a script is Node's own, by its full name: `node:internal/url`; with `isOld`, for V8 before
 * 9, also `internal/url.js`, as Node named them then. A name without a folder is no proof: a program that runs
 * a text as `stream.js` has one too. In later versions, no name without `node:` is one.
 */
export function isNodeScript(file: string, isOld: boolean): boolean {
  if (file.startsWith("node:")) return NODE_SCRIPTS.has(file.slice("node:".length));
  return (
    isOld && file.includes("/") && file.endsWith(".js") && NODE_SCRIPTS.has(file.slice(0, -".js".length))
  );
}

/** Returns whether a script is one of V8's own, by its name without `native `. */
function isNativeScript(file: string): boolean {
  return file.endsWith(".js") && NATIVES.has(file.slice(0, -".js".length));
}

const FUNCTION_TYPES: ReadonlySet<string> = new Set(["JS", "Function", "LazyCompile", "Script", "Eval"]);
/**
 * Unnamed WebAssembly functions, and V8's wrappers between them and JavaScript, with the types of arguments.
 */
const WEBASSEMBLY =
  /^(?:wasm-function\[\d{1,9}\]|(?:js-to-wasm|wasm-to-js|wasm-to-capi|c-wasm-entry|js-to-js)(?:[:-][a-z]{0,20}){0,2})$/;
/** A function of one of V8's own scripts up to V8 6. */
const V8_FUNCTION = /^(.* )?native ([^ ]+)$/s;
const POSITION_END = /:\d+:\d+$/;
const DEOPT_POSITION = /^<(.*):(\d+):(\d+)>$/s;
const DEOPT_POSITION_END = /:\d+:\d+>$/;
const INLINED_AT = " inlined at ";
/** What embedders of V8 append to its version. */
const EMBEDDER = /^(?:-node\.\d{1,4}|-rusty|-electron\.\d{1,4}|-pre)$/;
/** Views recognize inline caches and baseline builtins by these parts of their names. */
const INLINE_CACHE = /^\w*(?:Call|Load|Store|LoadGlobal|StoreGlobal)IC/;
const INLINE_CACHE_TYPE = /^\w+IC$/;
const LIBRARY_EXTENSION = /\.(?:so[\d.]*|node|dll|exe|dylib|apk)$/;

/**
 * Redacts each string of a log or profile: strings known to be public are kept, all others become hashes in
 * the same form.
 */
export class Redactor {
  readonly kept = new KeptStrings();
  /** Of the log that is redacted. */
  names = new PublicNames();
  /** The rows that cannot be read. Nothing of them is kept. */
  droppedRows = 0;
  readonly #hash: NameHash;
  readonly #packages: ReadonlySet<string>;
  readonly #scripts: ScriptNames;
  readonly #functions: FunctionRedactor;

  /** `packages` are names that are kept: `express`, `@scope/name`. */
  constructor(hash: NameHash, packages: Iterable<string> = []) {
    this.#hash = hash;
    this.#packages = new Set(packages);
    this.#scripts = new ScriptNames({ hash, kept: this.kept, packages: this.#packages });
    this.#functions = new FunctionRedactor(hash, this.kept, (name) => this.names.add(name));
  }

  /** Returns one that redacts in the same way and has kept nothing yet. */
  copy(): Redactor {
    return new Redactor(this.#hash, this.#packages);
  }

  /**
   * Sets the V8 version of the names that follow; undefined if the log does not state it. `isQuoted` is
   * whether V8 quotes texts.
   */
  useVersion(v8: Pick<V8Version, "major"> | undefined, isQuoted = false): void {
    this.#scripts.isOld = v8 === undefined ? isQuoted : v8.major < 9;
  }

  /** Returns whether the functions of a script keep their names. */
  keepsFunctions(file: string): boolean {
    return !file.includes(" ") && this.#scripts.show(file).owner !== undefined;
  }

  /** Returns what redacts the texts of the scripts of one log. */
  newSources(): SourceRedactor {
    return new SourceRedactor(this.#hash, this.kept, this.names);
  }

  /** Redacts a function's logged name: its name, a space, `script:line:column`. */
  functionName(logged: string): string {
    if (WEBASSEMBLY.test(logged) && this.kept.keep("V8", logged)) return logged;
    const { name, file } = parseLoggedName(logged);
    if (file === undefined) return this.#withoutColumn(logged);
    const end = POSITION_END.exec(logged)![0];
    const isNamed = logged.length - end.length > file.length;
    return this.#named(name, { file, end }, isNamed) + end;
  }

  codeName(type: string, name: string): string {
    if (name === "") return "";
    if (FUNCTION_TYPES.has(type)) return this.functionName(name);
    if (type === "RegExp") return this.#hash.token("r", name);
    if (CODE_PHRASES.has(name) || WEBASSEMBLY.test(name)) {
      if (this.kept.keep("V8", name)) return name;
    }
    const isOldCache = CODE_TYPES.has(type) && /^(?:Store|Call)/.test(type);
    if (type === "Handler" || INLINE_CACHE_TYPE.test(type) || isOldCache) return this.#hash.token("k", name);
    if (isV8Name(name) && this.kept.keep("V8", name)) return name;
    const isCarried = type === "Builtin" || type === "Stub";
    const suffix = isCarried && INLINE_CACHE.test(name) ? "_LoadIC" : "";
    const baseline = type === "Builtin" && name.includes("Baseline") ? "_Baseline" : "";
    return this.#hash.token("b", name, suffix + baseline);
  }

  /** Redacts a type of code. Inline caches are recognized by its end. */
  codeType(type: string): string {
    if (CODE_TYPES.has(type) && this.kept.keep("V8", type)) return type;
    return this.#hash.token("t", type, INLINE_CACHE_TYPE.test(type) ? "IC" : "");
  }

  /** Redacts a script's name. */
  script(file: string): string {
    if (!file.includes(" ")) return this.#scripts.show(file).text;
    // As where it stands after a function's name, from which only its last word may be told.
    const { name, file: end } = parseLoggedName(`${file}:1:1`);
    const isSplit = end !== undefined && end.length < file.length;
    if (!isSplit) return this.#scripts.show(file).text;
    return `${this.#functions.show(name, undefined)} ${this.#scripts.show(end).text}`;
  }

  /** Redacts the hash of a script's text: who has the text could tell it. */
  textHash(hash: string): string {
    return this.#hash.token("s", hash);
  }

  library(path: string): string {
    if (NO_FILE.test(path) || isPublicPath(path)) {
      if (this.kept.keep("native", path)) return path;
    }
    if (/^\[.*\]$/s.test(path)) return `[${this.#hash.token("l", path.slice(1, -1))}]`;
    const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
    const name = path.slice(at);
    const isKept = isPublicLibrary(name) && this.kept.keep("native", name);
    return this.#folder(path.slice(0, at)) + (isKept ? name : this.#libraryName(name));
  }

  /** Redacts the name of a function in a library with a logged path. */
  symbol(library: string, name: string): string {
    const isKept = isPublicLibrary(library) && this.kept.keep("native", name);
    return isKept ? name : this.#hash.token("n", name);
  }

  /**
   * Redacts a position of a deoptimization: `<script:line:column>`, and the positions that it was inlined at.
   */
  position(position: string): string {
    if (position === "") return "";
    const positions = position.split(/(?<=:\d+:\d+>) inlined at (?=<)/);
    return positions.map((one) => this.#onePosition(one)).join(INLINED_AT);
  }

  /** Redacts a word of V8's. */
  word(kind: keyof typeof V8_WORDS, word: string): string {
    if (word === "" || (V8_WORDS[kind].has(word) && this.kept.keep("V8", word))) return word;
    return this.#hash.token("t", word);
  }

  /** Redacts the key of a property or an element. An index can be a telephone number. */
  propertyKey(key: string): string {
    return key === "" ? key : this.#hash.token("k", key);
  }

  /** Returns what follows the numbers of V8's version; nothing if it is not of a public embedder. */
  embedder(embedder: string): string {
    if (EMBEDDER.test(embedder) && this.kept.keep("V8", embedder)) return embedder;
    return "";
  }

  /** Redacts V8's name of a timer or a piece of memory. */
  v8Name(name: string): string {
    if (name === "" || (isV8Name(name) && this.kept.keep("V8", name))) return name;
    return this.#hash.token("t", name);
  }

  /** Redacts any other text completely. */
  text(text: string): string {
    return text === "" ? "" : this.#hash.token("t", text);
  }

  /** `isNamed` is whether a space separates the function's name, which may be empty, from the script's. */
  #named(name: string, { file, end }: Position, isNamed: boolean): string {
    // Where positions lack a column, the word `native` counts as part of the script's name.
    const whole = isNamed ? `${name} ${file}` : file;
    const [, before = "", script = ""] = V8_FUNCTION.exec(whole) ?? [];
    const isV8s = this.#scripts.isOld && isNativeScript(script) && isWholeName(before.trimEnd());
    if (isV8s && this.names.isSure(before, script + end) && this.kept.keep("V8", whole)) return whole;
    const { text, owner } = this.#scripts.show(file);
    if (!isNamed) return text;
    const isSure = owner !== "Node" || file.startsWith("node:") || this.names.isSure(name, file + end);
    return `${this.#functions.show(name, isSure ? owner : undefined)} ${text}`;
  }

  /**
   * Redacts a name without a column: a script's top-level code up to Node 6, WebAssembly, `name script:line`
   * in V8 up to 3.19.
   */
  #withoutColumn(logged: string): string {
    const start = logged.startsWith(" ") ? " " : "";
    return start + this.#nameWithoutColumn(logged.slice(start.length));
  }

  #nameWithoutColumn(logged: string): string {
    const native = /^native (.*)$/s.exec(logged)?.[1];
    if (this.#scripts.isOld && native !== undefined && isNativeScript(native) && this.kept.keep("V8", logged))
      return logged;
    if (isNodeScript(logged, this.#scripts.isOld)) return this.#scripts.show(logged).text;
    const { name, file } = parseOldName(logged);
    if (file !== undefined) {
      const end = logged.slice(logged.lastIndexOf(":"));
      return this.#named(name, { file, end }, logged.length - end.length > file.length) + end;
    }
    const isPath = /[\\/]|\.[cm]?js$/.test(logged) && !logged.includes(" ");
    return isPath ? this.#scripts.show(logged).text : this.#functions.show(logged, undefined);
  }

  #onePosition(position: string): string {
    const [, file, line, column] = DEOPT_POSITION.exec(position) ?? [];
    if (file !== undefined) return `<${this.script(file)}:${line}:${column}>`;
    // The first or last of several may be damaged. What separates it from the others stays.
    const start = position.startsWith("<") ? "<" : "";
    const end = DEOPT_POSITION_END.exec(position)?.[0] ?? "";
    return start + this.text(position.slice(start.length, position.length - end.length)) + end;
  }

  #folder(folder: string): string {
    if (folder === "" || folder === "/") return folder;
    if (isSystemFolder(folder.slice(0, -1)) && this.kept.keep("native", folder)) return folder;
    const parts = folder.split(/([\\/])/);
    return parts
      .map((part, i) => {
        const isStructure = i % 2 === 1 || part === "" || (i === 0 && /^[A-Za-z]:$/.test(part));
        return isStructure ? part : this.#hash.token("d", part);
      })
      .join("");
  }

  #libraryName(name: string): string {
    const extension = LIBRARY_EXTENSION.exec(name)?.[0] ?? "";
    const stem = name.slice(0, name.length - extension.length);
    return stem === "" ? this.text(name) : this.#hash.token("l", stem) + extension;
  }
}

/** Where a function is: its script, and `:line:column` or `:line`. */
interface Position {
  readonly file: string;
  readonly end: string;
}

/** What V8 puts before a name, and before the names of its own scripts. */
const PREFIXES: ReadonlySet<string> = new Set(["get", "set", "async", "static", "new", "bound", "native"]);
/** `Class.method`: parts without other characters that names can have. */
const PARTS = /^[^\s.,"\\/:]+(?:\.[^\s.,"\\/:]+)+$/;
/** What can be a function's name. A torn row can put more before one, such as another function with its path. */
const WHOLE_NAME = /^(?:(?:get|set|async|static|new|bound) )*[^\s,"\\/:]{0,200}$/;
/** Names of more parts or words than this are hashed as a whole. */
const PARTS_LIMIT = 20;
const WORDS_LIMIT = 50;

/** Returns whether a text can be the name of a function. */
function isWholeName(name: string): boolean {
  return WHOLE_NAME.test(name);
}

/** Redacts function names without their positions: prefixes, blanks and dots stay, the parts between are hashed. */
class FunctionRedactor {
  readonly #hash: NameHash;
  readonly #kept: KeptStrings;
  readonly #onKept: (name: string) => void;

  constructor(hash: NameHash, kept: KeptStrings, onKept: (name: string) => void) {
    this.#onKept = onKept;
    this.#hash = hash;
    this.#kept = kept;
  }

  /**
   * Returns the redacted name. `owner` is why the functions of its script may be shown; undefined if they may
   * not.
   */
  show(name: string, owner: "Node" | "--keep" | undefined): string {
    if (name === "") return "";
    if (owner !== undefined && isWholeName(name) && this.#kept.keep(owner, name)) {
      this.#onKept(name);
      return name;
    }
    const words = name.split(" ");
    if (words.length > WORDS_LIMIT) return this.#hash.token("f", name);
    // Each word by itself: the last ones may be the start of a script's name with blanks, which is redacted alike.
    return words.map((word) => this.#word(word)).join(" ");
  }

  #word(word: string): string {
    return PREFIXES.has(word) && this.#kept.keep("V8", word) ? word : this.#parts(word);
  }

  #parts(name: string): string {
    if (name === "") return "";
    const isDotted = PARTS.test(name) && !FUNCTION_WORDS.has(name);
    const parts = isDotted ? name.split(".") : [name];
    if (parts.length > PARTS_LIMIT) return this.#hash.token("f", name);
    return parts.map((part) => this.#part(part)).join(".");
  }

  #part(part: string): string {
    // The text of its script, if it is in the log, calls it by such a word too.
    const isPublic = FUNCTION_WORDS.has(part) || SOURCE_WORDS.has(part);
    if (isPublic && this.#kept.keep("V8", part)) return part;
    return this.#hash.token("f", part);
  }
}

interface ScriptNamesOptions {
  readonly hash: NameHash;
  readonly kept: KeptStrings;
  /** Packages whose names are kept. */
  readonly packages: ReadonlySet<string>;
}

/** A script's redacted name. */
interface ShownScript {
  readonly text: string;
  /** Why the names of its functions may be shown; undefined if they may not. */
  readonly owner: "Node" | "--keep" | undefined;
}

/** A prefix of a path that is not the program's. */
const SCHEME =
  /^(?:file:\/\/|https?:\/\/|webpack:\/\/|webpack-internal:\/\/|wasm:\/\/|chrome-extension:\/\/|chrome:\/\/|devtools:\/\/|edge:\/\/|blob:|data:|ext:|node:|evalmachine\.)/;
const DRIVE = /^[A-Za-z]:$/;
const EXTENSION = /\.(?:[cm]?[jt]s|[jt]sx|json|wasm|vue|svelte|html?)$/;
/**
 * Folders of Node before 16, whose scripts have bare names. Names that look like them must keep that look.
 */
const NODE_FOLDERS: ReadonlySet<string> = new Set([
  "internal",
  "assert",
  "dns",
  "fs",
  "path",
  "stream",
  "timers",
  "util",
]);
/** A part of a kept path that a name can contain: a space would end it. */
const PLAIN_PART = /^[\x21\x23-\x7e]+$/;
/** Names with more parts are hashed as a whole: no file system has them. */
const MOST_PARTS = 2_000;

/**
 * Redacts script names by hashing each revealing part separately. What reports depend on is kept: whether it
 * is a URL or a path, its depth, `node_modules`, the extension, and whether it could be a script of Node.
 */
export class ScriptNames {
  readonly #options: ScriptNamesOptions;
  /** Whether scripts of Node lack the prefix `node:`, as before V8 9. */
  isOld = false;

  constructor(options: ScriptNamesOptions) {
    this.#options = options;
  }

  show(file: string): ShownScript {
    const { kept, hash } = this.#options;
    if (file === "") return { text: "", owner: undefined };
    if (isNodeScript(file, this.isOld) && kept.keep("Node", file)) return { text: file, owner: "Node" };
    const isWord = SCRIPT_WORDS.has(file) || /^REPL\d{1,6}$/.test(file);
    if (isWord && kept.keep("Node", file)) return { text: file, owner: undefined };
    const scheme = SCHEME.exec(file)?.[0] ?? "";
    const rest = file.slice(scheme.length);
    // A space after `node:` means that this is not a script of Node's, so one is kept.
    if (scheme === "node:" && rest.includes(" ")) {
      const isLikeNode = / node:[^ ]*$/.test(rest);
      const text = hash.token("s", /^ s_[a-z2-7]{12}\ufffd?$/.test(rest) ? rest.slice(1) : rest);
      return { text: `node:${isLikeNode ? "" : " "}${text}`, owner: undefined };
    }
    const parts = rest.split(/([\\/])/);
    if (parts.length > 2 * MOST_PARTS) {
      return { text: scheme + hash.token(this.#baseKind(file, false), file), owner: undefined };
    }
    if (scheme !== "") kept.keep("path", scheme);
    return this.#showParts(file, scheme, parts);
  }

  /** `parts` are the folders and the base name, with the separators between them. */
  #showParts(file: string, scheme: string, parts: readonly string[]): ShownScript {
    const { kept, hash } = this.#options;
    const isNodeLike = scheme === "" && originOfFile(file, false).kind === "node";
    const last = parts.length - 1;
    let text = scheme;
    /** The end of the package name being read; -1 outside. */
    let packageEnd = -1;
    let isKept = false;
    // Reports tell its work from the program's by the last three parts.
    const recorder = isRecorderFile(file) ? last - 4 : last + 1;
    for (let i = 0; i <= last; i += 2) {
      const part = parts[i]!;
      if (i >= recorder && kept.keep("path", part)) {
        text += part;
      } else if (i > packageEnd && part === "node_modules" && i < last - 2) {
        const isScoped = parts[i + 2]!.startsWith("@") && i + 4 < last;
        packageEnd = isScoped ? i + 4 : i + 2;
        const name = isScoped ? `${parts[i + 2]}/${parts[i + 4]}` : parts[i + 2]!;
        isKept = this.#options.packages.has(name);
        kept.keep("path", part);
        text += part;
      } else if (part === "" || part === "." || part === ".." || (i === last && part === "<anonymous>")) {
        text += part;
      } else if (isKept && PLAIN_PART.test(part) && kept.keep("--keep", part)) {
        text += part;
      } else if (i <= packageEnd) {
        text += part.startsWith("@") ? `@${hash.token("p", part.slice(1))}` : hash.token("p", part);
      } else if (this.#isStructure(part, i, { scheme, isNodeLike, last })) {
        text += part;
      } else if (i === last) {
        text += this.#base(part, this.#baseKind(file, last > 0));
      } else {
        text += hash.token("d", part);
      }
      text += parts[i + 1] ?? "";
    }
    return { text, owner: isKept ? "--keep" : undefined };
  }

  /**
   * Returns whether a part is the drive of a path, the host of WebAssembly, or the folder that makes a name
   * look like Node's.
   */
  #isStructure(
    part: string,
    at: number,
    { scheme, isNodeLike, last }: { scheme: string; isNodeLike: boolean; last: number },
  ): boolean {
    const { kept } = this.#options;
    if (at === last) return false;
    if (DRIVE.test(part)) return at === 0 || (scheme === "file://" && at === 2);
    if (scheme === "wasm://") return at === 0 && part === "wasm" && kept.keep("path", part);
    return at === 0 && isNodeLike && NODE_FOLDERS.has(part) && kept.keep("Node", part);
  }

  #base(part: string, kind: HashKind): string {
    const { kept, hash } = this.#options;
    const extension = EXTENSION.exec(part)?.[0] ?? "";
    const isNative = part.startsWith("native ") && kind === "s";
    const stem = part.slice(isNative ? "native ".length : 0, part.length - extension.length);
    if (stem === "") return hash.token(kind, part);
    if (extension !== "") kept.keep("path", extension);
    return (isNative ? "native " : "") + hash.token(kind, stem) + extension;
  }

  /**
   * Returns the kind of a base name. A bare name in lower case looks like one of Node's before 16, which is
   * preserved.
   */
  #baseKind(file: string, isPath: boolean): HashKind {
    return isPath || originOfFile(file, false).kind === "node" ? "s" : "S";
  }
}

import { isRecorderFile, originOfFile } from "../views/origin.js";
import type { KeptStrings } from "./kept-strings.js";
import type { HashKind, NameHash } from "./name-hash.js";
import { isNodeScript } from "./node-scripts.js";
import { SCRIPT_WORDS } from "./v8-phrases.js";

/** The options of script redaction. */
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
  /^(?:file:\/\/|https?:\/\/|webpack:\/\/|webpack-internal:\/\/|wasm:\/\/|chrome-extension:\/\/|blob:|data:|ext:|node:|evalmachine\.)/;
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
const PARTS_LIMIT = 2_000;

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
    if (parts.length > 2 * PARTS_LIMIT) {
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

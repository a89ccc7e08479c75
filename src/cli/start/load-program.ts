import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { defaultCacheFolder } from "../../io/cache-folder.js";
import { CodeCache, type ProgramPart } from "./code-cache.js";

/** A module of the program, as CommonJS has it. */
interface LoadedPart {
  exports: unknown;
}

/** The function around a part, as around each CommonJS module. Source: Node, lib/internal/modules/cjs/loader.js, `wrapper`. */
type PartFunction = (
  exports: unknown,
  require: (name: string) => unknown,
  module: LoadedPart,
  filename: string,
  dirname: string,
) => void;
const HEAD = "(function (exports, require, module, __filename, __dirname) { ";
const TAIL = "\n})";
/** The exit status of an error: such a run calls few functions that others will. */
const ERROR = 2;

/** Runs the program from its first file on, with the code that V8 made of it in earlier runs of the command. */
export function loadProgram(main: string, command: string, { usesCache = true } = {}): void {
  const folder = usesCache ? defaultCacheFolder("code") : undefined;
  const part = readPart(main);
  const cache = folder === undefined ? undefined : CodeCache.open(folder, part, command);
  const require = createRequire(main);
  if (cache === undefined) {
    require(main);
    return;
  }
  process.once("exit", (status) => {
    if (status !== ERROR) cache.save();
  });
  new ProgramLoader(cache, require).run(part);
}

/** Loads the parts of the program when others need them, and all else as Node does. */
class ProgramLoader {
  readonly #cache: CodeCache;
  readonly #require: NodeJS.Require;
  /** By path. */
  readonly #loaded = new Map<string, LoadedPart>();

  constructor(cache: CodeCache, require: NodeJS.Require) {
    this.#cache = cache;
    this.#require = require;
  }

  /** Runs a part and returns what it exports. */
  run(part: ProgramPart): unknown {
    const { path } = part;
    const folder = dirname(path);
    const loaded: LoadedPart = { exports: {} };
    this.#loaded.set(path, loaded);
    const script = this.#cache.compile(part, pathToFileURL(path).href);
    const require = (name: string) =>
      name.startsWith("./") ? this.#load(join(folder, name)) : this.#require(name);
    const body: PartFunction = script.runInThisContext();
    body(loaded.exports, require, loaded, path, folder);
    return loaded.exports;
  }

  #load(path: string): unknown {
    // What had to be loaded to get here is there already.
    const loaded = this.#loaded.get(path) ?? this.#require.cache[path];
    return loaded === undefined ? this.run(readPart(path)) : loaded.exports;
  }
}

function readPart(path: string): ProgramPart {
  const file = openSync(path, "r");
  try {
    const text = HEAD + readFileSync(file, "latin1") + TAIL;
    return { path, text, written: fstatSync(file).mtimeMs };
  } finally {
    closeSync(file);
  }
}

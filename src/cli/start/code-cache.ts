import { basename, dirname, join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { constants, Script } from "node:vm";
import { CACHE_KIND, clearOut, isWritable, readCacheFile, writeCacheFile } from "../../io/cache-file.js";
import { crc32 } from "../../io/crc32.js";

// The content of a cache file:
//
//     u32  bytes of the head
//          head, as JSON, padded so that all up to here is a multiple of eight bytes
//          the code of each part of the program, padded in the same way
const WORD = 4;
const ALIGNMENT = 8;

interface Head {
  /** The CRC-32 of the first part, which names the others, and so on: it changes whenever one of them does. */
  readonly program: number;
  /** Runs that have written the file. */
  readonly runs: number;
  /** When it was written, in milliseconds since 1970. */
  readonly written: number;
  readonly parts: readonly Part[];
}

/** The code of a part of the program. */
interface Part {
  /** What V8 takes it for, and what else it depends on. */
  readonly key: string;
  /** Bytes after the head. */
  readonly start: number;
  readonly length: number;
}

/** A part of the program: one of its files. */
export interface ProgramPart {
  readonly path: string;
  readonly text: string;
  /** When the file was written, in milliseconds since 1970. */
  readonly written: number;
}

/**
 * Where cached code has the hash of the flags that V8 had when it was made, and takes it with. Source: V8 11.3 to 14.6,
 * src/snapshot/code-serializer.h, `SerializedCodeData::kFlagHashOffset`.
 */
const FLAGS = { start: 12, end: 16 };

/** A part that was compiled in this run, and is to be written. */
interface CompiledPart {
  readonly script: Script;
  /** The hash of the flags that V8 had then, and will have at the same place in other runs. */
  readonly flags: Uint8Array;
}

/** Runs that write the file anew, since each may have called other functions. */
const FIRST_RUNS = 3;
/** After so many runs have written it, a missing part is no reason to: V8 may refuse its code again and again. */
const MOST_RUNS = 30;
/** Milliseconds after which a run writes it in any case. */
const LATER = 24 * 3_600_000;
/** Most bytes in the folder: some 30 files of 1.2 MB. */
const FOLDER_LIMIT = 40 * 2 ** 20;

/** Lets code import modules. Undefined in Node before 20.12. */
const importModules = (constants as Partial<typeof constants> | undefined)?.USE_MAIN_CONTEXT_DEFAULT_LOADER;

/**
 * The code that V8 made of the program in earlier runs of a command, in a file of the user's cache folder. Unlike Node's cache it has
 * all functions that were called: Node asks V8 for the code of a module before the module runs. Source: Node 26,
 * src/compile_cache.cc, `CompileCacheHandler::MaybeSave`.
 */
export class CodeCache {
  readonly #folder: string;
  readonly #name: string;
  /** What the file has, by key. */
  #known: ReadonlyMap<string, Uint8Array> = new Map();
  readonly #compiled = new Map<string, CompiledPart>();
  readonly #program: number;
  #runs = 0;
  /** Whether {@link save} writes the file. */
  #isDue = true;

  /**
   * Opens the code of the program whose first part is `main`, for one of its commands. Returns undefined if this Node cannot run
   * such code.
   */
  static open(folder: string, main: ProgramPart, command: string): CodeCache | undefined {
    return importModules === undefined ? undefined : new CodeCache(folder, main, command);
  }

  private constructor(folder: string, main: ProgramPart, command: string) {
    const place = crc32(Buffer.from(dirname(main.path)));
    this.#folder = folder;
    // The tag is of this V8, its flags and the processor.
    this.#name = [command, hex(place), hex(cachedDataVersionTag())].join("-");
    this.#program = crc32(Buffer.from(main.text));
    const content = readCacheFile(join(folder, this.#name), CACHE_KIND.code);
    if (content !== undefined) this.#read(content);
  }

  #read(content: Buffer): void {
    const end = WORD + content.readUInt32LE(0);
    const { program, runs, written, parts }: Head = JSON.parse(content.toString("utf8", WORD, end));
    if (program !== this.#program) return;
    const codes = content.subarray(padded(end));
    this.#known = new Map(
      parts.map(({ key, start, length }) => [key, codes.subarray(start, start + length)]),
    );
    this.#runs = runs;
    this.#isDue = runs < FIRST_RUNS || Math.abs(Date.now() - written) > LATER;
  }

  /** Compiles a part of the program, with the code of earlier runs if there is some. `filename` is its name in traces. */
  compile({ path, text, written }: ProgramPart, filename: string): Script {
    const key = [basename(path), text.length, written, cachedDataVersionTag()].join(" ");
    const cachedData = this.#known.get(key);
    const options = { filename, importModuleDynamically: importModules! };
    const script = new Script(text, cachedData === undefined ? options : { ...options, cachedData });
    if (script.cachedDataRejected !== false && this.#runs < MOST_RUNS) this.#isDue = true;
    if (this.#isDue) this.#compiled.set(key, { script, flags: flagHash() });
    return script;
  }

  /**
   * Writes the code of this run, with the functions that it called, if the file lacks a part that it needed, and in some runs
   * that may have called other functions than those before. Keeps the code of parts that it did not need. Does nothing where
   * no file can be written.
   */
  save(): void {
    if (!this.#isDue || !isWritable(this.#folder)) return;
    const codes = this.#codes();
    const parts: Part[] = [];
    const bytes: Uint8Array[] = [];
    let end = 0;
    for (const [key, code] of codes) {
      parts.push({ key, start: end, length: code.length });
      const size = padded(code.length);
      bytes.push(code, new Uint8Array(size - code.length));
      end += size;
    }
    const head: Head = { program: this.#program, runs: this.#runs + 1, written: Date.now(), parts };
    writeCacheFile(this.#folder, this.#name, CACHE_KIND.code, [encodeHead(head), ...bytes]);
    clearOut(this.#folder, FOLDER_LIMIT);
  }

  /**
   * Returns the code of all parts by key. The program changes flags while it runs, mostly after its parts are compiled, so the
   * hash of these flags is replaced by that of the flags at the time: code that V8 makes of a source is the same with both.
   */
  #codes(): Map<string, Uint8Array> {
    const codes = new Map(this.#known);
    const now = flagHash();
    for (const [key, { script, flags }] of this.#compiled) {
      const code = script.createCachedData();
      // Another V8 could have it at another place.
      if (!code.subarray(FLAGS.start, FLAGS.end).equals(now)) continue;
      code.set(flags, FLAGS.start);
      // V8 may have dropped the code of functions that were not called for long.
      if (code.length >= (codes.get(key)?.length ?? 0)) codes.set(key, code);
    }
    return codes;
  }
}

/** Returns the hash of the flags of V8, as cached code has it. */
function flagHash(): Uint8Array {
  return new Script("").createCachedData().subarray(FLAGS.start, FLAGS.end);
}

function encodeHead(head: Head): Uint8Array {
  const text = Buffer.from(JSON.stringify(head));
  const bytes = Buffer.alloc(padded(WORD + text.length));
  bytes.writeUInt32LE(text.length, 0);
  text.copy(bytes, WORD);
  return bytes;
}

const padded = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT;
const hex = (number: number): string => number.toString(16);

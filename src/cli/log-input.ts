import { basename } from "node:path";
import { badOption, TicksError } from "../base/errors.js";
import { named, TICKS, text } from "../base/text.js";
import { printable } from "../facts/label.js";
import type { LabelPattern } from "../inputs/read-options.js";
import { defaultCacheFolder } from "../io/cache-file.js";
import type { OpenLogOptions } from "../io/input.js";
import { isFile, readText, symbolsFileOf } from "../io/symbols-file.js";
import { type LogFile, openLogFile } from "../load/log-files.js";
import { formatOf, isPdb } from "../native/load-library.js";
import {
  type RecordedLibrary,
  type RecordedSymbols,
  readRecordedSymbols,
} from "../native/recorded-symbols.js";
import { type AssignedSymbols, findAssigned, readSavedSymbols } from "../native/saved-symbols.js";
import { defaultSources } from "../native/sources.js";
import { SymbolCache } from "../native/symbol-cache.js";
import type { SymbolSource } from "../native/symbol-source.js";
import type { ProfileInfo } from "../profile/profile.js";
import { waitAtExit } from "./exit.js";
import { nameOfLog } from "./log-paths.js";
import type { InputFiles } from "./output-file.js";
import { warn } from "./terminal.js";
import { refuseMissing } from "./usage/missing-log.js";

/** The options of every command that reads a log. */
export interface LogFlags {
  nm?: string;
  target?: string;
  apkEmbeddedLibrary?: string;
  forceSymbols?: boolean;
  cache: boolean;
  /** The type of the values of a pprof profile to count. */
  sampleType?: string;
  /** The labels of the samples of a pprof profile to count. */
  tagfocus?: LabelPattern[];
  /** Those not to count. */
  tagignore?: LabelPattern[];
  /** Each `FILE` or `LIB=FILE`. */
  symbols?: string[];
}

/** The options of every command that merges several logs into one profile. */
export interface LoadFlags extends LogFlags {
  /** The threads to keep. Default: all. */
  thread?: string[];
}

/** An open log and the sources of its native names. */
export interface LogInput extends LogFile {
  readonly name: string;
  readonly sources: readonly SymbolSource[];
  readonly assigned: readonly AssignedSymbols[];
  readonly target: string | undefined;
  readonly apkEmbeddedLibrary: string | undefined;
  readonly forceSymbols: boolean;
  readonly cache: SymbolCache;
}

/** The sources of native names that all logs of a run share. */
export interface SharedInput extends Omit<LogInput, "name" | Exclude<keyof LogFile, "recorded">> {
  /** The symbols that `--symbols FILE` names; undefined without such a flag. */
  readonly recorded: RecordedSymbols | undefined;
}

/** Returns the files that a run with these logs and flags reads. */
export function inputFiles(logs: readonly string[], flags: Pick<LogFlags, "symbols">): InputFiles {
  const beside = logs.map(symbolsFileOf).filter((file) => file !== undefined);
  return { logs, symbols: [...givenSymbolFiles(flags), ...beside] };
}

export function givenSymbolFiles({ symbols = [] }: Pick<LogFlags, "symbols">): string[] {
  return symbols.map((text) => parseSymbolsFlag(text).file);
}

/** Reads the symbols that the flags name, and opens the cache that all logs share. */
export async function openSharedInput(flags: LogFlags): Promise<SharedInput> {
  await checkNm(flags.nm);
  const given = (flags.symbols ?? []).map(parseSymbolsFlag);
  const cache = new SymbolCache(flags.cache ? defaultCacheFolder("symbols") : undefined);
  waitAtExit(() => cache.settled());
  const files = given.filter(({ library }) => library === undefined).map(({ file }) => file);
  const named = files.filter((file) => !isBinary(file));
  return {
    sources: defaultSources({ nm: flags.nm }),
    recorded: await readRecorded(named),
    assigned: [
      ...(await readAssigned(given)),
      ...files.filter(isBinary).map((file) => ({ library: basename(file), binary: file })),
    ],
    target: flags.target,
    apkEmbeddedLibrary: flags.apkEmbeddedLibrary,
    forceSymbols: flags.forceSymbols ?? false,
    cache,
  };
}

/** Returns whether a file is a binary, which names the functions of the library of its name. */
function isBinary(file: string): boolean {
  return isFile(file) && formatOf(file) !== undefined;
}

/** Opens a log, and reads the symbols that were saved beside it. */
export async function openLogInput(
  log: string,
  flags: LogFlags,
  shared?: SharedInput,
  options: OpenLogOptions = {},
): Promise<LogInput> {
  refuseMissing(log);
  const input = shared ?? (await openSharedInput(flags));
  const file = await openLogFile(log, { ...options, recorded: input.recorded });
  return { ...input, ...file, name: nameOfLog(log) };
}

/** Throws a {@link TicksError} if `--nm` cannot be run. It would otherwise be ignored silently. */
async function checkNm(program: string | undefined): Promise<void> {
  if (program === undefined || (await (await import("../native/sources.js")).canRun(program))) return;
  throw badOption(`cannot run --nm ${printable(program)}`, "Leave --nm out: ticks reads symbols without it.");
}

/** Warns about symbols that were given for a library without ticks. */
export function warnUnused(assigned: readonly AssignedSymbols[], info: ProfileInfo): void {
  for (const symbols of assigned) {
    if (info.libraries.some(({ path }) => findAssigned([symbols], path) !== undefined)) continue;
    warn(
      text`--symbols ${named(symbols.library)}=… has no effect: no library of that name has ${TICKS}`,
      info,
    );
  }
}

interface SymbolsFlag {
  /** Undefined if the file has the symbols of all libraries. */
  readonly library: string | undefined;
  readonly file: string;
}

function parseSymbolsFlag(text: string): SymbolsFlag {
  if (isFile(text)) return { library: undefined, file: text };
  // A path can contain `=`, so split at the first `=` that a file name follows.
  const splits = Array.from(text.matchAll(/=/g), ({ index }) => ({
    library: text.slice(0, index),
    file: text.slice(index + 1),
  }));
  const split = splits.find(({ file }) => isFile(file)) ?? splits[0];
  if (split === undefined) return { library: undefined, file: text };
  if (split.library === "" || split.file === "") {
    throw badOption(`--symbols ${printable(text)}: expected FILE or LIB=FILE`);
  }
  return split;
}

/**
 * Reads files that `ticks symbols` wrote; undefined for no files. For a library in several files, the last
 * one counts.
 */
async function readRecorded(files: readonly string[]): Promise<RecordedSymbols | undefined> {
  if (files.length === 0) return undefined;
  const all = new Map<string, RecordedLibrary>();
  for (const file of files) {
    for (const [path, library] of readRecordedSymbols(await readText(file), printable(file))) {
      all.set(path, library);
    }
  }
  return all;
}

async function readAssigned(given: readonly SymbolsFlag[]): Promise<AssignedSymbols[]> {
  const assigned: AssignedSymbols[] = [];
  for (const { library, file } of given) {
    if (library === undefined) continue;
    if (isPdb(file)) {
      throw new TicksError(
        "BAD_SYMBOLS",
        `${printable(file)}: a PDB is read with its binary`,
        "Put both into one folder, and pass the binary: --symbols LIB=FILE",
      );
    }
    if (formatOf(file) !== undefined) {
      assigned.push({ library, binary: file });
      continue;
    }
    const functions = readSavedSymbols(await readText(file), { name: printable(file), library });
    assigned.push({ library, functions });
  }
  return assigned;
}

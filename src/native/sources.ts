import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import split2 from "split2";
import { findProgram, type ProgramLimits, readerOptions, stopPast } from "../io/child-program.js";
import type { BinaryFile } from "./binary-file.js";
import { elfSymbols } from "./elf.js";
import { parseNmLine } from "./saved-symbols.js";
import type { LibraryFile, LoadedFunctions, SymbolSource } from "./symbol-source.js";
import { endOfCode, SymbolTableBuilder } from "./symbol-table.js";

export interface SourceOptions {
  /** An `nm` to use before the built-in reader. Default: none; the `nm` on the PATH comes last. */
  readonly nm?: string | undefined;
}

/** Returns all sources of a library's functions on this machine, most trusted first. */
export function defaultSources({ nm }: SourceOptions = {}): SymbolSource[] {
  const here = [elfSymbols(), lazySource("mach-o", machO), lazySource("pe", pe)];
  return nm === undefined ? [...here, quietNm()] : [quietNm(nm), ...here];
}

const machO = async () => (await import("./mach-o.js")).machOSymbols();
const pe = async () => (await import("./pe.js")).peSymbols();

/** Returns a source of the files of one format, which loads its modules only when it meets such a file. */
function lazySource(format: BinaryFile["format"], open: () => Promise<SymbolSource>): SymbolSource {
  return {
    name: format,
    isMangled: true,
    async load(library) {
      return library.binary.format === format ? (await open()).load(library) : { kind: "no-symbols" };
    },
    async fingerprint(library) {
      return library.binary.format === format ? (await open()).fingerprint?.(library) : undefined;
    },
  };
}

/** Returns the source `nm`. A missing nm is not reported. */
function quietNm(program?: string): SymbolSource {
  return {
    name: "nm",
    isMangled: true,
    async load(library) {
      // It knows no more of other files, and that of macOS may ask the user to install developer tools.
      if (program === undefined && library.binary.format !== "elf") return { kind: "no-symbols" };
      const loaded = await nmSource({ program }).load(library);
      const isMissing = program === undefined && "kind" in loaded;
      return isMissing ? { kind: "no-symbols" } : loaded;
    },
  };
}

interface NmOptions {
  /** The program to run. Default: `nm` from the PATH. */
  readonly program?: string | undefined;
  /** The folder of separate debug files by build id. Default: `/usr/lib/debug/.build-id`. */
  readonly debugFolder?: string | undefined;
  /**
   * Limits for reading one table of one file. Default: a minute and 256 MiB; a Node binary takes a second and
   * 50 MB.
   */
  readonly limits?: ProgramLimits | undefined;
}

const LIMITS: ProgramLimits = { milliseconds: 60_000, bytes: 2 ** 28 };
/** Milliseconds in which it must print its version. */
const START_LIMIT = 10_000;
/** Lines with more UTF-16 units are skipped: no compiler makes such names. */
const LINES = { maxLength: 2 ** 20, skipOverflow: true };

/**
 * Returns a source that reads symbols with `nm`: the symbol table of a library, its dynamic symbol table,
 * then both of its debug file. The output is read line by line, as a Node binary has 50 MB of it.
 */
export function nmSource({
  program = "nm",
  debugFolder = "/usr/lib/debug/.build-id",
  limits = LIMITS,
}: NmOptions = {}): SymbolSource {
  return {
    name: "nm",
    isMangled: true,
    async load(library: LibraryFile): Promise<LoadedFunctions> {
      const path = findProgram(program);
      if (path === undefined || !(await starts(path))) return { kind: "tool-failed", tool: program };
      const builder = new SymbolTableBuilder();
      let functions = 0;
      const takeLine = (line: string) => {
        const found = parseNmLine(line);
        if (found === undefined) return;
        functions++;
        // Compilers for macOS put an underscore before each name.
        const name = library.binary.format === "mach-o" ? found.name.replace(/^_/, "") : found.name;
        builder.add(found.start, found.size, name);
      };
      for (const file of [library.file, ...debugFiles(library, debugFolder)]) {
        for (const table of [[], ["-D"]]) {
          const isRead = await readLines(path, { args: [...table, "--", resolve(file)], limits, takeLine });
          if (!isRead) return { kind: "tool-stopped", tool: program };
        }
      }
      return functions === 0 ? { kind: "no-symbols" } : builder.build(endOfCode(library.binary.segments));
    },
  };
}

export async function canRun(program: string): Promise<boolean> {
  const path = findProgram(program);
  return path !== undefined && starts(path);
}

function starts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(path, ["--version"], { ...readerOptions(), stdio: "ignore" });
    stopPast(child, { milliseconds: START_LIMIT, bytes: 0 }, () => resolve(false));
    child.on("error", () => resolve(false));
    child.on("exit", () => resolve(true));
  });
}

function debugFiles({ binary: { buildId } }: LibraryFile, folder: string): string[] {
  if (buildId === undefined) return [];
  const file = join(folder, buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
  return existsSync(file) ? [file] : [];
}

interface Reading {
  readonly args: readonly string[];
  readonly limits: ProgramLimits;
  readonly takeLine: (line: string) => void;
}

/**
 * Passes on every line that nm prints; none if it cannot be run. Resolves to false if nm had to be stopped.
 */
function readLines(path: string, { args, limits, takeLine }: Reading): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, ["-n", "-S", ...args], {
      ...readerOptions(),
      stdio: ["ignore", "pipe", "ignore"],
    });
    // Listen first: if the system has no file descriptors left, there is not even a stdout.
    child.on("error", () => resolve(true)); // A missing nm was reported before.
    stopPast(child, limits, () => resolve(false));
    child.stdout
      ?.pipe(split2(LINES))
      .on("data", takeLine)
      .on("end", () => resolve(true))
      .on("error", reject);
  });
}

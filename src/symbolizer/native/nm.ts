import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import split2 from "split2";
import { parseNmLine } from "./nm-output.js";
import type { LibraryFile, SymbolSource } from "./symbol-source.js";
import { type SymbolTable, SymbolTableBuilder } from "./symbol-table.js";

export interface NmOptions {
  /** The program to run. Default: `nm`, from the PATH. */
  readonly program?: string | undefined;
  /** Where separate debug files are kept by build id. Default: `/usr/lib/debug/.build-id`. */
  readonly debugFolder?: string | undefined;
}

/**
 * Reads symbols with `nm`: the symbol table of a library, its dynamic one, then both of its debug file. All of
 * the output is read, line by line: a Node binary has 50 MB of it.
 */
export function nmSource({
  program = "nm",
  debugFolder = "/usr/lib/debug/.build-id",
}: NmOptions = {}): SymbolSource {
  return {
    name: "nm",
    isMangled: true,
    async load(library: LibraryFile): Promise<SymbolTable | string | undefined> {
      if (!(await canRun(program))) return `${program} cannot be run`;
      const builder = new SymbolTableBuilder();
      let functions = 0;
      for (const file of [library.file, ...debugFiles(library, debugFolder)]) {
        for (const table of [[], ["-D"]]) {
          await readLines(program, ["-n", "-S", ...table, "--", file], (line) => {
            const found = parseNmLine(line);
            if (found === undefined) return;
            functions++;
            builder.add(found.start, found.size, found.name);
          });
        }
      }
      return functions === 0 ? undefined : builder.build(endOfCode(library));
    },
  };
}

/** Whether the program can be started at all. */
export async function canRun(program: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, ["--version"], { stdio: "ignore" });
    child.on("error", () => resolve(false));
    child.on("exit", () => resolve(true));
  });
}

function debugFiles({ elf: { buildId } }: LibraryFile, folder: string): string[] {
  if (buildId === undefined) return [];
  const file = join(folder, buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
  return existsSync(file) ? [file] : [];
}

function endOfCode({ elf }: LibraryFile): number {
  return elf.segments.reduce((end, { linkAddress, size }) => Math.max(end, linkAddress + size), 0);
}

/** Feeds every line that a program prints. A program that cannot run prints nothing. */
function readLines(program: string, args: readonly string[], onLine: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    // The order of symbols at one address follows the locale.
    const env = { ...process.env, LC_ALL: "C" };
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], env });
    child.on("error", () => resolve()); // Whether nm is there is asked, and said, before.
    child.stdout
      .pipe(split2())
      .on("data", onLine)
      .on("end", () => resolve())
      .on("error", reject);
  });
}

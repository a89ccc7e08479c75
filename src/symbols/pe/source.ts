import { dirname, join } from "node:path";
import { stampAt, withRegularFile } from "../../io/regular-file.js";
import type { SymbolSource } from "../symbol-source.js";
import { functionTable } from "../table/named-functions.js";
import { readCoffSymbols } from "./coff-symbols.js";
import { readExports } from "./exports.js";
import type { PeFile } from "./file.js";
import { readFunctionBounds } from "./unwind.js";

/**
 * Returns the source `pe`, which reads the functions of PE files in this process: from the PDB beside the
 * file that was made with it, from the file's symbol table, and from what it exports. A function ends where
 * the next one starts, even if the next one has no name. Names can be mangled.
 */
export function peSymbols(): SymbolSource {
  return {
    name: "pe",
    isMangled: true,
    async load({ file, binary }) {
      if (binary.format !== "pe") return { kind: "no-symbols" };
      const pdb = await readPdb(file, binary);
      const own = withRegularFile(file, (open) => ({
        tables: [readCoffSymbols(open, binary), readExports(open, binary)],
        bounds: readFunctionBounds(open, binary),
      }));
      const tables = [...(pdb?.tables ?? []), ...(own?.tables ?? [])].filter((table) => table !== undefined);
      const stated = own?.bounds ?? new Float64Array();
      const bounds = new Float64Array(stated.length + (pdb?.bounds.length ?? 0));
      bounds.set(stated);
      bounds.set(pdb?.bounds ?? [], stated.length);
      return functionTable(tables, binary.segments, bounds.sort()) ?? { kind: "no-symbols" };
    },
    fingerprint({ file, binary }) {
      if (binary.format !== "pe") return undefined;
      const path = pdbOf(file, binary);
      return JSON.stringify(path === undefined ? [] : [path, stampAt(path)]);
    },
  };
}

/**
 * Returns the path of the PDB beside a file; undefined if the file names none. Never another folder: the file
 * names where its PDB was on the machine that made it.
 */
function pdbOf(file: string, { pdb }: PeFile): string | undefined {
  const name = pdb?.name ?? "";
  return name === "" || name === "." || name === ".." ? undefined : join(dirname(file), name);
}

async function readPdb(file: string, binary: PeFile) {
  const path = pdbOf(file, binary);
  if (path === undefined) return undefined;
  const { readPdbFunctions } = await import("../pdb/functions.js");
  return withRegularFile(path, (open) => readPdbFunctions(open, binary, path));
}

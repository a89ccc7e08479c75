import { basename, join } from "node:path";
import { stampAt, withRegularFile } from "../../io/regular-file.js";
import type { SymbolSource } from "../symbol-source.js";
import { functionTable, type NamedFunctions } from "../table/named-functions.js";
import { type MachOFile, readMachOFiles } from "./file.js";
import { readFunctionStarts, readMachOFunctions } from "./functions.js";

/**
 * Returns the source `mach-o`, which reads the symbol tables of Mach-O files in this process, then those of
 * the file's `.dSYM` bundle beside it, if that has the same UUID. A function ends where the next one starts,
 * even if the next one has no name. Names are mangled, as on other systems.
 */
export function machOSymbols(): SymbolSource {
  return {
    name: "mach-o",
    isMangled: true,
    async load({ file, binary }) {
      if (binary.format !== "mach-o") return { kind: "no-symbols" };
      const own = withRegularFile(file, (open) => ({
        functions: readMachOFunctions(open, binary),
        starts: readFunctionStarts(open, binary),
      }));
      const tables = [own?.functions, readBundle(file, binary)].filter((table) => table !== undefined);
      return functionTable(tables, binary.segments, own?.starts) ?? { kind: "no-symbols" };
    },
    fingerprint({ file, binary }) {
      if (binary.format !== "mach-o") return undefined;
      const bundle = bundleOf(file);
      return JSON.stringify([bundle, stampAt(bundle)]);
    },
  };
}

/** Returns the path of the file with debug symbols in the bundle that `dsymutil` makes beside a file. */
function bundleOf(file: string): string {
  return join(`${file}.dSYM`, "Contents", "Resources", "DWARF", basename(file));
}

function readBundle(file: string, { buildId, segments: [code] }: MachOFile): NamedFunctions | undefined {
  if (buildId === undefined) return undefined;
  const path = bundleOf(file);
  return withRegularFile(path, (open) => {
    const same = readMachOFiles(open).find((one) => one.buildId === buildId);
    // The addresses are those of the library, or it is not its bundle after all.
    if (same === undefined || same.segments[0].linkAddress !== code.linkAddress) return undefined;
    return readMachOFunctions(open, same, path);
  });
}

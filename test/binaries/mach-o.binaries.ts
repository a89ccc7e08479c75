import { describe, expect, it } from "vitest";
import { withRegularFile } from "../../src/io/regular-file.ts";
import type { MachOFile } from "../../src/native/binary-file.ts";
import { machOSymbols, readFunctionStarts, readMachOFunctions } from "../../src/native/mach-o.ts";
import type { LibraryFile } from "../../src/native/symbol-source.ts";
import type { SymbolTable } from "../../src/native/symbol-table.ts";
import { functionsIn, linesOf, MAC_PROGRAMS, nmFunctions, programOf } from "./binaries.ts";

function read({ file, binary }: LibraryFile) {
  const machO = binary as MachOFile;
  return withRegularFile(file, (open) => ({
    functions: readMachOFunctions(open, machO)!,
    starts: readFunctionStarts(open, machO),
  }))!;
}

describe.each(MAC_PROGRAMS)("%s %s", (name, path) => {
  it("has the functions that llvm-nm prints", async () => {
    const library = await programOf(name, path, "macos");
    const nm = linesOf(nmFunctions(library));
    const own = linesOf(functionsIn(read(library).functions));
    expect(nm.length).toBeGreaterThan(50);
    expect({ differences: differences(own, nm), count: own.length }).toEqual({
      differences: [],
      count: nm.length,
    });
  });

  it("has one function at each address, which ends where the next one starts", async () => {
    const library = await programOf(name, path, "macos");
    const table = (await machOSymbols().load(library)) as SymbolTable;
    const named = new Set(nmFunctions(library).map(({ start }) => start));
    expect(table.length).toBe(named.size);
    const starts = Float64Array.from(new Set([...read(library).starts, ...named])).sort();
    const next = new Map(Array.from(starts, (start, i) => [start, starts[i + 1]]));
    const wrong = Array.from({ length: table.length - 1 }, (_, i) => i).filter(
      (i) => table.ends[i] !== next.get(table.starts[i]!),
    );
    expect(wrong.map((i) => table.name(i))).toEqual([]);
  });
});

function differences(some: readonly string[], others: readonly string[]): string[] {
  return some.filter((one, i) => one !== others[i]).slice(0, 10);
}

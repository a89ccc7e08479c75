import { describe, expect, it } from "vitest";
import type { MachOFile } from "../../src/symbols/mach-o/file.ts";
import { readFunctionStarts, readMachOFunctions } from "../../src/symbols/mach-o/functions.ts";
import { machOSymbols } from "../../src/symbols/mach-o/source.ts";
import { withRegularFile } from "../../src/symbols/regular-file.ts";
import type { LibraryFile } from "../../src/symbols/symbol-source.ts";
import { stringAt } from "../../src/symbols/table/file-strings.ts";
import type { SymbolTable } from "../../src/symbols/table/symbol-table.ts";
import { functionText, llvm, MAC_PROGRAMS, programOf } from "./binaries.ts";

const NM_LINE = /^([0-9a-f]{16}) [tT] (.*)$/;

/** What `llvm-nm` prints of the section of code, each without the underscore of macOS. */
function nmFunctions({ file, binary }: LibraryFile): string[] {
  const [code] = binary.segments;
  return llvm("llvm-nm", "-n", file).flatMap((line) => {
    const [, address = "", name = ""] = NM_LINE.exec(line) ?? [];
    const start = Number.parseInt(address, 16);
    const isInside = start >= code!.linkAddress && start < code!.linkAddress + code!.size;
    return isInside ? functionText(start, name.replace(/^_/, "")) : [];
  });
}

describe.each(MAC_PROGRAMS)("%s %s", (name, path) => {
  it("has the functions that llvm-nm prints", async () => {
    const library = await programOf(name, path, "macos");
    const nm = nmFunctions(library);
    const read = withRegularFile(library.file, (open) =>
      readMachOFunctions(open, library.binary as MachOFile),
    )!;
    const own = Array.from(read.starts, (start, i) => {
      const at = read.nameOffsets[i]!;
      return functionText(start, stringAt(read.names, at + read.skip!(at)));
    });
    expect(own.length).toBeGreaterThan(20);
    expect(difference(own, nm)).toEqual([]);
    expect(difference(nm, own)).toEqual([]);
    expect(own).toHaveLength(nm.length);
  });

  it("has one function an address, which ends before the next one starts", async () => {
    const library = await programOf(name, path, "macos");
    const table = (await machOSymbols().load(library)) as SymbolTable;
    const nm = new Set(nmFunctions(library).map((line) => line.split(" ", 1)[0]));
    expect(table.length).toBe(nm.size);
    const starts = withRegularFile(library.file, (open) =>
      readFunctionStarts(open, library.binary as MachOFile),
    )!;
    const known = new Set([...starts, ...table.starts]);
    // Every function of the compiler's is in the table of starts, so each name is of one function.
    const ordered = Float64Array.from(known).sort();
    const next = new Map(Array.from(ordered, (start, i) => [start, ordered[i + 1]]));
    for (let i = 0; i + 1 < table.length; i++) {
      if (table.ends[i] !== next.get(table.starts[i]!)) expect(table.name(i)).toBe("the next start");
    }
  });
});

function difference(some: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return some.filter((one) => !known.has(one)).slice(0, 10);
}

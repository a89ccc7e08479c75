import { describe, expect, it } from "vitest";
import { readPdbFunctions } from "../../src/symbols/pdb/functions.ts";
import { readExports } from "../../src/symbols/pe/exports.ts";
import type { PeFile } from "../../src/symbols/pe/file.ts";
import { withRegularFile } from "../../src/symbols/regular-file.ts";
import { stringAt } from "../../src/symbols/table/file-strings.ts";
import type { NamedFunctions } from "../../src/symbols/table/named-functions.ts";
import { functionText, llvm, programOf, WINDOWS_PROGRAMS, WINDOWS_PROGRAMS_WITH_PDB } from "./binaries.ts";

function textsOf({ starts, nameOffsets, names, skip }: NamedFunctions): string[] {
  return Array.from(starts, (start, i) => {
    const at = nameOffsets[i]!;
    return functionText(start, stringAt(names, at + (skip?.(at) ?? 0)));
  }).sort();
}

/** What `llvm-readobj` prints of the exports in executable sections. */
function readobjExports(file: string, { sections, imageBase }: PeFile): string[] {
  const functions: string[] = [];
  let name = "";
  for (const line of llvm("llvm-readobj", "--coff-exports", file)) {
    name = /^ {2}Name: (.*)$/.exec(line)?.[1] ?? name;
    const rva = Number.parseInt(/^ {2}RVA: 0x([0-9A-F]+)$/.exec(line)?.[1] ?? "", 16);
    const isCode = sections.some((one) => one.isCode && rva >= one.address && rva < one.address + one.size);
    if (isCode) functions.push(functionText(imageBase + rva, name));
  }
  return functions.sort();
}

describe.each([...WINDOWS_PROGRAMS, ...WINDOWS_PROGRAMS_WITH_PDB])("%s %s", (name, path) => {
  it("exports what llvm-readobj prints", async () => {
    const { file, binary } = await programOf(name, path, "windows");
    const own = withRegularFile(file, (open) => readExports(open, binary as PeFile));
    expect(own === undefined ? [] : textsOf(own)).toEqual(readobjExports(file, binary as PeFile));
  });
});

describe.each(WINDOWS_PROGRAMS_WITH_PDB)("the PDB of %s %s", (name, path) => {
  const load = async () => {
    const { file, binary } = await programOf(name, path, "windows");
    const pdb = file.replace(/\.\w+$/, ".pdb");
    const found = withRegularFile(pdb, (open) => readPdbFunctions(open, binary as PeFile, pdb))!;
    const { sections, imageBase } = binary as PeFile;
    /** Where a `section:offset` of llvm-pdbutil is, if it is code. */
    const addressOf = (text: string) => {
      const [number = 0, offset = 0] = text
        .split(":")
        .map((part, i) => Number.parseInt(part, i === 0 ? 16 : 10));
      const section = sections[number - 1];
      return section?.isCode && offset < section.size ? imageBase + section.address + offset : undefined;
    };
    return { pdb, found, addressOf };
  };

  it("has the public functions that llvm-pdbutil prints", async () => {
    const { pdb, found, addressOf } = await load();
    const publics: string[] = [];
    let symbol = "";
    for (const line of llvm("llvm-pdbutil", "dump", "--publics", pdb)) {
      symbol = / S_PUB32 \[size = \d+\] `(.*)`$/.exec(line)?.[1] ?? symbol;
      const address = addressOf(/addr = (\S+)$/.exec(line)?.[1] ?? "");
      if (address !== undefined) publics.push(functionText(address, symbol));
    }
    expect(publics.length).toBeGreaterThan(100);
    expect(textsOf(found.tables[0]!)).toEqual(publics.sort());
  });

  it("has the functions of modules that llvm-pdbutil prints", async () => {
    const { pdb, found, addressOf } = await load();
    const functions: string[] = [];
    let symbol = "";
    for (const line of llvm("llvm-pdbutil", "dump", "--symbols", pdb)) {
      if (/ \| S_\w+ \[size/.test(line))
        symbol = / S_[GL]PROC32 \[size = \d+\] `(.*)`$/.exec(line)?.[1] ?? "";
      const address =
        symbol === "" ? undefined : addressOf(/addr = ([0-9A-F]+:\d+), code size/.exec(line)?.[1] ?? "");
      if (address !== undefined) functions.push(functionText(address, symbol));
    }
    expect(functions.length).toBeGreaterThan(100);
    expect(textsOf(found.tables[1]!)).toEqual(functions.sort());
  });
});

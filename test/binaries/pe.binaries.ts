import { describe, expect, it } from "vitest";
import { withRegularFile } from "../../src/io/regular-file.ts";
import type { PeFile } from "../../src/native/binary-file.ts";
import { readExports, readPdbFunctions } from "../../src/native/pe.ts";
import {
  functionsIn,
  linesOf,
  pdbOf,
  pdbProcedures,
  pdbPublics,
  programOf,
  readobjExports,
  WINDOWS_PROGRAMS,
  WINDOWS_PROGRAMS_WITH_PDB,
} from "./binaries.ts";

describe.each([...WINDOWS_PROGRAMS, ...WINDOWS_PROGRAMS_WITH_PDB])("%s %s", (name, path) => {
  it("exports what llvm-readobj prints", async () => {
    const library = await programOf(name, path, "windows");
    const own = withRegularFile(library.file, (open) => readExports(open, library.binary as PeFile));
    const printed = linesOf(readobjExports(library));
    expect(own === undefined ? [] : linesOf(functionsIn(own))).toEqual(printed);
    expect(printed.length).toBeGreaterThanOrEqual(path.endsWith("node.exe") ? 5000 : 0);
  });
});

describe.each(WINDOWS_PROGRAMS_WITH_PDB)("the PDB of %s %s", (name, path) => {
  const load = async () => {
    const library = await programOf(name, path, "windows");
    const pdb = pdbOf(library.file);
    const { tables } = withRegularFile(pdb, (open) => readPdbFunctions(open, library.binary as PeFile))!;
    return { library, publics: functionsIn(tables[0]!), procedures: functionsIn(tables[1]!) };
  };

  it("has the public functions that llvm-pdbutil prints", async () => {
    const { library, publics } = await load();
    expect(publics.length).toBeGreaterThan(100);
    expect(linesOf(publics)).toEqual(linesOf(pdbPublics(library)));
  });

  it("has the functions of modules that llvm-pdbutil prints", async () => {
    const { library, procedures } = await load();
    expect(procedures.length).toBeGreaterThan(100);
    expect(linesOf(procedures)).toEqual(linesOf(pdbProcedures(library)));
  });
});

import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { missingTypes } from "../../scripts/api-docs/missing-types.mjs";
import * as library from "../../src/index.ts";
import { testFolder } from "../helpers/folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What a program needs. One more has to be worth a line here. */
const VALUES = [
  ["EXPORTERS", "REPORTERS", "ROOT", "TicksError", "VERSION", "VM_STATES"],
  [
    "analyze",
    "defaultSources",
    "loadLogs",
    "openLog",
    "originOfLog",
    "readMapFile",
    "shownStacks",
    "openSymbolCache",
    "readRecordedSymbols",
    "sourceFilesUnder",
  ],
  ["breakdown", "callTree", "coverageOf", "deoptsOf", "flatRows", "hotLines", "icsOf", "threadTotals"],
  ["timelineOf", "topOf", "totals", "withoutWaits"],
  ["checkRuns", "compareRuns", "readRuns"],
  // The texts of findings are data.
  ["filterProfile", "flamePage", "labelOf", "mergeProfiles", "plainly", "printable", "stackOf"],
].flat();

const folder = testFolder();
let entry = "";

/** A copy of the declarations that can be changed. */
beforeAll(() => {
  cpSync(join(ROOT, "dist/types"), join(folder, "types"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  entry = join(folder, "types/index.d.ts");
});

describe("the library", () => {
  it("exports the values that a program needs", () => {
    expect(Object.keys(library).sort()).toEqual(VALUES.sort());
  });

  it("exports every type of its declarations by name", () => {
    const { exported, missing } = missingTypes(entry);
    expect(exported).toEqual(expect.arrayContaining(VALUES));
    expect(missing).toEqual([]);
  });

  it("would be seen not to export what it uses", () => {
    const uses = {
      TreeRow: "TreeRow (facts/tree-rows.d.ts), used by TreeRows",
      TotaledRow: "TotaledRow (facts/flat.d.ts), used by flatRows",
      LogRest: "LogRest (io/log-chunks.d.ts), used by LogChunks",
      StringsRange: "StringsRange (native/binary-file.d.ts), used by MachOSymbolTable",
    };
    const names = new RegExp(`(?:type )?\\b(?:${Object.keys(uses).join("|")})\\b,?`, "g");
    writeFileSync(entry, readFileSync(entry, "utf8").replace(names, ""));
    expect(missingTypes(entry).missing).toEqual(expect.arrayContaining(Object.values(uses)));
  });
});

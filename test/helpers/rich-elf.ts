import { deflateSync } from "node:zlib";
import { parseElfFile } from "../../src/native/binary-file.ts";
import { readDebugLink, readElfFunctions, readSections } from "../../src/native/elf.ts";
import { functionTable } from "../../src/native/symbol-table.ts";
import { type ElfSpec, elfImage, type SymbolSpec } from "./elf-image.js";

const main: SymbolSpec = { name: "main", value: 0x2000, size: 0x10 };

const rich: ElfSpec = {
  symbols: [main, { ...main, name: "far", section: "far" }],
  dynamicSymbols: [
    { ...main, version: 2 },
    { ...main, name: "other", value: 0x3000, version: 5 },
  ],
  definedVersions: ["lib.so", "V_2"],
  neededVersions: { 5: "V_5" },
  buildId: "0123",
  debugLink: { name: "none.debug", checksum: 1 },
};
// Without a full table the rest is read too.
const { symbols: _, ...strippedRich } = rich;

/** Small files with all that is ever read of one. */
export const RICH_ELF_FILES: ReadonlyMap<string, Buffer> = new Map(
  (
    [
      ["with all", rich],
      ["stripped", strippedRich],
      ["compressed", { ...rich, compression: { number: 1, pack: (bytes) => deflateSync(bytes) } }],
      ["32 bits, big endian", { ...strippedRich, is64: false, isBigEndian: true }],
    ] as [string, ElfSpec][]
  ).map(([name, spec]) => [name, elfImage(spec)]),
);

/** All that is ever read of a file. */
export function readWholeElf(bytes: Buffer): void {
  const file = {
    size: bytes.length,
    read: (offset: number, size: number) =>
      offset + size <= bytes.length ? bytes.subarray(offset, offset + size) : undefined,
  };
  parseElfFile(file);
  const sections = readSections(file);
  if (sections === undefined) return;
  readDebugLink(sections);
  for (const section of sections.list) {
    const table = functionTable(
      [readElfFunctions(sections, section)].filter((one) => one !== undefined),
      [],
    );
    for (let i = 0; i < (table?.length ?? 0); i++) table?.name(i);
  }
}

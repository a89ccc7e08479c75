import { describe, it } from "vitest";
import { readElfHeader } from "../../../src/native/binary-file.ts";
import { readSymbolVersions, SECTION_TYPE, type Section } from "../../../src/native/elf.js";
import { elfImage } from "../../helpers/elf-image.js";
import { RICH_ELF_FILES, readWholeElf } from "../../helpers/rich-elf.js";

describe("a broken file", () => {
  for (const [name, image] of RICH_ELF_FILES) {
    it(`never throws: cut at any byte, ${name}`, () => {
      for (let size = 0; size < image.length; size++) readWholeElf(image.subarray(0, size));
    });
  }

  it("takes no time for versions that are made to overlap", () => {
    // Each of these claims 65,535 entries and that they start where the next one starts: 2^34 in all.
    const COUNT = 2 ** 18;
    const entry = Uint32Array.of(0xffff0001, 0, 16, 16);
    const needs = Buffer.concat(Array.from({ length: COUNT }, () => Buffer.from(entry.buffer)));
    const common = { nameOffset: 0, flags: 0, offset: 0, size: 0, link: 0, entrySize: 0 };
    const list = [
      { ...common, type: SECTION_TYPE.symbolVersions, info: 0 },
      { ...common, type: SECTION_TYPE.neededVersions, info: COUNT },
    ];
    const read = (section: Section) => (section === list[0] ? Buffer.alloc(2) : needs);
    const file = { size: 64, read: () => elfImage({}).subarray(0, 64) };
    readSymbolVersions({ header: readElfHeader(file)!, list, read }, 1);
  });
});

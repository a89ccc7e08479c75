import { stringAt } from "../table/file-strings.js";
import { type FieldReader, fieldReader } from "./header.js";
import { type ElfSections, SECTION_TYPE, type Section } from "./sections.js";

/** The versions of a file's dynamic symbols. */
export interface SymbolVersions {
  /**
   * Returns what `nm -D` prints after the name of a dynamic symbol that the file defines: `@@V` for the
   * version that new programs link to, `@V` for one that only older programs use, nothing if it has no
   * version.
   */
  suffix(symbol: number, name: string): string;
}

const HIDDEN = 0x8000;
const BASE = 1;

/** A version: the offset of its name, and whether it stands for the whole file. */
interface Version {
  readonly nameOffset: number | undefined;
  readonly isBase: boolean;
}

/**
 * Reads the versions of the dynamic symbols; there are none if the file has none or they are broken.
 * `symbolCount` is the number of dynamic symbols, including the first entry.
 *
 * Source: binutils, bfd/elf.c, `_bfd_elf_get_symbol_version_string` and `_bfd_elf_slurp_version_tables`;
 * binutils/nm.c, `print_symname`.
 */
export function readSymbolVersions(sections: ElfSections, symbolCount: number): SymbolVersions {
  const numbers = openSection(sections, SECTION_TYPE.symbolVersions);
  const definitions = openSection(sections, SECTION_TYPE.definedVersions);
  const needs = openSection(sections, SECTION_TYPE.neededVersions);
  const isUsable = numbers !== undefined && Math.floor(numbers.bytes.length / 2) === symbolCount;
  if (!isUsable || (definitions === undefined && needs === undefined)) return { suffix: () => "" };

  const defined = definitions === undefined ? [] : parseDefinitions(definitions);
  const needed = needs === undefined ? new Map<number, number>() : parseNeeds(needs);
  const nameAt = (section: OpenSection | undefined, offset: number) =>
    section === undefined ? "" : stringAt(section.strings, offset);
  return {
    suffix(symbol, name) {
      const stated = numbers.fields.u16(symbol * 2);
      const number = stated & ~HIDDEN;
      if (number === 0 || (number === 1 && (defined.length <= 1 || defined[1]?.isBase))) return "";
      if (number < defined.length) {
        const offset = defined[number]?.nameOffset;
        const version = offset === undefined ? "" : nameAt(definitions, offset);
        // The version itself is a symbol of the same name, which nm does not print twice.
        if (version === "" || version === name) return "";
        return `${stated === number ? "@@" : "@"}${version}`;
      }
      const offset = needed.get(number);
      if (offset === undefined) return stated === number ? "@@<corrupt>" : "@<corrupt>";
      const version = nameAt(needs, offset);
      return version === "" ? "" : `@${version}`;
    },
  };
}

interface OpenSection {
  readonly section: Section;
  readonly bytes: Buffer;
  readonly fields: FieldReader;
  /** The section with the names. */
  readonly strings: Buffer;
}

function openSection(sections: ElfSections, type: number): OpenSection | undefined {
  const section = sections.list.find((candidate) => candidate.type === type);
  const bytes = section && sections.read(section);
  if (section === undefined || bytes === undefined) return undefined;
  const linked = sections.list[section.link];
  const strings = linked?.type === SECTION_TYPE.strings ? sections.read(linked) : undefined;
  const fields = fieldReader(bytes, sections.header);
  return { section, bytes, fields, strings: strings ?? Buffer.alloc(0) };
}

/** Returns the definitions by version number, which counts from 1. */
function parseDefinitions({ section, bytes, fields }: OpenSection): Version[] {
  const versions: Version[] = [];
  let at = 0;
  let left = Math.min(section.info, Math.floor(bytes.length / 20)); // Even if they overlap.
  for (; left > 0 && at + 20 <= bytes.length; left--) {
    const number = fields.u16(at + 4) & ~HIDDEN;
    const first = at + fields.u32(at + 12);
    const hasName = fields.u16(at + 6) > 0 && first + 8 <= bytes.length;
    versions[number] = {
      nameOffset: hasName ? fields.u32(first) : undefined,
      isBase: fields.u16(at + 2) === BASE,
    };
    const next = fields.u32(at + 16);
    if (next === 0) break;
    at += next;
  }
  return versions;
}

/**
 * Returns the offsets of names by version number. If several files use a number, the last one wins, as in nm.
 */
function parseNeeds({ section, bytes, fields }: OpenSection): Map<number, number> {
  const names = new Map<number, number>();
  let at = 0;
  let room = Math.floor(bytes.length / 16); // Entries that fit, even if they overlap.
  for (let files = section.info; files > 0 && at + 16 <= bytes.length && room > 0; files--, room--) {
    const seen = new Set<number>();
    let entry = at + fields.u32(at + 8);
    for (let left = fields.u16(at + 2); left > 0 && entry + 16 <= bytes.length && room > 0; left--, room--) {
      const number = fields.u16(entry + 6);
      if (!seen.has(number)) names.set(number, fields.u32(entry + 8));
      seen.add(number);
      const next = fields.u32(entry + 12);
      if (next === 0) break;
      entry += next;
    }
    const next = fields.u32(at + 12);
    if (next === 0) break;
    at += next;
  }
  return names;
}

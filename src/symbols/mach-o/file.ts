import { crc32 } from "../../io/crc32.js";
import { type FileBytes, withRegularFile } from "../../io/regular-file.js";
import type { LinkAddress } from "../../profile/units.js";
import type { Segment } from "../elf/file.js";
import { type ElfLayout, type FieldReader, fieldReader } from "../elf/header.js";
import type { StringsRange } from "../table/file-strings.js";
import { readSlices } from "./slices.js";

/** The contents of a Mach-O file's load commands, for one architecture of a universal file. */
export interface MachOFile {
  readonly format: "mach-o";
  /** The section of code, which is all that V8 logs of a file. Offset 0 stands for its start. */
  readonly segments: readonly [Segment];
  /** The UUID in lower-case hex, without dashes; undefined if the file has none. */
  readonly buildId: string | undefined;
  readonly isFixed: false;
  /** Changes with anything in the load commands. */
  readonly layout: number;
  readonly symbols: MachOSymbolTable | undefined;
  /** Where the table of function starts is in the file. */
  readonly functionStarts: StringsRange | undefined;
  /** The address that function starts count from. */
  readonly textAddress: LinkAddress;
}

/** Where the symbol table is in the file. Its numbers are unchecked. */
export interface MachOSymbolTable {
  /** Bytes from the start of the file. */
  readonly offset: number;
  readonly count: number;
  readonly strings: StringsRange;
  /** The number of the section of code. */
  readonly codeSection: number;
  readonly is64: boolean;
  readonly isBigEndian: boolean;
}

const LC_SEGMENT = 0x1;
const LC_SYMTAB = 0x2;
const LC_SEGMENT_64 = 0x19;
const LC_UUID = 0x1b;
const LC_FUNCTION_STARTS = 0x26;
/** Bytes of load commands. The largest applications have some ten thousand. */
const COMMANDS_LIMIT = 1 << 20;

/**
 * Reads the headers of a Mach-O file, 32 or 64 bits, in either byte order. Of a universal file, it takes the
 * architecture whose code has `codeSize` bytes, which the log states, else the first. Returns undefined if the file is
 * not a Mach-O file with code, has broken load commands, or is not a regular file.
 *
 * Source: Apple, mach-o/loader.h and mach-o/fat.h.
 */
export function readMachOFile(path: string, codeSize: number): MachOFile | undefined {
  return withRegularFile(path, (file) => {
    const all = readMachOFiles(file);
    return all.find(({ segments: [code] }) => code.size === codeSize) ?? all[0];
  });
}

/** Returns what {@link readMachOFile} chooses from: one for each architecture that can be read. */
export function readMachOFiles(file: FileBytes): MachOFile[] {
  return readSlices(file).flatMap(({ offset, size }) => {
    const read: FileBytes["read"] = (at, bytes) =>
      at + bytes <= size ? file.read(offset + at, bytes) : undefined;
    return parseMachOFile({ size, read }, offset) ?? [];
  });
}

/** A load command: its bytes from `at` to `end`. */
interface Command {
  readonly fields: FieldReader;
  readonly at: number;
  readonly end: number;
}

/** A segment command of 32 or 64 bits. Offsets are in bytes. */
interface SegmentLayout {
  readonly wordSize: 4 | 8;
  readonly sections: number;
  readonly sectionSize: number;
  readonly count: number;
}

const LAYOUT_32: SegmentLayout = { wordSize: 4, sections: 56, sectionSize: 68, count: 48 };
const LAYOUT_64: SegmentLayout = { wordSize: 8, sections: 72, sectionSize: 80, count: 64 };

/** `offset` is where the part of a universal file starts. */
function parseMachOFile(file: FileBytes, offset: number): MachOFile | undefined {
  const head = file.read(0, 32) ?? file.read(0, 28);
  const layout = head && layoutOf(head.readUInt32BE(0));
  if (head === undefined || layout === undefined) return undefined;
  const header = fieldReader(head, layout);
  const size = header.u32(20);
  const commands = size > COMMANDS_LIMIT ? undefined : file.read(layout.is64 ? 32 : 28, size);
  if (commands === undefined) return undefined;
  const fields = fieldReader(commands, layout);
  const found = new Commands(layout, commands);
  for (let at = 0, left = header.u32(16); left > 0; left--) {
    if (at + 8 > size) return undefined;
    const end = at + fields.u32(at + 4);
    if (end < at + 8 || end > size) return undefined;
    if (!found.take(fields.u32(at), { fields, at, end })) return undefined;
    at = end;
  }
  return found.result(offset, crc32(commands));
}

function layoutOf(magic: number): ElfLayout | undefined {
  switch (magic) {
    case 0xfeedface:
      return { is64: false, isBigEndian: true };
    case 0xfeedfacf:
      return { is64: true, isBigEndian: true };
    case 0xcefaedfe:
      return { is64: false, isBigEndian: false };
    case 0xcffaedfe:
      return { is64: true, isBigEndian: false };
    default:
      return undefined;
  }
}

/** Collects what is needed of the load commands. */
class Commands {
  readonly #layout: ElfLayout;
  readonly #bytes: Buffer;
  #sections = 0;
  #code: { readonly address: LinkAddress; readonly size: number; readonly section: number } | undefined;
  #textAddress: LinkAddress = 0;
  #uuid: string | undefined;
  #symbols: Pick<MachOSymbolTable, "offset" | "count" | "strings"> | undefined;
  #functionStarts: StringsRange | undefined;

  constructor(layout: ElfLayout, bytes: Buffer) {
    this.#layout = layout;
    this.#bytes = bytes;
  }

  /** Returns false for a command that is too short. */
  take(type: number, { fields, at, end }: Command): boolean {
    const has = (size: number) => at + size <= end;
    const { u32 } = fields;
    switch (type) {
      case LC_SEGMENT:
        return this.#takeSegment({ fields, at, end }, LAYOUT_32);
      case LC_SEGMENT_64:
        return this.#takeSegment({ fields, at, end }, LAYOUT_64);
      case LC_SYMTAB:
        if (!has(24)) return false;
        this.#symbols = {
          offset: u32(at + 8),
          count: u32(at + 12),
          strings: { offset: u32(at + 16), size: u32(at + 20) },
        };
        return true;
      case LC_UUID:
        if (!has(24)) return false;
        this.#uuid = this.#bytes.toString("hex", at + 8, at + 24);
        return true;
      case LC_FUNCTION_STARTS:
        if (!has(16)) return false;
        this.#functionStarts = { offset: u32(at + 8), size: u32(at + 12) };
        return true;
      default:
        return true;
    }
  }

  /** `from` is where the part of a universal file starts; `layout` is a checksum of all commands. */
  result(from: number, layout: number): MachOFile | undefined {
    const code = this.#code;
    if (code === undefined) return undefined;
    const inFile = <T extends { readonly offset: number }>(part: T): T => ({
      ...part,
      offset: from + part.offset,
    });
    const symbols = this.#symbols && {
      ...inFile(this.#symbols),
      strings: inFile(this.#symbols.strings),
      codeSection: code.section,
      ...this.#layout,
    };
    return {
      format: "mach-o",
      segments: [{ fileOffset: 0, linkAddress: code.address, size: code.size }],
      buildId: this.#uuid,
      isFixed: false,
      layout,
      symbols,
      functionStarts: this.#functionStarts && inFile(this.#functionStarts),
      textAddress: this.#textAddress,
    };
  }

  #takeSegment({ fields, at, end }: Command, layout: SegmentLayout): boolean {
    const { wordSize, sections, sectionSize, count } = layout;
    if (at + sections > end) return false;
    const word = wordSize === 8 ? fields.u64 : fields.u32;
    if (this.#nameAt(at + 8) === "__TEXT") this.#textAddress = word(at + 24);
    const left = fields.u32(at + count);
    if (at + sections + left * sectionSize > end) return false;
    for (let i = 0; i < left; i++) {
      const section = at + sections + i * sectionSize;
      const number = ++this.#sections;
      if (this.#nameAt(section) !== "__text" || this.#nameAt(section + 16) !== "__TEXT") continue;
      const [address, size] = [word(section + 32), word(section + 32 + wordSize)];
      this.#code ??= { address, size, section: number };
    }
    return true;
  }

  /** Returns a name of up to 16 bytes. */
  #nameAt(at: number): string {
    return this.#bytes.toString("latin1", at, at + 16).split("\0", 1)[0]!;
  }
}

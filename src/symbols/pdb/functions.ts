import type { FileBytes } from "../../io/regular-file.js";
import { partitionPoint, upperBound } from "../../profile/sorted.js";
import type { LinkAddress } from "../../profile/units.js";
import { MACHINE, type PeFile } from "../pe/file.js";
import type { NamedFunctions, NamePlace } from "../table/named-functions.js";
import { openPdb, type PdbModule } from "./file.js";
import { eachRecord } from "./records.js";
import type { MsfStream } from "./streams.js";

/** The functions of a PDB file. */
export interface PdbFunctions {
  /** Most trusted first. */
  readonly tables: readonly NamedFunctions[];
  /** Addresses at which functions start or end, in any order. */
  readonly bounds: readonly LinkAddress[];
}

const S_PUB32 = 0x110e;
const PUBLIC_NAME = 14;
/** `S_LPROC32` and `S_GPROC32`: functions that only their file sees, and all others. */
const [S_LPROC32, S_GPROC32] = [0x110f, 0x1110];
const PROCEDURE_NAME = 39;
/** The number before the symbols of a module, `CV_SIGNATURE_C13`. */
const SIGNATURE_BYTES = 4;
const UNDERSCORE = 0x5f;

/** Returns the link address of a place in a section; undefined if it is not code. */
type AddressOf = (section: number, offset: number) => LinkAddress | undefined;

/**
 * Reads the functions of the PDB of a PE file: its public symbols, whose names are mangled, then those of its
 * modules, which have also the functions that only one file sees, and names that are not mangled. Returns
 * undefined if the PDB is that of another file. `path` is its path.
 *
 * Source: LLVM, docs/PDB/CodeViewSymbols.rst; llvm/include/llvm/DebugInfo/CodeView/SymbolRecord.h.
 */
export function readPdbFunctions(file: FileBytes, binary: PeFile, path: string): PdbFunctions | undefined {
  const pdb = binary.pdb && openPdb(file, binary.pdb);
  if (pdb === undefined) return undefined;
  const { sections, imageBase } = binary;
  const addressOf = (number: number, offset: number) => {
    const section = sections[number - 1];
    return section?.isCode && offset < section.size ? imageBase + section.address + offset : undefined;
  };
  const places = new NameFinder(file.size);
  const modules = new ModuleFunctions(addressOf, places);
  // Each byte of a file is in one stream: more than all of it is not read, whatever the streams say.
  let room = file.size;
  for (const module of pdb.modules) {
    room -= module.size;
    if (room < 0) break;
    modules.read(module);
  }
  const is32Bit = binary.machine === MACHINE.x86;
  const publics = pdb.records && readPublics(pdb.records, { addressOf, places, is32Bit });
  const own = modules.result();
  const tables = [publics, own.functions].filter((table) => table !== undefined);
  return { tables: tables.map((table) => ({ ...table, debugFile: path })), bounds: own.bounds };
}

type Functions = Omit<NamedFunctions, "debugFile">;

interface PublicsOptions {
  readonly addressOf: AddressOf;
  readonly places: NameFinder;
  /** Whether C names have an underscore before them. */
  readonly is32Bit: boolean;
}

function readPublics(
  records: MsfStream,
  { addressOf, places, is32Bit }: PublicsOptions,
): Functions | undefined {
  const names = records.read(0, records.size);
  if (names === undefined) return undefined;
  const starts: LinkAddress[] = [];
  const nameOffsets: number[] = [];
  eachRecord(names, 0, ({ kind, at, end }) => {
    if (kind !== S_PUB32 || at + PUBLIC_NAME >= end) return;
    const address = addressOf(names.readUInt16LE(at + 12), names.readUInt32LE(at + 8));
    if (address === undefined) return;
    starts.push(address);
    nameOffsets.push(at + PUBLIC_NAME);
  });
  return {
    starts: Float64Array.from(starts),
    nameOffsets: Uint32Array.from(nameOffsets),
    names,
    skip: is32Bit ? (at) => (names[at] === UNDERSCORE ? 1 : 0) : undefined,
    place: (at) => places.find(records, at, nameAt(names, at)),
  };
}

/** Collects the functions of modules, one module after the other. */
class ModuleFunctions {
  readonly #addressOf: AddressOf;
  readonly #places: NameFinder;
  readonly #starts: LinkAddress[] = [];
  readonly #bounds: LinkAddress[] = [];
  /** Ascending offsets in `#names`, and where each name is in its stream. */
  readonly #nameOffsets: number[] = [];
  readonly #streamOffsets: number[] = [];
  /** The first function of each stream. */
  readonly #streams: { readonly stream: MsfStream; readonly first: number }[] = [];
  #names = Buffer.alloc(1 << 16);
  #length = 0;

  constructor(addressOf: AddressOf, places: NameFinder) {
    this.#addressOf = addressOf;
    this.#places = places;
  }

  read({ stream, size }: PdbModule): void {
    const bytes = stream.read(0, size);
    if (bytes === undefined) return;
    this.#streams.push({ stream, first: this.#starts.length });
    eachRecord(bytes, SIGNATURE_BYTES, ({ kind, at, end }) => {
      if ((kind !== S_LPROC32 && kind !== S_GPROC32) || at + PROCEDURE_NAME >= end) return;
      const address = this.#addressOf(bytes.readUInt16LE(at + 36), bytes.readUInt32LE(at + 32));
      if (address === undefined) return;
      const name = at + PROCEDURE_NAME;
      this.#bounds.push(address, address + bytes.readUInt32LE(at + 16));
      this.#starts.push(address);
      this.#nameOffsets.push(this.#length);
      this.#streamOffsets.push(name);
      this.#keep(bytes.subarray(name, Math.min(end, endOfName(bytes, name))));
    });
  }

  result(): { readonly functions: Functions; readonly bounds: readonly LinkAddress[] } {
    const names = this.#names.subarray(0, this.#length);
    const nameOffsets = Uint32Array.from(this.#nameOffsets);
    const place = (at: number) => {
      const index = upperBound(nameOffsets, at) - 1;
      const next = partitionPoint(this.#streams.length, (i) => this.#streams[i]!.first <= index);
      const { stream } = this.#streams[next - 1]!;
      return this.#places.find(stream, this.#streamOffsets[index]!, nameAt(names, at));
    };
    return {
      functions: { starts: Float64Array.from(this.#starts), nameOffsets, names, place },
      bounds: this.#bounds,
    };
  }

  /** Copies a name: the other bytes of a module are not needed. */
  #keep(name: Buffer): void {
    const length = this.#length + name.length + 1;
    if (length > this.#names.length)
      this.#names = Buffer.concat([this.#names], Math.max(length, 2 * this.#length));
    name.copy(this.#names, this.#length);
    this.#names[length - 1] = 0;
    this.#length = length;
  }
}

function endOfName(names: Buffer, at: number): number {
  const end = names.indexOf(0, at);
  return end < 0 ? names.length : end;
}

function nameAt(names: Buffer, at: number): Buffer {
  return names.subarray(at, endOfName(names, at));
}

/** Finds where names of streams are in their file. */
class NameFinder {
  /** One range for all names that are in one piece. */
  readonly #file: NamePlace["strings"];

  constructor(fileSize: number) {
    this.#file = { offset: 0, size: fileSize };
  }

  /** `at` is where the name is in its stream. */
  find(stream: MsfStream, at: number, name: Buffer): NamePlace {
    const { fileOffset, length } = stream.place(at);
    const next = at + length < stream.size ? stream.place(at + length) : undefined;
    const room = next?.fileOffset === fileOffset + length ? length + next.length : length;
    // The NUL belongs to it.
    const isWhole = name.length < room && fileOffset < 2 ** 32;
    if (isWhole) return { strings: this.#file, offset: fileOffset, suffix: "" };
    let cut = Math.min(length, name.length);
    while (cut > 1 && (name[cut]! & 0xc0) === 0x80) cut--; // Not inside a character.
    return { strings: { offset: fileOffset, size: cut }, offset: 0, suffix: name.toString("utf8", cut) };
  }
}

import type { FileBytes } from "../../io/regular-file.js";
import { fieldReader } from "../elf/header.js";
import type { PdbLink, PeFile } from "../pe/file.js";
import { type MsfStream, openStreams } from "./streams.js";

/** A PDB file, open for reading. */
export interface PdbFile {
  /** The stream of records on symbols that several modules see. */
  readonly records: MsfStream | undefined;
  /** The streams of the modules, which are what object files were, and the bytes of symbols in each. */
  readonly modules: readonly PdbModule[];
}

/** The symbols of one module. */
export interface PdbModule {
  readonly stream: MsfStream;
  /** Bytes of symbols, from the start of the stream. */
  readonly size: number;
}

const LAYOUT = { is64: true, isBigEndian: false };
const PDB_STREAM = 1;
const DBI_STREAM = 3;
const DBI_HEAD = 64;
const MODULE_HEAD = 64;
/** The number of a stream that is not there. */
const NO_STREAM = 0xffff;
/** The places of the tables for moved code in the list of debug streams. */
const [OMAP_TO_SOURCE, OMAP_FROM_SOURCE] = [3, 4];

/**
 * Opens the PDB of a PE file. Returns undefined if it is not one or belongs to another file, and for code
 * that a tool has moved after linking, whose addresses are not those in the PDB.
 *
 * Source: LLVM, docs/PDB/PdbStream.rst and docs/PDB/DbiStream.rst.
 */
export function openPdb(file: FileBytes, link: NonNullable<PeFile["pdb"]>): PdbFile | undefined {
  const streamAt = openStreams(file);
  const info = streamAt?.(PDB_STREAM)?.read(12, 16);
  const dbi = streamAt?.(DBI_STREAM);
  const head = dbi?.read(0, DBI_HEAD);
  if (streamAt === undefined || dbi === undefined || head === undefined) return undefined;
  if (info?.toString("hex") !== link.guid || !hasAge(head, link)) return undefined;
  const { u16, u32 } = fieldReader(head, LAYOUT);
  // The parts follow each other in this order; the list of debug streams is last.
  const sizes = [24, 28, 32, 36, 40, 52].map(u32);
  const streams = dbi.read(
    sizes.reduce((sum, size) => sum + size, DBI_HEAD),
    u32(48),
  );
  const isMoved = (place: number) => {
    const has = streams !== undefined && streams.length >= place * 2 + 2;
    return has && streams.readUInt16LE(place * 2) !== NO_STREAM;
  };
  if (isMoved(OMAP_TO_SOURCE) || isMoved(OMAP_FROM_SOURCE)) return undefined;
  const list = dbi.read(DBI_HEAD, sizes[0]!);
  return { records: streamAt(u16(20)), modules: list === undefined ? [] : modulesIn(list, streamAt) };
}

/** The age counts how often the linker has updated the PDB. */
function hasAge(head: Buffer, { age }: PdbLink): boolean {
  return head.readUInt32LE(8) === age;
}

function modulesIn(list: Buffer, streamAt: (number: number) => MsfStream | undefined): PdbModule[] {
  const { u16, u32 } = fieldReader(list, LAYOUT);
  const modules: PdbModule[] = [];
  const seen = new Set([NO_STREAM]);
  for (let at = 0; at + MODULE_HEAD <= list.length; ) {
    const number = u16(at + 34);
    const stream = seen.has(number) ? undefined : streamAt(number);
    seen.add(number);
    if (stream !== undefined) modules.push({ stream, size: Math.min(u32(at + 36), stream.size) });
    // Two names follow, of the module and of its file.
    const first = list.indexOf(0, at + MODULE_HEAD);
    const second = first < 0 ? -1 : list.indexOf(0, first + 1);
    if (second < 0) break;
    at = Math.ceil((second + 1) / 4) * 4;
  }
  return modules;
}

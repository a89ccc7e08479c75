import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { findBuildId } from "./elf-file.js";
import { fieldReader } from "./elf-header.js";
import { type ElfSections, readSectionNamed, readSections, SECTION_TYPE } from "./elf-sections.js";
import { type RegularFile, withRegularFile } from "./regular-file.js";

/** The name of a separate debug file, as the file it was cut from states it. */
export interface DebugLink {
  /** Without a directory. */
  readonly name: string;
  /** CRC-32 of the whole debug file. */
  readonly checksum: number;
}

/** What a file says of the separate debug file that belongs to it. */
export interface DebugFileWanted {
  /** Where the file itself is. */
  readonly file: string;
  /** In lower-case hex. */
  readonly buildId: string | undefined;
  readonly link: DebugLink | undefined;
  /** Where the system keeps debug files. */
  readonly directory: string;
}

const CHUNK = 1 << 20;
/** Bytes. A checksum of so much takes some ten seconds; debug files past it are not worth the wait. */
const CHECKSUM_LIMIT = 2 ** 32;
const POLYNOMIAL = 0xedb88320;
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest;
});

/** The debug link of a file; undefined when it has none, or one with a directory, which no tool writes. */
export function readDebugLink(sections: ElfSections): DebugLink | undefined {
  const bytes = readSectionNamed(sections, ".gnu_debuglink");
  const end = bytes?.indexOf(0) ?? -1;
  if (bytes === undefined || end <= 0) return undefined;
  const name = bytes.toString("utf8", 0, end);
  const checksumAt = Math.ceil((end + 1) / 4) * 4;
  if (basename(name) !== name || name === ".." || checksumAt + 4 > bytes.length) return undefined;
  return { name, checksum: fieldReader(bytes, sections.header).u32(checksumAt) };
}

/**
 * Looks for the separate debug file, first by build id, then by debug link, and hands its sections to `use`.
 * A file counts only if it proves itself: by the same build id inside, or by the checksum of the link.
 * Undefined when there is none.
 *
 * Source: the GDB manual, "Debugging Information in Separate Files".
 */
export function withDebugFile<T>(wanted: DebugFileWanted, use: (sections: ElfSections) => T): T | undefined {
  const { buildId, link, directory } = wanted;
  if (buildId !== undefined && buildId.length > 2) {
    const path = join(directory, ".build-id", buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
    const found = withRegularFile(path, (file) => {
      const sections = readSections(file);
      return sections && hasBuildId(sections, buildId) ? { value: use(sections) } : undefined;
    });
    if (found !== undefined) return found.value;
  }
  if (link === undefined) return undefined;
  for (const path of linkedPaths(wanted.file, link.name, directory)) {
    const found = withRegularFile(path, (file) => {
      const sections = readSections(file);
      return sections && crc32(file) === link.checksum ? { value: use(sections) } : undefined;
    });
    if (found !== undefined) return found.value;
  }
  return undefined;
}

function linkedPaths(file: string, name: string, directory: string): Set<string> {
  const paths = new Set<string>();
  // Debug files are installed for the real directory; the log can have a path through a link, as /lib is one.
  for (const from of [realDirectory(file), dirname(resolve(file))]) {
    for (const path of [join(from, name), join(from, ".debug", name), join(directory, from, name)])
      paths.add(path);
  }
  return paths;
}

function realDirectory(file: string): string {
  try {
    return dirname(realpathSync(file));
  } catch {
    return dirname(resolve(file)); // Gone since it was read: its debug file may still be there.
  }
}

function hasBuildId({ header, list, read }: ElfSections, buildId: string): boolean {
  // By sections: the program headers of a debug file describe the file it was cut from.
  return list.some((section) => {
    const notes = section.type === SECTION_TYPE.note ? read(section) : undefined;
    return notes !== undefined && findBuildId(notes, header) === buildId;
  });
}

function crc32(file: RegularFile): number | undefined {
  if (file.size > CHECKSUM_LIMIT) return undefined;
  let rest = 0xffffffff;
  for (let offset = 0; offset < file.size; offset += CHUNK) {
    const bytes = file.read(offset, Math.min(CHUNK, file.size - offset));
    if (bytes === undefined) return undefined;
    for (const byte of bytes) rest = crcTable[(rest ^ byte) & 0xff]! ^ (rest >>> 8);
  }
  return ~rest >>> 0;
}

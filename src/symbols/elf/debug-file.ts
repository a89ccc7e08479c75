import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { crc32 } from "../crc32.js";
import { type RegularFile, withRegularFile } from "../regular-file.js";
import { findBuildId } from "./file.js";
import { fieldReader } from "./header.js";
import { type ElfSections, readSectionNamed, readSections, SECTION_TYPE } from "./sections.js";

/** The name of a separate debug file, as the file it was cut from states it. */
export interface DebugLink {
  /** Without a directory. */
  readonly name: string;
  /** CRC-32 of the whole debug file. */
  readonly checksum: number;
}

/** What a file says of the separate debug file that belongs to it. */
export interface DebugFileQuery {
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
 * Looks for the separate debug file, first by build id, then by debug link, and hands its sections, and where it is, to `use`.
 * A file counts only if it proves itself: by the same build id inside, or by the checksum of the link.
 * Undefined when there is none.
 *
 * Source: the GDB manual, "Debugging Information in Separate Files".
 */
export function withDebugFile<T>(
  query: DebugFileQuery,
  use: (sections: ElfSections, path: string) => T,
): T | undefined {
  const { buildId, link } = query;
  const path = pathByBuildId(query);
  if (path !== undefined && buildId !== undefined) {
    const found = withRegularFile(path, (file) => {
      const sections = readSections(file);
      return sections && hasBuildId(sections, buildId) ? { value: use(sections, path) } : undefined;
    });
    if (found !== undefined) return found.value;
  }
  for (const path of linkedPaths(query)) {
    const found = withRegularFile(path, (file) => {
      const sections = readSections(file);
      return sections && checksumOf(file) === link?.checksum ? { value: use(sections, path) } : undefined;
    });
    if (found !== undefined) return found.value;
  }
  return undefined;
}

/** Where {@link withDebugFile} looks, whether there is a file or not. */
export function debugFilePaths(query: DebugFileQuery): string[] {
  const path = pathByBuildId(query);
  return [...(path === undefined ? [] : [path]), ...linkedPaths(query)];
}

function pathByBuildId({ buildId, directory }: DebugFileQuery): string | undefined {
  if (buildId === undefined || buildId.length <= 2) return undefined;
  return join(directory, ".build-id", buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
}

function linkedPaths({ file, link, directory }: DebugFileQuery): Set<string> {
  const paths = new Set<string>();
  if (link === undefined) return paths;
  const { name } = link;
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

function checksumOf(file: RegularFile): number | undefined {
  if (file.size > CHECKSUM_LIMIT) return undefined;
  let checksum = 0;
  for (let offset = 0; offset < file.size; offset += CHUNK) {
    const bytes = file.read(offset, Math.min(CHUNK, file.size - offset));
    if (bytes === undefined) return undefined;
    checksum = crc32(bytes, checksum);
  }
  return checksum;
}

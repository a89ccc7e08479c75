import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { crc32 } from "../../io/crc32.js";
import { type RegularFile, withRegularFile } from "../../io/regular-file.js";
import { findBuildId } from "./file.js";
import { fieldReader } from "./header.js";
import { type ElfSections, readSectionNamed, readSections, SECTION_TYPE } from "./sections.js";

/** The name of a separate debug file, stored in the file it belongs to. */
export interface DebugLink {
  /** Without a directory. */
  readonly name: string;
  /** CRC-32 of the whole debug file. */
  readonly checksum: number;
}

/** What to look for: a file and what it says about its debug file. */
export interface DebugFileQuery {
  /** Path of the file itself. */
  readonly file: string;
  /** Lower-case hex. */
  readonly buildId: string | undefined;
  readonly link: DebugLink | undefined;
  /** The system's directory of debug files. */
  readonly directory: string;
}

const CHUNK = 1 << 20;
/** In bytes. A checksum of this much takes some ten seconds; larger debug files are not worth the wait. */
const CHECKSUM_LIMIT = 2 ** 32;

/**
 * Returns the debug link of a file; undefined if it has none, or one with a directory, which no tool writes.
 */
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
 * Finds the separate debug file, first by build id, then by debug link, and passes its sections and path to
 * `use`. The file must contain the same build id, or match the checksum of the link.
 * Returns undefined if there is none.
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

/** Returns the paths that {@link withDebugFile} tries, whether or not they exist. */
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
  // Debug files are installed for the real directory; the log's path may go through a link, such as /lib.
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
    return dirname(resolve(file)); // Deleted since it was read. Its debug file may still be there.
  }
}

function hasBuildId({ header, list, read }: ElfSections, buildId: string): boolean {
  // In sections, because the program headers of a debug file describe the file it was split from.
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

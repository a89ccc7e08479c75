import { withRegularFile } from "../io/regular-file.js";
import type { LibraryProblem, LogPlatform } from "../profile/library-problem.js";
import { type BinaryFile, readElfFile } from "./binary-file.js";

/** The format of a system's libraries; undefined if the system is not known. */
const FORMATS: Readonly<Record<LogPlatform, BinaryFile["format"] | undefined>> = {
  linux: "elf",
  macos: "mach-o",
  windows: "pe",
  unknown: undefined,
};

/** The first four bytes of Mach-O files, in either byte order, and of universal files. */
const MACH_MAGICS: readonly number[] = [
  0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe, 0xcafebabf,
];
const ELF = 0x7f454c46;
const MZ = 0x4d5a;
const PDB = Buffer.from("Microsoft C/C++ MSF 7.00");
/** The stub before a PE file's own header. */
const HEAD_BYTES = 64;

/** What the log states of a library. */
interface ReadBinaryOptions {
  /** The system of the log. */
  readonly platform: LogPlatform;
  /** Bytes of what it logs of the file: on macOS, that is the size of its code. */
  readonly size: number;
}

/**
 * Reads the headers of a library's file. Returns a problem if it is not a readable
 * file of that system's format. Loads the readers of other formats than ELF only when they are needed.
 */
export async function readBinary(
  path: string,
  { platform, size }: ReadBinaryOptions,
): Promise<BinaryFile | LibraryProblem> {
  const expected = FORMATS[platform];
  const elf = expected === undefined || expected === "elf" ? readElfFile(path) : undefined;
  if (elf !== undefined) return elf;
  switch (expected ?? formatOf(path)) {
    case "mach-o": {
      const { readMachOFile } = await import("./mach-o.js");
      return readMachOFile(path, size) ?? { kind: "damaged", format: "Mach-O" };
    }
    case "pe": {
      const { readPeFile } = await import("./pe.js");
      return readPeFile(path) ?? { kind: "damaged", format: "PE" };
    }
    default:
      return { kind: "not-elf" };
  }
}

/** Returns the format of a file, by its first bytes; undefined for any other file. */
export function formatOf(path: string): BinaryFile["format"] | undefined {
  const head = withRegularFile(path, (file) => file.read(0, HEAD_BYTES) ?? file.read(0, 4));
  const magic = head?.readUInt32BE(0) ?? 0;
  if (magic === ELF) return "elf";
  if (MACH_MAGICS.includes(magic)) return "mach-o";
  return magic >>> 16 === MZ && head?.includes(0) ? "pe" : undefined; // Text has no NUL.
}

/** Returns whether a file is a PDB, by its first bytes. */
export function isPdb(path: string): boolean {
  return withRegularFile(path, (file) => file.read(0, PDB.length))?.equals(PDB) ?? false;
}

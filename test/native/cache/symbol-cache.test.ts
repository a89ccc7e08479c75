import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  CACHE_KIND,
  clearOut,
  defaultCacheFolder,
  readCacheFile,
  writeCacheFile,
} from "../../../src/io/cache-file.ts";
import { crc32, crc32Here } from "../../../src/io/crc32.ts";
import { readElfFile } from "../../../src/native/binary-file.ts";
import { elfSymbols } from "../../../src/native/elf.ts";
import { MappedSymbols } from "../../../src/native/load-library.ts";
import { readableNames } from "../../../src/native/readable-names.ts";
import { SymbolCache } from "../../../src/native/symbol-cache.ts";
import type { LibraryFile, SymbolSource } from "../../../src/native/symbol-source.ts";
import type { SymbolTable } from "../../../src/native/symbol-table.ts";
import { checksumOf, type ElfSpec, elfImage, type SymbolSpec } from "../../helpers/elf-image.ts";
import { testFolder } from "../../helpers/folder.ts";

let folder = "";
let cacheFolder = "";
beforeEach(() => {
  folder = testFolder();
  cacheFolder = join(folder, "cache", "inner");
});

const main: SymbolSpec = { name: "main", value: 0x1100, size: 0x10 };
const other: SymbolSpec = { name: "_ZN1a5otherEv", value: 0x1200, size: 0x20 };
const BUILD_ID = "00112233445566778899aabbccddeeff00112233";
const SPEC: ElfSpec = { symbols: [main, other], buildId: BUILD_ID };

function libraryOf(spec: ElfSpec, name = "library.so"): LibraryFile {
  const file = join(folder, name);
  writeFileSync(file, elfImage(spec));
  return found(file);
}

function found(file: string): LibraryFile {
  return { path: file, file, binary: readElfFile(file)!, start: 0, end: 0, slide: 0, base: 0 };
}

/** The source `elf`, which counts how often it is asked. */
function counted(): SymbolSource & { loads: number } {
  const source = elfSymbols({ debugDirectory: join(folder, "debug") });
  const counting = {
    ...source,
    loads: 0,
    load(library: LibraryFile) {
      counting.loads++;
      return source.load(library);
    },
  };
  return counting;
}

/** The functions of a library by a cache that has just been opened. */
async function load(library: LibraryFile, source: SymbolSource): Promise<string[] | undefined> {
  const cache = new SymbolCache(cacheFolder);
  const table = await cache.load(library, source);
  await cache.settled();
  if ("kind" in table) {
    expect(table).toEqual({ kind: "no-symbols" });
    return undefined;
  }
  return Array.from({ length: table.length }, (_, i) => {
    return `${table.starts[i]!.toString(16)}-${table.ends[i]!.toString(16)} ${table.name(i)}`;
  });
}

const FUNCTIONS = ["1100-1110 main", "1200-1220 _ZN1a5otherEv"];
/** The bytes of two functions. */
const BODY = 2 * 20;
/** The files of the cache of one kind. */
const filesOf = (kind: number) =>
  readdirSync(cacheFolder)
    .map((name) => join(cacheFolder, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path)[4] === kind);
const onlyFile = () => filesOf(CACHE_KIND.functions)[0]!;

describe("the functions of a library", () => {
  it("are read once", async () => {
    const library = libraryOf(SPEC);
    const source = counted();
    for (let i = 0; i < 3; i++) expect(await load(library, source)).toEqual(FUNCTIONS);
    expect(source.loads).toBe(1);
    expect(filesOf(CACHE_KIND.functions)).toHaveLength(1);
    expect(filesOf(CACHE_KIND.names)).toHaveLength(1);
  });

  it("are one table for all logs of a run, with a folder or without, until the file is replaced", async () => {
    for (const cache of [new SymbolCache(cacheFolder), new SymbolCache()]) {
      const library = libraryOf(SPEC);
      const source = counted();
      const table = await cache.load(library, source);
      expect(table).toMatchObject({ length: 2 });
      expect(await cache.load(found(library.file), source)).toBe(table);
      expect(source.loads).toBe(1);
      const replaced = libraryOf({ symbols: [main], buildId: BUILD_ID.replaceAll("0", "f") });
      expect(await cache.load(replaced, source)).toMatchObject({ length: 1 });
      await cache.settled();
    }
    expect(filesOf(CACHE_KIND.functions)).toHaveLength(2);
  });

  it("are kept where no one else sees them", async () => {
    await load(libraryOf(SPEC), counted());
    if (process.platform === "win32") return;
    expect(statSync(cacheFolder).mode & 0o777).toBe(0o700);
    expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
  });

  it("are those of every copy with the same build id", async () => {
    const source = counted();
    await load(libraryOf(SPEC), source);
    expect(await load(libraryOf(SPEC, "copy.so"), source)).toEqual(FUNCTIONS);
    expect(source.loads).toBe(1);
  });

  it("are not those of a copy without its symbols", async () => {
    const source = counted();
    await load(libraryOf(SPEC), source);
    expect(await load(libraryOf({ buildId: BUILD_ID }, "stripped.so"), source)).toBeUndefined();
    expect(source.loads).toBe(2);
  });

  it("keep the versions of dynamic symbols", async () => {
    const dynamicSymbols = [{ ...main, version: 2 }, other];
    const library = libraryOf({ buildId: BUILD_ID, dynamicSymbols, definedVersions: ["library.so", "V1"] });
    const source = counted();
    const functions = await load(library, source);
    expect(functions?.[0]).toBe("1100-1110 main@@V1");
    expect(await load(library, source)).toEqual(functions);
    expect(source.loads).toBe(1);
  });

  it("are read again from a file without build id that was written again", async () => {
    const source = counted();
    const spec = { symbols: [main, other] };
    await load(libraryOf(spec), source);
    expect(await load(libraryOf(spec), source)).toEqual(FUNCTIONS);
    const changed = libraryOf({ ...spec, symbols: [{ ...main, name: "niam" }, other] });
    utimesSync(changed.file, 1, 1);
    expect((await load(changed, source))?.[0]).toBe("1100-1110 niam");
    expect((await load(changed, source))?.[0]).toBe("1100-1110 niam");
    expect(source.loads).toBe(3);
  });

  it("are read again when a debug file comes, changes or goes", async () => {
    const debug = elfImage({ symbols: [main, other] });
    const link = { name: "library.debug", checksum: checksumOf(debug) };
    const library = libraryOf({ buildId: BUILD_ID, debugLink: link });
    const source = counted();
    const file = join(folder, "library.debug");
    expect(await load(library, source)).toBeUndefined();
    expect(await load(library, source)).toBeUndefined();
    expect(source.loads).toBe(1);
    writeFileSync(file, debug);
    expect(await load(library, source)).toEqual(FUNCTIONS);
    expect(await load(library, source)).toEqual(FUNCTIONS);
    expect(source.loads).toBe(2);
    writeFileSync(file, "x");
    expect(await load(library, source)).toBeUndefined();
    rmSync(file);
    expect(await load(library, source)).toBeUndefined();
  });

  it("have their names without the file that they come from", async () => {
    const library = libraryOf(SPEC);
    await load(library, counted());
    const table = await new SymbolCache(cacheFolder).load(library, counted());
    rmSync(library.file);
    expect("name" in table && table.name(0)).toBe("main");
  });

  it("can have long names", async () => {
    const names = ["x".repeat(40_000), "y".repeat(16_384), "z".repeat(16_383)];
    const symbols = names.map((name, i) => ({ name, value: 0x1100 + i * 16, size: 16 }));
    const library = libraryOf({ ...SPEC, symbols });
    const functions = await load(library, counted());
    expect(functions?.map((line) => line.split(" ")[1])).toEqual(names);
    expect(await load(library, counted())).toEqual(functions);
  });

  it("come from a source that does not say what it depends on each time", async () => {
    const source = counted();
    const library = libraryOf(SPEC);
    const careless = { ...source, fingerprint: () => undefined };
    for (let i = 0; i < 2; i++) await new SymbolCache(cacheFolder).load(library, careless);
    expect(source.loads).toBe(2);
  });
});

describe("a file of the cache", () => {
  const isRefused = async (damage: (bytes: Buffer) => Uint8Array) => {
    rmSync(cacheFolder, { recursive: true, force: true });
    const library = libraryOf(SPEC);
    const source = counted();
    await load(library, source);
    const whole = readFileSync(onlyFile());
    writeFileSync(onlyFile(), damage(Buffer.from(whole)));
    expect(await load(library, source)).toEqual(FUNCTIONS);
    expect(source.loads).toBe(2);
    expect(readFileSync(onlyFile())).toEqual(whole);
    expect(filesOf(CACHE_KIND.functions)).toHaveLength(1);
  };

  it("is not kept where no folder can be made, which takes no time", async () => {
    writeFileSync(join(folder, "file"), "");
    // In /proc, Node's own way to make a folder and those above it never ends.
    for (const impossible of [join(folder, "file", "inner"), "/proc/1/ticks/inner", "/dev/null/ticks"]) {
      cacheFolder = impossible;
      expect(await load(libraryOf(SPEC), counted())).toEqual(FUNCTIONS);
    }
  });

  it("is written anew when it was cut", async () => {
    for (const size of [0, 1, 4, 15, 16, 17, 40]) await isRefused((bytes) => bytes.subarray(0, size));
    await isRefused((bytes) => bytes.subarray(0, -1));
    await isRefused((bytes) => Buffer.concat([bytes, Buffer.alloc(1)]));
  });

  it("is written anew when any bit of it is another one", async () => {
    const library = libraryOf(SPEC);
    await load(library, counted());
    const file = onlyFile();
    const whole = readFileSync(file);
    for (let bit = 0; bit < whole.length * 8; bit += 11) {
      const bytes = Buffer.from(whole);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(file, bytes);
      expect(readCacheFile(file, CACHE_KIND.functions)).toBeUndefined();
    }
  });

  it("is written anew when it is something else", async () => {
    await isRefused((bytes) => bytes.fill(0x5a));
    await isRefused((bytes) => bytes.fill(0));
    await isRefused(() => Buffer.from("[]"));
  });

  it("is not believed where its content is not of its kind", async () => {
    const library = libraryOf(SPEC);
    await load(library, counted());
    const name = basename(onlyFile());
    const whole = readCacheFile(onlyFile(), CACHE_KIND.functions)!;
    const head = JSON.parse(whole.toString("utf8", 4, 4 + whole.readUInt32LE(0)));
    const withHead = (changes: object) => {
      const text = Buffer.from(JSON.stringify({ ...head, ...changes }));
      const size = Buffer.alloc(4);
      size.writeUInt32LE(text.length);
      const padding = Buffer.alloc(7 - ((text.length + 3) % 8));
      return [size, text, padding, whole.subarray(whole.length - BODY)];
    };
    const contents: Uint8Array[][] = [
      [],
      [Buffer.alloc(3)],
      [Buffer.alloc(64, 0xff)],
      [whole.subarray(0, -20)],
      ...[{ length: 1e9 }, { length: -1 }, { length: 0.5 }, { length: "2" }, { key: "?" }].map(withHead),
    ];
    for (const parts of contents) {
      await writeCacheFile(cacheFolder, name, CACHE_KIND.functions, parts);
      const source = counted();
      expect(await load(library, source)).toEqual(FUNCTIONS);
      expect(source.loads).toBe(1);
    }
  });

  it("is written anew when the file with the names is gone, and the run after the one that finds it damaged", async () => {
    const library = libraryOf(SPEC);
    await load(library, counted());
    const names = filesOf(CACHE_KIND.names)[0]!;
    rmSync(names);
    const source = counted();
    expect(await load(library, source)).toEqual(FUNCTIONS);
    expect(source.loads).toBe(1);
    await writeCacheFile(cacheFolder, basename(names), CACHE_KIND.names, [Buffer.from("niam\0")]);
    expect(await load(library, source)).toEqual(["1100-1110 ", "1200-1220 "]);
    expect(await load(library, source)).toEqual(FUNCTIONS);
    expect(source.loads).toBe(2);
  });

  it("is not read from a pipe or a folder", async () => {
    const library = libraryOf(SPEC);
    await load(library, counted());
    const file = onlyFile();
    rmSync(file);
    mkdirSync(file);
    expect(await load(library, counted())).toEqual(FUNCTIONS);
    expect(statSync(file).isDirectory()).toBe(true);
  });

  it("need not be there", async () => {
    writeFileSync(join(folder, "cache"), "a file where the folder should be");
    const source = counted();
    for (let i = 0; i < 2; i++) expect(await load(libraryOf(SPEC), source)).toEqual(FUNCTIONS);
    expect(source.loads).toBe(2);
  });

  it("is whole at any time for runs at the same time", async () => {
    const library = libraryOf(SPEC);
    const runs = Array.from({ length: 20 }, () => load(library, counted()));
    for (const functions of await Promise.all(runs)) expect(functions).toEqual(FUNCTIONS);
    expect(readdirSync(cacheFolder)).toHaveLength(2);
    const source = counted();
    expect(await load(library, source)).toEqual(FUNCTIONS);
    expect(source.loads).toBe(0);
  });

  it("is removed when it is one of the oldest of too many", async () => {
    mkdirSync(cacheFolder, { recursive: true });
    for (const [i, name] of ["d", "c", "b", "a"].entries()) {
      writeFileSync(join(cacheFolder, name), "");
      truncateSync(join(cacheFolder, name), 60 * 2 ** 20);
      utimesSync(join(cacheFolder, name), 1000 + i, 1000 + i);
    }
    writeFileSync(join(cacheFolder, "x-1-2.tmp"), "left by a run that was killed");
    utimesSync(join(cacheFolder, "x-1-2.tmp"), 1000, 1000);
    const cache = new SymbolCache(cacheFolder);
    cache.keepTexts("t", [["a", "1"]]);
    await cache.settled();
    const [one, two, ...others] = readdirSync(cacheFolder).sort().reverse();
    expect([one, two]).toEqual(["b", "a"]);
    expect(others).toHaveLength(1);
    for (let i = 0; i < 1100; i++) writeFileSync(join(cacheFolder, `f${i}`), "");
    await clearOut(cacheFolder);
    expect(readdirSync(cacheFolder)).toHaveLength(750);
  });
});

describe("texts", () => {
  it("are kept by topic, also those of two caches at once", async () => {
    const [one, two] = [new SymbolCache(cacheFolder), new SymbolCache(cacheFolder)];
    one.keepTexts("t", [["a", "1"]]);
    one.keepTexts("t", [["b", "2"]]);
    one.keepTexts("u", [["a", "3"]]);
    await one.settled();
    two.keepTexts("t", [["c", "4"]]);
    await two.settled();
    const three = new SymbolCache(cacheFolder);
    expect(Object.fromEntries(three.texts("t"))).toEqual({ a: "1", b: "2", c: "4" });
    expect(Object.fromEntries(three.texts("u"))).toEqual({ a: "3" });
    expect(three.texts("v").size).toBe(0);
  });

  it("make room for newer ones", async () => {
    const cache = new SymbolCache(cacheFolder);
    const long = "x".repeat(2 ** 19);
    cache.keepTexts(
      "t",
      [0, 1, 2, 3, 4, 5].map((i) => [`${i}`, long] as const),
    );
    await cache.settled();
    const kept = Array.from(new SymbolCache(cacheFolder).texts("t").keys());
    expect(kept.length).toBeGreaterThan(0);
    expect(kept).toEqual(["0", "1", "2", "3", "4", "5"].slice(-kept.length));
  });

  it("answer a question about a library once", async () => {
    const library = libraryOf(SPEC);
    let asked = 0;
    const ask = async (question: string, answer: string | undefined) => {
      const cache = new SymbolCache(cacheFolder);
      const given = cache.ask(library, question, () => {
        asked++;
        return answer;
      });
      await cache.settled();
      return given;
    };
    for (let i = 0; i < 2; i++) {
      expect(await ask("which?", "this")).toBe("this");
      expect(await ask("what?", undefined)).toBeUndefined();
    }
    expect(asked).toBe(2);
  });
});

describe("readable names", () => {
  const named: ElfSpec = {
    buildId: BUILD_ID,
    symbols: [main, other, { name: "_ZN1b1cEi", value: 0x1300, size: 8 }],
  };
  const readEachTime = (): SymbolSource => ({ ...counted(), fingerprint: () => undefined });

  /** The names of some functions of a library, with a cache that has just been opened. */
  async function namesOf(
    indices: readonly number[],
    program: string,
    source: SymbolSource = counted(),
    asNm = true,
  ): Promise<string[]> {
    const cache = new SymbolCache(cacheFolder);
    const library = libraryOf(named);
    const table = (await cache.load(library, source)) as SymbolTable;
    const symbols = new MappedSymbols(table, library.binary, 0, true);
    const names = await readableNames(
      indices.map((index) => ({ symbols, index })),
      { program, cache, asNm },
    );
    await cache.settled();
    return names;
  }

  /** A program in place of c++filt, and how often it was called. */
  function filter() {
    const program = join(folder, "filter");
    const log = join(folder, "calls");
    writeFileSync(log, "");
    return {
      program,
      write: (text: string) =>
        writeFileSync(program, `#!/bin/sh\necho call >> ${log}\n${text}\n`, { mode: 0o700 }),
      calls: () => readFileSync(log, "utf8").split("\n").length - 1,
    };
  }

  const tables: [string, () => SymbolSource][] = [
    ["a table that is kept", counted],
    ["a table that is read each time", readEachTime],
  ];
  for (const [what, source] of tables) {
    it(`of ${what} are made once by each program`, async () => {
      if (process.platform === "win32") return;
      const { program, write, calls } = filter();
      write("sed 's/^/one:/'");
      for (let i = 0; i < 2; i++) {
        expect(await namesOf([0, 1], program, source())).toEqual(["main", "one:_ZN1a5otherEv"]);
      }
      expect(calls()).toBe(1);
      expect(await namesOf([2, 0, 1], program, source())).toEqual([
        "one:_ZN1b1cEi",
        "main",
        "one:_ZN1a5otherEv",
      ]);
      expect(calls()).toBe(2);
      write("sed 's/^/other:/'");
      expect(await namesOf([1], program, source())).toEqual(["other:_ZN1a5otherEv"]);
      expect(calls()).toBe(3);
    });
  }

  it("are not kept from a program that failed", async () => {
    if (process.platform === "win32") return;
    const { program, write } = filter();
    write(`[ -e ${folder}/works ] || exit 1\nsed 's/^/one:/'`);
    expect(await namesOf([0, 1], program)).toEqual(["main", "a::other()"]);
    writeFileSync(join(folder, "works"), "");
    expect(await namesOf([0, 1], program)).toEqual(["main", "one:_ZN1a5otherEv"]);
  });

  it("are those of this process, with and without a program, unless they are to be those of nm", async () => {
    if (process.platform === "win32") return;
    const { program, write, calls } = filter();
    write("sed 's/^/one:/'");
    expect(await namesOf([1, 2], program, counted(), true)).toEqual(["one:_ZN1a5otherEv", "one:_ZN1b1cEi"]);
    for (const one of [program, join(folder, "nowhere")]) {
      expect(await namesOf([1, 2], one, counted(), false)).toEqual(["a::other()", "b::c(int)"]);
    }
    expect(calls()).toBe(1);
  });

  it("are kept also where there is no program", async () => {
    const program = join(folder, "nowhere");
    for (let i = 0; i < 2; i++) {
      expect(await namesOf([1, 2], program, readEachTime())).toEqual(["a::other()", "b::c(int)"]);
    }
    const topic = JSON.stringify(["names", "itanium 1, gecko-profiler-demangle 0.4"]);
    expect(new SymbolCache(cacheFolder).texts(topic).get("_ZN1a5otherEv")).toBe("a::other()");
  });

  it("of a large table are taken without the file that they come from", async () => {
    const symbols = Array.from({ length: 1 << 14 }, (_, i) => {
      return { name: `_Z1f${"i".repeat(i % 7)}v`, value: 0x1000 + i, size: 1 };
    });
    const library = libraryOf({ buildId: BUILD_ID, symbols });
    for (const isKept of [false, true]) {
      const cache = new SymbolCache(cacheFolder);
      const table = (await cache.load(library, counted())) as SymbolTable;
      if (isKept) table.name = () => "";
      const placed = new MappedSymbols(table, library.binary, 0, true);
      const functions = [1, 16_383, 0].map((index) => ({ symbols: placed, index }));
      expect(await readableNames(functions, { program: join(folder, "nowhere"), cache })).toEqual([
        "f(int, void)",
        "f(int, int, int, void)",
        "f()",
      ]);
      await cache.settled();
    }
  });
});

describe("the folder of the cache", () => {
  const of = (platform: NodeJS.Platform, env: Record<string, string>, home = () => "/home/me") =>
    defaultCacheFolder("symbols", { platform, env, home });

  it("is where each system has it", () => {
    if (process.platform === "win32") return;
    expect(of("linux", {})).toBe("/home/me/.cache/ticks/symbols-1");
    expect(of("linux", { XDG_CACHE_HOME: "/tmp/c" })).toBe("/tmp/c/ticks/symbols-1");
    expect(of("linux", { XDG_CACHE_HOME: "c" })).toBe("/home/me/.cache/ticks/symbols-1");
    expect(of("linux", { XDG_CACHE_HOME: "" })).toBe("/home/me/.cache/ticks/symbols-1");
    expect(of("darwin", {})).toBe("/home/me/Library/Caches/ticks/symbols-1");
    expect(of("win32", { LOCALAPPDATA: "/local" })).toBe("/local/ticks/symbols-1");
  });

  it("is nowhere for a user without a home", () => {
    const fails = () => {
      throw new Error("no such user");
    };
    expect(of("linux", {}, fails)).toBeUndefined();
    expect(of("linux", {}, () => "")).toBeUndefined();
    expect(of("win32", {})).toBeUndefined();
  });
});

describe("crc32", () => {
  it("is the same with and without the help of Node", () => {
    const bytes = Buffer.from("123456789");
    for (const sum of [crc32, crc32Here]) {
      expect(sum(bytes)).toBe(0xcbf43926);
      expect(sum(bytes.subarray(4), sum(bytes.subarray(0, 4)))).toBe(0xcbf43926);
    }
  });
});

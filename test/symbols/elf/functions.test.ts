import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readDebugLink } from "../../../src/symbols/elf/debug-file.js";
import { parseElfFile } from "../../../src/symbols/elf/file.js";
import { readElfFunctions } from "../../../src/symbols/elf/functions.js";
import { readElfHeader } from "../../../src/symbols/elf/header.js";
import { readSections, SECTION_TYPE, type Section } from "../../../src/symbols/elf/sections.js";
import { readSymbolVersions } from "../../../src/symbols/elf/versions.js";
import { withRegularFile } from "../../../src/symbols/regular-file.js";
import { type ElfSpec, elfImage, type SymbolSpec } from "../../helpers/elf-image.js";

const main: SymbolSpec = { name: "main", value: 0x2000, size: 0x10 };

describe("a broken file", () => {
  const rich: ElfSpec = {
    symbols: [main, { ...main, name: "far", section: "far" }],
    dynamicSymbols: [
      { ...main, version: 2 },
      { ...main, name: "other", value: 0x3000, version: 5 },
    ],
    definedVersions: ["lib.so", "V_2"],
    neededVersions: { 5: "V_5" },
    buildId: "0123",
    debugLink: { name: "none.debug", checksum: 1 },
  };
  // Without a full table the rest is read too.
  const { symbols: _, ...strippedRich } = rich;
  const variants: [string, ElfSpec][] = [
    ["with all", rich],
    ["stripped", strippedRich],
    ["compressed", { ...rich, compression: { number: 1, pack: (bytes) => deflateSync(bytes) } }],
    ["32 bits, big endian", { ...strippedRich, is64: false, isBigEndian: true }],
  ];
  for (const [name, spec] of variants) {
    const image = elfImage(spec);

    it(`never throws: cut at any byte, ${name}`, () => {
      for (let size = 0; size < image.length; size++) readAll(image.subarray(0, size));
    });

    it(`never throws: any byte changed, ${name}`, () => {
      for (const value of [1, 0xff]) {
        for (let at = 0; at < image.length; at++) {
          const broken = Buffer.from(image);
          broken[at] = value;
          readAll(broken);
        }
      }
    });
  }

  it("takes no time for versions that are made to overlap", () => {
    // Each of these claims 65,535 entries and that they start where the next one starts: 2^34 in all.
    const COUNT = 2 ** 18;
    const entry = Uint32Array.of(0xffff0001, 0, 16, 16);
    const needs = Buffer.concat(Array.from({ length: COUNT }, () => Buffer.from(entry.buffer)));
    const common = { nameOffset: 0, flags: 0, offset: 0, size: 0, link: 0, entrySize: 0 };
    const list = [
      { ...common, type: SECTION_TYPE.symbolVersions, info: 0 },
      { ...common, type: SECTION_TYPE.neededVersions, info: COUNT },
    ];
    const read = (section: Section) => (section === list[0] ? Buffer.alloc(2) : needs);
    const file = { size: 64, read: () => elfImage({}).subarray(0, 64) };
    readSymbolVersions({ header: readElfHeader(file)!, list, read }, 1);
  });
});

/** All that is ever read of a file. */
function readAll(bytes: Buffer): void {
  const file = {
    size: bytes.length,
    read: (offset: number, size: number) =>
      offset + size <= bytes.length ? bytes.subarray(offset, offset + size) : undefined,
  };
  parseElfFile(file);
  const sections = readSections(file);
  if (sections === undefined) return;
  readDebugLink(sections);
  for (const section of sections.list) {
    const functions = readElfFunctions(sections, section);
    for (let i = 0; i < (functions?.length ?? 0); i++) functions?.name(i);
  }
}

const version = /^GNU nm .* (\d+)\.(\d+)/.exec(spawnSync("nm", ["--version"]).stdout?.toString() ?? "");
/** Older ones do not write the versions of symbols. */
const hasNm = version !== null && Number(version[1]) * 1000 + Number(version[2]) >= 2035;

describe("the files of this machine", () => {
  const libraries = ["libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libpthread.so.0"];
  const folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"];
  const paths = folders.flatMap((from) => libraries.map((name) => join(from, name)));
  for (const file of [process.execPath, ...paths.filter((path) => existsSync(path))]) {
    it.runIf(hasNm && process.platform === "linux")(
      `have what nm prints: ${file} (needs GNU nm 2.35 or later on Linux to compare with)`,
      () => {
        expect(firstDifference(nmLines(file, []), ownLines(file, 2))).toBeUndefined();
        expect(firstDifference(nmLines(file, ["-D"]), ownLines(file, 11))).toBeUndefined();
      },
    );
  }
});

function nmLines(file: string, args: readonly string[]): string[] {
  const env = { ...process.env, LC_ALL: "C" };
  const { stdout } = spawnSync("nm", ["-n", "-S", ...args, file], { env, maxBuffer: 2 ** 30 });
  return Array.from(
    stdout.toString().matchAll(/^([0-9a-f]{8,16}) (?:([0-9a-f]{8,16}) )?[tTwW] (.*)$/gm),
    ([, start, size = "0", name]) => `${Number(`0x${start}`)} ${Number(`0x${size}`)} ${name}`,
  );
}

function ownLines(file: string, type: number): string[] {
  const lines = withRegularFile(file, (open) => {
    const sections = readSections(open)!;
    const section = sections.list.find((candidate) => candidate.type === type);
    const functions = section && readElfFunctions(sections, section);
    return Array.from({ length: functions?.length ?? 0 }, (_, i) => {
      return `${functions?.starts[i]} ${functions?.sizes[i]} ${functions?.name(i)}`;
    });
  });
  return lines ?? [];
}

function firstDifference(expected: readonly string[], actual: readonly string[]) {
  const at = expected.findIndex((line, i) => line !== actual[i]);
  if (at < 0 && expected.length === actual.length) return undefined;
  return { at, expected: expected[at], actual: actual[at], lengths: [expected.length, actual.length] };
}

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withRegularFile } from "../../../src/io/regular-file.ts";
import { readElfFunctions, readSections } from "../../../src/native/elf.ts";
import { stringAt, symbolOrder } from "../../../src/native/symbol-table.ts";
import { RICH_ELF_FILES, readWholeElf } from "../../helpers/rich-elf.js";

describe("a broken file", () => {
  for (const [name, image] of RICH_ELF_FILES) {
    it(`never throws: any byte changed, ${name}`, () => {
      for (const value of [1, 0xff]) {
        for (let at = 0; at < image.length; at++) {
          const broken = Buffer.from(image);
          broken[at] = value;
          readWholeElf(broken);
        }
      }
    });
  }
});

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
    const found = section && readElfFunctions(sections, section);
    if (found === undefined) return [];
    const { starts, sizes, names, nameOffsets, suffix } = found;
    return Array.from(symbolOrder(found), (i) => {
      return `${starts[i]} ${sizes![i]} ${stringAt(names, nameOffsets[i]!)}${suffix?.(i) ?? ""}`;
    });
  });
  return lines ?? [];
}

function firstDifference(expected: readonly string[], actual: readonly string[]) {
  const at = expected.findIndex((line, i) => line !== actual[i]);
  if (at < 0 && expected.length === actual.length) return undefined;
  return { at, expected: expected[at], actual: actual[at], lengths: [expected.length, actual.length] };
}

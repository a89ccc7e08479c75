import { copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findCopies } from "../../src/io/log-copies.ts";

const LOG = Buffer.from("v8-version,1\ntick,1\ntick,2\n");
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ticks-copies-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);

/** The copies among files, by name, each with what it is a copy of. */
async function copiesOf(...names: readonly string[]): Promise<string[]> {
  const copies = await findCopies(names.map((name) => (name === "-" ? name : at(name))));
  return copies.map(
    ({ copy, original, isSameFile }) => `${names[copy]} ${isSameFile ? "is" : "packs"} ${names[original]}`,
  );
}

it("knows a file by any path: the same one, others to it, hard and symbolic links", async () => {
  writeFileSync(at("a.log"), LOG);
  linkSync(at("a.log"), at("hard.log"));
  symlinkSync("a.log", at("link.log"));
  symlinkSync(folder, at("here"));
  expect(await copiesOf("a.log", "a.log", "./a.log", "hard.log", "link.log", "here/a.log")).toEqual([
    "a.log is a.log",
    "./a.log is a.log",
    "hard.log is a.log",
    "link.log is a.log",
    "here/a.log is a.log",
  ]);
  copyFileSync(at("a.log"), at("other.log"));
  expect(await copiesOf("a.log", "other.log", "-", "-", "nowhere", "nowhere", ".", ".")).toEqual([]);
});

it("knows a compressed log beside the log, in whatever order, and through links to the folder", async () => {
  writeFileSync(at("b.log"), LOG);
  writeFileSync(at("b.log.gz"), gzipSync(LOG));
  expect(await copiesOf("b.log", "b.log.gz")).toEqual(["b.log.gz packs b.log"]);
  expect(await copiesOf("b.log.gz", "here/b.log", "b.log.gz")).toEqual([
    "b.log.gz packs here/b.log",
    "b.log.gz is here/b.log",
  ]);
  mkdirSync(at("else"));
  copyFileSync(at("b.log.gz"), at("else/b.log.gz"));
  expect(await copiesOf("b.log", "else/b.log.gz")).toEqual([]);
});

it("counts the longer one where one begins with all of the other", async () => {
  writeFileSync(at("c.log"), LOG);
  writeFileSync(at("c.log.gz"), gzipSync(LOG.subarray(0, 20)));
  expect(await copiesOf("c.log.gz", "c.log")).toEqual(["c.log.gz packs c.log"]);
  writeFileSync(at("c.log.gz"), gzipSync(Buffer.concat([LOG, LOG])));
  expect(await copiesOf("c.log.gz", "c.log")).toEqual(["c.log packs c.log.gz"]);
});

it("counts both where their contents differ, or one is empty", async () => {
  writeFileSync(at("d.log"), LOG);
  writeFileSync(at("d.log.gz"), gzipSync(Buffer.from("v8-version,2\n")));
  expect(await copiesOf("d.log", "d.log.gz")).toEqual([]);
  writeFileSync(at("d.log"), "");
  expect(await copiesOf("d.log", "d.log.gz")).toEqual([]);
});

it("compares the first 64 KiB only, and takes what cannot be unpacked for a copy", async () => {
  const long = Buffer.alloc(1 << 17, "tick,1\n");
  writeFileSync(at("e.log"), long);
  writeFileSync(at("e.log.gz"), gzipSync(Buffer.concat([long.subarray(0, 1 << 16), Buffer.alloc(99)])));
  expect(await copiesOf("e.log.gz", "e.log")).toEqual(["e.log.gz packs e.log"]);
  writeFileSync(at("e.log.gz"), gzipSync(long).subarray(0, 12));
  expect(await copiesOf("e.log.gz", "e.log")).toEqual(["e.log.gz packs e.log"]);
});

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCallgrind } from "../exports/callgrind/read-callgrind.ts";
import { ticks } from "../helpers/cli.ts";
import { CASES, exported, FIXTURES, ticksOf } from "./fixture.ts";
import { debianPeer } from "./peer.ts";

const annotate = debianPeer("callgrind_annotate", "valgrind");

/** The lines of a listing, `1,234 (56.78%)  file:function [object]`, by what stands behind the share. */
function listing(file: string, ...options: readonly string[]): Map<string, number> {
  const { stdout, stderr } = spawnSync(annotate, ["--threshold=100", "--auto=no", ...options, file], {
    maxBuffer: 1 << 28,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  const rows = stdout.matchAll(/^ *([\d,]+) \( *[\d.]+%\) +(.+)$/gm);
  return new Map(Array.from(rows, ([, ticks, name]) => [name!, Number(ticks!.replaceAll(",", ""))]));
}

describe("callgrind, read by callgrind_annotate", () => {
  it.each(CASES)("%s: agrees on the total and on its parts", async (name) => {
    const file = await exported(name, "callgrind");
    const self = listing(file);
    const total = await ticksOf(name);
    expect(self.get("PROGRAM TOTALS")).toBe(total);
    self.delete("PROGRAM TOTALS");
    expect(Array.from(self.values()).reduce((a, b) => a + b)).toBe(total);
    expect(listing(file, "--inclusive=yes").get("???:(root) [???]")).toBe(total);
  });

  it("agrees with the report on a C++ function", async () => {
    const self = listing(await exported("node-26-guide", "callgrind"));
    const log = join(FIXTURES, "node-26-guide", "isolate.log.gz");
    const { stdout } = await ticks(["process", "--format", "json", log]);
    const functions: { label: string; self: number }[] = JSON.parse(stdout).functions;
    const hash = "sha512_block_data_order_avx2";
    expect(self.get(`???:${hash} [/opt/node/bin/node]`)).toBe(
      functions.find(({ label }) => label === hash)!.self,
    );
  });
});

describe("callgrind, read as KCachegrind reads it", () => {
  it.each(CASES)("%s: a node for each function, and no tick in another one", async (name) => {
    const file = await exported(name, "callgrind");
    const { numbers, annotated, self, calls } = readCallgrind(readFileSync(file, "utf8"));
    expect(self.size).toBe(numbers);
    expect(annotated).toBe(numbers);
    const total = await ticksOf(name);
    expect(Array.from(self.values()).reduce((a, b) => a + b)).toBe(total);
    const outermost = calls.get("(root)")!;
    expect(Array.from(outermost.values()).reduce((a, b) => a + b)).toBe(total);
    const anonymous = Array.from(self.keys()).filter((key) => key.startsWith("<anonymous>"));
    const inReport = await functionsNamed(name, "<anonymous>");
    expect(anonymous.length).toBe(inReport);
  });
});

/** How many functions of a log have a name, and are in a file. */
async function functionsNamed(name: string, title: string): Promise<number> {
  const file = await exported(name, "speedscope.json");
  const { shared } = JSON.parse(readFileSync(file, "utf8"));
  return shared.frames.filter((frame: { name: string }) => frame.name === title).length;
}

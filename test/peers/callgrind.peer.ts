import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ticks } from "../helpers/cli.ts";
import { CASES, exported, FIXTURES, ticksOf } from "./fixture.ts";
import { debianPeer } from "./peer.ts";

const annotate = debianPeer("callgrind_annotate", "valgrind");

/** The lines of a listing, `1,234 (56.78%)  file:function [object]`, by what stands behind the share. */
function listing(file: string, ...options: readonly string[]): Map<string, number> {
  const text = execFileSync(annotate, ["--threshold=100", "--auto=no", ...options, file], {
    maxBuffer: 1 << 28,
  }).toString();
  const rows = text.matchAll(/^ *([\d,]+) \( *[\d.]+%\) +(.+)$/gm);
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

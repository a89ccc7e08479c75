import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openLog } from "../../src/io/input.ts";
import { analyze } from "../../src/load/analyze.ts";
import { testFolder } from "../helpers/folder.ts";

const folder = testFolder();

/** Writes a profile of so many equal samples, which gzip makes 300 times smaller. */
function profileOf(samples: number, isPacked: boolean): string {
  const node = `{"id":1,"callFrame":{"functionName":"f","url":"/a.js","lineNumber":1,"columnNumber":1}}`;
  const ids = new Array<string>(samples).fill("1").join(",");
  const text = `{"nodes":[${node}],"samples":[${ids}],"timeDeltas":[${ids.replaceAll("1", "1000")}]}`;
  const path = join(folder, `${samples}.cpuprofile${isPacked ? ".gz" : ""}`);
  writeFileSync(path, isPacked ? gzipSync(text) : text);
  return path;
}

describe("a compressed profile that becomes far larger than any that is recorded", () => {
  it("is refused, with what to do", async () => {
    await expect(analyze(openLog(profileOf(800_000, true)), { name: "a.gz" })).rejects.toMatchObject({
      message: expect.stringMatching(/^a\.gz unpacks to more than 64 times its size/),
      hint: expect.stringContaining("unpack it first"),
    });
  });

  it("is read if it is small, or was unpacked", async () => {
    for (const [samples, isPacked] of [
      [300_000, true],
      [800_000, false],
    ] as const)
      expect((await analyze(openLog(profileOf(samples, isPacked)))).info.ticks).toBe(samples);
  });
});

import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { threadsFor } from "../../src/cli/read-runs.ts";
import { testFolder } from "../helpers/folder.ts";

const folder = testFolder();

/** Returns runs of one log each, with so many rows of code. */
function runsOf(...codes: readonly number[]) {
  return codes.map((code) => [given(`${code}.log`, Buffer.from("\ncode-creation,".repeat(code)))]);
}

function given(name: string, bytes: Uint8Array) {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return { path, folder: undefined, isNamed: true };
}

const all = availableParallelism();

describe("the threads that read the runs of two sides", () => {
  it("are as many as there are cores and runs, but no more than 8", () => {
    expect(threadsFor(runsOf(100, 200, 300))).toEqual({ threads: Math.min(all, 3) });
    expect(threadsFor(runsOf(...new Array<number>(20).fill(10)))).toEqual({ threads: Math.min(all, 8) });
  });

  it("are fewer, the more functions the largest run has", () => {
    expect(threadsFor(runsOf(10, 10, 25_000, 10))).toEqual({ threads: Math.min(all, 2) });
  });

  it("are one beside this one for very many functions, so that its memory is free again after each run", () => {
    expect(threadsFor(runsOf(10, 32_000))).toEqual({ threads: 2, isHereLast: true });
    const [first, second] = runsOf(16_001, 16_002);
    expect(threadsFor([[...first!, ...second!], ...runsOf(10)])).toEqual({ threads: 2, isHereLast: true });
  });

  it("are this one for one run", () => {
    expect(threadsFor(runsOf(32_000))).toEqual({ threads: 1 });
  });

  it("do not go by packed logs and what is no file", () => {
    const packed = given("packed.log.gz", gzipSync("\ncode-creation,".repeat(32_000)));
    const none = { path: join(folder, "none.log"), folder: undefined, isNamed: true };
    expect(threadsFor([[packed], [none]])).toEqual({ threads: Math.min(all, 2) });
  });
});

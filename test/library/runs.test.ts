import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRuns, compareRuns, EXPORTERS, type Profile, readRuns, TicksError } from "../../src/index.ts";
import { simulatedLog } from "../helpers/simulated-run.ts";

const folder = mkdtempSync(join(tmpdir(), "ticks-runs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let [before, after]: [Profile[], Profile[]] = [[], []];

beforeAll(async () => {
  for (const side of ["before", "after"]) {
    mkdirSync(join(folder, side));
    const functions = Array.from({ length: 8 }, (_, i) => ({
      name: `part${i}`,
      weight: i === 3 && side === "after" ? 1.5 : 1,
    }));
    for (let run = 0; run < 4; run++) {
      const seed = 31 * run + side.length;
      const log = simulatedLog({ file: "/srv/app.js", functions, ticks: 3000, seed });
      writeFileSync(join(folder, side, `isolate-0x1-${run + 1}-v8.log`), log);
    }
  }
  before = await readRuns(join(folder, "before"), { cache: undefined });
  after = await readRuns([join(folder, "after")]);
});

describe("readRuns", () => {
  it("reads the runs of a folder", () => {
    expect(before.map(({ info }) => info.ticks)).toEqual([3000, 3000, 3000, 3000]);
  });

  it("reads tables as the logs that they were made of", async () => {
    const { export: write } = EXPORTERS.find(({ name }) => name === "parquet")!;
    const chunks: (string | Uint8Array)[] = [];
    for await (const chunk of write(before[0]!)) chunks.push(chunk);
    const file = join(folder, "run1.parquet");
    writeFileSync(file, Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))));
    const read = await readRuns(file);
    const { rows, matched } = compareRuns(read, [before[0]!]);
    expect(matched).toBe(1);
    expect(rows.map(({ self }) => self.change)).toEqual(Array.from({ length: 8 }, () => 0));
  });

  it("says what cannot be read", async () => {
    await expect(readRuns([])).rejects.toThrow("no logs to read");
    await expect(readRuns(join(folder, "nowhere.parquet"))).rejects.toThrow(TicksError);
  });
});

describe("compareRuns", () => {
  it("tells what changed", () => {
    const { rows, hasVerdict, scale } = compareRuns(before, after);
    expect([hasVerdict, scale.name]).toEqual([true, "share"]);
    const changed = rows.filter(({ verdict }) => verdict !== "same");
    expect(changed.map(({ name, verdict }) => [name.key, verdict])).toEqual([["app.js part3", "slower"]]);
  });

  it("takes options", () => {
    const diff = compareRuns(before, after, { by: "file", scale: "cpu", per: [10, 10] });
    expect(diff.rows.map(({ name }) => name.key)).toEqual(["app.js"]);
    expect(diff.scale.unit).toBe("ms-per-unit");
    expect(() => compareRuns(before, [])).toThrow("a side has no runs");
  });
});

describe("checkRuns", () => {
  const selector = { kind: "function", name: "part3" } as const;

  it("tells which budgets are broken", () => {
    const budgets = [
      { selector, max: 14 },
      { selector, max: 40 },
      { selector, max: 10, metric: "growth", title: "growth of part3" },
    ] as const;
    const found = checkRuns(budgets, { runs: after, baseline: before });
    expect(found.map(({ budget, verdict }) => [budget.title, verdict])).toEqual([
      ["part3", "broken"],
      ["part3", "holds"],
      ["growth of part3", "broken"],
    ]);
  });

  it("refuses what cannot be checked", () => {
    const growth = [{ selector, max: 10, metric: "growth" }] as const;
    expect(() => checkRuns(growth, { runs: after })).toThrow("there is no baseline");
    const missing = [{ selector: { kind: "file", name: "none.js" }, max: 10 }] as const;
    expect(() => checkRuns(missing, { runs: after })).toThrow("no run has what a budget selects: none.js");
  });
});

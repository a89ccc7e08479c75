import { describe, expect, it } from "vitest";
import { compareRuns, isOfCalls } from "../../src/compare/diff.ts";
import type { RunRow, RunSummary } from "../../src/compare/run-summary.ts";
import { runRow } from "../helpers/run-row.mjs";

/** Two runs or more of a program of four functions and V8's code, with some noise. */
function runs(
  count: number,
  of: (noise: number) => readonly RunRow[],
  interval: number | undefined = 1000,
): RunSummary[] {
  return Array.from({ length: count }, (_, i) => {
    const rows = of((i % 3) - 1);
    const ticks = rows.reduce((sum, { self }) => sum + self, 0);
    return { title: "run", logs: [], v8: [], ticks, samples: ticks, interval, rows };
  });
}

const row = (key: string, self: number, rest: Partial<RunRow> = {}): RunRow => ({
  ...runRow(key, self),
  ...rest,
});

/** `main` calls `parse`, whose source changes, and `parse` the machine's code. `hash` takes as long as before. */
function program(isBefore: boolean) {
  return (noise: number): RunRow[] => {
    const inner = isBefore ? "function parse() {\n  slow();\n}" : "function parse() {\n  fast();\n}";
    const engine = (isBefore ? 900 : 8) + 3 * noise;
    const own = 10 + noise;
    return [
      row("main", 5, {
        file: "a.js",
        total: engine + own + 5,
        sourceHash: isBefore ? "1" : "2",
        text: `(function () {\n${inner}\n});`,
      }),
      row("parse", own, {
        file: "a.js",
        total: engine + own,
        sourceHash: isBefore ? "3" : "4",
        text: inner,
        callers: [0, engine + own],
      }),
      row("engine", engine, { origin: "v8", callers: [1, engine] }),
      row("hash", 80 - noise, { file: "a.js", sourceHash: "5" }),
    ];
  };
}

const compare = (before: readonly RunSummary[], after: readonly RunSummary[]) =>
  compareRuns(before, after, { scale: { name: "share" } })!;

const rowOf = (diff: ReturnType<typeof compare>, key: string) =>
  diff.rows.find(({ name }) => name.key === key)!;

describe("a change of V8's code", () => {
  it("goes back to the innermost function of the program, and its reason is that of what is shown", () => {
    const same = (isBefore: boolean) => (noise: number) =>
      program(isBefore)(noise).map((one) => ({ ...one, sourceHash: one.key }));
    const diff = compare(runs(3, same(true)), runs(3, same(false)));
    expect(rowOf(diff, "main").foldedInto?.key).toBe("parse");
    expect(rowOf(diff, "parse").foldedInto).toBeUndefined();
    expect(isOfCalls({ before: 0, after: 4 }, { before: 847, after: 420 })).toBe(true);
    expect(isOfCalls({ before: 9, after: 4 }, { before: 847, after: 420 })).toBe(false);
  });

  it("comes before a caller that takes as long itself, though the source of that changed too", () => {
    // A little less of its own makes it the largest change.
    const of = (isBefore: boolean) => (noise: number) => {
      const engine = (isBefore ? 900 : 8) + 3 * noise;
      const [hash, text] = isBefore ? ["1", "parse(1);"] : ["2", "parse(2);"];
      const own = { file: "a.js", sourceHash: hash };
      return [
        row("main", 0, { ...own, total: engine + (isBefore ? 5 : 0), text }),
        row("parse", 0, { ...own, total: engine, callers: [0, engine], text: `${text} // it` }),
        row("engine", engine, { origin: "v8", callers: [1, engine] }),
        row("hash", 900 - noise, { file: "a.js", sourceHash: "5" }),
      ];
    };
    const { rows } = compare(runs(3, of(true)), runs(3, of(false)));
    const keys = rows.map(({ name }) => name.key);
    expect(keys.indexOf("parse")).toBeLessThan(keys.indexOf("main"));
  });

  it("does not come before its caller if what the caller calls no more took far less than it did", () => {
    // `render` keeps what `compile` makes, and takes less itself of V8's code.
    const of = (isBefore: boolean) => (noise: number) => {
      const [split, engine] = isBefore ? [400 + noise, 400 - noise] : [1, 130 + noise];
      const source = { file: "a.js", sourceHash: isBefore ? "1" : "2", text: isBefore ? "a" : "b" };
      return [
        row("render", 0, { ...source, total: split + engine + 1 }),
        row("compile", 1, { file: "a.js", sourceHash: "7", total: split + 1, callers: [0, split + 1] }),
        row("split", split, { origin: "v8", callers: [1, split] }),
        row("engine", engine, { origin: "v8", callers: [0, engine] }),
        row("hash", 90 - noise, { file: "a.js", sourceHash: "5" }),
      ];
    };
    const [first] = compare(runs(3, of(true)), runs(3, of(false))).rows;
    expect(first!.name.key).toBe("render");
  });

  it("has no verdict where threads wait for each other: that tells when they had a CPU", () => {
    const verdictOf = (title: string) => {
      const of = (ticks: number) => (noise: number) => [
        row("work", 900 - noise),
        row("wake", ticks + noise, { title, origin: "native" }),
      ];
      return rowOf(compare(runs(3, of(20)), runs(3, of(90))), "wake").verdict;
    };
    expect(verdictOf("pthread_cond_signal@@GLIBC_2.3.2")).toBe("same");
    expect(verdictOf("memcpy")).toBe("slower");
  });

  it("has no caller as its cause where a function is gone", () => {
    const gone = (noise: number) =>
      program(false)(noise)
        .filter(({ key }) => key !== "parse")
        .map((one) => ({ ...one, callers: [] }));
    const row = rowOf(compare(runs(3, program(true)), runs(3, gone)), "parse");
    expect(row.causes.map(({ kind }) => kind)).not.toContain("caller");
  });
});

describe("the story of a change", () => {
  const diff = compare(runs(3, program(true)), runs(3, program(false)));

  it("has what a run takes", () => {
    expect(diff.perRun).toMatchObject({ unit: "ticks", before: 995, isSure: true });
    expect(diff.perRun.after).toBeCloseTo(103, 10);
    expect(diff.perRun.ms!.before).toBeCloseTo(995, 10);
    expect(rowOf(diff, "parse").perRun.total.before).toBeCloseTo(910, 10);
  });

  it("begins with the function whose source changed, and ends with V8", () => {
    const found = diff.rows.filter(({ verdict }) => verdict !== "same").map(({ name }) => name.key);
    expect(found[0]).toBe("parse");
    expect(found.at(-1)).toBe("engine");
    expect(rowOf(diff, "parse").causes[0]).toEqual({
      kind: "source",
      lines: [
        { side: "before", text: "  slow();" },
        { side: "after", text: "  fast();" },
      ],
      more: 0,
      isNew: false,
    });
  });

  it("shows the source of a new function, as deep as it stands in itself", () => {
    const text =
      "function made(n) {\n      const t = [];\n\n      if (n) {\n        t.push(n);\n      }\n    }";
    const added = (noise: number) => [
      ...program(true)(noise),
      row("made", 700 + noise, { file: "a.js", sourceHash: "7", text }),
    ];
    const made = rowOf(compare(runs(3, program(true)), runs(3, added)), "made");
    expect(made.verdict).toBe("new");
    const [cause] = made.causes;
    expect(cause).toMatchObject({ kind: "source", more: 0, isNew: true });
    expect(cause!.kind === "source" && cause!.lines.map((line) => `${line.side} ${line.text}`)).toEqual([
      "after function made(n) {",
      "after   const t = [];",
      "after   if (n) {",
      "after     t.push(n);",
      "after   }",
      "after }",
    ]);
  });

  it("folds callers into what they call, and takes a function around a changed one for the same", () => {
    const main = rowOf(diff, "main");
    expect([main.part, main.foldedInto?.key]).toEqual(["program", "parse"]);
    expect(rowOf(diff, "parse").foldedInto).toBeUndefined();
  });

  it("has no verdict on a share that rose because the rest shrank, and says so", () => {
    const hash = rowOf(diff, "hash");
    expect(hash.self.after).toBeGreaterThan(5 * hash.self.before);
    expect([hash.verdict, hash.unsettled]).toEqual(["same", "rest"]);
  });

  it("has intervals that are possible", () => {
    for (const one of [diff, compare(runs(2, program(true)), runs(2, program(false)))]) {
      for (const { self, total, perRun } of one.rows) {
        for (const { before, change, low, high } of [self, total]) {
          expect(low).toBeGreaterThanOrEqual(-before);
          expect(high).toBeLessThanOrEqual(Math.max(change, 100 - before));
          expect([low <= change, change <= high]).toEqual([true, true]);
        }
        expect(perRun.self.low).toBeGreaterThanOrEqual(-perRun.self.before);
      }
    }
  });

  it("is almost sure of what fell from most of a run to little, with one run a side", () => {
    const single = compare(runs(1, program(true)), runs(1, program(false)));
    const [first] = single.rows;
    expect([first!.name.key, first!.total.isAlmostSure, first!.verdict]).toEqual(["parse", true, "same"]);
    // Its share rose as much, but only because the rest fell.
    expect(rowOf(single, "hash").self.change).toBeGreaterThan(60);
    expect([rowOf(single, "hash").self.isAlmostSure, rowOf(single, "hash").unsettled]).toEqual([
      false,
      "rest",
    ]);
    const same = compare(runs(1, program(true)), runs(1, program(true)));
    expect(same.rows.some(({ self, total }) => self.isAlmostSure || total.isAlmostSure)).toBe(false);
  });

  it("counts time where the sampling intervals differ", () => {
    const coarse = runs(3, program(true), 10_000);
    expect(compare(runs(3, program(true)), coarse).perRun).toMatchObject({ unit: "ms" });
    expect(compare(runs(3, program(true)), runs(3, program(true), 1200)).perRun.unit).toBe("ticks");
  });

  it("counts ticks where the machine was busy: each stands for as much CPU time, not for the time between them", () => {
    const busy = (of: (noise: number) => readonly RunRow[], interval: number) =>
      runs(3, of, interval).map((run) => {
        const cpu = { all: run.ticks * 1100, sampled: run.ticks * 1000, isWhole: true };
        return { ...run, cpu };
      });
    const { perRun } = compare(busy(program(true), 1500), busy(program(false), 4000));
    expect([perRun.unit, perRun.ms]).toEqual(["ticks", undefined]);
    expect(compare(busy(program(true), 1000), busy(program(false), 1000)).perRun.ms).toBeDefined();
  });
});

import { describe, expect, it } from "vitest";
import { compareRuns, newNamesOfFiles } from "../../src/compare/diff.ts";
import type { Diff } from "../../src/compare/diff-model.ts";
import type { RunRow, RunSummary } from "../../src/compare/run-summary.ts";
import type { ScaleName } from "../../src/compare/scales.ts";
import { createRandom } from "../helpers/random.ts";
import { runRow } from "../helpers/run-row.mjs";

const whole = createRandom(11);
const random = () => (whole(2 ** 30) + 0.5) / 2 ** 30;
const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());

function row(key: string, self: number, rest: Partial<RunRow> = {}): RunRow {
  return { ...runRow(key, self), ...rest };
}

function run(rows: readonly RunRow[], interval = 1000): RunSummary {
  const ticks = rows.reduce((sum, { self }) => sum + self, 0);
  return { title: "run", logs: ["run.log"], v8: [], ticks, samples: ticks, interval, rows };
}

/** Ten functions of a tenth each, the first times a factor, counted like ticks. */
function program(factor = 1, ticks = 10_000): RunSummary {
  const rows = Array.from({ length: 10 }, (_, i) => {
    const mean = (ticks / 10) * (i === 0 ? factor : 1);
    return row(`f${i}`, Math.max(0, Math.round(mean + Math.sqrt(mean) * normal())));
  });
  return run(rows);
}

const times = <Item>(count: number, make: () => Item) => Array.from({ length: count }, () => make());

function compare(
  before: readonly RunSummary[],
  after: readonly RunSummary[],
  name: ScaleName = "share",
): Diff {
  return compareRuns(before, after, { scale: { name } })!;
}

const verdicts = ({ rows }: Diff) =>
  rows.flatMap(({ verdict, name }) => (verdict === "same" ? [] : [`${name.key} ${verdict}`]));

/** Compares new runs so often. Returns how often a function is slower, and how often any other has a verdict too. */
function findings(
  count: number,
  key: string,
  runs: () => readonly [readonly RunSummary[], readonly RunSummary[]],
): { found: number; others: number } {
  const lists = times(count, () => verdicts(compare(...runs())));
  return {
    found: lists.filter((list) => list.includes(`${key} slower`)).length,
    others: lists.filter((list) => list.length > 1).length,
  };
}

describe("compareRuns", () => {
  it("finds what grew by a fifth in 6 runs against 6, and nothing beside it", () => {
    const { found, others } = findings(50, "f0", () => [times(6, program), times(6, () => program(1.2))]);
    expect(found).toBeGreaterThanOrEqual(49);
    // The shares of the others did shrink, but not the time that they take.
    expect(others).toBeLessThanOrEqual(8);
  });

  it("finds nothing between runs of the same program in 95 % of cases", () => {
    let alarms = 0;
    for (let i = 0; i < 200; i++)
      if (verdicts(compare(times(6, program), times(6, program))).length > 0) alarms++;
    expect(alarms).toBeLessThanOrEqual(12);
  });

  /** Runs of a busy machine: each takes another time as a whole. */
  const busy = (rows: Readonly<Record<string, number>>, loads: readonly number[]) =>
    loads.map((load) =>
      run(Object.entries(rows).map(([key, ticks]) => row(key, Math.round(ticks * load) + (ticks % 7)))),
    );

  it("finds a new function with most of the time in runs of a busy machine, by what a run takes", () => {
    const rest = { a: 400, b: 300, c: 200, d: 150, e: 100 };
    const diff = compare(busy(rest, [1, 1.3, 0.8]), busy({ ...rest, compute: 2560 }, [0.9, 1.25, 1.05]));
    expect(diff.judgedBy).toBe("run");
    expect(verdicts(diff)).toEqual(["compute new"]);
    expect(diff.rows[0]!.perRun.self.low).toBeGreaterThan(0);
  });

  it("calls no code slower that takes as long as before beside a fix of most of the time", () => {
    const rest = { a: 160, b: 140, c: 120, d: 100, e: 80 };
    const diff = compare(
      busy({ ...rest, slow: 1800 }, [1, 1.2, 0.85]),
      busy({ ...rest, slow: 60 }, [1.35, 1, 1.2]),
    );
    expect(diff.judgedBy).toBe("run");
    expect(verdicts(diff)).toEqual(["slow faster"]);
  });

  it("finds half more of a tenth in commands on a busy machine, by what it takes beside the rest", () => {
    const program = { a: 200, b: 180, c: 160, d: 140, e: 120, f: 100, g: 80 };
    const ended = (runs: readonly RunSummary[]) =>
      runs.map((one) => ({
        ...one,
        cpu: { all: one.ticks * 1000, sampled: one.ticks * 1000, isWhole: true },
      }));
    const before = ended(busy(program, [0.8, 1.3, 1]));
    const changed = (of: typeof program) => ended(busy(of, [1.2, 0.85, 1.05]));
    const diff = compare(before, changed({ ...program, f: 150 }));
    expect(diff.judgedBy).toBe("run");
    expect(verdicts(diff)).toEqual(["f slower"]);
    expect(diff.rows[0]!.perRun.self.low).toBeGreaterThan(0);
    expect(verdicts(compare(before, changed(program)))).toEqual([]);
  });

  it("finds half more of a tenth where a busy machine slows each function otherwise, and nothing without it", () => {
    const program = { a: 260, b: 240, c: 200, d: 160, e: 120, f: 100, g: 80, h: 70, i: 60, j: 50 };
    // Code that waits for memory suffers most from what runs beside it.
    const sensitivity = (key: string) => 0.2 + 0.2 * (key.charCodeAt(0) - 97);
    const runs = (loads: readonly number[], of: Record<string, number>) =>
      loads.map((load, i) => {
        const one = run(
          Object.entries(of).map(([key, ticks], k) =>
            row(key, Math.round(ticks * load ** sensitivity(key)) + (((i + 1) * (k + 2)) % 5) - 2),
          ),
        );
        return { ...one, cpu: { all: one.ticks * 1000, sampled: one.ticks * 1000, isWhole: true } };
      });
    const before = runs([0.7, 1.4, 1], program);
    const diff = compare(before, runs([1.35, 0.75, 0.95], { ...program, a: 390 }));
    expect(diff.judgedBy).toBe("run");
    expect(verdicts(diff)).toEqual(["a slower"]);
    expect(verdicts(compare(before, runs([1.35, 0.75, 0.95], program)))).toEqual([]);
    // It tells nothing of a function that has hardly a tick in some runs.
    const rare = compare(
      runs([0.7, 1.4, 1], { ...program, k: 6 }),
      runs([1.35, 0.75, 0.95], { ...program, k: 9 }),
    );
    expect(verdicts(rare)).toEqual([]);
  });

  it("puts the function that takes the time before the changed one that calls it", () => {
    const side = (text: string, ticks: number) =>
      [1, 1.1, 0.9].map((load) =>
        run([
          row("main", 20, { total: 20 + ticks * load, sourceHash: text }),
          row("work", Math.round(ticks * load)),
          row("rest", Math.round(400 * load)),
        ]),
      );
    const diff = compare(side("old", 2000), side("new", 300));
    expect(verdicts(diff)).toEqual(["work faster", "main faster"]);
  });

  it("judges by shares if runs did another amount of work, or take about as long", () => {
    const rows = { a: 900, b: 700, c: 500, d: 400, e: 300, f: 200 };
    const twice = Object.fromEntries(Object.entries(rows).map(([key, ticks]) => [key, 2 * ticks]));
    const loads = [1, 1.02, 0.98];
    const longer = compare(busy(rows, loads), busy(twice, loads));
    expect([longer.judgedBy, verdicts(longer)]).toEqual(["share", []]);
    expect(longer.lengthRatio).toBeCloseTo(2, 1);
    expect(compare(busy(rows, loads), busy(rows, [0.99, 1, 1.03])).judgedBy).toBe("share");
  });

  it("judges by time if commands that ended by themselves take surely more, whatever the machine made of the rest", () => {
    const rest = { a: 160, b: 140, c: 120, d: 100, e: 80 };
    const [fast, slow] = [
      [0.7, 0.71, 0.69],
      [1, 1.01, 0.99],
    ] as const;
    const ended = (runs: readonly RunSummary[], isWhole: boolean) =>
      runs.map((one) => ({ ...one, cpu: { all: one.ticks * 1000, sampled: one.ticks * 1000, isWhole } }));
    const of = (isWhole: boolean) =>
      compare(ended(busy(rest, slow), isWhole), ended(busy({ ...rest, made: 3000 }, fast), isWhole));
    expect([of(true).judgedBy, verdicts(of(true))]).toEqual(["run", ["made new"]]);
    // Somebody stopped them: that the rest took less may be less work.
    expect(of(false).judgedBy).toBe("share");
    // All of the change is that of the work.
    const twice = Object.fromEntries(Object.entries(rest).map(([key, ticks]) => [key, 2 * ticks]));
    expect(compare(ended(busy(rest, slow), true), ended(busy(twice, slow), true)).judgedBy).toBe("share");
  });

  it("finds nothing between a set of runs and itself, and the opposite the other way round", () => {
    const [before, after] = [times(5, program), times(4, () => program(1.5))];
    const same = compare(before, before);
    expect(verdicts(same)).toEqual([]);
    expect(same.rows.every(({ self }) => self.change === 0)).toBe(true);
    const [there, back] = [compare(before, after), compare(after, before)];
    const ofKey = new Map(back.rows.map((one) => [one.name.key, one]));
    for (const { name, self } of there.rows) {
      const other = ofKey.get(name.key)!.self;
      expect(other.change).toBeCloseTo(-self.change, 10);
      expect(other.low).toBeCloseTo(-self.high, 10);
      expect(other.rate).toBeCloseTo(self.rate!, 10);
    }
    expect(there.rows.reduce((sum, { self }) => sum + self.change, 0)).toBeCloseTo(0, 10);
  });

  it("takes an interval that is wider for fewer runs", () => {
    const width = (runs: number) => {
      const [{ self }] = compare(times(runs, program), times(runs, program)).rows as [Diff["rows"][0]];
      return self.high - self.low;
    };
    expect(width(3)).toBeGreaterThan(width(12));
  });

  it("says what is new and what is gone", () => {
    const with_ = (key: string) => times(6, () => run([...program().rows, row(key, 500)]));
    expect(verdicts(compare(times(6, program), with_("x"))).includes("x new")).toBe(true);
    expect(verdicts(compare(with_("x"), times(6, program))).includes("x gone")).toBe(true);
  });

  it("gives no verdict for one run a side, but says how many would", () => {
    const diff = compare([program()], [program(1.2)]);
    expect(diff.hasVerdict).toBe(false);
    expect(verdicts(diff)).toEqual([]);
    expect(diff.rows[0]!.self.low).toBeLessThan(diff.rows[0]!.self.change);
    expect(diff.runsNeeded).toBeGreaterThan(1);
    expect(diff.runsNeeded).toBeLessThan(20);
    expect(compare([program()], times(6, program)).hasVerdict).toBe(false);
  });

  it("compares runs at two sampling rates by time", () => {
    const slow = () => ({ ...program(1, 1000), interval: 10_000 });
    const diff = compare(times(6, program), times(6, slow), "cpu");
    expect(diff.scale.unit).toBe("ms");
    expect(diff.rows.every(({ self }) => Math.abs(self.change) < 150)).toBe(true);
    expect(verdicts(diff)).toEqual([]);
  });

  it("compares the time of units of work", () => {
    const options = { scale: { name: "cpu", per: [1000, 2000] } } as const;
    const diff = compareRuns(
      times(6, program),
      times(6, () => program(1, 20_000)),
      options,
    )!;
    expect(diff.scale.unit).toBe("ms-per-unit");
    expect(verdicts(diff)).toEqual([]);
    expect(diff.rows[0]!.self.before).toBeCloseTo(1, 0);
  });

  it("does not let one function that grew make the others look faster, by median ratios", () => {
    const [before, after] = [times(6, program), times(6, () => program(4))];
    // Shares of the others fall from 10 % to 8 %; that is no verdict on them.
    expect(verdicts(compare(before, after)).length).toBeLessThanOrEqual(2);
    expect(verdicts(compare(before, after, "unchanged"))).toContain("f0 slower");
    expect(
      compareRuns([run([row("a", 9)])], [run([row("b", 9)])], { scale: { name: "unchanged" } }),
    ).toBeUndefined();
  });

  /** Twelve functions of a loop with as much work, and twelve of the start; the first of the loop times a factor. */
  function started(work: number, factor = 1): RunSummary {
    const count = (mean: number) => Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
    const loop = Array.from({ length: 12 }, (_, i) =>
      row(`loop${i}`, count(800 * work * (i === 0 ? factor : 1))),
    );
    const start = Array.from({ length: 8 }, (_, i) => row(`start${i}`, count(300)));
    // A part of what compiles is compiled once.
    const compile = Array.from({ length: 4 }, (_, i) => row(`compile${i}`, count(100 + 100 * work)));
    return run([...loop, ...start, ...compile]);
  }
  const startedRuns = (work: number, factor = 1) => times(6, () => started(work, factor));

  it.each([2, 0.5, 5])("finds nothing in runs that do the same %d times as often", (work) => {
    let alarms = 0;
    for (let i = 0; i < 40; i++) {
      const diff = compare(startedRuns(1), startedRuns(work));
      if (verdicts(diff).length > 0) alarms++;
      expect(diff.lengthRatio / work).toBeGreaterThan(0.95);
      expect(diff.lengthRatio / work).toBeLessThan(1.05);
      expect(diff.changedByLength).toBeGreaterThanOrEqual(8);
    }
    expect(alarms).toBeLessThanOrEqual(2);
  });

  it("finds what grew by a fifth in runs of another length", () => {
    const { found, others } = findings(40, "loop0", () => [startedRuns(1), startedRuns(2, 1.2)]);
    expect(found).toBeGreaterThanOrEqual(36);
    expect(others).toBeLessThanOrEqual(2);
  });

  it("takes no length into account that is that of the change", () => {
    // One function of ten takes four times as long: the runs are longer, but most code takes as long as before.
    const diff = compare(
      times(6, program),
      times(6, () => program(4)),
    );
    expect([diff.lengthRatio, diff.changedByLength]).toEqual([1, 0]);
    expect(verdicts(diff)).toContain("f0 slower");
  });

  it("renames rows of the first side", () => {
    const renamed = times(4, () =>
      run(program().rows.map((one) => row(one.key.replace("f", "g"), one.self))),
    );
    const rename = <Name extends { key: string; family: string }>(name: Name) => {
      const key = name.key.replace("f", "g");
      return { ...name, key, family: key };
    };
    const diff = compareRuns(times(4, program), renamed, { scale: { name: "share" }, rename })!;
    expect(diff.matched).toBe(1);
    expect(diff.rows[0]!.nameBefore?.key).toMatch(/^g/);
  });

  it("tells functions of one name by their places in profiles, which have only those with samples", () => {
    /** Two arrow functions; of every other run the first has no samples, so that the second is called like it. */
    const arrows = (second: number, first: number) => {
      const at = (line: number, ordinal: number, self: number) =>
        row(`a.js <anonymous>${ordinal > 1 ? `#${ordinal}` : ""}`, self, {
          family: "a.js <anonymous>",
          title: "<anonymous>",
          file: "a.js",
          line,
          column: 1,
          ordinal,
        });
      const own = first === 0 ? [at(90, 1, second)] : [at(10, 1, first), at(90, 2, second)];
      return { ...run([...program().rows, ...own]), input: "pprof" as const };
    };
    const runs = (first: number) => times(4, () => arrows(1000, first));
    expect(verdicts(compare(runs(4), runs(0)))).toEqual([]);
    const mixed = compare([...runs(4), ...runs(0)], [...runs(0), ...runs(4)]);
    const counts = mixed.rows.flatMap(({ name, runs: { before } }) =>
      name.line === undefined ? [] : [`${name.key}: ${before.filter((one) => one !== undefined).length}`],
    );
    expect(counts.sort()).toEqual(["a.js <anonymous>#2: 8", "a.js <anonymous>: 4"]);
  });

  it("says which files have another name after", () => {
    const of = (file: string) =>
      run(
        ["f", "g", "h"].map((title) =>
          row(`${file} ${title}`, 500, { family: `${file} ${title}`, title, file }),
        ),
      );
    const diff = compare(
      times(3, () => of("app.js")),
      times(3, () => of("server.js")),
    );
    expect(diff.renamedFiles).toEqual([{ before: "app.js", after: "server.js", rows: 3 }]);
    expect([diff.matched, verdicts(diff)]).toEqual([1, []]);
    expect(compare([of("app.js")], [of("app.js")]).renamedFiles).toEqual([]);
  });

  it("does not call code slower that a busier machine slows most, beside a fix of most of a run", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const at = (load: number, fixed: number, i: number) => {
      const own = (key: string, self: number) => row(key, Math.round(self), { family: key, title: key });
      const rest = names.map((key, n) => own(`x.js ${key}`, (200 + 10 * n + ((7 * i + 3 * n) % 5)) * load));
      const summary = run([...rest, own("x.js sensitive", 150 * load ** 3), own("x.js slow", fixed)]);
      return { ...summary, cpu: { all: summary.ticks * 1000, sampled: summary.ticks * 1000, isWhole: true } };
    };
    const before = [0.9, 0.95, 1, 1.05, 1.1, 1].map((load, i) => at(load, 9000, i));
    const after = [1.05, 1.1, 1.15, 1.2, 1.25, 1.15].map((load, i) => at(load, 10, i));
    const diff = compare(before, after);
    expect(diff.judgedBy).toBe("run");
    expect(diff.rows.filter(({ self }) => self.verdict === "slower").map(({ name }) => name.key)).toEqual([]);
  });

  it("knows renamed files by their functions where whole files are compared", () => {
    const of = (file: string, key: (title: string) => string) =>
      times(3, () => run(["f", "g", "h"].map((title) => row(key(title), 500, { title, file }))));
    const functions = (file: string) => of(file, (title) => `${file} ${title}`);
    const files = newNamesOfFiles([functions("app.js"), functions("server.js")], {});
    expect(Array.from(files)).toEqual([["app.js", "server.js"]]);
    const whole = (file: string) => times(3, () => run([row(file, 500, { title: file, file })]));
    const by = (names?: ReadonlyMap<string, string>) =>
      compareRuns(whole("app.js"), whole("server.js"), { scale: { name: "share" }, files: names })!;
    expect(by(files).rows.map(({ name, nameBefore }) => [nameBefore?.key, name.key])).toEqual([
      ["app.js", "server.js"],
    ]);
    expect(by().rows).toHaveLength(2);
  });

  it("finds a change of own code though each run collects garbage for another time", () => {
    /** V8 takes between a quarter and two fifths of a run. */
    const noisy = (factor = 1) => {
      const own = program(factor, 5000);
      const part = 0.25 + 0.15 * random();
      const gc = row("gc", Math.round((own.ticks * part) / (1 - part)), {
        origin: "v8",
        package: undefined,
      });
      return run([...own.rows, gc]);
    };
    const { found, others } = findings(40, "f0", () => [times(6, noisy), times(6, () => noisy(1.2))]);
    let alarms = 0;
    for (let i = 0; i < 40; i++) if (verdicts(compare(times(6, noisy), times(6, noisy))).length > 0) alarms++;
    expect(found).toBeGreaterThanOrEqual(32);
    expect(others).toBeLessThanOrEqual(4);
    expect(alarms).toBeLessThanOrEqual(4);
  });
});

describe("the causes of a change", () => {
  /** Runs in which f0 takes a tenth, or a third with these facts. */
  const slow = (rest: (self: number) => Partial<RunRow>) =>
    times(6, () => {
      const rows = program(3).rows.map((one, i) => (i === 0 ? { ...one, ...rest(one.self) } : one));
      return run(rows);
    });
  const fast = (rest: (self: number) => Partial<RunRow>) =>
    times(6, () => {
      const rows = program().rows.map((one, i) => (i === 0 ? { ...one, ...rest(one.self) } : one));
      return run(rows);
    });
  const causes = (before: readonly RunSummary[], after: readonly RunSummary[]) =>
    compare(before, after).rows.find(({ name }) => name.key === "f0")!.causes;
  const tiers = (slowShare: number) => (self: number) => {
    const slowTicks = Math.round(self * slowShare);
    return { tiers: [0, slowTicks, 0, 0, 0, self - slowTicks] };
  };

  it("are slower tiers and deoptimizations", () => {
    const deopts = [{ reason: "wrong map", count: 3 }];
    const found = causes(
      fast(tiers(0)),
      slow((self) => ({ ...tiers(0.6)(self), deopts })),
    );
    expect(found).toEqual([
      { kind: "slow-tiers", before: 0, after: expect.closeTo(0.6, 2) },
      { kind: "deopts", before: 0, after: 3, reason: "wrong map" },
    ]);
  });

  it("are inlining, garbage collection and another source", () => {
    const found = causes(
      fast((self) => ({ inlined: self, sourceHash: "1" })),
      slow((self) => ({ gc: Math.round(self * 0.8), sourceHash: "2" })),
    );
    expect(found.map(({ kind }) => kind)).toEqual(["source", "inlining", "gc"]);
  });

  it("are none if nothing changed with it, or nothing changed", () => {
    expect(
      causes(
        fast(() => ({})),
        slow(() => ({})),
      ),
    ).toEqual([]);
    expect(causes(fast(tiers(0)), fast(tiers(1)))).toEqual([]);
  });

  /** Two functions under one caller, f0 and f1, of which the second takes what the first leaves. */
  const moved = (first: number) =>
    times(6, () => {
      const all = program().rows.slice(2);
      const noise = Math.round(20 * normal());
      const caller = { ...row("caller", 0), total: 4000 + Math.round(20 * normal()) };
      const self = first + noise;
      const own = { total: self, callers: [0, self] };
      const other = 4000 - self;
      return run([
        caller,
        row("f0", self, own),
        row("f1", other, { total: other, callers: [0, other] }),
        ...all,
      ]);
    });

  it("are the other function that lost as much under the same caller", () => {
    const diff = compare(moved(1000), moved(2000));
    const [first] = diff.rows.filter(({ name }) => name.key === "f0");
    expect(first!.verdict).toBe("slower");
    expect(first!.causes).toMatchObject([{ kind: "moved", other: { key: "f1" }, caller: { key: "caller" } }]);
  });

  it("are the callee, for a row that changed only in total", () => {
    const make = (factor: number) =>
      times(6, () => {
        const rows = program(factor).rows;
        const own = rows[0]!;
        const called = { ...own, callers: [10, own.self] };
        return run([called, ...rows.slice(1), { ...row("caller", 0), total: own.self }]);
      });
    const caller = compare(make(1), make(2)).rows.find(({ name }) => name.key === "caller")!;
    expect([caller.self.verdict, caller.total.verdict]).toEqual(["same", "slower"]);
    expect(caller.causes).toMatchObject([{ kind: "callee", callee: { key: "f0" } }]);
  });
});

describe("the usual spread of functions", () => {
  it("learns nothing from a function that is on every stack", () => {
    const sides = [times(6, program), times(6, () => program(1.5))] as const;
    const [before, after] = sides.map((runs) =>
      runs.map((one) => run([...one.rows, row("main", 0, { total: one.ticks })])),
    );
    const intervals = ({ rows }: Diff) =>
      rows.flatMap(({ name, self }) => (name.key === "main" ? [] : [`${name.key} ${self.low} ${self.high}`]));
    expect(intervals(compare(before!, after!))).toEqual(intervals(compare(...sides)));
  });
});

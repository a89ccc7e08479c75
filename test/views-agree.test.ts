import { describe, expect, it } from "vitest";
import { runSummary } from "../src/compare/run-summary.ts";
import { EXPORTERS } from "../src/exports/exporters.ts";
import { Analysis } from "../src/facts/analysis.ts";
import { filterProfile, type ProfileFilter, withoutWaits } from "../src/facts/filter-profile.ts";
import { functionDetails } from "../src/facts/function-details.ts";
import { FunctionStacks } from "../src/facts/function-stacks.ts";
import { SourceTexts } from "../src/facts/source-texts.ts";
import { topOf } from "../src/facts/top.ts";
import { callTree, hotLines, timelineOf, topOf as topOfLibrary } from "../src/library/profile-views.ts";
import { REPORTERS } from "../src/library/reporter-table.ts";
import type { Profile } from "../src/profile/profile.ts";
import { shownStacks } from "../src/profile/shown-stacks.ts";
import { jsonFunction } from "../src/reports/json.ts";
import { THREADS } from "../src/reports/threads.ts";
import { TIMELINE } from "../src/reports/timeline.ts";
import { TOP } from "../src/reports/top.ts";
import { FIXTURE_NAMES, fixtureProfile, fixturesByTurns, WHOLE } from "./helpers/fixtures.ts";
import { jsonOf } from "./helpers/reports.ts";
import { expectValid } from "./helpers/schema.ts";

const FILTERS: readonly ProfileFilter[] = [
  {},
  { idle: false },
  { only: ["js"] },
  { only: ["deps"] },
  { states: ["gc"] },
];

type Counts = Readonly<Record<string, number>>;

/** The ticks of each category by what each command prints of a profile. */
function categoriesBy(profile: Profile): Record<string, Counts> {
  const top = jsonOf(TOP, profile, { limit: 10 });
  const timeline = jsonOf(TIMELINE, profile, { limit: 5 });
  const list = jsonOf(THREADS, profile);
  expectValid("timeline", timeline);
  expectValid("threads", list);
  const rows: { category: string; ticks: number }[] = top.breakdown;
  return {
    top: nonzero(rows.map(({ category, ticks }) => [category, ticks])),
    "timeline lanes": nonzero(
      timeline.threads.flatMap(({ lanes }: { lanes: Record<string, number[]> }) =>
        Object.entries(lanes).map(([lane, ticks]) => [lane, ticks.reduce((sum, count) => sum + count, 0)]),
      ),
    ),
    "threads of timeline": nonzero(timeline.threads.flatMap(categoriesOf)),
    threads: nonzero(list.threads.flatMap(categoriesOf)),
    "threads of top": nonzero(top.threads.flatMap(categoriesOf)),
  };
}

const categoriesOf = ({ categories }: { categories: Counts }) => Object.entries(categories);

/** Sums by name, without names that have nothing. */
function nonzero(counts: readonly (readonly [string, number])[]): Counts {
  const sums: Record<string, number> = {};
  for (const [name, count] of counts) if (count > 0) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

describe("every view has the same ticks in each category", () => {
  for (const [name, filters] of fixturesByTurns(FILTERS)) {
    it(`of ${name}`, async () => {
      const whole = shownStacks(await fixtureProfile(name, WHOLE));
      for (const filter of filters) {
        const { top, ...others } = categoriesBy(Analysis.of(filterProfile(whole, filter)));
        for (const [view, counts] of Object.entries(others)) expect(counts, view).toEqual(top);
      }
    });
  }
});

/** A function of a JSON document. */
interface JsonFunction {
  readonly name: string;
  readonly kind: string;
  readonly file: string;
  readonly line: number | null;
}

const keyOf = ({ name, kind, file, line }: JsonFunction) => `${kind} ${name} ${file}:${line}`;

/** Self ticks by function, without functions that have none. */
function selfBy<Row>(
  rows: readonly Row[],
  functionOf: (row: Row) => JsonFunction | null,
  ticksOf: (row: Row) => number,
) {
  return nonzero(
    rows.flatMap((row): [string, number][] => {
      const found = functionOf(row);
      return found === null ? [] : [[keyOf(found), ticksOf(row)]];
    }),
  );
}

async function documentOf(lines: AsyncIterable<string>) {
  let text = "";
  for await (const line of lines) text += `${line}\n`;
  return JSON.parse(text);
}

/** The functions whose pages are looked at: all would take minutes. */
const PAGES = 25;

/** Self and total ticks. */
type Weights = Readonly<Record<string, string>>;

/** A line of a JSON document, or a function's ticks at unknown lines. */
interface JsonLine {
  readonly file: string | null;
  readonly line: number | null;
  readonly loop?: number;
  readonly function: JsonFunction & { readonly column: number | null };
  readonly self: number;
  readonly total: number;
}

/** What each report says of each line of each function. */
function weightsOf(lines: readonly JsonLine[]): Weights {
  return Object.fromEntries(
    lines.map(({ file, line, loop, function: of, self, total }) => {
      const owner = `${keyOf(of)}:${of.column}`;
      const place = line ? `${file}:${line} ` : loop === undefined ? "" : `${file ?? of.file} loop ${loop} `;
      return [`${place}${owner}`, `self ${self}, total ${total}`];
    }),
  );
}

/** Returns the entries of one list that another has too. */
function shared(some: Weights, others: Weights): Weights {
  return Object.fromEntries(Object.entries(some).filter(([key]) => key in others));
}

describe("every view has the same self and total ticks", () => {
  for (const name of FIXTURE_NAMES) {
    let loaded: Promise<Analysis> | undefined;
    // As reports have it: without what waited.
    const loading = () =>
      (loaded ??= fixtureProfile(name, WHOLE).then((whole) => Analysis.of(withoutWaits(shownStacks(whole)))));
    let topLoaded: ReturnType<typeof documentOf> | undefined;
    const loadingTop = async () =>
      (topLoaded ??= documentOf(REPORTERS.top.json(await loading(), { limit: 1e6 })));

    it(`at each line of ${name}`, async () => {
      const profile = await loading();
      const all: JsonLine[] = (await documentOf(REPORTERS.lines.json(profile))).lines;
      const top = await loadingTop();
      const wanted = weightsOf(all);
      for (const { lines, functionsWithoutLine } of [top, top.app]) {
        const found = weightsOf([
          ...lines,
          ...functionsWithoutLine.map((row: JsonLine) => ({ ...row, file: row.function.file, line: null })),
        ]);
        expect(Object.keys(found).length).toBe(lines.length + functionsWithoutLine.length);
        expect(shared(wanted, found)).toEqual(found);
      }
      const stacks = new FunctionStacks(profile);
      const { functions } = stacks.table;
      const sources = new SourceTexts(profile.sources, () => undefined);
      const { total } = profile.functionTicks;
      const ids = Array.from(functions.keys()).filter((id) => functions[id]!.frame.kind === "js");
      for (const id of ids.sort((a, b) => total[b]! - total[a]!).slice(0, PAGES)) {
        const owner = jsonFunction(functions[id]!);
        const { lines } = functionDetails(profile, id, { stacks, sources });
        const placed = lines.filter(({ line, file }) => line !== 0 && file !== undefined);
        const found = placed.map(({ file, line, self, total }) => [
          `${file}:${line} ${keyOf(owner)}:${owner.column}`,
          `self ${self}, total ${total}`,
        ]);
        expect(found).toEqual(found.map(([key]) => [key, wanted[key!]]));
      }
    });

    it(`in each function of ${name}`, async () => {
      const profile = await loading();
      const { functions } = await loadingTop();
      const tree = await documentOf(REPORTERS.tree.json(profile, { minPercent: 0 }));
      type Row = {
        parent: number | null;
        function: JsonLine["function"] | null;
        self: number;
        total: number;
      };
      type OwnRow = JsonFunction & { self: number };
      type HeavyRow = { depth: number; function: JsonFunction | null; ticks: number };
      const sums = new Map<string, { self: number; total: number }>();
      const keyAt = (row: Row) =>
        row.function === null ? "" : `${keyOf(row.function)}:${row.function.column}`;
      for (const row of tree.rows as Row[]) {
        const key = keyAt(row);
        if (key === "") continue;
        const sum = sums.get(key) ?? { self: 0, total: 0 };
        sums.set(key, sum);
        sum.self += row.self;
        let isOutermost = true;
        for (let at = row.parent; at !== null && isOutermost; at = tree.rows[at].parent)
          isOutermost = keyAt(tree.rows[at]) !== key;
        if (isOutermost) sum.total += row.total;
      }
      const text = ({ self, total }: { self: number; total: number }) => `self ${self}, total ${total}`;
      const inTree = Object.fromEntries(Array.from(sums, ([key, sum]) => [key, text(sum)]));
      const inTop: [string, string][] = functions.byTotal.map((row: Row & JsonLine["function"]) => [
        keyAt({ ...row, function: row }),
        text(row),
      ]);
      const isUnique = ([key]: [string, string]) => inTop.filter(([other]) => other === key).length === 1;
      const wanted = Object.fromEntries(inTop.filter(isUnique));
      expect(shared(inTree, wanted)).toEqual(wanted);
      // Pages of functions say what functionTicks() has; top leaves out Node's functions above the program.
      const { table } = new FunctionStacks(profile);
      const ticks = profile.functionTicks;
      const ofPages = Object.fromEntries(
        table.functions.map((of, id): [string, string] => [
          `${keyOf(jsonFunction(of))}:${of.column ?? null}`,
          text({ self: ticks.self[id]!, total: ticks.total[id]! }),
        ]),
      );
      expect(shared(ofPages, wanted)).toEqual(wanted);
      const byTop = selfBy(
        functions.bySelf,
        (row: OwnRow) => row,
        (row) => row.self,
      );
      expect(
        selfBy(
          tree.rows as Row[],
          (row) => row.function,
          (row) => row.self,
        ),
      ).toEqual(byTop);
      const heavy = await documentOf(REPORTERS.tree.json(profile, { minPercent: 0, heavy: true, depth: 1 }));
      const leaves = (heavy.rows as HeavyRow[]).filter(({ depth }) => depth === 0);
      expect(
        selfBy(
          leaves,
          (row) => row.function,
          (row) => row.ticks,
        ),
      ).toEqual(byTop);
    });

    it(`in each file and package of ${name}`, async () => {
      const profile = await loading();
      const packages = topOf(profile, 1e6).packages.rows.filter(({ origin }) => origin !== undefined);
      const runs = runSummary(profile, "package").rows.filter(({ origin }) => origin !== undefined);
      const text = (of: string | undefined, own: number, total: number) => `${of}: ${own} of ${total}`;
      expect(runs.map((row) => text(row.package, row.self, row.total)).sort()).toEqual(
        packages.map(({ origin, ticks, total }) => text(origin!.name, ticks, total)).sort(),
      );
      const self = new Map<string | undefined, number>();
      for (const row of runSummary(profile, "function").rows)
        self.set(row.file, (self.get(row.file) ?? 0) + row.self);
      const ofFiles = new Map<string | undefined, number>();
      for (const row of runSummary(profile, "file").rows) {
        ofFiles.set(row.file, (ofFiles.get(row.file) ?? 0) + row.self);
        expect(row.total).toBeGreaterThanOrEqual(row.self);
      }
      expect(ofFiles).toEqual(self);
    });
  }
});

/** The ticks of JavaScript functions alone, by what each view and export says of the same log. */
async function javascript(profile: Profile): Promise<Counts> {
  const lines = await documentOf(REPORTERS.lines.json(profile));
  const doctor = await documentOf(REPORTERS.doctor.json(profile));
  const isFunction = ({ kind }: { kind: string }) => kind === "js";
  const folded = await leavesOf(profile);
  return {
    "lines --json": lines.self,
    "hot lines": hotLines(profile).reduce((sum, { self }) => sum + self, 0),
    "doctor --json": doctor.coverage.find((row: { category: string }) => row.category === "js").ticks,
    "functions of the library": topOfLibrary(profile)
      .functions.bySelf.filter((row) => row.function.frame.kind === "js")
      .reduce((sum, { self }) => sum + self, 0),
    "tree of the library": callTree(profile, { minPercent: 0 })
      .rows.filter(({ callable }) => callable.kind === "function" && isFunction(callable.function.frame))
      .reduce((sum, { self }) => sum + self, 0),
    "tiers of top": tiersOf(profile),
    "collapsed stacks": folded,
  };
}

/** Self ticks with a tier. */
function tiersOf(profile: Profile): number {
  return topOfLibrary(profile)
    .functions.bySelf.flatMap(({ tiers }) => tiers)
    .reduce((sum, { ticks }) => sum + ticks, 0);
}

/** The ticks of exported stacks that end with a function. */
async function leavesOf(profile: Profile): Promise<number> {
  let text = "";
  for await (const chunk of EXPORTERS.find(({ name }) => name === "collapsed")!.export(profile))
    text += chunk;
  return text.split("\n").reduce((sum, line) => {
    const leaf = /(?:^|;)(?:JS|LazyCompile|Function|Script|Eval): [^;]*_\[[ij]\] (\d+)$/.exec(line);
    return sum + Number(leaf?.[1] ?? 0);
  }, 0);
}

describe("every view has the same ticks in JavaScript", () => {
  for (const name of FIXTURE_NAMES) {
    it(`of ${name}`, async () => {
      const profile = await fixtureProfile(name, WHOLE);
      const { "lines --json": wanted, ...same } = await javascript(profile);
      for (const [view, ticks] of Object.entries(same)) expect(ticks, view).toBe(wanted);
    });
  }

  it("and none of an interpreted log in its bytecode handlers, unless they are wanted", async () => {
    const profile = await fixtureProfile("node-26-jitless", { timeline: true, inlines: true });
    const handlers = async (options: { separateBytecodes?: boolean }) => {
      const { functions } = await documentOf(REPORTERS.top.json(profile, { limit: 1e6, ...options }));
      return functions.bySelf
        .filter(({ kind }: JsonFunction) => kind === "bytecode-handler")
        .reduce((sum: number, { self }: { self: number }) => sum + self, 0);
    };
    // Of ten ticks, five are in functions of Node's snapshot.
    expect([await handlers({}), await handlers({ separateBytecodes: true })]).toEqual([5, 10]);
    const lane = (options: { separateBytecodes?: boolean }) =>
      timelineOf(profile, options).flatMap(({ lanes }) => Array.from(lanes.get("js") ?? []));
    const sum = (ticks: readonly number[]) => ticks.reduce((all, some) => all + some, 0);
    expect([sum(lane({})), sum(lane({ separateBytecodes: true }))]).toEqual([5, 0]);
  });
});

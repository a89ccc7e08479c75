import { describe, expect, it } from "vitest";
import { Analysis } from "../../../src/facts/analysis.ts";
import { FunctionTable } from "../../../src/facts/function-table.ts";
import { lineTicks } from "../../../src/facts/line-ticks.ts";
import { type Chart, leftHeavyChart } from "../../../src/flame-page/chart.ts";
import { amount, type FactScale, frameFacts } from "../../../src/flame-page/frame-facts.ts";
import { type FunctionSums, sandwichOf } from "../../../src/flame-page/graph.ts";
import type { Model } from "../../../src/flame-page/model.ts";
import { lineTicks as sourceLineTicks, unknownLine } from "../../../src/flame-page/source-line-ticks.ts";
import { keepSamples } from "../../../src/profile/filter.ts";
import { mergeProfiles } from "../../../src/profile/merge.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { fixtureProfile, SOME_FIXTURES, WHOLE } from "../../helpers/fixtures.ts";
import { modelOf, shownOf } from "../../helpers/flame.ts";

/** The frames that only the page has. Those of the collector, and those that the thread waited in, are below them. */
const MADE_UP = ["(garbage collection)", "(idle)"];

/** The functions of a profile as `ticks top` and `ticks function` count them: `file:line:column self/total`. */
function profileNumbers(profile: Profile): string[] {
  const table = new FunctionTable(profile.frames);
  const { self, total } = Analysis.of(profile).functionTicks;
  return table.functions
    .map(({ file = "", line = 0, column = 0 }, id) => `${file}:${line}:${column} ${self[id]}/${total[id]}`)
    .filter((_, id) => total[id]! > 0)
    .sort();
}

/** The same functions as the list of the page has them. */
function listNumbers({ functions, data }: Model, { self, total }: FunctionSums): string[] {
  return functions.titles
    .map((_, id) => {
      const file = data.files[functions.file[id]!] ?? "";
      return `${file}:${functions.line[id]}:${functions.column[id]} ${self[id]}/${total[id]}`;
    })
    .filter((_, id) => total[id]! > 0 && !MADE_UP.includes(functions.titles[id]!))
    .sort();
}

/** Expects the panel to say of each frame of a chart what the list says of its function. */
function expectPanel(model: Model, chart: Chart, boxes: Iterable<number>, scale: FactScale): void {
  const { all, sums } = scale;
  for (const box of boxes) {
    const id = chart.graph.function[chart.node[box]!]!;
    expect(frameFacts(model, chart, box, scale).amounts.slice(0, 2)).toEqual([
      { name: "Total", text: amount(sums.total[id]!, all, model.data.unit) },
      { name: "Self", text: amount(sums.self[id]!, all, model.data.unit) },
    ]);
  }
}

describe.each(SOME_FIXTURES)("the page of %s", (name) => {
  const loading = fixtureProfile(name, WHOLE);

  it("has the numbers of the profile's functions in its list and its panel", async () => {
    const profile = await loading;
    const some = keepSamples(profile, (sample) => sample % 3 !== 0);
    for (const own of [profile, some, mergeProfiles([profile, some])]) {
      const model = modelOf(own);
      const { graph, sums } = shownOf(model);
      expect(listNumbers(model, sums)).toEqual(profileNumbers(own));
      const chart = leftHeavyChart(graph);
      const scale = { all: graph.total[0]!, sums, isCallers: false };
      expectPanel(model, chart, Array.from({ length: chart.length }, (_, box) => box).slice(1), scale);
    }
  });

  it("has the same numbers between callers and callees", async () => {
    const model = modelOf(await loading);
    const { graph, sums } = shownOf(model);
    const hottest = Array.from(sums.total.keys()).sort((a, b) => sums.total[b]! - sums.total[a]!);
    for (const id of hottest.slice(0, 20)) {
      const { callers, callees } = sandwichOf(graph, id, model.functions.titles);
      for (const half of [callers, callees]) {
        const scale = { all: graph.total[0]!, sums, isCallers: half === callers };
        expectPanel(model, leftHeavyChart(half), half.length > 1 ? [0, 1] : [0], scale);
        expect(half.total[0]).toBe(sums.total[id]);
      }
    }
  });

  it("has the numbers of `ticks lines` beside its sources", async () => {
    const profile = await loading;
    const model = modelOf(profile);
    const shown = shownOf(model);
    const lines = lineTicks(profile);
    for (const { after: file } of model.data.sources) {
      const own = lines.filter((row) => row.file === model.data.files[file]);
      const found = Array.from(sourceLineTicks(model, shown, file));
      const texts = (rows: readonly { line: number; self: number; total: number }[]) =>
        rows
          .filter(({ line }) => line > 0)
          .map(({ line, self, total }) => `${line} ${self}/${total}`)
          .sort();
      expect(texts(found.map(([line, ticks]) => ({ line, ...ticks })))).toEqual(texts(own));
      // A loop whose lines are unknown is a row of its own there.
      const unknown = new Map<string, number>();
      for (const { line, self, function: fn } of own) {
        const at = `${fn.line}:${fn.column}`;
        if (line === 0) unknown.set(at, (unknown.get(at) ?? 0) + self);
      }
      const { line: begins, column } = model.functions;
      const foundUnknown = found.flatMap(([line, { self }]) => {
        const id = unknownLine(line);
        return id >= 0 ? [[`${begins[id]}:${column[id]}`, self] as const] : [];
      });
      expect(new Map(foundUnknown)).toEqual(unknown);
    }
  });
});

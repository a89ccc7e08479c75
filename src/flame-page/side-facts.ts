import type { Chart } from "./chart.js";
import type { Amount, FrameFacts } from "./frame-facts.js";
import { changeText, pointsText } from "./number-text.js";
import { VERDICTS } from "./page-data.js";
import type { Shown } from "./shown-graph.js";
import { type ChangeColumns, type Measure, SIGNS, type SideModel } from "./side-model.js";

/** What the facts about a frame on both sides are measured by. */
export interface SideScale {
  readonly sides: SideModel;
  /** The frames of both sides. */
  readonly whole: Shown;
  /** Whether the chart shows callers: its frames have no self ticks. */
  readonly isCallers: boolean;
}

/** Returns facts with what a box and its function took before and after. */
export function sideFacts(facts: FrameFacts, chart: Chart, box: number, scale: SideScale): FrameFacts {
  const { sides, whole } = scale;
  const node = chart.node[box]!;
  const id = chart.graph.function[node]!;
  const path = pathText(chart, node, scale);
  if (id < 0) return { ...facts, amounts: [{ name: "Total", text: path }] };
  const amounts: Amount[] = [
    { name: "Self", text: functionText(sides, "self", id, whole) },
    { name: "Total", text: functionText(sides, "total", id, whole) },
    { name: "On this path", text: node === 0 ? "" : path },
  ];
  return { ...facts, amounts: amounts.filter(({ text }) => text !== ""), causes: sides.causes.get(id) };
}

/** Returns what a function took: `1.2 % → 3.4 %, +2.20 (95 %: +1.80 to +2.60), ▲ slower`. */
function functionText(sides: SideModel, measure: Measure, id: number, { sideSums }: Shown): string {
  const columns = sides[measure];
  if (columns.verdict[id] === 0) {
    const [before, after] = [0, 1].map((side) => sideSums?.[side as 0 | 1][measure][id] ?? 0);
    return changeText(before!, after!, sides.data.unit);
  }
  const [before, after] = [columns.before[id]!, columns.after[id]!];
  if (before === 0 && after === 0) return "0 %";
  const interval = `95 %: ${pointsText(columns.low[id]!)} to ${pointsText(columns.high[id]!)}`;
  const change = `${changeText(before, after, 100)}, ${pointsText(after - before)} (${interval})`;
  return sides.data.hasVerdict ? `${change}, ${verdictText(columns, id)}` : change;
}

function verdictText({ verdict }: ChangeColumns, id: number): string {
  const index = verdict[id]! - 1;
  return index === 0 ? "~ may be chance" : `${SIGNS[index]} ${VERDICTS[index]}`;
}

/** Returns what a frame took on its path. */
function pathText({ graph }: Chart, node: number, { sides, isCallers }: SideScale): string {
  const { unit } = sides.data;
  if (graph.sides === undefined) return "";
  const [total, self] = [graph.sides.total, graph.sides.self].map(
    ([before, after]) =>
      `${changeText(before[node]!, after[node]!, unit)}, ${pointsText(((after[node]! - before[node]!) * 100) / unit)}`,
  );
  return isCallers || node === 0 ? total! : `${total}; self ${self}`;
}

import { type Chart, trackOf } from "./chart.js";
import type { FunctionSums, Graph, Shown } from "./graph.js";
import { type ChangeColumns, type Measure, type Model, SIGNS, type SideModel, type Times } from "./model.js";
import { changedBy, changeText, isMemory, shareText, spanText, unitNoun, unitText } from "./number-text.js";
import { FRAME_KINDS, KIND_TITLES, type PageDiff, type PageUnit, VERDICTS } from "./page-data.js";
import { ticksInRange } from "./thread-times.js";

/** The facts shown about a frame. */
export interface FrameFacts {
  readonly title: string;
  /** `file:line:column`, or the path of a library; empty if there is none. */
  readonly position: string;
  readonly origin: string;
  /** `TurboFan`, or several with their shares: `TurboFan 90.1 %, Ignition 9.9 %`. */
  readonly kinds: string;
  /** How much of it is inlined; empty for none. */
  readonly inlined: string;
  /** How much of it is inferred; empty for none. */
  readonly inferred: string;
  /** Ticks with their names: the function's in all its frames, and those of the frame and the box if they differ. */
  readonly amounts: readonly Amount[];
  /** What changed together with its function. Default: nothing. */
  readonly causes?: readonly string[] | undefined;
}

/** Ticks with their share, and what they are of. */
interface Amount {
  readonly name: string;
  readonly text: string;
}

/** What the facts about a frame are measured by. */
export interface FactScale {
  /** The ticks that shares are of. */
  readonly all: number;
  /** The ticks of all functions. */
  readonly sums: FunctionSums;
  /** Whether the chart shows callers: its frames have no self ticks. */
  readonly isCallers: boolean;
  /** Over time: when ticks were. */
  readonly times?: Times | undefined;
}

/** Returns the title of a node: its function's, or the root's. */
export function titleOf({ functions, data }: Model, graph: Graph, node: number): string {
  return functions.titles[graph.function[node]!] ?? `all ${unitNoun(data.unit)}`;
}

export function frameFacts(model: Model, chart: Chart, box: number, scale: FactScale): FrameFacts {
  const { all, sums } = scale;
  const { graph } = chart;
  const node = chart.node[box]!;
  const id = graph.function[node]!;
  const total = graph.total[node]!;
  const { unit } = model.data;
  const inlined = graph.inlinedTicks[node]!;
  const inferred = graph.inferredTicks[node]!;
  return {
    title: titleOf(model, graph, node),
    position: positionOf(model, id),
    origin: id < 0 ? "" : model.data.origins[model.functions.origin[id]!]!,
    kinds: id < 0 ? "" : kindsText(model, graph, node),
    inlined: inlined === 0 ? "" : inlined === total ? "inlined" : `inlined ${shareText(inlined, total)}`,
    inferred:
      inferred === 0 ? "" : inferred === total ? "≈ inferred" : `≈ inferred ${shareText(inferred, total)}`,
    amounts: [
      // As in the list of functions and in `ticks top`.
      { name: "Total", text: amount(id < 0 ? total : sums.total[id]!, all, unit) },
      { name: "Self", text: amount(id < 0 ? graph.self[node]! : sums.self[id]!, all, unit) },
      { name: "On this path", text: pathText(graph, node, scale, unit) },
      // Over time, a frame has several boxes.
      {
        name: "In this span",
        text: scale.times === undefined || box === 0 ? "" : spanOf(chart, box, scale.times, unit),
      },
    ].filter(({ text }) => text !== ""),
  };
}

/** Returns how many ticks a box over time has, and when that was. */
function spanOf(chart: Chart, box: number, { threads, from }: Times, unit: PageUnit): string {
  const [start, span] = [chart.start[box]!, chart.span[box]!];
  const thread = trackOf(chart, chart.depth[box]!)?.thread ?? 0;
  const ticks = ticksInRange(threads[thread]!, { from: from + start, to: from + start + span });
  return `${unitText(ticks, unit)}, ${spanText(from + start, from + start + span)}`;
}

/** Returns the ticks of a frame on its path; empty for a root, and if they are all of its function's. */
function pathText(graph: Graph, node: number, { all, sums, isCallers }: FactScale, unit: PageUnit): string {
  const id = graph.function[node]!;
  const [self, total] = [graph.self[node]!, graph.total[node]!];
  if (node === 0 || (total === sums.total[id] && (isCallers || self === sums.self[id]))) return "";
  return isCallers
    ? amount(total, all, unit)
    : `${amount(total, all, unit)}; self ${amount(self, all, unit)}`;
}

/** Returns where a function is: `file:line:column`; empty for the root and for code without a position. */
function positionOf({ functions, data }: Model, id: number): string {
  const file = data.files[functions.file[id] ?? -1];
  if (file === undefined) return "";
  return functions.line[id] === 0 ? file : `${file}:${functions.line[id]}:${functions.column[id]}`;
}

/** Returns the facts as a sentence for screen readers. */
export function spokenFacts(facts: FrameFacts, depth: number): string {
  const parts = [
    facts.title,
    ...facts.amounts.map(({ name, text }) => `${name.toLowerCase()} ${text}`),
    facts.kinds,
    facts.inlined,
    facts.inferred,
    facts.position,
    ...(facts.causes ?? []),
  ];
  return `${parts.filter((part) => part !== "").join(", ")}, depth ${depth}`;
}

/** Returns ticks with their share: `5,813 ticks, 75.9 %`. */
export function amount(ticks: number, all: number, unit: PageUnit): string {
  return `${unitText(ticks, unit)}, ${shareText(ticks, all)}`;
}

function kindsText({ data }: Model, graph: Graph, node: number): string {
  const shares = FRAME_KINDS.map((name, kind) => ({
    title: data.kindTitles[name] ?? KIND_TITLES[name],
    ticks: graph.kindTicks[kind]![node]!,
  })).filter(({ ticks }) => ticks > 0);
  if (shares.length === 1) return shares[0]!.title;
  return shares
    .sort((a, b) => b.ticks - a.ticks)
    .map(({ title, ticks }) => `${title} ${shareText(ticks, graph.total[node]!)}`)
    .join(", ");
}

/** What the facts about a frame on both sides are measured by. */
interface SideScale {
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
  const path = sidesPathText(chart, node, scale);
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
    return changeText(before!, after!, sides.data);
  }
  const [before, after] = [columns.before[id]!, columns.after[id]!];
  if (before === 0 && after === 0) return changeText(0, 0, sides.data);
  const whole = { ...sides.data, unit: 100 };
  const interval = `95 %: ${changedBy(columns.low[id]!, whole)} to ${changedBy(columns.high[id]!, whole)}`;
  const change = `${changeText(before, after, whole)}, ${changedBy(after - before, whole)} (${interval})`;
  return sides.data.hasVerdict ? `${change}, ${verdictText(columns, id, sides.data)}` : change;
}

/** What the verdicts on memory are called. */
const MEMORY_VERDICTS = ["same", "more", "less", "new", "gone"];

function verdictText({ verdict }: ChangeColumns, id: number, { perRun }: PageDiff): string {
  const index = verdict[id]! - 1;
  const words = isMemory(perRun) ? MEMORY_VERDICTS : VERDICTS;
  return index === 0 ? "~ may be chance" : `${SIGNS[index]} ${words[index]}`;
}

/** Returns what a frame took on its path. */
function sidesPathText({ graph }: Chart, node: number, { sides, isCallers }: SideScale): string {
  if (graph.sides === undefined) return "";
  const [total, self] = [graph.sides.total, graph.sides.self].map(
    ([before, after]) =>
      `${changeText(before[node]!, after[node]!, sides.data)}, ${changedBy(after[node]! - before[node]!, sides.data)}`,
  );
  return isCallers || node === 0 ? total! : `${total}; self ${self}`;
}

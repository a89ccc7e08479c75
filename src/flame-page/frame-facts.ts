import type { Chart } from "./chart.js";
import { FRAME_KINDS, KIND_TITLES } from "./frame-kind.js";
import { type Graph, KIND_COUNT } from "./graph.js";
import type { Model } from "./model.js";
import { countOf, shareText } from "./number-text.js";

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
  readonly self: string;
  readonly total: string;
  /** The ticks of this box in a chart over time; empty if they are all of the frame's. */
  readonly here: string;
}

/** Returns the title of a node: its function's, or the root's. */
export function titleOf({ functions }: Model, graph: Graph, node: number): string {
  return functions.titles[graph.function[node]!] ?? "all ticks";
}

/** Returns the facts about a box. Shares are of `all`. */
export function frameFacts(model: Model, chart: Chart, box: number, all: number): FrameFacts {
  const { graph } = chart;
  const node = chart.node[box]!;
  const id = graph.function[node]!;
  const total = graph.total[node]!;
  const ticks = chart.ticks[box]!;
  const inlined = graph.inlinedTicks[node]!;
  return {
    title: titleOf(model, graph, node),
    position: positionOf(model, id),
    origin: id < 0 ? "" : model.data.origins[model.functions.origin[id]!]!,
    kinds: id < 0 ? "" : kindsText(model, graph, node),
    inlined: inlined === 0 ? "" : inlined === total ? "inlined" : `inlined ${shareText(inlined, total)}`,
    self: amount(graph.self[node]!, all),
    total: amount(total, all),
    here: ticks === total ? "" : amount(ticks, all),
  };
}

/** Returns where a function is: `file:line:column`; empty for the root and for code without a position. */
export function positionOf({ functions, data }: Model, id: number): string {
  const file = data.files[functions.file[id] ?? -1];
  if (file === undefined) return "";
  return functions.line[id] === 0 ? file : `${file}:${functions.line[id]}:${functions.column[id]}`;
}

/** Returns the facts as a sentence for screen readers. */
export function spokenFacts(facts: FrameFacts, depth: number): string {
  const parts = [
    facts.title,
    `total ${facts.total}`,
    `self ${facts.self}`,
    facts.kinds,
    facts.inlined,
    facts.position,
  ];
  return `${parts.filter((part) => part !== "").join(", ")}, depth ${depth}`;
}

/** Returns ticks with their share: `5,813 ticks, 75.9 %`. */
export function amount(ticks: number, all: number): string {
  return `${countOf(ticks, "tick")}, ${shareText(ticks, all)}`;
}

function kindsText({ data }: Model, graph: Graph, node: number): string {
  const shares = FRAME_KINDS.map((name, kind) => ({
    title: data.kindTitles[name] ?? KIND_TITLES[name],
    ticks: graph.kindTicks[node * KIND_COUNT + kind]!,
  })).filter(({ ticks }) => ticks > 0);
  if (shares.length === 1) return shares[0]!.title;
  return shares
    .sort((a, b) => b.ticks - a.ticks)
    .map(({ title, ticks }) => `${title} ${shareText(ticks, graph.total[node]!)}`)
    .join(", ");
}

import { PAGE_LIMITS, type PageLimits, pageData } from "../../src/exports/flame/page-data.ts";
import type { Chart } from "../../src/flame-page/chart.ts";
import { type Choice, type Graph, type Shown, showGraph } from "../../src/flame-page/graph.ts";
import { type Model, readModel } from "../../src/flame-page/model.ts";
import { timeChart } from "../../src/flame-page/time-chart.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { profileFromStacks } from "./stacks.ts";

/** As {@link profileFromStacks}, with a timeline: a tick each millisecond. */
export function timedProfile(...stacks: readonly string[]): Profile {
  const profile = profileFromStacks(...stacks);
  const rows = new Map(Array.from(new Set(stacks), (stack, row) => [stack, row]));
  const sample = Int32Array.from(stacks, (stack) => rows.get(stack)!);
  const timestamp = Float64Array.from(stacks, (_, i) => 500 + i * 1000);
  return { ...profile, timeline: { length: stacks.length, sample, timestamp } };
}

/** What a page knows of a profile: through JSON, as in the page. */
export function modelOf(profile: Profile, limits: Partial<PageLimits> = {}, whole?: Profile): Model {
  const page = pageData(profile, { limits: { ...PAGE_LIMITS, ...limits }, whole });
  return readModel(JSON.parse(JSON.stringify(page)));
}

/** The chart over time, of all threads with their frames. */
export function timeChartOf(
  model: Model,
  shown: Shown = shownOf(model),
  threads?: readonly boolean[],
): Chart {
  const all = model.data.threads.map(() => true);
  return timeChart(model.times!, shown, { threads: threads ?? all, open: new Set(all.keys()) });
}

/** Everything that can be shown, but with `changes`. */
export function choiceOf(model: Model, changes: Partial<Choice> = {}): Choice {
  const all = { inlined: true, builtins: true, cpp: true, tiers: false, folded: false };
  return { threads: model.data.threads.map(() => true), range: undefined, ...all, ...changes };
}

export function shownOf(model: Model, changes: Partial<Choice> = {}): Shown {
  return showGraph(model, choiceOf(model, changes));
}

/** A graph as lines, each frame under its caller: `  name self/total`. */
export function linesOf({ functions }: Model, graph: Graph): string[] {
  return Array.from({ length: graph.length }, (_, node) => {
    const title = functions.titles[graph.function[node]!] ?? "all";
    return `${"  ".repeat(graph.depth[node]!)}${title} ${graph.self[node]}/${graph.total[node]}`;
  });
}

/** The number of a function by its title. */
export function idOf({ functions }: Model, title: string): number {
  return functions.titles.indexOf(title);
}

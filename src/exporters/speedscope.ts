import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { slowSampling } from "../profile/sampling.js";
import type { Ticks } from "../profile/units.js";
import { FunctionTable, type ProfiledFunction } from "../views/function-table.js";
import { jsonText } from "../views/shown-text.js";
import { type ExportStacks, exportStacks } from "./export-stacks.js";
import { jsonList } from "./json-list.js";
import { type ThreadTicks, threadTicks } from "./thread-ticks.js";

/** The number of stack texts that are cached, because stacks repeat, and their total length. */
const KEPT_TEXTS = 1 << 15;
const KEPT_LENGTH = 1 << 26;

/**
 * Writes a speedscope file: a sampled profile for each thread, with stacks in the order of time, root first,
 * and functions shared by all. Weights are ticks, so gaps between ticks have no width; consecutive ticks of
 * one stack are one entry. If the sampler was slow, the name says the interval asked for and the one got.
 */
export function* speedscope(profile: Profile): Iterable<string> {
  const { title, sampling } = profile.info;
  const slow = slowSampling(sampling);
  const threads = threadTicks(profile);
  const { functions, ofFrame } = new FunctionTable(profile.frames);
  const stacks = exportStacks(profile, (node) => ofFrame[profile.tree.frame[node]!]!);
  const file = {
    $schema: "https://www.speedscope.app/file-format-schema.json",
    name:
      slow === undefined
        ? title
        : `${title} (a tick every ${Math.round(slow.got)} µs, ${slow.asked} µs asked for)`,
    exporter: "ticks",
    activeProfileIndex: 0,
  };
  yield `${jsonText(file).slice(0, -1)},\n"shared":{"frames":`;
  yield* jsonList(frameTexts(functions), "\n");
  yield '},\n"profiles":[';
  for (const [i, thread] of threads.entries()) {
    if (i > 0) yield ",";
    yield* threadJson(thread, stacks);
  }
  yield "]}\n";
}

function* frameTexts(functions: readonly ProfiledFunction[]): Iterable<string> {
  for (const one of functions) yield frameJson(one);
}

function frameJson({ title, file, line, column }: ProfiledFunction): string {
  return jsonText({ name: title, file, line, col: column });
}

function* threadJson(thread: ThreadTicks, stacks: ExportStacks): Iterable<string> {
  const endValue = thread.sample.length;
  const head = { type: "sampled", name: thread.info.name, unit: "none", startValue: 0, endValue };
  yield `\n${jsonText(head).slice(0, -1)},\n"samples":`;
  yield* jsonList(stackTexts(thread, stacks), "\n");
  yield ',\n"weights":';
  yield* jsonList(weights(thread, stacks));
  yield "}";
}

function* stackTexts(thread: ThreadTicks, { tree, nodeOf }: ExportStacks): Iterable<string> {
  const texts = new Map<number, string>();
  let kept = 0;
  for (const { node } of runs(thread, nodeOf)) {
    let text = texts.get(node);
    if (text === undefined) {
      const stack: number[] = [];
      for (let n = node; n !== ROOT; n = tree.parent[n]!) stack.push(tree.frame[n]!);
      text = `[${stack.reverse().join()}]`;
      kept += text.length;
      if (texts.size === KEPT_TEXTS || kept > KEPT_LENGTH) {
        texts.clear();
        kept = text.length;
      }
      texts.set(node, text);
    }
    yield text;
  }
}

function* weights(thread: ThreadTicks, { nodeOf }: ExportStacks): Iterable<number> {
  for (const { ticks } of runs(thread, nodeOf)) yield ticks;
}

/** Yields runs of consecutive ticks with the same stack. */
function* runs({ sample }: ThreadTicks, nodeOf: Int32Array): Iterable<{ node: number; ticks: Ticks }> {
  for (let start = 0, end = 0; start < sample.length; start = end) {
    const node = nodeOf[sample[start]!]!;
    while (end < sample.length && nodeOf[sample[end]!]! === node) end++;
    yield { node, ticks: end - start };
  }
}

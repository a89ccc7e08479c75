import { reaching } from "../base/columns.js";
import { jsonText } from "../base/shown-text.js";
import { FunctionTable, type ProfiledFunction } from "../facts/function-table.js";
import { ROOT } from "../profile/call-tree.js";
import { inWholeUnits } from "../profile/merge.js";
import type { Profile } from "../profile/profile.js";
import { type ExportStacks, numberedStacks } from "./export-stacks.js";
import { jsonList, jsonNumbers } from "./json-text.js";
import { type ThreadTicks, threadTicks, timeNote } from "./ticks-over-time.js";

/**
 * Writes a speedscope file: a sampled profile for each thread, with stacks in the order of time, root first,
 * and functions shared by all. Weights are ticks, so gaps between ticks have no width; or microseconds, where samples weigh their
 * time. Consecutive ticks of one stack are one entry. The name has {@link timeNote}.
 */
export function* speedscope(given: Profile): Iterable<string> {
  const profile = withRowsInOrder(inWholeUnits(given));
  const { memory, tickTime } = given.info;
  const unit = memory?.of === "bytes" ? "bytes" : tickTime === undefined ? "none" : "microseconds";
  const { title, sampling } = profile.info;
  const note = timeNote(sampling);
  const threads = threadTicks(profile);
  const { functions, ofFrame } = new FunctionTable(profile.frames);
  const stacks = numberedStacks(profile, ofFrame);
  const file = {
    $schema: "https://www.speedscope.app/file-format-schema.json",
    name: note === undefined ? title : `${title} (${note})`,
    exporter: "ticks",
    activeProfileIndex: 0,
  };
  yield `${jsonText(file).slice(0, -1)},\n"shared":{"frames":`;
  yield* jsonList(frameTexts(functions), "\n");
  yield '},\n"profiles":[';
  for (const [i, thread] of threads.entries()) {
    if (i > 0) yield ",";
    yield* threadJson(thread, stacks, unit);
  }
  yield "]}\n";
}

/** Returns a profile of memory, which has no times, with its rows as they are: each is one entry. */
function withRowsInOrder(profile: Profile): Profile {
  if (profile.info.memory === undefined) return profile;
  const { length, ticks } = profile.samples;
  const sample = Int32Array.from({ length }, (_, i) => i);
  return {
    ...profile,
    timeline: { length, sample, timestamp: new Float64Array(length), ticks: Float64Array.from(ticks) },
  };
}

function* frameTexts(functions: readonly ProfiledFunction[]): Iterable<string> {
  for (const one of functions) yield frameJson(one);
}

function frameJson({ title, file, line, column }: ProfiledFunction): string {
  return jsonText({ name: title, file, line, col: column });
}

function* threadJson(thread: ThreadTicks, stacks: ExportStacks, unit: string): Iterable<string> {
  let endValue = 0;
  for (const { length, ticks } of thread.batches())
    endValue += ticks === undefined ? length : ticks.subarray(0, length).reduce((sum, one) => sum + one, 0);
  const head = { type: "sampled", name: thread.info.name, unit, startValue: 0, endValue };
  yield `\n${jsonText(head).slice(0, -1)},\n"samples":`;
  yield* stackLists(thread, stacks);
  yield ',\n"weights":';
  yield* jsonNumbers(runs(thread, stacks.nodeOf), ({ ticks }, i) => ticks[i]!);
  yield "}";
}

/** Text is passed on in pieces of about this length. */
const PIECE_LENGTH = 1 << 16;

/** Writes the stack of each run as a list of frames, root first. */
function* stackLists(thread: ThreadTicks, { tree, nodeOf }: ExportStacks): Iterable<string> {
  const { parent, frame } = tree;
  let stack = new Int32Array(64);
  let text = "[";
  let comma = "";
  for (const { length, node } of runs(thread, nodeOf)) {
    for (let i = 0; i < length; i++) {
      let depth = 0;
      for (let n = node[i]!; n !== ROOT; n = parent[n]!) {
        stack = reaching(stack, depth);
        stack[depth++] = frame[n]!;
      }
      text += `${comma}[`;
      comma = ",\n";
      for (let d = depth - 1; d >= 0; d--) {
        text += d > 0 ? `${stack[d]},` : stack[d];
        if (text.length < PIECE_LENGTH) continue;
        yield text;
        text = "";
      }
      text += "]";
    }
  }
  yield `${text}]`;
}

/** Runs of consecutive ticks with the same stack, in columns. Only the first `length` entries count. */
interface Runs {
  length: number;
  readonly node: Int32Array;
  readonly ticks: Float64Array;
}

const BATCH = 1000;

/** Yields the runs of a thread, reusing one object. */
function* runs(thread: ThreadTicks, nodeOf: Int32Array): Iterable<Runs> {
  const batch: Runs = { length: 0, node: new Int32Array(BATCH), ticks: new Float64Array(BATCH) };
  let last = -1;
  for (const { length, sample, ticks } of thread.batches()) {
    for (let i = 0; i < length; i++) {
      const node = nodeOf[sample[i]!]!;
      if (node === last) {
        batch.ticks[batch.length - 1]! += ticks?.[i] ?? 1;
        continue;
      }
      if (batch.length === BATCH) {
        yield batch;
        batch.length = 0;
      }
      batch.node[batch.length] = node;
      batch.ticks[batch.length++] = ticks?.[i] ?? 1;
      last = node;
    }
  }
  if (batch.length > 0) yield batch;
}

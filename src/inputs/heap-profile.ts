import { JSON_VALUE_BYTES } from "../base/limits.js";
import type { Ticks } from "../base/units.js";
import { roundedWeight } from "../profile/clamped-numbers.js";
import { Diagnostics } from "../profile/diagnostics.js";
import { logStart } from "../profile/log-start.js";
import type { MemoryUnit, Profile, ThreadInfo } from "../profile/profile.js";
import { allTicks, SampleTableBuilder, stateTicks } from "../profile/sample-table.js";
import { nameThreads } from "../profile/threads.js";
import { type CallFrame, FunctionFrames, firstPosition } from "./call-frames.js";
import { damaged } from "./damaged.js";
import type { InputTree } from "./input-tree.js";
import { readJson, type Wanted } from "./json-stream.js";
import { NONE, NodeStacks } from "./node-stacks.js";
import { NumberList } from "./number-list.js";
import { type ReadInputOptions, threadOfFile, untimed } from "./read-options.js";
import { samplingOf } from "./sampler-steps.js";

/** Returns whether text is the beginning of a sampled heap profile, or of the answer of an inspector that has one. */
export function isHeapProfile(head: string): boolean {
  if (!head.trimStart().startsWith("{") || /"(?:traceEvents|snapshot|hitCount)"\s*:/.test(head)) return false;
  return /"selfSize"\s*:/.test(head) || SAMPLES_FIRST.test(head);
}

/** Its tree may come after all samples. */
const SAMPLES_FIRST = /"samples"\s*:\s*\[\s*\{\s*"size"\s*:\s*\d+\s*,\s*"nodeId"/;

/**
 * Reads a `.heapprofile` of any V8, the `SamplingHeapProfile` of the DevTools protocol. Its ticks are bytes by the mean of a sample.
 *
 * Source: V8, src/profiler/sampling-heap-profiler.cc; Chrome DevTools Protocol, `HeapProfiler.SamplingHeapProfile`.
 */
export async function readHeapProfile(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadInputOptions,
): Promise<readonly Profile[]> {
  const { from, to } = options.range ?? {};
  if (from !== undefined || to !== undefined) throw untimed(options.name);
  const builder = new HeapProfileBuilder();
  const faults = await readJson(chunks, () => heapProfileFields(builder));
  if (faults.isCut) builder.diagnostics.add("cut-json", 1);
  if (faults.damaged > 0) builder.diagnostics.add("damaged-value", 1, undefined, faults.damaged);
  if (builder.nodes === 0) {
    if (faults.damaged === 0) {
      const why = faults.isCut ? "it was cut before the end of its tree of calls" : "it has no nodes";
      throw damaged(options.name, "a heap profile", why, RECORD);
    }
    const why = `its tree of calls is damaged, or more than ${JSON_VALUE_BYTES / 2 ** 20} MiB of JSON, which is not read`;
    throw damaged(options.name, "a heap profile", why, SMALLER);
  }
  return [builder.finish(options)];
}

const RECORD = "Record one with: node --heap-prof app.js";
const SMALLER =
  "Record fewer samples: node --heap-prof --heap-prof-interval=4194304 app.js (the usual is 524288 bytes)";

/** So deep is a profile in the answer of an inspector: `{"id":1,"result":{"profile":{…}}}`. */
const DEEPEST = 2;

function heapProfileFields(builder: HeapProfileBuilder, depth = 0): Wanted {
  return {
    kind: "fields",
    of(key) {
      switch (key) {
        case "head":
          return { kind: "value", take: (node) => builder.addTree(node) };
        case "includesCollected":
          return { kind: "value", take: (isSo) => builder.tell(isSo) };
        case "samples":
          return { kind: "elements", take: (sample) => builder.addSample(sample) };
        case "result":
        case "profile":
          return depth < DEEPEST ? heapProfileFields(builder, depth + 1) : undefined;
        default:
          return undefined;
      }
    },
  };
}

/** V8 itself leaves out a node or two, with next to no bytes: up to so many samples, or such a part of them. */
const FEW_UNKNOWN = 3;
const PART_UNKNOWN = 0.01;

/** A node and a sample as a profile has them. */
interface RawNode {
  readonly id?: unknown;
  readonly callFrame?: unknown;
  readonly selfSize?: unknown;
  readonly children?: unknown;
}
interface RawSample {
  readonly nodeId?: unknown;
  readonly ordinal?: unknown;
}

class HeapProfileBuilder {
  readonly diagnostics = new Diagnostics();
  readonly #functions = new FunctionFrames(this.diagnostics, { ofScripts: true });
  /** By node: the number of its function's frame, its caller, its id, and the bytes that it allocated itself. */
  readonly #frames = new NumberList();
  readonly #parents = new NumberList();
  readonly #ids = new NumberList();
  readonly #sizes = new NumberList();
  /** By id of a node: how many samples it has. */
  readonly #hits = new Map<number, number>();
  #samples = 0;
  /** V8 numbers all samples that it takes from 1 on, and drops those whose object was collected, unless it is asked to keep them. */
  #lastOrdinal = 0;
  /** What `ticks record` says of it, which knows the V8 that it asked. */
  #stated: MemoryUnit["is"] | undefined;

  get nodes(): number {
    return this.#frames.length;
  }

  addTree(head: unknown): void {
    const open: { readonly node: unknown; readonly parent: number }[] = [{ node: head, parent: NONE }];
    let first: 0 | 1 = 0;
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const node = next.node as RawNode | null;
      if (typeof node !== "object" || node === null) {
        this.diagnostics.add("damaged-value", 1);
        continue;
      }
      const hasCallFrame = typeof node.callFrame === "object" && node.callFrame !== null;
      const at = (hasCallFrame ? node.callFrame : node) as CallFrame;
      if (next.parent === NONE) first = firstPosition(at, hasCallFrame);
      const place = this.#frames.length;
      this.#frames.push(this.#functions.of(isOfFreedScript(at) ? { ...at, url: FREED_SCRIPT } : at, first));
      this.#parents.push(next.parent);
      this.#ids.push(typeof node.id === "number" ? node.id : NONE);
      this.#sizes.push(this.#sizeOf(node.selfSize));
      if (!Array.isArray(node.children)) continue;
      for (const child of node.children) open.push({ node: child, parent: place });
    }
  }

  addSample(value: unknown): void {
    const { nodeId, ordinal } = (value ?? {}) as RawSample;
    if (typeof nodeId !== "number") {
      this.diagnostics.add("damaged-value", 1);
      return;
    }
    this.#samples++;
    this.#hits.set(nodeId, (this.#hits.get(nodeId) ?? 0) + 1);
    if (typeof ordinal === "number" && ordinal > this.#lastOrdinal) this.#lastOrdinal = ordinal;
  }

  /** Takes whether samples of what was collected are in it. */
  tell(includesCollected: unknown): void {
    if (typeof includesCollected === "boolean") this.#stated = includesCollected ? "allocated" : "alive";
  }

  #sizeOf(size: unknown): number {
    if (typeof size === "number" && size >= 0 && size <= Number.MAX_SAFE_INTEGER) return size;
    if (size !== undefined) this.diagnostics.add("odd-value", 1);
    return 0;
  }

  /** Returns the profile. Call it once. */
  finish(options: ReadInputOptions): Profile {
    const { name, fileTimes } = options;
    const stacks = new NodeStacks(this.#functions, this.#frames, this.#parents, this.diagnostics);
    const hits = this.#hitsOfNodes();
    let [bytes, count] = [0, 0];
    for (let node = 0; node < this.nodes; node++) {
      const size = this.#sizes.at(node);
      if (size === 0) continue;
      bytes += size;
      // A node with bytes had a sample at least.
      count += Math.max(1, hits[node]!);
    }
    const tick = bytes > 0 ? bytes / count : 1;
    const table = new SampleTableBuilder();
    for (let node = 0; node < this.nodes; node++) {
      const size = this.#sizes.at(node);
      if (size === 0) continue;
      const row = table.add(stacks.nodeAt(node, 0, 0), stacks.stateOf(node), roundedWeight(size / tick));
      table.addCount(row, Math.max(1, hits[node]!));
    }
    return memoryProfile(options, {
      ...{ frames: this.#functions.frames, tree: stacks.tree, samples: table, diagnostics: this.diagnostics },
      ...{ tick, isCountUnknown: bytes > 0 && hits.every((samples) => samples === 0), is: this.#kind() },
      thread: {
        ...threadOfFile(options),
        name,
        log: name,
        ...(fileTimes && { start: logStart(fileTimes, 0) }),
      },
    });
  }

  /** A gap in the numbers shows that samples were dropped. Without one, all later ones may have been: not where they are many. */
  #kind(): MemoryUnit["is"] {
    if (this.#stated !== undefined) return this.#stated;
    if (this.#lastOrdinal > this.#samples) return "alive";
    return this.#lastOrdinal === this.#samples && this.#samples >= MANY_SAMPLES ? "allocated" : "unknown";
  }

  #hitsOfNodes(): Float64Array {
    const hits = new Float64Array(this.nodes);
    let known = 0;
    for (let node = 0; node < this.nodes; node++) {
      hits[node] = this.#hits.get(this.#ids.at(node)) ?? 0;
      known += hits[node]!;
    }
    const unknown = this.#samples - known;
    if (unknown > Math.max(FEW_UNKNOWN, PART_UNKNOWN * this.#samples))
      this.diagnostics.add("unknown-sample", 1, undefined, unknown);
    return hits;
  }
}

/** Stands for the file of a function whose script V8 had freed by the end, as Node 20 and older do of scripts that nothing holds. */
export const FREED_SCRIPT = "(freed script)";

/** Returns whether V8 knew the script of a function, and at the end neither its file nor a position in it. Builtins are of script 0. */
function isOfFreedScript({ url, scriptId, lineNumber }: CallFrame): boolean {
  return url === "" && lineNumber === -1 && typeof scriptId === "string" && !/^(?:0|-\d+|)$/.test(scriptId);
}

/** The first so many samples of a program are hardly ever all alive at its end. */
const MANY_SAMPLES = 1000;

/** What was read of a heap profile. */
interface ReadMemory {
  readonly frames: Profile["frames"];
  readonly tree: InputTree;
  readonly samples: SampleTableBuilder;
  readonly diagnostics: Diagnostics;
  /** The bytes of a tick. */
  readonly tick: number;
  readonly isCountUnknown: boolean;
  readonly is: MemoryUnit["is"];
  readonly thread: Omit<ThreadInfo, "ticks" | "span">;
}

function memoryProfile({ name }: ReadInputOptions, read: ReadMemory): Profile {
  const samples = read.samples.finish();
  const ticks: Ticks = allTicks(samples);
  const sampling = samplingOf({ hasTimes: false, ticks: 0, time: 0 });
  return {
    frames: read.frames,
    tree: read.tree.finish(),
    samples,
    sources: [],
    info: {
      title: name,
      logs: [name],
      input: "heapprofile",
      memory: { of: "bytes", tick: read.tick, is: read.is },
      ...(read.isCountUnknown && { isCountUnknown: true }),
      threads: nameThreads([{ ...read.thread, ticks, span: 0, sampling }]),
      v8: [],
      sampling,
      rangeRows: { currentTime: 0, runtimeTimers: 0 },
      ticks,
      excluded: 0,
      ticksByState: Array.from(stateTicks(samples)),
      hasShownStacks: true,
      libraries: [],
      diagnostics: read.diagnostics.list(),
    },
  };
}

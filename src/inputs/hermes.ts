import type { Profile } from "../profile/profile.js";
import { damaged } from "./damaged.js";
import { type JsonFaults, numberIn, type Wanted } from "./json-stream.js";
import type { GivenThread, ReadInputOptions } from "./read-options.js";
import { V8ProfileBuilder } from "./v8-profile.js";

/** A sample of Hermes; all are numbers or numbers in texts. */
interface HermesSample {
  readonly ts?: unknown;
  readonly pid?: unknown;
  readonly tid?: unknown;
  readonly sf?: unknown;
}

/** A place on a stack, with the one that called it. Numbers may be in texts. */
interface HermesFrame {
  /** `render(/srv/index.bundle:9:12)`, where it was, from 1; the name alone without debug info; `[HostFunction] name`. */
  readonly name?: unknown;
  readonly category?: unknown;
  /** Where it was. */
  readonly line?: unknown;
  /** Where its function begins. */
  readonly funcLine?: unknown;
  readonly funcColumn?: unknown;
  /** The same in the bytecode, where there is no debug info. */
  readonly funcVirtAddr?: unknown;
  readonly parent?: unknown;
}

/** The samples of a thread. */
interface HermesThread {
  readonly builder: V8ProfileBuilder;
  readonly pid: number;
  readonly tid: number;
  /** The stack frames of its samples. */
  readonly sampled: Set<number>;
  last: number;
}

/** Samples of more threads are left out: Hermes has a few. */
const MOST_THREADS = 16;

/** Stands for the file of a bundle of bytecode without debug info: Hermes says no name. */
const BYTECODE = "bytecode.hbc";

/**
 * Reads what Hermes, the engine of React Native, writes: a trace whose samples and stacks are beside its events, in any order.
 *
 * Source: Hermes, lib/VM/Profiler/ChromeTraceSerializer.cpp.
 */
export class HermesReader {
  readonly #threads = new Map<string, HermesThread>();
  readonly #frames = new Map<number, HermesFrame>();
  #dropped = 0;

  get hasSamples(): boolean {
    return this.#threads.size > 0;
  }

  wanted(key: string): Wanted | undefined {
    if (key === "samples") return { kind: "elements", take: (sample) => this.#addSample(sample) };
    if (key !== "stackFrames") return undefined;
    return {
      kind: "fields",
      of: (id) => ({
        kind: "value",
        take: (frame) => {
          if (typeof frame === "object" && frame !== null) this.#frames.set(Number(id), frame);
        },
      }),
    };
  }

  /** Returns a profile for each thread. Call it once. Throws an error if there are no stacks. */
  profiles(
    options: ReadInputOptions,
    {
      faults,
      threadOf,
    }: { readonly faults: JsonFaults; readonly threadOf: (pid: number, tid: number) => GivenThread },
  ): Profile[] {
    if (this.#frames.size === 0)
      throw damaged(options.name, "a Hermes profile", "it has no stackFrames", "Record it again.");
    return Array.from(this.#threads.values(), ({ builder, pid, tid, sampled }, i) => {
      this.#addNodes(builder, sampled);
      if (i === 0) {
        if (faults.isCut) builder.diagnostics.add("cut-json", 1);
        if (faults.damaged > 0) builder.diagnostics.add("damaged-value", 1, undefined, faults.damaged);
        if (this.#dropped > 0) builder.diagnostics.add("dropped-profile", 1, undefined, this.#dropped);
      }
      return builder.finish("trace", options, threadOf(pid, tid));
    });
  }

  #addSample(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const { ts, pid, tid, sf } = value as HermesSample;
    const time = Number(ts);
    const thread = this.#threadOf(numberIn(pid), numberIn(tid), time);
    if (thread === undefined) return;
    thread.builder.addSample(Number(sf));
    thread.builder.addDelta(time - thread.last);
    thread.sampled.add(Number(sf));
    thread.last = time;
  }

  #threadOf(pid: number, tid: number, time: number): HermesThread | undefined {
    const key = `${pid} ${tid}`;
    let thread = this.#threads.get(key);
    if (thread === undefined) {
      if (this.#threads.size >= MOST_THREADS) {
        this.#dropped++;
        return undefined;
      }
      // Hermes has names of V8 for some of what it does, and takes no samples while it waits.
      const builder = new V8ProfileBuilder({ isOfV8: false });
      builder.startTime = time;
      thread = { builder, pid, tid, sampled: new Set(), last: time };
      this.#threads.set(key, thread);
    }
    return thread;
  }

  /** Adds the frames that samples are in, with their callers. */
  #addNodes(builder: V8ProfileBuilder, sampled: ReadonlySet<number>): void {
    const added = new Set<number>();
    for (const leaf of sampled) {
      for (let id = leaf, frame = this.#frames.get(id); frame !== undefined && !added.has(id); ) {
        added.add(id);
        const parent = frame.parent === undefined ? undefined : Number(frame.parent);
        builder.addNode(nodeOf(id, parent, frame));
        id = parent ?? Number.NaN;
        frame = this.#frames.get(id);
      }
    }
  }
}

function nodeOf(id: number, parent: number | undefined, frame: HermesFrame) {
  const { name, category, line } = frame;
  const text = typeof name === "string" ? name : "";
  const { title, url, place } = placedName(text);
  const isBytecode = url === "" && category === "JavaScript" && frame.funcVirtAddr !== undefined;
  // The name has where it was; where the function begins is beside it, or not known.
  const at = isBytecode
    ? { line: 1, column: numberIn(frame.funcVirtAddr) + 1 }
    : frame.funcLine !== undefined
      ? { line: numberIn(frame.funcLine), column: numberIn(frame.funcColumn) }
      : place?.line === numberIn(line)
        ? undefined
        : place;
  const isRoot = text === "[root]";
  const isGc = /^\[GC\b/.test(text);
  return {
    id,
    parent,
    callFrame: {
      // The body of a bundle, which other engines give no name.
      functionName: isRoot
        ? "(root)"
        : isGc
          ? "(garbage collector)"
          : title === "global" && at?.line === 1
            ? ""
            : title,
      url: isBytecode ? BYTECODE : url,
      lineNumber: (at?.line ?? 0) - 1,
      columnNumber: (at?.column ?? 0) - 1,
    },
    hitCount: 1,
    positionTicks:
      url !== "" && numberIn(line) > 0 ? [{ line: numberIn(line), ticks: Number.MAX_SAFE_INTEGER }] : [],
  };
}

/** Takes the name of a frame apart: `render(/srv/index.bundle:9:12)`. */
function placedName(text: string): {
  readonly title: string;
  readonly url: string;
  readonly place?: { readonly line: number; readonly column: number };
} {
  const start = text.indexOf("(");
  const end = start < 0 ? null : /:(\d{1,10}):(\d{1,10})\)$/.exec(text.slice(start + 1));
  if (end === null) return { title: text, url: "" };
  const [, line, column] = end;
  const url = text.slice(start + 1, start + 1 + end.index);
  return { title: text.slice(0, start), url, place: { line: Number(line), column: Number(column) } };
}

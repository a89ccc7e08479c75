import { visitDepthFirst } from "../../profile/call-tree.js";
import type { Frame } from "../../profile/frame.js";
import type { Profile, ThreadInfo } from "../../profile/profile.js";
import { tickInterval } from "../../profile/sampling.js";
import { soundInterval, soundTime } from "../../profile/sound-numbers.js";
import { VM_STATES } from "../../profile/vm-state.js";
import { FunctionTable, type ProfiledFunction } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import { tierNameOf } from "../../views/tier-names.js";
import { profileId } from "../profile-id.js";

/** Frames of stacks in columns, up to the number of rows of a Parquet row group. */
export class RowGroup {
  length = 0;
  /** A row of the profile's samples. */
  readonly source: Int32Array;
  /** The number of the stack, unique in the file. */
  readonly stack: Int32Array;
  /** The node of the frame. */
  readonly node: Int32Array;
  readonly depth: Int32Array;
  /** The time of the stack's tick, in microseconds; NaN if the stack stands for all its ticks. */
  readonly time: Float64Array;
  readonly ticks: Float64Array;

  constructor(capacity: number) {
    this.source = new Int32Array(capacity);
    this.stack = new Int32Array(capacity);
    this.node = new Int32Array(capacity);
    this.depth = new Int32Array(capacity);
    this.time = new Float64Array(capacity);
    this.ticks = new Float64Array(capacity);
  }
}

/** A value of a column. */
export type Value = string | number | bigint | boolean | null;

/** A Parquet column of the table. */
export interface Column {
  readonly name: string;
  readonly type: "STRING" | "INT32" | "INT64" | "BOOLEAN";
  readonly isNullable: boolean;
  /** Undefined if the writer may choose. */
  readonly encoding?: "DELTA_BINARY_PACKED";
  readonly read: (rows: RowGroup, row: number) => Value;
}

type Read = Column["read"];

/** Returns the columns of a profile's table. docs/parquet.md has their meaning. */
export function parquetColumns(profile: Profile): Column[] {
  const { samples, info } = profile;
  const interval = soundInterval(info.sampling.asked) && int32(tickInterval(info.sampling));
  const ofThread = (value: (thread: ThreadInfo) => Value): Read => {
    const values = info.threads.map(value);
    return ({ source }, row) => values[samples.thread[source[row]!]!] ?? null;
  };
  const isTotal = outermost(profile);
  const id = profileId(profile);
  return [
    required("profile", "STRING", () => id),
    required(
      "log",
      "STRING",
      ofThread(({ log }) => printable(log)),
    ),
    nullable(
      "pid",
      "INT32",
      ofThread(({ pid }) => int32(pid)),
    ),
    nullable(
      "isolate",
      "STRING",
      ofThread(({ isolate }) => isolate ?? null),
    ),
    required(
      "thread",
      "STRING",
      ofThread(({ name }) => printable(name)),
    ),
    nullable(
      "thread_kind",
      "STRING",
      ofThread(({ kind }) => kind ?? null),
    ),
    { ...required("sample", "INT32", ({ stack }, row) => stack[row]!), encoding: "DELTA_BINARY_PACKED" },
    nullable("time_us", "INT64", ({ time }, row) =>
      Number.isNaN(time[row]!) ? null : BigInt(Math.round(time[row]!)),
    ),
    nullable("interval_us", "INT32", () => interval ?? null),
    required("state", "STRING", ({ source }, row) => VM_STATES[samples.vmState[source[row]!]!]!),
    required("depth", "INT32", ({ depth }, row) => depth[row]!),
    ...frameColumns(profile),
    required("self", "BOOLEAN", ({ depth }, row) => depth[row] === 0),
    required("total", "BOOLEAN", ({ node }, row) => isTotal[node[row]!] === 1),
    required("ticks", "INT64", ({ ticks }, row) => BigInt(soundTime(Math.round(ticks[row]!)))),
  ];
}

function frameColumns({ frames, tree }: Profile): Column[] {
  const { functions, ofFrame } = new FunctionTable(frames);
  const ofFrames = (value: (frame: Frame) => Value): Read => {
    const values = frames.map(value);
    return ({ node }, row) => values[tree.frame[node[row]!]!]!;
  };
  const ofFunctions = (value: (of: ProfiledFunction) => Value): Read => {
    const values = functions.map(value);
    return ({ node }, row) => values[ofFrame[tree.frame[node[row]!]!]!]!;
  };
  return [
    required(
      "function",
      "STRING",
      ofFunctions(({ title }) => printable(title)),
    ),
    nullable(
      "file",
      "STRING",
      ofFunctions(({ frame, file }) =>
        frame.kind === "native" || file === undefined ? null : printable(file),
      ),
    ),
    nullable(
      "line",
      "INT32",
      ofFrames((frame) => (frame.kind === "js" && frame.line > 0 ? int32(frame.line) : null)),
    ),
    nullable(
      "function_line",
      "INT32",
      ofFunctions(({ line }) => int32(line)),
    ),
    nullable(
      "function_column",
      "INT32",
      ofFunctions(({ column }) => int32(column)),
    ),
    nullable("tier", "STRING", ofFrames(tierNameOf)),
    nullable(
      "library",
      "STRING",
      ofFunctions(({ frame }) => (frame.kind === "native" ? printable(frame.library) : null)),
    ),
    required(
      "origin",
      "STRING",
      ofFunctions(({ origin }) => origin.kind),
    ),
    required(
      "package",
      "STRING",
      ofFunctions(({ origin }) => printable(origin.name)),
    ),
    required(
      "inlined",
      "BOOLEAN",
      ofFrames((frame) => frame.kind === "js" && frame.inlined),
    ),
  ];
}

/** Returns a number for a column of 32 bits; null if it does not fit. */
function int32(number: number | undefined): number | null {
  return number !== undefined && Math.abs(number) < 2 ** 31 ? Math.round(number) : null;
}

function required(name: string, type: Column["type"], read: Read): Column {
  return { name, type, isNullable: false, read };
}

function nullable(name: string, type: Column["type"], read: Read): Column {
  return { name, type, isNullable: true, read };
}

/** Returns 1 for each node without a caller of the same function, so that recursion counts once per stack. */
function outermost({ frames, tree }: Profile): Uint8Array {
  const { functions, ofFrame } = new FunctionTable(frames);
  const onPath = new Int32Array(functions.length);
  const isOutermost = new Uint8Array(tree.length);
  visitDepthFirst(tree, (node, isEntering) => {
    const id = ofFrame[tree.frame[node]!]!;
    if (!isEntering) onPath[id]!--;
    else if (onPath[id]!++ === 0) isOutermost[node] = 1;
  });
  return isOutermost;
}

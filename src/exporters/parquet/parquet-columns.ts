import { visitDepthFirst } from "../../profile/call-tree.js";
import { columnOf } from "../../profile/columns.js";
import { type Frame, isInferred } from "../../profile/frame.js";
import { splitScriptName } from "../../profile/logged-name.js";
import { nodeMajor } from "../../profile/node-version.js";
import type { Profile, ThreadInfo } from "../../profile/profile.js";
import { tickInterval } from "../../profile/sampling.js";
import { soundInterval } from "../../profile/sound-numbers.js";
import { versionText } from "../../profile/v8-version.js";
import { VM_STATES } from "../../profile/vm-state.js";
import type { FunctionTable, ProfiledFunction } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import { type StableKey, type StableKeys, stableKeys } from "../../views/stable-key.js";
import { tierNameOf } from "../../views/tier-names.js";
import { exportClock } from "../export-clock.js";
import type { ExportOptions } from "../exporter.js";
import { labelsOf, USUAL_LABELS } from "../labels.js";
import { profileId } from "../profile-id.js";

/** The type of a column. Strings are UTF-8. */
export type ColumnType = "STRING" | "INT32" | "INT64" | "BOOLEAN";

/** A value of a column; null for none. */
export type Value = string | number | null;

interface ColumnHead {
  readonly name: string;
  readonly type: ColumnType;
  readonly isNullable: boolean;
}

/** A column with one value in the whole file. */
export interface FileColumn extends ColumnHead {
  readonly by: "file";
  readonly value: Value;
}

/** A column with few values: those of a frame, a thread or a VM state. */
export interface ValueColumn extends ColumnHead {
  readonly by: "thread" | "state" | "frame";
  /**
   * By thread, VM state or frame of the profile: an index into `values`; -1 for null. Columns can share it, and then
   * what is stored of it.
   */
  readonly numbers: Int32Array;
  /** Some can be equal. */
  readonly values: readonly (string | number)[];
}

/** A column that counts or measures. */
export interface RowColumn extends ColumnHead {
  readonly by: "stack" | "time" | "depth" | "ticks" | "self";
}

/** A column of 0 and 1. */
export interface FlagColumn extends ColumnHead {
  readonly by: "node flag" | "frame flag";
  /** By node or by frame of the profile. */
  readonly flags: Uint8Array;
}

/** A column of the table. */
export type Column = FileColumn | ValueColumn | RowColumn | FlagColumn;

/** Returns the columns of a profile's table. docs/parquet.md has their meaning. */
export function parquetColumns(profile: Profile, options: ExportOptions = {}): Column[] {
  const { info } = profile;
  const { sampling } = info;
  const { starts } = exportClock(profile, options);
  const { table, keys } = stableKeys(profile);
  const interval = soundInterval(sampling.asked) && tickInterval(sampling);
  const v8 = info.v8.length === 1 ? info.v8[0]! : undefined;
  const node = v8 && nodeMajor(v8);
  const labels = new Map(labelsOf(options.labels));
  const usual = USUAL_LABELS.map((key) => constant(key, "STRING", shown(labels.get(key)), true));
  const others = Array.from(labels)
    .filter(([key]) => !USUAL_LABELS.some((known) => known === key))
    .map(([key, value]) => constant(key, "STRING", shown(value), true));
  const ofThread = (name: string, type: ColumnType, read: (thread: ThreadInfo, number: number) => Value) => {
    const { values, numbers } = distinct(info.threads.map(read));
    if (numbers.every((number) => number === numbers[0])) {
      return { name, type, by: "file" as const, value: values[0] ?? null };
    }
    return { name, type, by: "thread" as const, values, numbers };
  };
  return [
    constant("profile", "STRING", profileId(profile)),
    { ...ofThread("log", "STRING", ({ log }) => printable(log)), isNullable: false },
    { ...ofThread("pid", "INT32", ({ pid }) => int32(pid)), isNullable: true },
    { ...ofThread("isolate", "STRING", ({ isolate }) => isolate ?? null), isNullable: true },
    { ...ofThread("thread", "STRING", ({ name }) => printable(name)), isNullable: false },
    { ...ofThread("thread_kind", "STRING", ({ kind }) => kind ?? null), isNullable: true },
    ...usual,
    ...others,
    { ...ofThread("start_us", "INT64", (_, i) => micros(starts[i])), isNullable: true },
    constant("v8", "STRING", v8 === undefined ? null : printable(versionText(v8)), true),
    constant("node", "INT32", node ?? null, true),
    { name: "sample", type: "INT32", isNullable: false, by: "stack" },
    profile.timeline === undefined
      ? constant("time_us", "INT64", null, true)
      : { name: "time_us", type: "INT64", isNullable: true, by: "time" },
    constant("interval_us", "INT32", int32(interval), true),
    constant("interval_asked_us", "INT32", int32(soundInterval(sampling.asked)), true),
    constant("interval_got_us", "INT32", int32(soundInterval(sampling.got)), true),
    {
      ...{ name: "state", type: "STRING", isNullable: false, by: "state", values: VM_STATES },
      numbers: Int32Array.from(VM_STATES.keys()),
    },
    { name: "depth", type: "INT32", isNullable: false, by: "depth" },
    ...frameColumns(profile, { table, keys }),
    { name: "self", type: "BOOLEAN", isNullable: false, by: "self" },
    flagColumn("total", "node flag", outermost(profile, table)),
    { name: "ticks", type: "INT64", isNullable: false, by: "ticks" },
  ];
}

/** Returns the name of a script. The number of one without a name means another script in each log. */
function sharedName(file: string, { file: stable }: StableKey): string {
  return splitScriptName(file).base === undefined ? (stable ?? file) : file;
}

function frameColumns({ frames, info }: Profile, { table, keys }: StableKeys): Column[] {
  const { functions, ofFrame } = table;
  const buildIds = new Map(info.libraries.map(({ path, buildId }) => [path, buildId]));
  const byFrame = (numbers: Int32Array) => ofFrame.map((of) => numbers[of]!);
  const ofFrames = (name: string, type: ColumnType, read: (frame: Frame) => Value): ValueColumn => {
    return { name, type, isNullable: true, by: "frame", ...distinct(frames.map(read)) };
  };
  /** By which functions have a value: their numbers by frame. */
  const shared = new Map<string, Int32Array>();
  const ofFunctions = (
    name: string,
    type: ColumnType,
    isNullable: boolean,
    read: (of: ProfiledFunction, key: StableKey) => Value,
  ): ValueColumn => {
    const all = functions.map((of, i) => read(of, keys[i]!));
    const values = all.filter((value) => value !== null);
    let count = 0;
    const numbers = columnOf(Int32Array, all, (value) => (value === null ? -1 : count++));
    const flags = columnOf(Uint8Array, numbers, (number) => (number < 0 ? 0 : 1));
    const pattern = `${isNullable} ${Buffer.from(flags).toString("latin1")}`;
    const known = shared.get(pattern) ?? byFrame(numbers);
    shared.set(pattern, known);
    return { name, type, isNullable, by: "frame", values, numbers: known };
  };
  const packages = distinct(functions.map(({ origin }) => `${origin.kind} ${printable(origin.name)}`));
  const ofPackages = (name: string, read: (words: string) => string): ValueColumn => ({
    ...{ name, type: "STRING", isNullable: false, by: "frame", numbers: packageNumbers },
    values: packages.values.map((words) => read(String(words))),
  });
  const packageNumbers = byFrame(packages.numbers);
  const library = (of: ProfiledFunction) => (of.frame.kind === "native" ? of.frame.library : undefined);
  return [
    ofFunctions("key", "STRING", false, (_, { key }) => printable(key)),
    ofFunctions("source_hash", "STRING", true, (_, { sourceHash }) => sourceHash ?? null),
    ofFunctions("function", "STRING", false, ({ title }) => printable(title)),
    ofFunctions("file", "STRING", true, ({ frame, file }, key) =>
      frame.kind === "native" || file === undefined ? null : printable(sharedName(file, key)),
    ),
    ofFrames("line", "INT32", (frame) => (frame.kind === "js" && frame.line > 0 ? int32(frame.line) : null)),
    ofFunctions("function_line", "INT32", true, ({ line }) => int32(line)),
    ofFunctions("function_column", "INT32", true, ({ column }) => int32(column)),
    ofFrames("tier", "STRING", tierNameOf),
    ofFunctions("library", "STRING", true, (of, { file }) =>
      library(of) === undefined ? null : shown(file),
    ),
    ofFunctions("library_path", "STRING", true, (of) => shown(library(of))),
    ofFunctions("build_id", "STRING", true, (of) => shown(buildIds.get(library(of) ?? ""))),
    ofPackages("origin", (words) => words.slice(0, words.indexOf(" "))),
    ofPackages("package", (words) => words.slice(words.indexOf(" ") + 1)),
    flagColumn(
      "inlined",
      "frame flag",
      flagsOf(frames, (frame) => frame.kind === "js" && frame.inlined),
    ),
    flagColumn("inferred", "frame flag", flagsOf(frames, isInferred)),
  ];
}

function constant(name: string, type: ColumnType, value: Value, isNullable = false): FileColumn {
  return { name, type, isNullable, by: "file", value };
}

/** Numbers values; null is -1. */
function distinct(all: readonly Value[]): { values: (string | number)[]; numbers: Int32Array } {
  const known = new Map<string | number, number>();
  const numbers = columnOf(Int32Array, all, (value) => {
    if (value === null) return -1;
    const number = known.get(value) ?? known.size;
    known.set(value, number);
    return number;
  });
  return { values: Array.from(known.keys()), numbers };
}

function shown(text: string | undefined): string | null {
  return text === undefined ? null : printable(text);
}

/** Returns a number for a column of 32 bits; null if it does not fit. */
function int32(number: number | undefined): number | null {
  return number !== undefined && Math.abs(number) < 2 ** 31 ? Math.round(number) : null;
}

/** Returns a date in microseconds since 1970. */
function micros(date: number | undefined): number | null {
  return date === undefined || date * 1000 > Number.MAX_SAFE_INTEGER ? null : Math.round(date * 1000);
}

function flagColumn(name: string, by: FlagColumn["by"], flags: Uint8Array): FlagColumn {
  return { name, type: "BOOLEAN", isNullable: false, by, flags };
}

function flagsOf(frames: readonly Frame[], isWanted: (frame: Frame) => boolean): Uint8Array {
  return columnOf(Uint8Array, frames, (frame) => (isWanted(frame) ? 1 : 0));
}

/** Returns 1 for each node without a caller of the same function, so that recursion counts once per stack. */
function outermost({ tree }: Profile, { functions, ofFrame }: FunctionTable): Uint8Array {
  const onPath = new Int32Array(functions.length);
  const isOutermost = new Uint8Array(tree.length);
  visitDepthFirst(tree, (node, isEntering) => {
    const id = ofFrame[tree.frame[node]!]!;
    if (!isEntering) onPath[id]!--;
    else if (onPath[id]!++ === 0) isOutermost[node] = 1;
  });
  return isOutermost;
}

import { FRAME_KINDS, type FrameKind, type FrameKindName, frameKind } from "../../flame-page/frame-kind.js";
import type { PackedFrames, PackedFunctions } from "../../flame-page/page-data.js";
import type { CallTree } from "../../profile/call-tree.js";
import type { Frame, JsFrame, Tier } from "../../profile/frame.js";
import { soundPosition } from "../../profile/sound-numbers.js";
import { FunctionTable, type ProfiledFunction } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import { lookAlikes } from "../../views/look-alikes.js";
import { fileName, type Origin } from "../../views/origin.js";
import { idleFrame } from "./gc-stacks.js";
import { packColumn } from "./pack-column.js";
import { MERGED } from "./page-tree.js";

/** A frame of the page: one of the profile, or one that stands for garbage collection, idle time or merged frames. */
export type PageFrame =
  | Frame
  | { readonly kind: "gc" }
  | { readonly kind: "idle" }
  | { readonly kind: "merged" };

/** A frame of the page and the profile's frame that it shows, possibly during garbage collection. */
export interface KeptFrame {
  readonly frame: PageFrame;
  /** The frame's number in the profile; -1 if it has none. */
  readonly number: number;
  readonly isGc: boolean;
}

/** The tables of a page. */
export interface PageTables {
  readonly files: readonly string[];
  readonly origins: readonly string[];
  readonly functions: PackedFunctions;
  readonly frames: PackedFrames;
}

/** What a page says of a function. */
export interface PageFunction {
  readonly title: string;
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
  readonly kind: FrameKindName;
  readonly origin: string;
}

/** A frame of the page: a function in a tier, at a line, inlined or not. */
export interface FrameRow {
  /** An index into the functions. */
  readonly function: number;
  readonly kind: FrameKind;
  readonly line: number;
  /** From 1, in long lines; 0 if unknown. */
  readonly column: number;
  readonly inlined: boolean;
  readonly inferred: boolean;
}

/** The frames of a page with their functions. */
export interface FrameRows {
  readonly functions: readonly PageFunction[];
  /** By function: its number in the table of functions; -1 for what is no function of the profile. */
  readonly ids: readonly number[];
  readonly frames: readonly FrameRow[];
}

const NOWHERE = { file: undefined, line: 0, column: 0 };

/** What stands for frames that are too small to keep. */
export const SMALL_FRAMES: PageFunction = {
  ...NOWHERE,
  title: "(small frames)",
  kind: "merged",
  origin: "merged",
};

const TIERS: Readonly<Record<Tier, FrameKindName>> = {
  "~": "ignition",
  "^": "sparkplug",
  "-": "turboprop",
  "+": "maglev",
  "*": "turbofan",
  "": "js",
};

/**
 * Numbers the frames of a page in the order of its tree, which has the frame numbers of `gcStacks`. `number` is
 * by node of the tree; the root's is 0.
 */
export function keptFrames(
  frames: readonly Frame[],
  tree: Pick<CallTree, "length" | "frame">,
): { readonly frames: readonly KeptFrame[]; readonly number: Int32Array } {
  const frameCount = frames.length;
  /** By the number of a frame, from {@link MERGED} on: its number in the page and one more; 0 if it has none yet. */
  const numbers = new Int32Array(idleFrame(frameCount) + 1 - MERGED);
  const kept: KeptFrame[] = [];
  const number = new Int32Array(tree.length);
  for (let node = 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    const known = numbers[frame - MERGED]!;
    if (known > 0) {
      number[node] = known - 1;
      continue;
    }
    numbers[frame - MERGED] = kept.length + 1;
    number[node] = kept.length;
    kept.push(keptFrame(frame, frames));
  }
  return { frames: kept, number };
}

/** Returns what the page shows for a frame number of `gcStacks`. */
function keptFrame(frame: number, frames: readonly Frame[]): KeptFrame {
  const frameCount = frames.length;
  if (frame === MERGED) return { frame: { kind: "merged" }, number: -1, isGc: false };
  if (frame === 2 * frameCount) return { frame: { kind: "gc" }, number: -1, isGc: true };
  if (frame === idleFrame(frameCount)) return { frame: { kind: "idle" }, number: -1, isGc: false };
  const isGc = frame >= frameCount;
  const number = isGc ? frame - frameCount : frame;
  return { frame: frames[number]!, number, isGc };
}

/** Returns the frames of a page with only the functions that they use. */
export function frameRows(
  frames: readonly Frame[],
  kept: readonly KeptFrame[],
  table: FunctionTable = new FunctionTable(frames),
): FrameRows {
  const alike = lookAlikes(table.functions);
  const numbers = new Map<string, number>();
  const functions: PageFunction[] = [];
  const ids: number[] = [];
  const rows = kept.map((one): FrameRow => {
    const { frame, number } = one;
    const id = table.ofFrame[number] ?? -1;
    const key = number < 0 ? frame.kind : String(id);
    let fn = numbers.get(key);
    if (fn === undefined) {
      fn = functions.push(pageFunction(frame, table.functions[id], alike)) - 1;
      ids.push(id);
      numbers.set(key, fn);
    }
    return {
      function: fn,
      kind: kindOf(one, functions[fn]!),
      line: lineOf(frame),
      column: frame.kind === "js" ? soundPosition(frame.column ?? 0) : 0,
      inlined: isInlined(frame),
      inferred: isInferredFrame(frame),
    };
  });
  return { functions, ids, frames: rows };
}

/** Packs the frames of a page, with the files and origins that their functions use. */
export function packFrames({ functions, frames }: Omit<FrameRows, "ids">): PageTables {
  const files = new Names();
  const origins = new Names();
  const file = functions.map((fn) => (fn.file === undefined ? 0 : 1 + files.number(fn.file)));
  const origin = functions.map((fn) => origins.number(fn.origin));
  return {
    files: files.names,
    origins: origins.names,
    functions: {
      titles: functions.map(({ title }) => title),
      file: packColumn(file),
      line: packColumn(functions.map(({ line }) => line)),
      column: packColumn(functions.map(({ column }) => column)),
      kind: packColumn(functions.map(({ kind }) => frameKind(kind))),
      origin: packColumn(origin),
    },
    frames: {
      function: packColumn(frames.map((frame) => frame.function)),
      kind: packColumn(frames.map(({ kind }) => kind)),
      line: packColumn(frames.map(({ line }) => line)),
      column: packColumn(frames.map(({ column }) => column)),
      inlined: packColumn(frames.map(({ inlined }) => (inlined ? 1 : 0))),
      inferred: packColumn(frames.map(({ inferred }) => (inferred ? 1 : 0))),
    },
  };
}

function pageFunction(
  frame: PageFrame,
  fn: ProfiledFunction | undefined,
  alike: ReadonlySet<ProfiledFunction>,
): PageFunction {
  if (frame.kind === "gc") {
    return { ...NOWHERE, title: "(garbage collection)", kind: "gc", origin: "v8" };
  }
  if (frame.kind === "idle") return { ...NOWHERE, title: "(idle)", kind: "idle", origin: "idle" };
  if (frame.kind === "merged" || fn === undefined) return SMALL_FRAMES;
  return {
    title: printable(titleOf(frame, fn, alike.has(fn))),
    file: fn.file === undefined || fn.file === "" ? undefined : printable(fn.file),
    line: fn.line ?? 0,
    column: fn.column ?? 0,
    kind: functionKind(frame),
    origin: printable(originTitle(fn.origin)),
  };
}

/** Marks native code: Node's binary has the same name as its JavaScript. */
function originTitle({ kind, name }: Origin): string {
  return kind === "native" ? `${name} (native)` : name;
}

/** Returns the title of a function; an anonymous one, or one that looks like another, gets its position. */
function titleOf(
  frame: Frame,
  { title, name, file = "", line = 0, column }: ProfiledFunction,
  isAlike: boolean,
): string {
  if (frame.kind !== "js" || (name !== "" && !isAlike)) return frame.kind === "unknown" ? "(unknown)" : title;
  return file === "" ? title : `${title} ${fileName(file)}:${line}${isAlike ? `:${column}` : ""}`;
}

function functionKind(frame: Frame): FrameKindName {
  switch (frame.kind) {
    case "js":
      return isWasm(frame) ? "wasm" : "js";
    case "code":
      return frame.type === "RegExp" ? "regexp" : "builtin";
    case "native":
      return frame.symbol === undefined ? "library" : "cpp";
    case "unknown":
      return "unknown";
  }
}

/**
 * Returns whether a function is WebAssembly, which V8 logs by its name alone or with the URL of its module.
 */
function isWasm({ name }: JsFrame): boolean {
  return / wasm:\/\//.test(name) || /^wasm-/.test(name);
}

function kindOf({ frame, isGc }: KeptFrame, { kind }: PageFunction): FrameKind {
  if (isGc) return frameKind("gc");
  return FRAME_KINDS.indexOf(frame.kind === "js" && kind === "js" ? TIERS[frame.tier] : kind);
}

function lineOf(frame: PageFrame): number {
  return frame.kind === "js" ? soundPosition(frame.line) : 0;
}

function isInlined(frame: PageFrame): boolean {
  return frame.kind === "js" && frame.inlined;
}

function isInferredFrame(frame: PageFrame): boolean {
  return frame.kind === "js" && frame.inferred === true;
}

/** Numbers names, each once. */
export class Names {
  readonly names: string[];
  readonly #numbers: Map<string, number>;

  /** `names` have the first numbers. */
  constructor(names: readonly string[] = []) {
    this.names = Array.from(names);
    this.#numbers = new Map(names.map((name, number) => [name, number]));
  }

  number(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.names.push(name) - 1;
      this.#numbers.set(name, number);
    }
    return number;
  }
}

import { FRAME_KINDS, type FrameKind, type FrameKindName, frameKind } from "../../flame-page/frame-kind.js";
import { packColumn } from "../../flame-page/packed-column.js";
import type { PackedFrames, PackedFunctions } from "../../flame-page/page-data.js";
import type { Frame, JsFrame, Tier } from "../../profile/frame.js";
import { soundPosition } from "../../profile/sound-numbers.js";
import { FunctionTable, type ProfiledFunction } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import { lookAlikes } from "../../views/look-alikes.js";
import { fileName, type Origin } from "../../views/origin.js";

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

interface PageFunction {
  readonly title: string;
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
  readonly kind: FrameKindName;
  readonly origin: string;
}

const TIERS: Readonly<Record<Tier, FrameKindName>> = {
  "~": "ignition",
  "^": "sparkplug",
  "-": "turboprop",
  "+": "maglev",
  "*": "turbofan",
  "": "js",
};

/** Packs the frames of a page, with only the functions, files and origins that they use. */
export function packFrames(frames: readonly Frame[], kept: readonly KeptFrame[]): PageTables {
  const table = new FunctionTable(frames);
  const alike = lookAlikes(table.functions);
  const numbers = new Map<string, number>();
  const functions: PageFunction[] = [];
  const ids = kept.map(({ frame, number }) => {
    const key = number < 0 ? frame.kind : String(table.ofFrame[number]);
    let id = numbers.get(key);
    if (id === undefined) {
      id = functions.push(pageFunction(frame, table.functions[table.ofFrame[number] ?? -1], alike)) - 1;
      numbers.set(key, id);
    }
    return id;
  });
  const files = new Names();
  const origins = new Names();
  const file = functions.map((fn) => (fn.file === undefined ? 0 : 1 + files.number(fn.file)));
  const origin = functions.map((fn) => origins.number(fn.origin));
  const count = functions.length;
  return {
    files: files.names,
    origins: origins.names,
    functions: {
      titles: functions.map(({ title }) => title),
      file: packColumn(count, (i) => file[i]!),
      line: packColumn(count, (i) => functions[i]!.line),
      column: packColumn(count, (i) => functions[i]!.column),
      kind: packColumn(count, (i) => frameKind(functions[i]!.kind)),
      origin: packColumn(count, (i) => origin[i]!),
    },
    frames: {
      function: packColumn(kept.length, (i) => ids[i]!),
      kind: packColumn(kept.length, (i) => kindOf(kept[i]!, functions[ids[i]!]!)),
      line: packColumn(kept.length, (i) => lineOf(kept[i]!.frame)),
      inlined: packColumn(kept.length, (i) => (isInlined(kept[i]!.frame) ? 1 : 0)),
      inferred: packColumn(kept.length, (i) => (isInferredFrame(kept[i]!.frame) ? 1 : 0)),
    },
  };
}

function pageFunction(
  frame: PageFrame,
  fn: ProfiledFunction | undefined,
  alike: ReadonlySet<ProfiledFunction>,
): PageFunction {
  const nowhere = { file: undefined, line: 0, column: 0 };
  if (frame.kind === "gc") {
    return { ...nowhere, title: "(garbage collection)", kind: "gc", origin: "v8" };
  }
  if (frame.kind === "idle") return { ...nowhere, title: "(idle)", kind: "idle", origin: "idle" };
  if (frame.kind === "merged" || fn === undefined) {
    return { ...nowhere, title: "(small frames)", kind: "merged", origin: "merged" };
  }
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
class Names {
  readonly names: string[] = [];
  readonly #numbers = new Map<string, number>();

  number(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.names.push(name) - 1;
      this.#numbers.set(name, number);
    }
    return number;
  }
}

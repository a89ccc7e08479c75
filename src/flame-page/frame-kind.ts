/** The kinds that frames are coloured by: the tier of a function's code, or what else runs. */
export const FRAME_KINDS = [
  "ignition",
  "sparkplug",
  "turboprop",
  "maglev",
  "turbofan",
  "js",
  "wasm",
  "builtin",
  "regexp",
  "cpp",
  "library",
  "gc",
  "unknown",
  "merged",
  "idle",
] as const;

/** The name of a kind of frame. */
export type FrameKindName = (typeof FRAME_KINDS)[number];

/** An index into {@link FRAME_KINDS}. */
export type FrameKind = number;

/** Returns the index of a kind by its name. */
export function frameKind(name: FrameKindName): FrameKind {
  return FRAME_KINDS.indexOf(name);
}

/** The titles of the kinds. `merged` stands for frames too small to keep. */
export const KIND_TITLES: Readonly<Record<FrameKindName, string>> = {
  ignition: "Ignition",
  sparkplug: "Sparkplug",
  turboprop: "TurboProp",
  maglev: "Maglev",
  turbofan: "TurboFan",
  js: "JavaScript",
  wasm: "WebAssembly",
  builtin: "V8 builtin or stub",
  regexp: "Regular expression",
  cpp: "C++",
  library: "Library, no symbol",
  gc: "Garbage collection",
  unknown: "Unknown",
  merged: "Merged small frames",
  idle: "Idle",
};

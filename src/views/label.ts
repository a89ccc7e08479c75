import type { Frame } from "../profile/frame.js";

export { printable } from "./shown-text.js";

/** The group of the report that a frame belongs to. */
export type Category = "js" | "cpp" | "library" | "unknown";

/**
 * The one display name of a frame, as V8's tick processor writes it: `JS: *name file:line:column`,
 * `Builtin: name`, a C++ name, the path of a library, `UNKNOWN`. Distinct frames can share it.
 *
 * Source: V8, tools/profile.mjs, `DynamicFuncCodeEntry.getName` and `SharedFunctionInfoEntry.getName`.
 */
export function labelOf(frame: Frame): string {
  switch (frame.kind) {
    case "js":
      return `${frame.type}: ${frame.tier}${anonymized(frame.name)}`;
    case "code":
      return `${frame.type}: ${frame.name}${frame.duplicate > 0 ? ` {${frame.duplicate}}` : ""}`;
    case "native":
      return frame.symbol ?? frame.library;
    case "unknown":
      return "UNKNOWN";
  }
}

export function categoryOf(frame: Frame): Category {
  switch (frame.kind) {
    case "js":
    case "code":
      return "js";
    case "native":
      return frame.symbol === undefined ? "library" : "cpp";
    case "unknown":
      return "unknown";
  }
}

/** A function without a name has only its place, after a space. */
function anonymized(name: string): string {
  return name === "" || name.startsWith(" ") ? `<anonymous>${name}` : name;
}

/** A label's order in reports: later names first, by UTF-16 units, which no locale changes. */
export function compareLabelsDescending(a: string, b: string): number {
  return a === b ? 0 : b < a ? -1 : 1;
}

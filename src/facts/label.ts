import { valueAt } from "../base/maps.js";
import type { Frame } from "../profile/frame.js";
import { isLong, NameKeys } from "../profile/long-names.js";

export { printable } from "../base/shown-text.js";

/** Stands before the name of a function that is not in the log, but inferred. */
export const INFERRED = "≈";

/**
 * Returns a frame's label as V8's tick processor writes it: `JS: *name file:line:column`, `Builtin: name`, a
 * C++ name, the path of a library, or `UNKNOWN`. Distinct frames can share a label. An inferred function has
 * the mark `≈`: `JS: ≈*name file:line:column`.
 *
 * Source: V8, tools/profile.mjs, `DynamicFuncCodeEntry.getName` and `SharedFunctionInfoEntry.getName`.
 */
export function labelOf(frame: Frame): string {
  switch (frame.kind) {
    case "js":
      return `${frame.type}: ${frame.inferred ? INFERRED : ""}${frame.tier}${anonymized(frame.name)}`;
    case "code":
      return `${frame.type}: ${frame.name}${frame.duplicate > 0 ? ` {${frame.duplicate}}` : ""}`;
    case "native":
      return frame.symbol ?? frame.library;
    case "unknown":
      return "UNKNOWN";
  }
}

/** Returns a frame's label without the mark of an inferred function: the same as where the log has it. */
export function unmarkedLabelOf(frame: Frame): string {
  return labelOf(frame.kind === "js" ? { ...frame, inferred: undefined } : frame);
}

/**
 * Returns the same function with a cache for long labels: it is called once for all frames that share one.
 */
export function oncePerLongLabel<Result>(resultOf: (frame: Frame) => Result): (frame: Frame) => Result {
  const names = new NameKeys();
  const results = new Map<string, Result>();
  return (frame) => {
    if (frame.kind === "native" || frame.kind === "unknown" || !isLong(frame.name)) return resultOf(frame);
    const mark = frame.kind === "js" ? `${frame.tier}${frame.inferred ? INFERRED : ""}` : frame.duplicate;
    const key = `${frame.kind}\0${frame.type}\0${mark}\0${names.of(frame.name)}`;
    return valueAt(results, key, () => resultOf(frame));
  };
}

/** The logged name of an unnamed function is a space and its position. */
function anonymized(name: string): string {
  return name === "" || name.startsWith(" ") ? `<anonymous>${name}` : name;
}

const ENTRY =
  /^(?:v8::internal::Builtin_(?:Impl_)?HandleApiCall\b|(?:Builtin|Stub): (?:CallApiCallback|HandleApiCall|CEntry|JSEntry))/;

/** Returns whether V8's code only leads to C++ functions of Node and of add-ons, or from these to JavaScript: it says nothing of a program. */
export function isEntry(label: string): boolean {
  return ENTRY.test(label);
}

/** What else than functions and scripts a profile has names of: V8's words, and the keys of properties. */
export type NamedWord = "deopt-kind" | "deopt-reason" | "ic-builtin" | "ic-key" | "ic-modifier" | "ic-reason";

/** What becomes of the names in a profile. */
export interface NameChanges {
  /** Changes a name as in `JsFrame.name`. */
  functionName(name: string): string;
  file(file: string): string;
  /** Changes a position as in `Deopt.position`. */
  position(position: string): string;
  word(kind: NamedWord, text: string): string;
}

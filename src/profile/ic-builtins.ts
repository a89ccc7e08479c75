import type { CodeFrame, Frame } from "./frame.js";

/**
 * What an inline cache does: reads or writes a property by its name, an element or a property by a key, or a
 * global variable, or copies an object.
 */
export type IcFamily =
  | "load"
  | "store"
  | "keyed-load"
  | "keyed-store"
  | "global-load"
  | "global-store"
  | "clone";

/** What a piece of V8's code for inline caches works for. */
export interface IcBuiltin {
  readonly name: string;
  /** Undefined for handlers of old versions, which do not say what for. */
  readonly family: IcFamily | undefined;
  /** Whether only megamorphic caches use it. */
  readonly isMegamorphic: boolean;
}

/**
 * The part of a name that tells the family. `LoadSuperIC`, `KeyedHasIC` and the like are variants of these:
 * V8 logs their rows as `LoadIC` and `KeyedLoadIC`.
 */
const FAMILY =
  /^(Enumerated)?(Keyed|LoadIndexed|HasIndexed)?(?:(Load|Lookup)(Global)?|(Store)(Global)?|(Has)|(CloneObject)|(Define)|(StoreInArrayLiteral|StoreFastElement))?(?:Super|Own|NamedOwn|KeyedOwn|Interceptor)?IC(?![a-z])/;

/** The code of one element store that also changes the kind of the elements. */
const ELEMENT_STORE = /^ElementsTransitionAndStore/;

/** Types of code that hold inline caches of old versions: up to Node 8. */
const OLD_TYPE = /^\w*IC$/;

/** Returns the family of a builtin, or of a row's kind, by its name; undefined if it is none. */
export function icFamily(name: string): IcFamily | undefined {
  if (ELEMENT_STORE.test(name)) return "keyed-store";
  const found = FAMILY.exec(name);
  if (found === null) return undefined;
  const [whole, , keyed, load, globalLoad, store, globalStore, has, clone, define, element] = found;
  if (clone !== undefined) return "clone";
  if (globalLoad !== undefined) return "global-load";
  if (globalStore !== undefined) return "global-store";
  if (element !== undefined) return "keyed-store";
  if (define !== undefined) return whole.includes("Keyed") ? "keyed-store" : "store";
  if (store !== undefined) return keyed === undefined ? "store" : "keyed-store";
  if (load !== undefined || has !== undefined)
    return keyed === undefined && has === undefined ? "load" : "keyed-load";
  return keyed?.endsWith("Indexed") ? "keyed-load" : undefined;
}

/** Returns what a frame's code works for if it is V8's code for inline caches; undefined if not. */
export function icBuiltin(frame: Frame): IcBuiltin | undefined {
  return frame.kind === "code" ? icCode(frame) : undefined;
}

/** The same for a type and a name of code. */
export function icCode({ type, name }: Pick<CodeFrame, "type" | "name">): IcBuiltin | undefined {
  if (type === "Handler") return { name: "Handler", family: undefined, isMegamorphic: false };
  const isOld = OLD_TYPE.test(type);
  if (!isOld && type !== "Builtin" && type !== "Stub") return undefined;
  const family = icFamily(name) ?? (isOld ? icFamily(type) : undefined);
  if (family === undefined) return undefined;
  return { name: isOld ? type : name, family, isMegamorphic: name.includes("_Megamorphic") };
}

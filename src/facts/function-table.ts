import { columnOf } from "../base/columns.js";
import { valueAt } from "../base/maps.js";
import { type FunctionKind, sectionOf } from "../profile/categories.js";
import type { Frame } from "../profile/frame.js";
import { type FrameKey, functionKeys } from "../profile/frame-keys.js";
import { type LoggedName, parseFrameName } from "../profile/logged-name.js";
import { type Origin, originsOf } from "./origin.js";

/** The title of a function without a name if the text around it does not tell what it is for. */
export const UNNAMED = "<anonymous>";

/** Returns what the functions without a name are for, by the name of their frames. */
export function rolesOf(frames: readonly Frame[]): ReadonlyMap<string, string> {
  const roles = new Map<string, string>();
  for (const frame of frames) {
    if (frame.kind === "js" && frame.role !== undefined) roles.set(frame.name, frame.role);
  }
  return roles;
}

/** Returns the name to show of a function, by that in its logged name. */
export function shownTitle(name: string, role: string | undefined): string {
  if (name !== "") return name;
  return role === undefined ? UNNAMED : `<${role}>`;
}

/** Returns how a function is named: one without a name, as the main code of a script, by its position alone. */
export function nameAt(
  title: string,
  position: string,
): { readonly title: string; readonly position: string } {
  return title === UNNAMED && position !== "" ? { title: position, position: "" } : { title, position };
}

/** What reports show of a function. */
export interface ShownFunction extends Omit<LoggedName, "name"> {
  /** The name to show; of a function without one what it is for, `<setInterval callback>`, or `<anonymous>`. */
  readonly title: string;
  readonly kind: FunctionKind;
}

/** A function of a profile, in all tiers and wherever it was inlined. */
export interface ProfiledFunction extends LoggedName, ShownFunction {
  readonly origin: Origin;
  /** The first frame of the function. */
  readonly frame: Frame;
}

/**
 * The functions of a profile. Frames of one function in several tiers, at several lines, inlined or not, are
 * one function. The top-level code of a script is a function too.
 */
export class FunctionTable {
  readonly functions: readonly ProfiledFunction[];
  /** By frame: an index into {@link functions}. */
  readonly ofFrame: Int32Array;

  /** `origins` has the origin of each frame, if that is known. */
  constructor(frames: readonly Frame[], origins: readonly Origin[] = originsOf(frames)) {
    const keyOf = functionKeys();
    const byKey = new Map<FrameKey, number>();
    const functions: ProfiledFunction[] = [];
    this.functions = functions;
    this.ofFrame = columnOf(Int32Array, frames, (frame, i) => {
      const key = keyOf(frame);
      return valueAt(byKey, key, () => functions.push(describe(frame, origins[i]!)) - 1);
    });
  }
}

function describe(frame: Frame, origin: Origin): ProfiledFunction {
  return { ...namesOf(frame), kind: sectionOf(frame), origin, frame };
}

function namesOf(frame: Frame): LoggedName & { readonly title: string } {
  const nowhere = { file: undefined, line: undefined, column: undefined };
  switch (frame.kind) {
    case "js": {
      const logged = parseFrameName(frame);
      return { ...logged, title: shownTitle(logged.name, frame.role) };
    }
    case "code":
      return { ...nowhere, name: frame.name, title: `${frame.type}: ${frame.name}` };
    case "native": {
      const name = frame.symbol ?? frame.library;
      return { ...nowhere, name, title: name, file: frame.library };
    }
    case "unknown":
      return { ...nowhere, name: "UNKNOWN", title: "UNKNOWN" };
  }
}

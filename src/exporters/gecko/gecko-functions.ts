import { type JsFrame, TIERS } from "../../profile/frame.js";
import type { Profile, ProfileInfo } from "../../profile/profile.js";
import { hasCrankshaft } from "../../profile/v8-era.js";
import { isIdle, type VmState, vmState } from "../../profile/vm-state.js";
import { FunctionTable, type ProfiledFunction } from "../../views/function-table.js";

/** A kind of frame with its colour in Firefox. The first subcategory stands for the kind itself. */
interface Category {
  readonly name: string;
  readonly color: string;
  readonly subcategories: readonly string[];
}

export const CATEGORIES: readonly Category[] = [
  { name: "Other", color: "grey", subcategories: ["Other"] },
  { name: "Idle", color: "transparent", subcategories: ["Other"] },
  {
    name: "JavaScript",
    color: "yellow",
    subcategories: ["Other", "Ignition", "Sparkplug", "TurboProp", "Maglev", "TurboFan", "Inferred"],
  },
  { name: "V8", color: "lightblue", subcategories: ["Other"] },
  { name: "Native", color: "blue", subcategories: ["Other"] },
  { name: "GC / CC", color: "orange", subcategories: ["Other"] },
];

/** Returns the categories, with the tiers that the V8 of these logs had. */
export function categoriesOf(info: Pick<ProfileInfo, "v8" | "isUnversioned">): readonly Category[] {
  if (!hasCrankshaft(info)) return CATEGORIES;
  const old = new Map([
    ["Ignition", "full-codegen"],
    ["TurboFan", "Crankshaft"],
  ]);
  return CATEGORIES.map(({ subcategories, ...category }) => ({
    ...category,
    subcategories: subcategories.map((name) => old.get(name) ?? name),
  }));
}

/** A frame's category and subcategory, as indices into {@link CATEGORIES}. */
export interface CategoryPair {
  readonly category: number;
  readonly subcategory: number;
}

/** A row of `funcTable`. */
export interface GeckoFunction extends CategoryPair {
  readonly name: string;
  readonly isJs: boolean;
  /** Whether JavaScript-only views show it. */
  readonly isRelevantForJs: boolean;
  /** The library or script that it came from; undefined if there is none. */
  readonly resource: string | undefined;
  /** Whether {@link resource} is a script. */
  readonly isScript: boolean;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

const NOWHERE = { isJs: false, isScript: false, resource: undefined, line: undefined, column: undefined };
const GARBAGE_COLLECTOR = {
  ...NOWHERE,
  name: "(garbage collector)",
  isRelevantForJs: true,
  ...categoryPair("GC / CC"),
};
const IDLE = { ...NOWHERE, name: "(idle)", isRelevantForJs: false, ...categoryPair("Idle") };

/** The functions of a profile, followed by one for garbage collection and one for idle time. */
export class GeckoFunctions {
  readonly functions: readonly GeckoFunction[];
  /** By frame number: its function. */
  readonly ofFrame: Int32Array;

  constructor({ frames }: Pick<Profile, "frames">) {
    const { functions, ofFrame } = new FunctionTable(frames);
    this.functions = [...functions.map(geckoFunction), GARBAGE_COLLECTOR, IDLE];
    this.ofFrame = ofFrame;
  }

  /** Returns the function to append for a VM state; -1 if there is none. */
  leafOf(state: VmState): number {
    if (state === vmState("gc")) return this.functions.length - 2;
    return isIdle(state) ? this.functions.length - 1 : -1;
  }
}

/** Returns the category of JavaScript in a tier, or of a function that the sampler skipped. */
export function tierCategory({ tier, inferred }: JsFrame): CategoryPair {
  const subcategory = inferred ? TIERS.length : TIERS.indexOf(tier);
  return { category: categoryPair("JavaScript").category, subcategory };
}

function categoryPair(name: string): CategoryPair {
  return { category: CATEGORIES.findIndex((category) => category.name === name), subcategory: 0 };
}

function geckoFunction({ title, frame, file, line, column }: ProfiledFunction): GeckoFunction {
  switch (frame.kind) {
    case "js": {
      const known = {
        isJs: true,
        isRelevantForJs: true,
        isScript: file !== undefined,
        ...categoryPair("JavaScript"),
      };
      return { ...known, name: title, resource: file, line, column };
    }
    case "code":
      return { ...NOWHERE, name: title, isRelevantForJs: true, ...categoryPair("V8") };
    case "native":
      return {
        ...NOWHERE,
        name: title,
        isRelevantForJs: false,
        resource: frame.library,
        ...categoryPair("Native"),
      };
    case "unknown":
      return { ...NOWHERE, name: "(unknown)", isRelevantForJs: false, ...categoryPair("Other") };
  }
}

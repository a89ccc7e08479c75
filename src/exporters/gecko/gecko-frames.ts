import { ROOT } from "../../profile/call-tree.js";
import { columnOf } from "../../profile/columns.js";
import { PairNumbers } from "../../profile/pair-numbers.js";
import type { Profile } from "../../profile/profile.js";
import { soundPosition } from "../../profile/sound-numbers.js";
import type { VmState } from "../../profile/vm-state.js";
import { type ExportStacks, exportStacks } from "../export-stacks.js";
import { type CategoryPair, type GeckoFunctions, tierCategory } from "./gecko-functions.js";

/** A row of `frameTable`: a function in a tier at a line, with its depth of inlining. */
export interface GeckoFrame extends CategoryPair {
  readonly function: number;
  /** How many functions it is below the one whose code it is in; 0 for that one itself. */
  readonly inlineDepth: number;
  readonly line: number | null;
}

/** The stacks of a profile, and the rows of their frames. */
export interface GeckoStacks {
  readonly stacks: ExportStacks;
  readonly rows: readonly GeckoFrame[];
}

/** Returns the stacks of a profile with rows of `frameTable`. */
export function geckoStacks(profile: Profile, functions: GeckoFunctions): GeckoStacks {
  const lines = new FunctionLines(profile, functions);
  const rows: GeckoFrame[] = [];
  const rowOf = new PairNumbers();
  const leafOf = (state: VmState) => {
    const number = functions.leafOf(state);
    if (number < 0) return -1;
    const known = rows.findIndex((row) => row.function === number);
    return known < 0 ? rows.push(rowOfFunction(functions, number)) - 1 : known;
  };
  const { tree } = profile;
  const depths = new Int32Array(tree.length);
  const frameAt = (node: number) => {
    const caller = tree.parent[node]!;
    const frame = tree.frame[node]!;
    const inlineDepth = lines.isInlined[frame] === 1 && caller !== ROOT ? depths[caller]! + 1 : 0;
    if (inlineDepth > 0) depths[node] = inlineDepth; // Memory that is never written to takes no room.
    const line = lines.ofFrame[frame]!;
    const number = rowOf.of(line, inlineDepth);
    if (number === rows.length) rows.push({ ...lines.rows[line]!, inlineDepth });
    return number;
  };
  return { stacks: exportStacks(profile, frameAt, { leafOf }), rows };
}

function rowOfFunction({ functions }: GeckoFunctions, number: number): GeckoFrame {
  const { category, subcategory } = functions[number]!;
  return { function: number, inlineDepth: 0, line: null, category, subcategory };
}

/** The lines of functions in tiers: rows that are not inlined. */
class FunctionLines {
  readonly rows: GeckoFrame[] = [];
  /** By frame of the profile: its row. */
  readonly ofFrame: Int32Array;
  /** By frame of the profile: 1 if it is inlined into its caller. */
  readonly isInlined: Uint8Array;

  constructor({ frames }: Pick<Profile, "frames">, functions: GeckoFunctions) {
    const lines = new PairNumbers();
    const numbers = new PairNumbers();
    this.isInlined = columnOf(Uint8Array, frames, (frame) => (frame.kind === "js" && frame.inlined ? 1 : 0));
    this.ofFrame = columnOf(Int32Array, frames, (frame, i) => {
      const of = functions.ofFrame[i]!;
      const row =
        frame.kind === "js"
          ? { function: of, inlineDepth: 0, line: soundPosition(frame.line) || null, ...tierCategory(frame) }
          : rowOfFunction(functions, of);
      const number = numbers.of(lines.of(of, row.line ?? 0), row.subcategory);
      if (number === this.rows.length) this.rows.push(row);
      return number;
    });
  }
}

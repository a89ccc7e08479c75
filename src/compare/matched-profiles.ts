import { printable } from "../base/shown-text.js";
import { stableKeys } from "../facts/stable-key.js";
import type { FunctionIdentity } from "../profile/function-identity.js";
import type { Profile } from "../profile/profile.js";
import type { Diff } from "./diff-model.js";
import type { RowName } from "./run-groups.js";

type Sides = Record<"before" | "after", readonly Profile[]>;

/**
 * Returns the profiles of both sides with each function named as its row is: those that moved or have another name, and those of one
 * name that runs number otherwise. `diff` compares the functions of these runs.
 */
export function matchedProfiles(sides: Sides, { rows }: Pick<Diff, "rows">): Sides {
  const named = (side: keyof Sides) => {
    const ofRun = sides[side].map(() => new Map<string, RowName>());
    for (const { name, runs } of rows)
      for (const [run, row] of runs[side].entries()) if (row !== undefined) ofRun[run]!.set(row.key, name);
    return sides[side].map((profile, run) => withNames(profile, ofRun[run]!));
  };
  return { before: named("before"), after: named("after") };
}

function withNames(profile: Profile, names: ReadonlyMap<string, RowName>): Profile {
  const { table, keys } = stableKeys(profile);
  const identities = new Map<string, FunctionIdentity>(profile.identities ?? []);
  for (const [id, { key }] of keys.entries()) {
    const { frame } = table.functions[id]!;
    const name = names.get(printable(key));
    if (frame.kind !== "js" || name === undefined || name.key === printable(key)) continue;
    const { file = "", title, ordinal, sourceHash } = name;
    identities.set(frame.name, { file, name: title === "<anonymous>" ? "" : title, ordinal, sourceHash });
  }
  return { ...profile, identities };
}

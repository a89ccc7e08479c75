import { printable } from "../base/shown-text.js";
import { type StableKey, stableKeys } from "../facts/stable-key.js";
import type { FunctionIdentity } from "../profile/function-identity.js";
import type { Profile } from "../profile/profile.js";
import type { Diff } from "./diff-model.js";

/**
 * Returns the profiles before with the functions named as they are after: those that moved, or have another name.
 * `diff` compares the functions of both.
 */
export function matchedProfiles(
  before: readonly Profile[],
  after: readonly Profile[],
  { rows }: Pick<Diff, "rows">,
): readonly Profile[] {
  const now = new Map<string, StableKey>();
  for (const profile of after) {
    for (const key of stableKeys(profile).keys) now.set(printable(key.key), key);
  }
  const renamed = new Map<string, StableKey>();
  for (const { name, runs } of rows) {
    const key = now.get(name.key);
    if (key === undefined) continue;
    for (const run of runs.before) if (run !== undefined) renamed.set(run.key, key);
  }
  return before.map((profile) => withNames(profile, renamed));
}

function withNames(profile: Profile, renamed: ReadonlyMap<string, StableKey>): Profile {
  const { table, keys } = stableKeys(profile);
  const identities = new Map<string, FunctionIdentity>(profile.identities ?? []);
  for (const [id, { key }] of keys.entries()) {
    const { frame } = table.functions[id]!;
    const now = renamed.get(printable(key));
    if (frame.kind !== "js" || now === undefined) continue;
    const { file = "", name, ordinal, sourceHash } = now;
    identities.set(frame.name, { file, name: name === "<anonymous>" ? "" : name, ordinal, sourceHash });
  }
  return { ...profile, identities };
}

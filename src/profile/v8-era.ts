import type { ProfileInfo } from "./profile.js";

/** What tells how old the V8 of some logs is. */
type EraFacts = Pick<ProfileInfo, "v8" | "isUnversioned">;

/** Whether all logs are from before V8 5.9, which compiled with full-codegen and Crankshaft. */
export function hasCrankshaft(info: EraFacts): boolean {
  return isBefore(info, 5009);
}

/**
 * Whether all logs are from V8 6.0 or older, where the state COMPILER covers every compilation, not just those
 * that optimize.
 */
export function hasOneCompilerState(info: EraFacts): boolean {
  return isBefore(info, 6001);
}

/** Returns whether all logs are from before a version, `major * 1000 + minor`. */
export function isBefore({ v8, isUnversioned = false }: EraFacts, version: number): boolean {
  return (v8.length > 0 || isUnversioned) && v8.every(({ major, minor }) => major * 1000 + minor < version);
}

import type { Command } from "commander";
import { TicksError } from "../errors.js";
import type { Profile } from "../profile/profile.js";
import type { RedactorFlags } from "./redactor-of.js";

/** The options of commands that can redact what they write. */
export interface RedactFlags extends RedactorFlags {
  redact?: boolean;
}

/** The options of `ticks redact`. */
export interface RedactCommandFlags extends RedactorFlags {
  output?: string;
  check?: boolean;
  format: string;
}

/** Adds the options of a redactor. */
export function addRedactorOptions(command: Command): void {
  command
    .option(
      "--key <file|text>",
      "hash names with this key, of a file where there is one of that name: the same key gives the same hashes (default: a random key, which is forgotten)",
    )
    .option(
      "--keep <package>",
      "keep names and paths in this npm package; repeatable",
      (value: string, previous: string[] = []) => [...previous, value],
    );
}

/** Adds `--redact` and what belongs to it. */
export function addRedactOptions(command: Command): void {
  command
    .optionsGroup("Sharing:")
    .option(
      "--redact",
      "hash the names of functions, scripts and packages, as ticks redact does; no source texts",
    );
  addRedactorOptions(command);
}

/** Throws a {@link TicksError} where a key or a package is given for nothing. */
export function refuseIdleOptions({ redact, key, keep }: RedactFlags): void {
  const idle = redact ? undefined : key !== undefined ? "--key" : keep !== undefined ? "--keep" : undefined;
  if (idle !== undefined) throw new TicksError("BAD_OPTION", `${idle} is only of use with --redact`);
}

/** The profile as flags want it to be written. */
export async function redactedBy(profile: Profile, flags: RedactFlags): Promise<Profile> {
  refuseIdleOptions(flags);
  if (!flags.redact) return profile;
  const { redactorOf } = await import("./redactor-of.js"); // Most runs do without.
  const { redactProfile } = await import("../redact/redact-profile.js");
  return redactProfile(profile, redactorOf(flags));
}

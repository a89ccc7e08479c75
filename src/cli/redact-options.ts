import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { Command } from "commander";
import { TicksError } from "../errors.js";
import type { Profile } from "../profile/profile.js";
import type { Redactor } from "../redact/redactor.js";
import { printable } from "../views/label.js";
import type { FormatFlags } from "./options.js";
import { warn } from "./terminal.js";

/** What is hashed, and with which key. */
export interface RedactorFlags {
  key?: string;
  keep?: string[];
}

/** The options of commands that can redact what they write. */
export interface RedactFlags extends RedactorFlags {
  redact?: boolean;
}

/** The options of `ticks redact`. */
export interface RedactCommandFlags extends RedactorFlags, FormatFlags {
  output?: string;
  check?: boolean;
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
  const { redactProfile } = await import("../redact/redact-profile.js"); // Most runs do without.
  return redactProfile(profile, await redactorOf(flags));
}

/** The redactor that flags ask for. Throws a {@link TicksError} for an empty key. */
export async function redactorOf({ key, keep }: RedactorFlags): Promise<Redactor> {
  // Most runs of the commands that have these options do without.
  const { KeyedHash } = await import("../redact/name-hash.js");
  const { Redactor } = await import("../redact/redactor.js");
  return new Redactor(new KeyedHash(key === undefined ? randomBytes(32) : keyBytes(key)), keep);
}

/** Fewer bytes than this can be tried out. */
const SHORT_KEY = 16;

function keyBytes(key: string): Uint8Array {
  const bytes = readKeyFile(key) ?? Buffer.from(key);
  if (bytes.length === 0)
    throw new TicksError("BAD_OPTION", "--key is empty", "Leave it out for a random key.");
  if (bytes.length < SHORT_KEY) {
    warn(
      `--key has ${bytes.length} bytes: who guesses it can guess names; make one with: openssl rand -hex 32`,
    );
  }
  return bytes;
}

function readKeyFile(path: string): Uint8Array | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : undefined;
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    // A text can be too long for a path.
    if (code === "ENAMETOOLONG" || code === "ERR_INVALID_ARG_VALUE" || code === "ENOTDIR") return undefined;
    throw new TicksError("NOT_READABLE", `--key ${printable(path)}: the file cannot be read (${code})`);
  }
}

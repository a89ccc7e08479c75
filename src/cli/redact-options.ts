import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { badOption, TicksError } from "../base/errors.js";
import { printable } from "../facts/label.js";
import { readRegularFile } from "../io/regular-file.js";
import type { Profile } from "../profile/profile.js";
import type { Redactor } from "../redact/redactor.js";
import { counted } from "../reports/words.js";
import type { FormatFlags } from "./options.js";
import { warn } from "./terminal.js";

/** The options of every redactor. */
interface RedactorFlags {
  key?: string;
  keep?: string[];
}

/** The options of commands that can redact their output. */
export interface RedactFlags extends RedactorFlags {
  redact?: boolean;
}

/** The options of `ticks redact`. */
export interface RedactCommandFlags extends RedactorFlags, FormatFlags {
  output?: string;
  check?: boolean;
}

/** Throws a {@link TicksError} if `--key` or `--keep` is given without `--redact`. */
export function refuseUnusedOptions({ redact, key, keep }: RedactFlags): void {
  const unused = redact ? undefined : key !== undefined ? "--key" : keep !== undefined ? "--keep" : undefined;
  if (unused !== undefined) throw badOption(`${unused} needs --redact`);
}

/** Returns the profile to write: redacted if the flags say so. */
export async function redactedBy(profile: Profile, flags: RedactFlags): Promise<Profile> {
  refuseUnusedOptions(flags);
  if (!flags.redact) return profile;
  const { redactProfile } = await import("../redact/redact-profile.js"); // Most runs do not need it.
  return redactProfile(profile, await redactorOf(flags));
}

/** Returns the redactor that the flags ask for. Throws a {@link TicksError} for an empty key. */
export async function redactorOf({ key, keep }: RedactorFlags): Promise<Redactor> {
  // Most runs of the commands with these options do not need it.
  const { KeyedHash } = await import("../redact/name-hash.js");
  const { Redactor } = await import("../redact/redactor.js");
  return new Redactor(new KeyedHash(key === undefined ? randomBytes(32) : keyBytes(key)), keep);
}

/** A key of fewer bytes can be guessed. */
const SHORT_KEY = 16;

function keyBytes(key: string): Uint8Array {
  const bytes = readKeyFile(key) ?? Buffer.from(key);
  if (bytes.length === 0) throw badOption("--key is empty", "Leave --key out to use a random key.");
  if (bytes.length < SHORT_KEY) {
    warn(
      `--key has only ${counted(bytes.length, "byte")}: a short key can be guessed, and so can the names; make one with: openssl rand -hex 32`,
    );
  }
  return bytes;
}

/** A larger file is no key. */
const MOST_KEY_BYTES = 2 ** 20;

/** Returns the bytes of a file; undefined if the key is a text: a folder can have the name of one. */
function readKeyFile(path: string): Uint8Array | undefined {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined || status.isDirectory()) return undefined;
    return readRegularFile(path, MOST_KEY_BYTES, `--key ${printable(path)}`);
  } catch (error) {
    if (error instanceof TicksError) throw error;
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    // The key can be a text that is no valid path.
    if (code === "ENAMETOOLONG" || code === "ERR_INVALID_ARG_VALUE" || code === "ENOTDIR") return undefined;
    throw new TicksError("NOT_READABLE", `--key ${printable(path)}: cannot read the file (${code})`);
  }
}

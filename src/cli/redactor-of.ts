import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { TicksError } from "../errors.js";
import { KeyedHash } from "../redact/name-hash.js";
import { Redactor } from "../redact/redactor.js";
import { printable } from "../views/label.js";
import { warn } from "./terminal.js";

/** What is hashed, and with which key. */
export interface RedactorFlags {
  key?: string;
  keep?: string[];
}

/** The redactor that flags ask for. Throws a {@link TicksError} for an empty key. */
export function redactorOf({ key, keep }: RedactorFlags): Redactor {
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

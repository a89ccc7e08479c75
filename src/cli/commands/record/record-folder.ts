import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TicksError } from "../../../errors.js";
import { RECORD_FILE, type RecordFacts } from "../../../record/recording-file.js";
import { VERSION } from "../../../version.js";
import { printable } from "../../../views/label.js";

/** How many names are tried for a folder. */
const MOST_TRIES = 100;

/**
 * Makes the folder of a recording. One that is asked for may be there already, if it is empty. Throws a {@link TicksError} if it cannot be made: no recording is
 * ever overwritten.
 */
export function makeRecordFolder(asked: string | undefined, now: Date): string {
  if (asked !== undefined) {
    return made(asked, () => {
      mkdirSync(asked, { recursive: true });
      if (readdirSync(asked).length === 0) return;
      throw new TicksError(
        "BAD_OPTION",
        `--output ${printable(asked)}: the folder is not empty`,
        "Name a new one.",
      );
    });
  }
  const name = `ticks-${stampOf(now)}-${process.pid}`;
  for (let number = 1; number < MOST_TRIES; number++) {
    const folder = number === 1 ? name : `${name}-${number}`;
    try {
      return made(folder, () => mkdirSync(folder));
    } catch (error) {
      if (!(error instanceof TicksError) || !error.message.endsWith("(EEXIST)")) throw error;
    }
  }
  throw new TicksError("NOT_WRITABLE", `cannot make the folder ${name}`);
}

function made(folder: string, make: () => void): string {
  try {
    make();
  } catch (error) {
    if (error instanceof TicksError) throw error;
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new TicksError(
      "NOT_WRITABLE",
      `cannot make the folder ${printable(folder)} (${code})`,
      "Name one that can be written: -o DIR",
    );
  }
  return folder;
}

/** `20260131-120000`, in local time. */
function stampOf(now: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const date = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `${date}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}

/**
 * Writes record.json, as record.schema.json describes it. Throws a {@link TicksError} if it cannot be written. Not with `writeFile`, which gives up at the
 * signals that end the command.
 */
export function writeRecordFile(folder: string, facts: RecordFacts): void {
  const path = join(folder, RECORD_FILE);
  const part = `${path}.part`;
  const document = { command: "record", version: VERSION, schemaVersion: 1, recorded: facts };
  try {
    writeFileSync(part, `${JSON.stringify(document, orNull, 2)}\n`);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new TicksError("NOT_WRITABLE", `${printable(path)} cannot be written (${code})`);
  }
}

/** Keeps each key, so that programs find all. */
function orNull(_: string, value: unknown): unknown {
  return value === undefined ? null : value;
}

/** Removes a folder of ours with all that is in it. */
export function removeRecordFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

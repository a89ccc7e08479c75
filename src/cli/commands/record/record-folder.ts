import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { badOption, TicksError } from "../../../base/errors.js";
import { VERSION } from "../../../base/version.js";
import { printable } from "../../../facts/label.js";
import { writeWholeFile } from "../../../io/atomic-file.js";
import { markOf, RECORD_FILE, type RecordFacts, runFolder } from "../../../record/recording-file.js";

/** How many names are tried for a folder. */
const MOST_TRIES = 100;

export interface RecordFolder {
  readonly path: string;
  /** Whether it was made for the recording. */
  readonly isMade: boolean;
  /** Its device and inode: somebody may put another folder in its place. */
  readonly identity: string;
}

/**
 * Makes the folder of a recording. One that is asked for may be there already, if it is the user's own, nobody else may write into
 * it, and it is empty or `hasRuns`: then it has runs already. Throws a {@link TicksError} if it cannot be made: no recording is
 * ever overwritten.
 */
export function makeRecordFolder(asked: string | undefined, now: Date, hasRuns = false): RecordFolder {
  if (asked !== undefined) {
    return made(asked, () => {
      if (statSync(asked, { throwIfNoEntry: false })?.isDirectory()) {
        refuseOthers(asked, hasRuns);
        return false;
      }
      mkdirSync(dirname(resolve(asked)), { recursive: true });
      mkdirSync(asked, MODE);
      return true;
    });
  }
  const name = `ticks-${stampOf(now)}-${process.pid}`;
  for (let number = 1; number < MOST_TRIES; number++) {
    const folder = number === 1 ? name : `${name}-${number}`;
    try {
      return made(folder, () => {
        mkdirSync(folder, MODE);
        return true;
      });
    } catch (error) {
      if (!(error instanceof TicksError) || !error.message.endsWith("(EEXIST)")) throw error;
    }
  }
  throw new TicksError("NOT_WRITABLE", `cannot make the folder ${name}`);
}

/** Makes the folder of a run in that of its recording. Throws a {@link TicksError} also for a link, which would lead elsewhere. */
export function makeRunFolder({ path }: RecordFolder, number: number, now: Date): RecordFolder {
  const run = runFolder(path, number);
  if (lstatSync(run, { throwIfNoEntry: false })?.isSymbolicLink())
    throw badOption(`${printable(run)} is a link: a run stays in the folder of its recording`, "Remove it.");
  return makeRecordFolder(run, now);
}

/** Only the user may write into it, whatever the umask allows. */
const MODE = 0o755;

/** Makes a folder. `make` returns whether it was not there before. */
function made(path: string, make: () => boolean): RecordFolder {
  try {
    const isMade = make();
    if (!isOwn(path)) throw notOwn(path);
    return { path, isMade, identity: identityOf(path) };
  } catch (error) {
    if (error instanceof TicksError) throw error;
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new TicksError(
      "NOT_WRITABLE",
      `cannot make the folder ${printable(path)} (${code})`,
      "Name one that can be written: -o DIR",
    );
  }
}

/** Throws a {@link TicksError} for a folder that is not empty, unless it has runs, or that others can put something into. */
function refuseOthers(folder: string, hasRuns: boolean): void {
  const name = printable(folder);
  if (!isOwn(folder)) throw notOwn(folder);
  const mode = statSync(folder).mode & 0o777;
  if (process.geteuid !== undefined && (mode & 0o022) !== 0) {
    throw badOption(
      `--output ${name}: other users may write into the folder (mode ${mode.toString(8)})`,
      `Name a new one, or first: chmod go-w ${name}`,
    );
  }
  if (hasRuns || readdirSync(folder).length === 0) return;
  throw badOption(`--output ${name}: the folder is not empty`, "Name a new one.");
}

function isOwn(folder: string): boolean {
  return process.geteuid === undefined || statSync(folder).uid === process.geteuid();
}

function notOwn(folder: string): TicksError {
  const owner = `another user (${statSync(folder).uid})`;
  return badOption(`${printable(folder)}: the folder belongs to ${owner}`, "Name a new one.");
}

function identityOf(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${dev} ${ino}`;
}

/** Whether a folder is still the one that it was. */
function isSame({ path, identity }: RecordFolder): boolean {
  try {
    return identityOf(path) === identity;
  } catch {
    return false; // It is gone.
  }
}

/** `20260131-120000`, in local time. */
function stampOf(now: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const date = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `${date}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}

/**
 * Writes record.json, as record.schema.json describes it, for this user alone: a command line can hold what others must not see.
 * `hasRoot` is whether the sources below `cwd` may be read: not if only the program itself says that it is there. Throws a {@link TicksError} if it cannot be written. Not with `writeFile`, which gives up at the signals that end the command.
 */
export function writeRecordFile(
  folder: RecordFolder,
  facts: Omit<RecordFacts, "root">,
  { hasRoot = true }: { readonly hasRoot?: boolean } = {},
): void {
  const path = join(folder.path, RECORD_FILE);
  try {
    if (!isSame(folder)) throw Object.assign(new Error("it is another folder"), { code: "ESTALE" });
    const mark = hasRoot ? markOf(folder.path) : undefined;
    const recorded = { ...facts, root: mark === undefined ? undefined : { path: facts.cwd, mark } };
    const document = { command: "record", version: VERSION, schemaVersion: 1, recorded };
    writeWholeFile(path, `${JSON.stringify(document, orNull, 2)}\n`, { mode: 0o600, isDurable: false });
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new TicksError("NOT_WRITABLE", `${printable(path)} cannot be written (${code})`);
  }
}

/** Keeps each key, so that programs find all. */
function orNull(_: string, value: unknown): unknown {
  return value === undefined ? null : value;
}

/** What a recording writes into its folder: logs by the name that it gives them, their symbols, and what is about the whole. */
const WRITTEN =
  /^(?:(?:isolate-[\w-]+-)?t\d+-v8-\d+\.log(?:\.symbols)?|CPU\.[\w.-]+\.cpuprofile|Heap\.[\w.-]+\.heapprofile|process-\d+\.maps|record\.json|output\.txt)$/;

/**
 * Removes the files that a recording wrote, and its folder if it was made for it and nothing else is in it. Returns whether
 * nothing is left that is new.
 */
export function removeRecording(folder: RecordFolder): boolean {
  if (!isSame(folder)) return false;
  let isAll = true;
  for (const name of readdirSync(folder.path)) {
    const path = join(folder.path, name);
    if (WRITTEN.test(name) && lstatSync(path).isFile()) rmSync(path, { force: true });
    else isAll = false;
  }
  if (folder.isMade && isAll) rmdirSync(folder.path);
  return isAll;
}

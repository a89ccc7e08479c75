import { createHash } from "node:crypto";
import { TicksError } from "../base/errors.js";
import { compareTexts } from "../base/sorted.js";
import type { Micros } from "../base/units.js";
import { VERSION } from "../base/version.js";
import { printable } from "../facts/label.js";
import { clampedTime, validInterval } from "../profile/clamped-numbers.js";
import { frameTexts } from "../profile/frame-keys.js";
import type { Profile } from "../profile/profile.js";
import type { StackOptions } from "../profile/shown-stacks.js";
import { folderOf, recordedOffsets } from "../profile/threads.js";
import { nodeMajor, versionText } from "../profile/v8-version.js";
import { timeFacts } from "./ticks-over-time.js";

/** What is known of a profile beyond its logs. */
export interface ExportOptions extends StackOptions {
  /**
   * Where the profile is from, by key: `{ env: "prod", deploy: "v42" }`. A key has lower-case letters, digits
   * and `_`. Default: none.
   */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * When the first log was opened. Default: when its file was made, if the file was written for as long as the
   * ticks took; else unknown.
   */
  readonly start?: Date | undefined;
}

/**
 * Writes a profile as chunks of text or bytes, which need not end with a line. The profile has no unknown
 * addresses among callers.
 */
export type ExportFunction = (
  profile: Profile,
  options?: ExportOptions,
) => Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** An export format for other tools. */
export interface Exporter {
  /** Its name in `--format`. */
  readonly name: string;
  /** The extension of its files, without the first dot. If it ends in `gz`, the chunks are compressed. */
  readonly extension: string;
  /** What it is and which tools open it, as part of a sentence. */
  readonly description: string;
  /** Whether it needs {@link Profile.timeline}; it throws without it. */
  readonly needsTimeline: boolean;
  /** Whether it shows when code was deoptimized, if the profile has {@link Profile.deopts}. */
  readonly showsDeopts: boolean;
  /** Whether its files have no lines, so that stacks that differ only in them can be one. Default: false. */
  readonly lacksLines?: true;
  /** Whether its files keep the labels and the start of {@link ExportOptions}. */
  readonly keepsLabels: boolean;
  /**
   * Writes a profile, without unknown addresses among callers, and with the interpreter's ticks in the
   * functions that it interpreted. Its weights sum to the profile's ticks without the excluded ones. Throws a
   * {@link TicksError} for labels that no file can have.
   */
  export(profile: Profile, options?: ExportOptions): AsyncIterable<string | Uint8Array>;
}

/** Labels that every fleet needs. Tables have a column for each, so that all files have the same columns. */
export const USUAL_LABELS = ["service", "env", "region", "deploy", "commit"] as const;

/** Names that tables and profiles use for something else. */
const TAKEN: ReadonlySet<string> = new Set([
  ...["profile", "log", "pid", "isolate", "thread", "thread_kind", "sample", "time_us", "start_us"],
  ...["interval_us", "interval_asked_us", "interval_got_us", "v8", "node", "ticks_version"],
  ...["state", "depth", "function", "key", "source_hash", "file", "line", "function_line", "function_column"],
  ...["tier", "library", "build_id", "origin", "package", "inlined", "self", "total", "ticks"],
]);

const KEY = /^[a-z][a-z0-9_]{0,62}$/;
const LONGEST_VALUE = 1000;
const MOST_LABELS = 100;

export type Label = readonly [key: string, value: string];

/** Returns labels, sorted by key. */
export function labelsOf(labels: Readonly<Record<string, string>> = {}): Label[] {
  return Object.entries(labels).sort(([a], [b]) => compareTexts(a, b));
}

/** Throws a {@link TicksError} for a label that cannot be a column of a table. */
export function checkLabels(labels: Readonly<Record<string, string>> = {}): void {
  const all = Object.entries(labels);
  if (all.length > MOST_LABELS) throw new TicksError("BAD_OPTION", `more than ${MOST_LABELS} labels`);
  for (const [key, value] of all) {
    const shown = printable(key);
    if (!KEY.test(key)) {
      throw new TicksError(
        "BAD_OPTION",
        `label ${shown}: not a key`,
        "A key begins with a lower-case letter and has lower-case letters, digits and _: --label env=prod",
      );
    }
    if (TAKEN.has(key))
      throw new TicksError("BAD_OPTION", `label ${shown}: every profile has its own ${shown}`);
    if (value === "" || value.length > LONGEST_VALUE) {
      throw new TicksError("BAD_OPTION", `label ${shown}: a value has 1 to ${LONGEST_VALUE} characters`);
    }
  }
}

/** Returns the labels of texts `KEY=VALUE`. Throws a {@link TicksError} for a text that is none. */
export function parsedLabels(texts: readonly string[] = []): Record<string, string> {
  return texts.reduce<Record<string, string>>((all, text) => withLabel(text, all), {});
}

/** Adds the label of an option of the form `KEY=VALUE`. Throws a {@link TicksError} if it is none. */
export function withLabel(
  text: string,
  previous: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) {
    throw new TicksError(
      "BAD_OPTION",
      `--label ${printable(text)}: expected KEY=VALUE`,
      "Try: --label env=prod",
    );
  }
  const labels = { ...previous, [text.slice(0, at)]: text.slice(at + 1) };
  checkLabels(labels);
  return labels;
}

/** The times of a profile's threads on the clocks of their processes, and where these are in history. */
interface ExportClock {
  /** When the first log was opened, in milliseconds since 1970; undefined if unknown. */
  readonly start: number | undefined;
  /**
   * By thread of the profile: the time from when the first log of its process was opened to when its own was; of CPU profiles
   * from the first one of the machine.
   */
  readonly offsets: readonly Micros[];
  /** By thread of the profile: when the first log of its process was opened; undefined if unknown. */
  readonly starts: readonly (number | undefined)[];
}

/** The last date that JavaScript knows, in milliseconds since 1970. */
const LAST_DATE = 8.64e15;

/**
 * Returns the clocks of a profile. Threads of one process share one: workers begin later than the main thread.
 */
export function exportClock({ info }: Pick<Profile, "info">, { start }: ExportOptions = {}): ExportClock {
  const known = info.threads.map((thread) => validDate(thread.start));
  const firsts = new Map<string, number>();
  for (const [i, at] of known.entries()) {
    const process = processOf(info.threads[i]!, i);
    if (at !== undefined) firsts.set(process, Math.min(at, firsts.get(process) ?? at));
  }
  const first = Array.from(firsts.values()).reduce(
    (least, at) => Math.min(least, at),
    Number.POSITIVE_INFINITY,
  );
  const given = start && validDate(start.getTime());
  const shift = given === undefined || first === Number.POSITIVE_INFINITY ? 0 : given - first;
  const starts = info.threads.map((thread, i) => {
    const at = firsts.get(processOf(thread, i));
    return at === undefined ? given : at + shift;
  });
  const recorded = recordedOffsets(info.threads);
  const offsets = known.map((at, i) =>
    at === undefined
      ? recorded[i]!
      : clampedTime(Math.round((at - firsts.get(processOf(info.threads[i]!, i))!) * 1000)),
  );
  return { start: given ?? (first === Number.POSITIVE_INFINITY ? undefined : first), offsets, starts };
}

/** Returns what the threads of one process have in common; a thread of unknown process is one of its own. */
function processOf(
  { pid, log }: { readonly pid: number | undefined; readonly log: string },
  i: number,
): string {
  return pid === undefined ? `thread ${i}` : `${pid} ${folderOf(log)}`;
}

function validDate(time: number | undefined): number | undefined {
  return time !== undefined && time > 0 && time <= LAST_DATE ? time : undefined;
}

/** Returns what is known of a profile as keys and values of a file. */
export function factsOf(
  profile: Profile,
  { labels }: ExportOptions,
): Record<string, string | number | boolean> {
  const { v8, sampling } = profile.info;
  const asked = validInterval(sampling.asked);
  const got = validInterval(sampling.got);
  const nodes = new Set(v8.map(nodeMajor).filter((major) => major !== undefined));
  return {
    profile: profileId(profile),
    ticksVersion: VERSION,
    ...(v8.length > 0 && { v8: v8.map((version) => printable(versionText(version))).join(", ") }),
    ...(nodes.size > 0 && { node: Array.from(nodes).join(", ") }),
    ...(asked !== undefined && { intervalAskedUs: asked }),
    ...(got !== undefined && { intervalUs: Math.round(got) }),
    ...timeFacts(sampling),
    ...Object.fromEntries(labelsOf(labels)),
  };
}

/** The length of an id in hex digits: too many for two profiles of a fleet to share one. */
const ID_DIGITS = 32;
/** Numbers that are widened at a time. */
const BATCH = 1 << 12;

/**
 * Returns an id of a profile, made of its content: its stacks, ticks, threads and the measured times of its
 * ticks. The same log gives the same id, whatever its name and the format; two runs of one program get two.
 */
export function profileId({ frames, tree, samples, info }: Profile): string {
  const hash = createHash("sha256");
  const textOf = frameTexts();
  for (const frame of frames) hash.update(`${textOf(frame)}\n`);
  for (const column of [tree.parent, tree.frame]) hash.update(bytesOf(column, tree.length));
  for (const column of [samples.node, samples.vmState, samples.thread]) {
    hash.update(bytesOf(column, samples.length));
  }
  // Their width must not matter.
  const ticks = new Float64Array(BATCH);
  for (let start = 0; start < samples.length; start += BATCH) {
    const part = samples.ticks.subarray(start, Math.min(start + BATCH, samples.length));
    ticks.set(part);
    hash.update(bytesOf(ticks, part.length));
  }
  const { sampling, threads, v8 } = info;
  const runs = threads.map(({ pid, isolate, kind, ticks, span }) => [pid, isolate, kind, ticks, span]);
  hash.update(JSON.stringify({ sampling, runs, v8 }));
  return hash.digest("hex").slice(0, ID_DIGITS);
}

/** Returns the first `length` entries of a column as bytes. */
function bytesOf(column: Int32Array | Uint8Array | Uint16Array | Float64Array, length: number): Uint8Array {
  const { buffer, byteOffset, byteLength } = column.subarray(0, length);
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Characters of a path that must be escaped before it is parsed as a URL; the parser escapes the others. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be in a URL.
const UNSAFE = /[\x00-\x20%?#\\]/g;

/**
 * Returns the `file:` URL of an absolute path of any platform; other names are returned unchanged: `node:fs`,
 * `http://…`, `[eval]`.
 */
export function fileUrl(name: string): string {
  const isWindows = /^[A-Za-z]:[\\/]/.test(name);
  if (!isWindows && !name.startsWith("/")) return name;
  const path = isWindows ? `/${name.replaceAll("\\", "/")}` : name;
  return new URL(`file://${path.replace(UNSAFE, encodeURIComponent)}`).href;
}

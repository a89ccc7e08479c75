import type { MappedCode } from "../native/process-map.js";
import type { RecordedLibrary } from "../native/recorded-symbols.js";
import { hexDigits } from "./redact-log.js";
import type { Redactor } from "./redactor.js";
import { isPublicLibrary } from "./redactor.js";

/**
 * V8's log names. They may have the address of the isolate and the process id, which reports use. Anything
 * before them was added by a user.
 */
const V8_NAME =
  /(?:isolate-(?:0x)?[0-9a-f]{1,16}(?:-\d{1,10})?-v8(?:-\d{1,10})?|isolate|v8(?:-\d{1,10})?)\.log(?=\.gz$|\.zst$|\.br$|$)/i;

/** Returns the redacted name of a log's file, without its folder. */
export function redactLogName(path: string, redactor: Redactor): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const compression = /\.(?:gz|zst|br)$/.test(name) ? ".gz" : "";
  const plain = name.replace(/\.(?:gz|zst|br)$/, "");
  const v8 = V8_NAME.exec(plain);
  if (v8 === null) {
    const stem = plain.replace(/\.log$/i, "");
    return `${redactor.text(stem)}-v8.log${compression}`;
  }
  const before = plain.slice(0, v8.index).replace(/[-_.]$/, "");
  return `${before === "" ? "" : `${redactor.text(before)}-`}${v8[0]}${compression}`;
}

/** Returns the part of a log's name that V8 gave. It is the same for a log and its redacted copy. */
export function v8LogName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return V8_NAME.exec(name.replace(/\.(?:gz|zst|br)$/, ""))?.[0] ?? "v8.log";
}

/** Returns the map of a process again, without the device and the number of each file, with paths as in its log. */
export function redactMap(mapped: readonly MappedCode[], redactor: Redactor): string {
  return mapped
    .map(({ from, to, library: { start, path } }) => {
      const [first, end, offset] = [from, to, from - start].map(hexDigits);
      return `${first}-${end} r-xp ${offset} 00:00 0 ${redactor.library(path)}\n`;
    })
    .join("");
}

/**
 * Yields saved symbols redacted like their log. Paths are those of the redacted log, so that they are found
 * for it.
 */
export function* redactSymbols(
  libraries: Iterable<RecordedLibrary>,
  redactor: Redactor,
): Generator<RecordedLibrary> {
  for (const library of libraries) {
    const { path, table } = library;
    // Only once, because kept strings are counted.
    const names = Array.from({ length: table.length }, (_, i) => redactor.symbol(path, table.name(i)));
    yield {
      ...library,
      path: redactor.library(path),
      // To somebody who has the library, the build id reveals which one it is.
      buildId: isPublicLibrary(path) ? library.buildId : undefined,
      table: {
        length: table.length,
        starts: table.starts,
        ends: table.ends,
        name: (index) => names[index]!,
      },
    };
  }
}

/** Number fields of a recording that may be shown: how it was made and the size of the machine. */
const NUMBERS: ReadonlySet<string> = new Set([
  "version",
  "schema",
  "format",
  "interval",
  "intervalUs",
  "samplingInterval",
  "ticks",
  "threads",
  "logs",
  "pid",
  "exitCode",
  "duration",
  "durationMs",
  "cpus",
  "cores",
  "memory",
  "totalMemory",
  "maxRss",
  "userCpu",
  "systemCpu",
]);

/** Text fields that may be shown if they have a known form. */
const TEXTS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    node: /^v?\d{1,4}(?:\.\d{1,6}){1,3}(?:-(?:nightly|rc)[\d.]*)?$/,
    v8: /^\d{1,4}(?:\.\d{1,6}){1,4}(?:-node\.\d{1,4}|-rusty|-electron\.\d{1,4})?$/,
    ticks: /^\d{1,4}(?:\.\d{1,6}){1,3}$/,
    uv: /^\d{1,4}(?:\.\d{1,6}){1,3}$/,
    openssl: /^\d{1,4}(?:\.\d{1,6}){1,3}[a-z]?$/,
    zlib: /^\d{1,4}(?:\.\d{1,6}){1,3}$/,
    platform: /^(?:aix|android|darwin|freebsd|linux|openbsd|sunos|win32)$/,
    arch: /^(?:arm|arm64|ia32|loong64|mips|mipsel|ppc64|riscv64|s390x|x64)$/,
    endianness: /^(?:LE|BE)$/,
    signal: /^SIG[A-Z]{2,8}$/,
  }),
);

/** Objects that may contain such fields. */
const OBJECTS: ReadonlySet<string> = new Set([
  "versions",
  "machine",
  "host",
  "system",
  "sampling",
  "process",
]);
const DEPTH_LIMIT = 4;

/**
 * Returns the public part of a `record.json`, which describes how logs were made: versions, the kind and size
 * of the machine, and sampling numbers. The command, folders, environment, labels, host names and all unknown
 * fields are removed.
 */
export function redactRecord(record: unknown, depth = 0): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  if (typeof record !== "object" || record === null || Array.isArray(record)) return shown;
  for (const [key, value] of Object.entries(record)) {
    if (typeof value === "number" && NUMBERS.has(key)) shown[key] = value;
    else if (typeof value === "string" && TEXTS.get(key)?.test(value)) shown[key] = value;
    else if (typeof value === "object" && OBJECTS.has(key) && depth < DEPTH_LIMIT) {
      const inside = redactRecord(value, depth + 1);
      if (Object.keys(inside).length > 0) shown[key] = inside;
    }
  }
  return shown;
}

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

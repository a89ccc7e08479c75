/** Of what a recording says about itself: numbers that say how it was made and on how large a machine. */
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

/** Texts of a few known forms. */
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

/** Objects that such fields may stand in. */
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
 * What may be shown of a `record.json`, which says how logs were made: versions, the kind and size of the machine, numbers of
 * the sampling. The command, folders, the environment, labels, host names and all fields that nobody here knows are gone.
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

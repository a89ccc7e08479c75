import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { crc32 } from "../../../src/io/crc32.ts";
import { corpusFile } from "../corpus-file.ts";
import { GOOD_ROWS, writeLog } from "../log-rows.ts";
import { type Mutation, mutate, replacement } from "../mutation.ts";
import { runCommand, workFolder } from "../program.ts";
import type { Target } from "../target.ts";

interface Input {
  readonly place: string;
  readonly kind: string;
  readonly command: readonly string[];
  /** What becomes of the caches that the run before wrote; their checksums are right. */
  readonly damage: readonly Mutation[];
  /** A log of so many times the same bytes. */
  readonly bomb: { readonly bytes: string; readonly times: number } | undefined;
}

/** Where a file of `ticks` would be. */
const PLACES = [
  "record.json",
  "isolate-0x1000-7-v8.log.symbols",
  "ticks.budget.json",
  "process-7.maps",
  "isolate-0x2000-7-v8.log",
];
/** What is there in its place. */
const KINDS = ["pipe", "link to a pipe", "folder", "/dev/zero", "/proc/kmsg", "itself", "nothing"];

/** Files that are no files, damaged caches, and logs that become large. */
export const files: Target<Input> = {
  name: "files",
  about:
    "pipes, devices, folders and damaged caches in the place of files, logs that become large: no bug, no hang, no GB",
  arbitrary: fc.record({
    place: fc.constantFrom(...PLACES),
    kind: fc.constantFrom(...KINDS),
    command: fc.constantFrom(
      ["top", "."],
      ["top", "isolate-0x1000-7-v8.log"],
      ["threads", "."],
      ["doctor", "."],
      ["check", "."],
      ["tree", ".", "--format", "json"],
      ["diff", ".", "--", "."],
      ["flame", ".", "-o", "-"],
      ["redact", ".", "-o", "out"],
      ["symbols", ".", "-o", "-"],
      ["live", ".", "--duration", "0"],
    ),
    damage: fc.array(replacement, { maxLength: 4 }),
    bomb: fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      {
        weight: 1,
        arbitrary: fc.record({
          bytes: fc.constantFrom(
            "\n",
            "\0",
            "tick,",
            "tick,0x1,2,0,0x0,0\n",
            "code-creation,JS,1\n",
            "a,b\r\n",
          ),
          times: fc.integer({ min: 1, max: 400_000 }),
        }),
      },
    ),
  }),
  async check({ place, kind, command, damage, bomb }) {
    const folder = join(workFolder(), "files");
    prepare(folder);
    damageCaches(damage);
    put(join(folder, place), kind);
    if (bomb !== undefined) {
      const bytes = gzipSync(Buffer.alloc(bomb.bytes.length * bomb.times, bomb.bytes), { level: 1 });
      writeFileSync(join(folder, "isolate-0x3000-7-v8.log.gz"), bytes);
    }
    process.chdir(folder);
    try {
      await runCommand(command);
    } finally {
      process.chdir(workFolder());
    }
  },
  file: (input) => ({ extension: "json", bytes: JSON.stringify(input, null, 2) }),
};

/** Makes a folder with a good log, whose library is there. */
function prepare(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const library = join(workFolder(), "small-library.so");
  if (!existsSync(library)) writeFileSync(library, gunzipSync(corpusFile("small-library.so.gz")));
  const { code, tick } = GOOD_ROWS;
  const mapped = { row: "library", name: library, at: 0x400000, size: 0x100000, slide: 0 } as const;
  const log = writeLog("v20", [mapped, code, ...[0x10004, 0x401010, 0x20000].map((pc) => ({ ...tick, pc }))]);
  writeFileSync(join(folder, "isolate-0x1000-7-v8.log"), log);
}

function put(path: string, kind: string): void {
  const pipe = join(workFolder(), "pipe");
  if (!existsSync(pipe)) execFileSync("mkfifo", [pipe]);
  if (kind === "pipe") execFileSync("mkfifo", [path]);
  else if (kind === "folder") mkdirSync(path);
  else if (kind === "itself") symlinkSync(path, path);
  else if (kind !== "nothing") symlinkSync(kind === "link to a pipe" ? pipe : kind, path);
}

/** Changes bytes of the caches, and makes their checksums right again. */
function damageCaches(damage: readonly Mutation[]): void {
  const caches = process.env.XDG_CACHE_HOME!;
  if (damage.length === 0 || !existsSync(caches)) return;
  for (const entry of readdirSync(caches, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || path.includes("compile")) continue;
    const bytes = readFileSync(path);
    if (bytes.length <= 16) continue;
    const content = mutate(bytes.subarray(16), damage);
    bytes.writeUInt32LE(crc32(content), 8);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, 16), content]));
  }
}

import { type RegularFile, withRegularFile } from "../../io/regular-file.js";
import type { LinkAddress } from "../../profile/units.js";
import type { Segment } from "../elf/file.js";
import { readElfHeader } from "../elf/header.js";
import { decodeArm64 } from "./arm64.js";
import { type BuiltinCode, calledBuiltins } from "./called-builtins.js";
import { framelessRanges } from "./frameless-ranges.js";
import { decodeX64 } from "./x64.js";

/** Where a builtin has no frame of its own, so that the sampler skips what called it. */
export interface BuiltinFrames {
  /** Bytes of its code. */
  readonly size: number;
  /** Whether other builtins may call it: its caller need not be a function. */
  readonly isCalled: boolean;
  /** The ranges without a frame: start and end of each, in bytes from the start of the code. */
  readonly frameless: readonly number[];
}

/** What is known of builtins, by their name in the log. */
export type FramesByBuiltin = ReadonlyMap<string, BuiltinFrames>;

/** A builtin in a file. */
export interface LinkedBuiltin {
  /** Undefined for a bytecode handler. */
  readonly name: string | undefined;
  readonly start: LinkAddress;
  readonly size: number;
}

/** A file with V8's builtins. */
export interface BuiltinFile {
  readonly file: string;
  readonly segments: readonly Segment[];
}

/** No V8 has more code in its builtins. */
const CODE_LIMIT = 1 << 25;

/** Numbers of processors in ELF files. Source: the ELF specifications of the processors. */
const MACHINES: Readonly<Record<number, "x64" | "arm64">> = { 62: "x64", 183: "arm64" };

/**
 * Reads the code of builtins from a file, and returns what it says of the frames of those that are `wanted`.
 * `builtins` are all of the file's; they must not overlap. Returns an empty map for other processors.
 */
export function readBuiltinFrames(
  { file, segments }: BuiltinFile,
  builtins: readonly LinkedBuiltin[],
  wanted: ReadonlySet<string>,
): FramesByBuiltin {
  const sorted = builtins.toSorted((a, b) => a.start - b.start);
  const found = withRegularFile(file, (open) => {
    const header = readElfHeader(open);
    const machine = header?.is64 && !header.isBigEndian ? MACHINES[header.machine] : undefined;
    const code = readCode(open, segments, sorted);
    return machine === undefined || code === undefined ? undefined : { machine, code };
  });
  const frames = new Map<string, BuiltinFrames>();
  if (found === undefined) return frames;
  const { machine, code } = found;
  const ranges = sorted.map(({ start, size }) => ({ start, end: start + size }));
  const called = calledBuiltins(code, ranges, machine);
  const decode = machine === "x64" ? decodeX64 : decodeArm64;
  for (const [i, { name, start, size }] of sorted.entries()) {
    if (name === undefined || !wanted.has(name) || frames.has(name)) continue;
    const bytes = code.bytes.subarray(start - code.start, start - code.start + size);
    frames.set(name, { size, isCalled: called[i] === 1, frameless: framelessRanges(bytes, decode) });
  }
  return frames;
}

/** Reads the code from the first builtin to the last; undefined if they overlap or are not in one segment. */
function readCode(
  open: RegularFile,
  segments: readonly Segment[],
  sorted: readonly LinkedBuiltin[],
): BuiltinCode | undefined {
  const start = sorted[0]?.start ?? 0;
  let end = start;
  for (const { start: next, size } of sorted) {
    if (next < end) return undefined;
    end = next + size;
  }
  const segment = segments.find(({ linkAddress, size }) => start >= linkAddress && end <= linkAddress + size);
  if (segment === undefined || end - start > CODE_LIMIT || end === start) return undefined;
  const bytes = open.read(segment.fileOffset + start - segment.linkAddress, end - start);
  return bytes && { bytes, start };
}

/**
 * Finds the builtins of a log in a file by the distances between them, and returns how much lower they are
 * there; undefined if they are not there. V8 since Node 22 runs a copy of them. `starts` are those of the log
 * and of all functions of the file, ascending.
 */
export function findBuiltins(logged: readonly number[], starts: ArrayLike<number>): number | undefined {
  const [first, second] = logged;
  if (first === undefined || second === undefined || logged.length < PROOF) return undefined;
  const step = second - first;
  for (let i = 0; i + 1 < starts.length; i++) {
    if (starts[i + 1]! - starts[i]! !== step) continue;
    const shift = first - starts[i]!;
    let at = i;
    let right = 0;
    while (right < PROOF) {
      const next = logged[right]! - shift;
      while (at < i + 2 * PROOF && starts[at]! < next) at++;
      if (starts[at] !== next) break;
      right++;
    }
    if (right === PROOF) return shift;
  }
  return undefined;
}

/** So many builtins at equal distances are no coincidence. */
const PROOF = 64;

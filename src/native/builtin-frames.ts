import { valueAt } from "../base/maps.js";
import type { LinkAddress } from "../base/units.js";
import { type RegularFile, withRegularFile } from "../io/regular-file.js";
import { readElfHeader, type Segment } from "./binary-file.js";
import { decodeArm64, decodeX64, framelessRanges } from "./machine-code.js";
import type { SymbolCache } from "./symbol-cache.js";
import type { LibraryFile } from "./symbol-source.js";

/** Where a builtin is in the file. */
interface BuiltinRange {
  readonly start: LinkAddress;
  readonly end: LinkAddress;
}

/** The builtins' code, from the first to the last. */
interface BuiltinCode {
  readonly bytes: Buffer;
  readonly start: LinkAddress;
}

/** A call or jump: where it goes, in bytes from the start of the code. */
interface Edge {
  readonly target: number;
  readonly isCall: boolean;
}

/**
 * Returns 1 for each builtin that another one may call, directly or by a jump at its end: such a builtin can
 * run for another builtin, not only for a function. `ranges` are sorted and do not overlap. Takes every byte
 * for the start of an instruction, so it may find calls that are none, but misses none.
 */
export function calledBuiltins(
  { bytes, start }: BuiltinCode,
  ranges: readonly BuiltinRange[],
  machine: "x64" | "arm64",
): Uint8Array {
  const { edgeAt, step } = machine === "x64" ? { edgeAt: edgeX64, step: 1 } : { edgeAt: edgeArm64, step: 4 };
  const numbers = new Map(ranges.map((range, i) => [range.start - start, i]));
  const called = new Uint8Array(ranges.length);
  /** By builtin: those that it jumps to. */
  const jumps = new Map<number, Set<number>>();
  for (const [from, range] of ranges.entries()) {
    const end = Math.min(range.end - start, bytes.length);
    for (let at = range.start - start; at < end; at += step) {
      const edge = edgeAt(bytes, at);
      const to = edge && numbers.get(edge.target);
      if (edge === undefined || to === undefined || (to === from && !edge.isCall)) continue;
      if (edge.isCall) called[to] = 1;
      else valueAt(jumps, from, () => new Set()).add(to);
    }
  }
  const waiting = Array.from(called.keys()).filter((builtin) => called[builtin] === 1);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const to of jumps.get(next) ?? []) {
      if (called[to] === 1) continue;
      called[to] = 1;
      waiting.push(to);
    }
  }
  return called;
}

const CALL = 0xe8;
const JUMP = 0xe9;

function edgeX64(bytes: Buffer, at: number): Edge | undefined {
  const opcode = bytes[at]!;
  if (opcode === CALL || opcode === JUMP) {
    return at + 5 > bytes.length
      ? undefined
      : { target: at + 5 + bytes.readInt32LE(at + 1), isCall: opcode === CALL };
  }
  const isJump = opcode === 0x0f && ((bytes[at + 1] ?? 0) & 0xf0) === 0x80 && at + 6 <= bytes.length;
  return isJump ? { target: at + 6 + bytes.readInt32LE(at + 2), isCall: false } : undefined;
}

function edgeArm64(bytes: Buffer, at: number): Edge | undefined {
  if (at + 4 > bytes.length) return undefined;
  const word = bytes.readInt32LE(at);
  const opcode = word >>> 26;
  if (opcode === 0b100101 || opcode === 0b000101) {
    return { target: at + 4 * ((word << 6) >> 6), isCall: opcode === 0b100101 };
  }
  // Conditional branches reach 1 MB.
  const isJump = word >>> 24 === 0b01010100 || (word & 0x7e000000) === 0x34000000;
  return isJump ? { target: at + 4 * ((word << 8) >> 13), isCall: false } : undefined;
}

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
interface BuiltinFile {
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

const FIELDS = /^([0-9a-f]{1,8}) (called|alone) ([0-9a-f,-]+)$/;
const RANGE = /^([0-9a-f]{1,8})-([0-9a-f]{1,8})$/;
/** Stands for no ranges. */
const NONE = "-";

/**
 * Returns what is known of a builtin as text without a space at either end: its size, `called` or `alone`, and
 * the ranges without a frame. Numbers are hexadecimal: `1258 called 0-390,40b-414`.
 */
export function framesText({ size, isCalled, frameless }: BuiltinFrames): string {
  const ranges: string[] = [];
  for (let i = 0; i < frameless.length; i += 2) {
    ranges.push(`${frameless[i]!.toString(16)}-${frameless[i + 1]!.toString(16)}`);
  }
  const where = ranges.length === 0 ? NONE : ranges.join(",");
  return `${size.toString(16)} ${isCalled ? "called" : "alone"} ${where}`;
}

/** Reads what {@link framesText} returns; undefined for any other text. */
export function parseFrames(text: string): BuiltinFrames | undefined {
  const [, size, called, where] = FIELDS.exec(text) ?? [];
  if (where === undefined) return undefined;
  const frameless: number[] = [];
  for (const range of where === NONE ? [] : where.split(",")) {
    const [, from = NaN, to = NaN] = (RANGE.exec(range) ?? []).map((hex) => Number.parseInt(hex, 16));
    if (!(from >= (frameless.at(-1) ?? 0) && to > from)) return undefined;
    frameless.push(from, to);
  }
  return { size: Number.parseInt(size!, 16), isCalled: called === "called", frameless };
}

/** A file with V8's builtins, and what is known of it from earlier runs. */
export interface BuiltinLibrary {
  readonly library: LibraryFile;
  readonly cache: SymbolCache | undefined;
}

/** Does the same as {@link readBuiltinFrames}, but reads only what is not in the cache. */
export function cachedFrames(
  { library, cache }: BuiltinLibrary,
  builtins: readonly LinkedBuiltin[],
  wanted: ReadonlySet<string>,
): FramesByBuiltin {
  const { file, binary } = library;
  if (binary.format !== "elf") return new Map(); // Builtins are found in ELF files only.
  let read: FramesByBuiltin | undefined;
  const readAll = () => {
    read ??= readBuiltinFrames({ file, segments: binary.segments }, builtins, wanted);
    return read;
  };
  if (cache === undefined) return readAll();
  const frames = new Map<string, BuiltinFrames>();
  for (const { name, start, size } of builtins) {
    if (name === undefined || !wanted.has(name) || frames.has(name)) continue;
    const question = `frames of ${name} at ${start.toString(16)}, ${size}`;
    const text = cache.ask(library, question, () => {
      const found = readAll().get(name);
      return found && framesText(found);
    });
    const known = text === undefined ? undefined : parseFrames(text);
    if (known !== undefined) frames.set(name, known);
  }
  return frames;
}

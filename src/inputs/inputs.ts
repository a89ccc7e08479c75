import { TicksError } from "../base/errors.js";
import { UNPACKED_BYTES, UNPACKED_TIMES } from "../base/limits.js";
import { printable } from "../base/shown-text.js";
import { isPprof } from "../io/file-kind.js";
import { firstBytes, type LogChunks, prepend } from "../io/log-chunks.js";
import type { InputKind, Profile, ProfileInfo } from "../profile/profile.js";
import { isCpuProfile, readCpuProfile } from "./cpuprofile.js";
import { isHeapProfile, readHeapProfile } from "./heap-profile.js";
import { readPprof } from "./pprof.js";
import type { ReadInputOptions } from "./read-options.js";
import { isTrace, readTrace } from "./trace.js";

/** A kind of profile that is no log. */
export interface Input {
  readonly kind: InputKind;
  /** Returns whether a file begins like one. */
  readonly isThis: (head: Uint8Array) => boolean;
  /** Returns a profile for each thread. Throws a {@link TicksError} if nothing can be read. */
  readonly read: (
    chunks: AsyncIterable<Uint8Array>,
    options: ReadInputOptions,
  ) => Promise<readonly Profile[]>;
}

/** All that is read but logs. */
const INPUTS: readonly Input[] = [
  { kind: "pprof", isThis: isPprof, read: readPprof },
  { kind: "trace", isThis: (head) => isTrace(textOf(head)), read: readTrace },
  { kind: "heapprofile", isThis: (head) => isHeapProfile(textOf(head)), read: readHeapProfile },
  { kind: "cpuprofile", isThis: (head) => isCpuProfile(textOf(head)), read: readCpuProfile },
];

/** What reports call each kind, with its article. */
export const INPUT_NAMES: Readonly<Record<InputKind, string>> = {
  cpuprofile: "a CPU profile",
  heapprofile: "a heap profile",
  trace: "a Chrome trace",
  pprof: "a pprof profile",
};

/** So many bytes tell what a file is, however few of them come at a time. */
const HEAD_BYTES = 1 << 14;

function textOf(head: Uint8Array): string {
  return Buffer.from(head.buffer, head.byteOffset, head.length).toString("latin1");
}

/** Returns what kind of profile a file is, by its first bytes, decompressed; undefined for a log, and for all that is not known. */
export function inputIn(head: Uint8Array): Input | undefined {
  return INPUTS.find(({ isThis }) => isThis(head));
}

/** A file that was opened, and what it is; undefined for a log, and for all that is not known. */
interface OpenedInput {
  readonly input: Input | undefined;
  readonly chunks: LogChunks;
}

/** Looks at the first bytes of a file, decompressed, to say what it is. The chunks begin with these bytes. */
export async function openInput(log: LogChunks): Promise<OpenedInput> {
  const chunks = log[Symbol.asyncIterator]();
  const first = await firstBytes(chunks, HEAD_BYTES);
  const head = first.subarray(0, HEAD_BYTES);
  return {
    input: inputIn(head),
    chunks: {
      ...log,
      [Symbol.asyncIterator]: () => prepend(first, chunks),
    },
  };
}

/** Yields the bytes of a profile. Throws a {@link TicksError} once they are far more than those that they were compressed to. */
export async function* withinUnpacked(chunks: LogChunks, name: string): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    const packed = chunks.packedBytes?.() ?? 0;
    if (packed > 0 && length > UNPACKED_BYTES + UNPACKED_TIMES * packed)
      throw new TicksError(
        "NOT_A_LOG",
        `${name} unpacks to more than ${UNPACKED_TIMES} times its size, which profiles do not: it may be made to fill the memory`,
        "If you trust it, unpack it first, with gzip -d or zstd -d.",
      );
    yield chunk;
  }
}

/** Throws a {@link TicksError} if some inputs are logs and others are not, or are of another kind: their ticks say different things. */
export function refuseMixed(inputs: readonly Pick<ProfileInfo, "logs" | "input" | "memory">[]): void {
  const [first] = inputs;
  const other = inputs.find(({ input }) => input !== first?.input);
  if (first === undefined || other === undefined) {
    refuseMixedMemory(inputs);
    return;
  }
  const nameOf = (input: InputKind | undefined) => (input === undefined ? "a log" : INPUT_NAMES[input]);
  throw new TicksError(
    "BAD_OPTION",
    `${first.logs[0]} is ${nameOf(first.input)} and ${other.logs[0]} ${nameOf(other.input)}: they cannot be counted together`,
    "A tick of a log is time on the CPU, a sample of a profile is time that passed. Record both in one way.",
  );
}

/** Throws a {@link TicksError} if some profiles count other things than others: bytes, objects, time; what was allocated, or alive. */
function refuseMixedMemory([first, ...others]: readonly Pick<ProfileInfo, "logs" | "memory">[]): void {
  const nameOf = ({ memory }: Pick<ProfileInfo, "memory">) =>
    memory === undefined
      ? "time"
      : `${memory.of}${{ alive: " alive at the end", allocated: " allocated", unknown: "" }[memory.is]}`;
  // A file that does not tell which it has goes with all.
  const isOther = ({ memory }: Pick<ProfileInfo, "memory">, of: Pick<ProfileInfo, "memory">) =>
    memory?.of !== of.memory?.of ||
    (memory?.is !== of.memory?.is && memory?.is !== "unknown" && of.memory?.is !== "unknown");
  const known = [first, ...others].find((one) => one?.memory !== undefined && one.memory.is !== "unknown");
  const from = known ?? first;
  if (first === undefined || from === undefined) return;
  const other = [first, ...others].find((one) => isOther(one, from));
  if (other === undefined) return;
  throw new TicksError(
    "BAD_OPTION",
    `${from.logs[0]} has ${nameOf(first)} and ${other.logs[0]} ${nameOf(other)}: they cannot be counted together`,
    "Name profiles of one kind.",
  );
}

/** Throws a {@link TicksError} for profiles of memory, where times are wanted; `hint` says what to do. */
export function refuseMemory(infos: readonly Pick<ProfileInfo, "title" | "memory">[], hint: string): void {
  const found = infos.find(({ memory }) => memory !== undefined);
  if (found !== undefined)
    throw new TicksError("BAD_OPTION", `${printable(found.title)} counts memory, not time`, hint);
}

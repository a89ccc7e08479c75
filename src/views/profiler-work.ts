import { type CallTree, ROOT } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { VM_STATES, type VmStateName } from "../profile/vm-state.js";

/**
 * The classes that write V8's log, before the parameters of a C++ name. They were called Logger and Log up to
 * V8 8, V8FileLogger and LogFile later.
 *
 * Source: V8, src/logging/log.h, src/logging/log-file.h.
 */
const LOG_WRITER =
  /(?:^|[\s*&])v8::internal::(?:Logger|V8FileLogger|Log|LogFile|CodeEventLogger|ExistingCodeLogger)::/;

/** Functions of C libraries that write to a file, with an optional symbol version; none that print to memory. */
const FILE_WRITER =
  /^(?:(?:__GI_)?_{0,2}(?:libc_)?writev?(?:_nocancel)?|(?:_IO_|__)?fwrite(?:_unlocked|x)?|(?:_IO_)?(?:new_)?(?:file_|do_)(?:xsputn|write|overflow)|__s?write|_swrite|__sfvwrite|__std(?:io|out)_write)(?:@.*)?$/;

/** C++ streams: V8 writes its log through one. */
const STREAM_WRITER =
  /(?:^|[\s*&])(?:std::(?:__1::|__cxx11::)?(?:basic_)?(?:ostream|streambuf|filebuf)\b|std::(?:__1::)?__(?:ostream_insert|put_character_sequence)\b|v8::internal::OFStream(?:Base)?::)/;

/** What V8 does itself: no code of Node or an addon runs in these states. */
const V8_STATES: readonly VmStateName[] = ["gc", "parser", "bytecode-compiler", "compiler"];

/**
 * Finds the ticks that the profiler itself took: V8 writes a row to the log for all code that it makes, moves
 * or drops. V8 logs at most the native function that runs and the one that JavaScript called, seldom the
 * functions between. So a tick counts as the profiler's
 *
 * - if a native function since the last JavaScript is one of the log's writers, or
 * - if the native function that runs writes a file or a stream and V8 itself called it, because its state says
 *   so or the function that JavaScript called is V8's own. V8 writes nothing else.
 *
 * Source: V8, src/profiler/tick-sample.cc (what is in a tick).
 */
export function profilerWork({ frames, tree, samples }: Profile): (sample: number) => boolean {
  const kinds = nativeKinds(frames);
  const marks = marksOf(tree, kinds);
  return (sample) => {
    const node = samples.node[sample]!;
    const host = STATE_HOSTS[samples.vmState[sample]!]!;
    if ((marks[node]! & IN_LOG_WRITER) !== 0) return true;
    if (node === ROOT || kinds[tree.frame[node]!] !== FILE_WRITING) return false;
    return host === 1 || (host !== 2 && (marks[tree.parent[node]!]! & CALLED_BY_V8) !== 0);
  };
}

/** A native function since the last JavaScript is one of the log's writers. */
const IN_LOG_WRITER = 1;
/** The native function that JavaScript called is V8's own. */
const CALLED_BY_V8 = 2;

/** The number of each kind of native function; 0 stands for all other frames. */
const NATIVE_KINDS: readonly (NativeWork | undefined)[] = [
  undefined,
  "other",
  "v8",
  "log-writer",
  "file-writer",
];
const V8_FUNCTION = NATIVE_KINDS.indexOf("v8");
const LOG_WRITING = NATIVE_KINDS.indexOf("log-writer");
const FILE_WRITING = NATIVE_KINDS.indexOf("file-writer");

/** By VM state: 1 if only code of V8 runs in it, 2 if only code of others does, else 0. */
const STATE_HOSTS = Uint8Array.from(VM_STATES, (state) =>
  isV8State(state) ? 1 : state === "external" ? 2 : 0,
);

/** Returns, by frame, the number of what a native function does; 0 for other code. */
function nativeKinds(frames: readonly Frame[]): Uint8Array {
  return columnOf(Uint8Array, frames, (frame) => NATIVE_KINDS.indexOf(nativeWorkOf(frame)));
}

/** Returns the marks of each node of a call tree. */
function marksOf({ length, parent, frame }: CallTree, kinds: Uint8Array): Uint8Array {
  const marks = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++) {
    const kind = kinds[frame[node]!]!;
    const above = parent[node]!;
    if (kind === 0) continue;
    const isFirst = above === ROOT || kinds[frame[above]!] === 0;
    const isV8 = kind === V8_FUNCTION || kind === LOG_WRITING ? CALLED_BY_V8 : 0;
    marks[node] = (isFirst ? isV8 : marks[above]!) | (kind === LOG_WRITING ? IN_LOG_WRITER : 0);
  }
  return marks;
}

/** Returns whether no code of Node or an addon runs in a state. */
export function isV8State(state: VmStateName): boolean {
  return V8_STATES.includes(state);
}

/** What a native function does. */
export type NativeWork = "log-writer" | "file-writer" | "v8" | "other";

/** Returns what a native function does; undefined for all other frames. */
export function nativeWorkOf(frame: Frame): NativeWork | undefined {
  if (frame.kind !== "native") return undefined;
  if (frame.symbol === undefined) return "other";
  const name = withoutParameters(frame.symbol);
  if (LOG_WRITER.test(name)) return "log-writer";
  if (FILE_WRITER.test(name) || STREAM_WRITER.test(name)) return "file-writer";
  return name.startsWith("v8::internal::") ? "v8" : "other";
}

/** Returns a C++ name up to its parameters, so that a function that is given a writer is none. */
function withoutParameters(symbol: string): string {
  const open = symbol.replaceAll("(anonymous namespace)", "<anonymous namespace>").indexOf("(");
  return open < 0 ? symbol : symbol.slice(0, open);
}

import type { BuiltinCopy } from "../recorder/builtins.js";
import type { RecordedFrame } from "../recorder/recorded-frame.js";
import type { Recording } from "../recorder/recording.js";
import {
  type BuiltinFrames,
  cachedFrames,
  type FramesByBuiltin,
  findBuiltins,
  type LinkedBuiltin,
} from "../symbols/builtin-frames.js";
import type { LoadedLibrary } from "../symbols/load-library.js";
import { frameRange } from "../symbols/machine-code.js";

/** A place in a builtin at the top of a stack. */
interface TopBuiltin {
  readonly name: string;
  /** In bytes from the start of its code. */
  readonly offset: number;
}

/** Returns the place in a builtin that a frame is; undefined if it is none. */
export function topBuiltin(frame: RecordedFrame, copy: BuiltinCopy | undefined): TopBuiltin | undefined {
  if (frame.kind === "builtin") return frame;
  if (frame.kind !== "pending" || frame.library >= 0) return undefined;
  const start = copy?.startOf(frame.address);
  const found = copy?.find(frame.address);
  if (start === undefined || found?.type !== "Builtin") return undefined;
  return { name: found.name, offset: frame.address - start };
}

/** Returns whether a builtin has no frame of its own at an offset. */
export function isFrameless({ frameless, size }: BuiltinFrames, offset: number): boolean {
  return offset < size && frameRange(frameless, offset).isFrameless;
}

/**
 * Returns what the libraries of a log say of the frames of builtins. Leaves out those whose size differs from
 * the log's.
 */
export function loadBuiltinFrames(
  { builtins, libraries: { libraries } }: Pick<Recording, "builtins" | "libraries">,
  loaded: ReadonlyMap<number, LoadedLibrary>,
  wanted: ReadonlySet<string>,
): FramesByBuiltin {
  const logged = Array.from(builtins.all()).sort((a, b) => a.start - b.start);
  const sizes = new Map(logged.map(({ name, size }) => [name, size]));
  const frames = new Map<string, BuiltinFrames>();
  for (const [index, library] of loaded) {
    if (libraries[index] === undefined) continue;
    for (const [name, found] of framesIn(library, logged, wanted)) {
      if (wanted.has(name) && sizes.get(name) === found.size) frames.set(name, found);
    }
  }
  return frames;
}

function framesIn(
  { symbols, builtins: source }: LoadedLibrary,
  logged: readonly LinkedBuiltin[],
  wanted: ReadonlySet<string>,
): FramesByBuiltin {
  const first = logged[0];
  if (symbols === undefined || source === undefined || first === undefined) return new Map();
  if (source.kind === "saved") return source.frames;
  const link = symbols.toLink(first.start);
  const shift =
    link !== undefined
      ? first.start - link
      : findBuiltins(
          logged.map(({ start }) => start),
          symbols.table.starts,
        );
  if (shift === undefined) return new Map();
  const linked = logged.map(({ name, start, size }) => ({ name, start: start - shift, size }));
  return cachedFrames(source, linked, wanted);
}

import type { SymbolCache } from "../cache/symbol-cache.js";
import type { LibraryFile } from "../symbol-source.js";
import {
  type BuiltinFrames,
  type FramesByBuiltin,
  type LinkedBuiltin,
  readBuiltinFrames,
} from "./builtin-frames.js";
import { framesText, parseFrames } from "./frames-text.js";

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

/** Smallest log for which a second thread pays off, in bytes. A thread takes some 40 ms to start. */
export const LARGE_LOG_BYTES = 1 << 24;

/** The unread rest of an uncompressed log: a file, or a descriptor at its current offset. */
export type LogRest = { readonly path: string } | { readonly descriptor: number };

/** Why a log ends early: its compressed data is damaged or cut short. */
export type CompressionDiagnostic = "damaged-compression" | "cut-compression";

/** The bytes of a log, in chunks split anywhere. A chunk is valid only until the next one is requested. */
export interface LogChunks extends AsyncIterable<Uint8Array> {
  /**
   * Returns where the bytes after the chunks read so far are, so that a second thread can read them if the
   * log is large. Returns undefined if that is unknown, for example because they are compressed. Default:
   * chunks are passed to the thread.
   */
  readonly rest?: () => LogRest | undefined;
  /** Bytes in the whole log; undefined if unknown before it is read. */
  readonly size?: number | undefined;
  /** Returns whether the bytes were compressed, once the first chunk has been read. Default: unknown. */
  readonly isCompressed?: () => boolean;
  /** Returns how many compressed bytes were read so far; 0 if the bytes are not compressed. Default: 0. */
  readonly packedBytes?: () => number;
  /**
   * Returns what cut the log short, once the last chunk has been read; undefined if it is complete. Default:
   * always complete.
   */
  readonly diagnostic?: () => CompressionDiagnostic | undefined;
}

/** Returns the first bytes, at least `least` of them unless there are fewer: one chunk, or several as one if they are short. */
export async function firstBytes(chunks: AsyncIterator<Uint8Array>, least: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < least) {
    const { value, done } = await chunks.next();
    if (done) break;
    if (length === 0 && value.length >= least) return value;
    parts.push(Uint8Array.from(value)); // It is valid until the next one.
    length += value.length;
  }
  return Buffer.concat(parts);
}

/** Yields the first bytes of chunks and then the rest. */
export async function* prepend(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

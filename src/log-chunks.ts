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
  /**
   * Returns what cut the log short, once the last chunk has been read; undefined if it is complete. Default:
   * always complete.
   */
  readonly diagnostic?: () => CompressionDiagnostic | undefined;
}

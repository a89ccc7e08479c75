/** What is left of a log as it stands: a file, or a descriptor from where it is. */
export type LogRest = { readonly path: string } | { readonly descriptor: number };

/** Why a log ends before its end: its compressed data is damaged, or cut short. */
export type CompressionDiagnostic = "damaged-compression" | "cut-compression";

/** The bytes of a log, in chunks cut anywhere; each is good until the next one is asked for. */
export interface LogChunks extends AsyncIterable<Uint8Array> {
  /**
   * Where the bytes after the chunks that were read so far are; undefined where that is not known, as where they are
   * compressed there. Where the log is large, a second thread reads them. Default: it gets the chunks.
   */
  readonly rest?: () => LogRest | undefined;
  /** Bytes of the whole log; undefined where they are not known before it is read. */
  readonly size?: number | undefined;
  /** What cut the log short, once the last chunk was read; undefined when nothing did. Default: nothing does. */
  readonly diagnostic?: () => CompressionDiagnostic | undefined;
}

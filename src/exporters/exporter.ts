import type { Profile } from "../profile/profile.js";
import type { StackOptions } from "../profile/shown-stacks.js";

/** What is known of a profile beyond its logs. */
export interface ExportOptions extends StackOptions {
  /**
   * Where the profile is from, by key: `{ env: "prod", deploy: "v42" }`. A key has lower-case letters, digits
   * and `_`. Default: none.
   */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * When the first log was opened. Default: when its file was made, if the file was written for as long as the
   * ticks took; else unknown.
   */
  readonly start?: Date | undefined;
}

/**
 * Writes a profile as chunks of text or bytes, which need not end with a line. The profile has no unknown
 * addresses among callers.
 */
export type ExportFunction = (
  profile: Profile,
  options?: ExportOptions,
) => Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** An export format for other tools. */
export interface Exporter {
  /** Its name in `--format`. */
  readonly name: string;
  /** The extension of its files, without the first dot. If it ends in `gz`, the chunks are compressed. */
  readonly extension: string;
  /** What it is and which tools open it, as part of a sentence. */
  readonly description: string;
  /** Whether it needs {@link Profile.timeline}; it throws without it. */
  readonly needsTimeline: boolean;
  /** Whether it shows when code was deoptimized, if the profile has {@link Profile.deopts}. */
  readonly showsDeopts: boolean;
  /** Whether its files have no lines, so that stacks that differ only in them can be one. Default: false. */
  readonly lacksLines?: true;
  /** Whether its files keep the labels and the start of {@link ExportOptions}. */
  readonly keepsLabels: boolean;
  /**
   * Writes a profile, without unknown addresses among callers, and with the interpreter's ticks in the
   * functions that it interpreted. Its weights sum to the profile's ticks without the excluded ones. Throws a
   * {@link TicksError} for labels that no file can have.
   */
  export(profile: Profile, options?: ExportOptions): AsyncIterable<string | Uint8Array>;
}

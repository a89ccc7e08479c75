import type { Profile } from "../profile/profile.js";
import type { StackOptions } from "../profile/shown-stacks.js";

/**
 * Writes a profile as chunks of text or bytes, which need not end with a line. The profile has no unknown
 * addresses among callers.
 */
export type ExportFunction = (profile: Profile) => Iterable<string | Uint8Array>;

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
  /**
   * Writes a profile, without unknown addresses among callers, and with the interpreter's ticks in the
   * functions that it interpreted. Its weights sum to the profile's ticks without the excluded ones.
   */
  export(profile: Profile, options?: StackOptions): AsyncIterable<string | Uint8Array>;
}

import type { Profile } from "../profile/profile.js";

/**
 * What writes a profile: chunks of text, or of bytes, one after the other; they need not end with a line. It gets no
 * unknown addresses among callers.
 */
export type ExportFunction = (profile: Profile) => Iterable<string | Uint8Array>;

/** A form in which other tools read a profile. */
export interface Exporter {
  /** What `--format` calls it. */
  readonly name: string;
  /** How the names of its files end, without the first dot. One that ends in `gz` says that the chunks are compressed. */
  readonly extension: string;
  /** What it is and which tools open it, as a part of a sentence. */
  readonly description: string;
  /** Whether it wants {@link Profile.timeline}, and throws without it. */
  readonly needsTimeline: boolean;
  /** Writes a profile, without unknown addresses among callers. Its weights sum up to the profile's ticks without the excluded ones. */
  export(profile: Profile): AsyncIterable<string | Uint8Array>;
}

import type { V8Version } from "../../profile/v8-version.js";
import type { Row } from "../fields.js";

/** The V8 that wrote the log. */
export interface V8VersionRecord extends V8Version {
  readonly type: "v8-version";
}

/** The systems that V8 was built for, in V8's words. */
export interface V8PlatformRecord {
  readonly type: "v8-platform";
  /** The system that it runs on, such as `linux`, `macos` or `windows`. */
  readonly system: string;
  /** The system that its code is made for, which is the same but in simulators. */
  readonly target: string;
}

/** What a program that embeds V8 appends to its version: `-node.34`, `-electron.0`. The text stands in the head of each report. */
const EMBEDDER = /^-[\w.+-]{1,40}$/;

/**
 * `major,minor,build,patch[,embedder],candidate`. What cannot be part of a version is left out.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::LogVersion`; include/v8-version.h, `V8_EMBEDDER_STRING`.
 */
export function decodeV8Version(row: Row): V8VersionRecord | undefined {
  const major = row.integer();
  const minor = row.integer();
  const build = row.integer();
  const patch = row.integer();
  if (Number.isNaN(major + minor + build + patch)) return undefined;
  const field = row.rawText();
  const embedder = row.hasMore() && EMBEDDER.test(field) ? field : "";
  return { type: "v8-version", major, minor, build, patch, embedder };
}

/**
 * `system,target`.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::LogVersion`, and `V8_OS_STRING` in include/v8config.h; from V8 9 on.
 */
export function decodeV8Platform(row: Row): V8PlatformRecord {
  return { type: "v8-platform", system: row.rawText(), target: row.rawText() };
}

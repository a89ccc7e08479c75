import type { V8Version } from "../../profile/v8-version.js";
import type { Row } from "../fields.js";

/** The V8 that wrote the log. */
export interface V8VersionRecord extends V8Version {
  readonly type: "v8-version";
}

/**
 * `major,minor,build,patch[,embedder],candidate`.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::LogVersion`.
 */
export function decodeV8Version(row: Row): V8VersionRecord | undefined {
  const major = row.integer();
  const minor = row.integer();
  const build = row.integer();
  const patch = row.integer();
  if (Number.isNaN(major + minor + build + patch)) return undefined;
  const field = row.rawText();
  return { type: "v8-version", major, minor, build, patch, embedder: row.hasMore() ? field : "" };
}

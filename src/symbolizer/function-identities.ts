import { createHash } from "node:crypto";
import type { Frame } from "../profile/frame.js";
import { type FunctionIdentities, type FunctionIdentity, ordinalsOf } from "../profile/function-identity.js";
import { parseLoggedName } from "../profile/logged-name.js";
import { stableFiles } from "../profile/stable-files.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { Scripts } from "../recorder/scripts.js";
import type { FunctionSources } from "./function-sources.js";

/** What is known about a log's functions after the last record. */
export interface IdentityFacts {
  /** All functions of the log. */
  readonly logged: Iterable<LoggedFunction>;
  readonly scripts: Scripts;
  readonly sources: FunctionSources;
  readonly frames: readonly Frame[];
}

/** Returns the identity of each function of the log; those that have frames are hashed. */
export function functionIdentities({ logged, scripts, sources, frames }: IdentityFacts): FunctionIdentities {
  const byName = new Map<string, LoggedFunction>();
  const files = new Set<string>();
  for (const one of logged) {
    byName.set(sources.nameOf(one), one);
    files.add(parseLoggedName(one.name).file ?? "");
  }
  const stableFile = stableFiles(files);
  const parsed = Array.from(byName, ([own, one]) => {
    const { name, file = "", line = 0, column = 0 } = parseLoggedName(own);
    return { own, one, name, path: file, file: stableFile(file), line, column };
  });
  const hot = new Set(frames.map((frame) => (frame.kind === "js" ? frame.name : "")));
  const hashes = new SourceHashes(scripts);
  const identities = new Map<string, FunctionIdentity>();
  for (const [{ own, one, file, name }, ordinal] of ordinalsOf(parsed)) {
    const sourceHash = hot.has(own) ? hashes.of(one) : undefined;
    identities.set(own, { file, name, ordinal, sourceHash });
  }
  return identities;
}

/** As many hex digits tell 2^64 texts apart. */
const HASH_DIGITS = 16;
/** Functions of one script that contain each other are hashed up to this many times the script's length. */
const DEPTH = 64;

class SourceHashes {
  readonly #scripts: Scripts;
  /** By script: how many characters are left to hash. */
  readonly #left = new Map<number, number>();

  constructor(scripts: Scripts) {
    this.#scripts = scripts;
  }

  of({ script, start, end }: LoggedFunction): string | undefined {
    const text = this.#scripts.get(script)?.source;
    if (text === undefined || start < 0 || end <= start || end > text.length) return undefined;
    const left = (this.#left.get(script) ?? DEPTH * text.length) - (end - start);
    this.#left.set(script, left);
    // A forged log can state the same range for many functions.
    if (left < 0) return undefined;
    const own = text.slice(start, end).replace(/\s+/g, "");
    return createHash("sha256").update(own).digest("hex").slice(0, HASH_DIGITS);
  }
}

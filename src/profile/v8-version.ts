/** The version row of a log, as V8 wrote it. */
export interface V8Version {
  readonly major: number;
  readonly minor: number;
  readonly build: number;
  readonly patch: number;
  /** `-node.34`, `-rusty`, …; empty for V8 alone and for Node 8 and older. */
  readonly embedder: string;
}

/** Returns the versions of several logs, each once, in the order of the logs. */
export function distinctVersions(versions: readonly V8Version[]): V8Version[] {
  const byText = new Map<string, V8Version>();
  for (const version of versions) {
    const text = versionText(version);
    if (!byText.has(text)) byText.set(text, version);
  }
  return Array.from(byText.values());
}

/** Returns the version as V8 writes it: `14.6.202.34-node.34`. */
export function versionText({ major, minor, build, patch, embedder }: V8Version): string {
  return `${major}.${minor}.${build}.${patch}${embedder}`;
}

/** The last V8 of each major version of Node, as `major.minor`. */
const LAST_V8: readonly (readonly [node: number, major: number, minor: number])[] = [
  [4, 4, 5],
  [5, 4, 6],
  [6, 5, 1],
  [7, 5, 5],
  [8, 6, 2],
  [10, 6, 8],
  [11, 7, 0],
  [12, 7, 8],
  [13, 7, 9],
  [14, 8, 4],
  [15, 8, 6],
  [16, 9, 4],
  [17, 9, 6],
  [18, 10, 2],
  [19, 10, 8],
  [20, 11, 3],
  [21, 11, 8],
  [22, 12, 4],
  [23, 12, 9],
  [24, 13, 6],
  [25, 14, 1],
  [26, 14, 6],
];
/** Node 0 had V8 3. */
const FIRST_MAJOR = 4;
/** The last V8 in which Node might not name itself: `-node.34`. */
const NAMED_SINCE = 6;

/**
 * Returns the major version of the Node that has a version of V8; undefined if another program has it, or a
 * Node that is not known. Where two have the same V8, it is the one that is supported for longer.
 *
 * Source: https://nodejs.org/download/release/index.json.
 */
export function nodeMajor({ major, minor, embedder }: V8Version): number | undefined {
  if (major < FIRST_MAJOR) return undefined;
  if (!embedder.startsWith("-node.") && (major > NAMED_SINCE || embedder !== "")) return undefined;
  // Node 8 and 9 have the same V8, but only Node 9 names itself.
  if (major === NAMED_SINCE && minor === 2 && embedder !== "") return 9;
  return LAST_V8.find(
    ([, lastMajor, lastMinor]) => major < lastMajor || (major === lastMajor && minor <= lastMinor),
  )?.[0];
}

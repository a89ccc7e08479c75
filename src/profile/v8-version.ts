/** The version row of a log, as V8 wrote it. */
export interface V8Version {
  readonly major: number;
  readonly minor: number;
  readonly build: number;
  readonly patch: number;
  /** `-node.34`, `-rusty`, …; empty for V8 alone and for Node 8 and older. */
  readonly embedder: string;
}

/** Returns the version as V8 writes it: `14.6.202.34-node.34`. */
export function versionText({ major, minor, build, patch, embedder }: V8Version): string {
  return `${major}.${minor}.${build}.${patch}${embedder}`;
}

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

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { Analysis } from "../../src/facts/analysis.ts";
import { type AnalyzeOptions, analyze } from "../../src/load/analyze.ts";
import { type RecordedSymbols, readRecordedSymbols } from "../../src/native/recorded-symbols.ts";
import { chunksOf } from "./logs.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));

/** Every fixture that is one log. */
export const FIXTURE_NAMES: readonly string[] = readdirSync(FIXTURES).filter((name) =>
  existsSync(join(FIXTURES, name, "isolate.log.gz")),
);

/** Every fixture with the first of some filters and one of the others, by turns: all of them would take minutes. */
export function fixturesByTurns<Filter>(
  filters: readonly Filter[],
): readonly (readonly [string, Filter[]])[] {
  const [first, ...others] = filters;
  return FIXTURE_NAMES.map((name, i) => [name, [first!, others[i % others.length]!]]);
}

/** Some of the fixtures, of old logs and of new ones, and that of odd names: for what hardly depends on the log. */
export const SOME_FIXTURES = FIXTURE_NAMES.filter((_, i) => i % 5 === 0);

/** What most tests of all fixtures ask for: a profile is made once for the same options. */
export const WHOLE = { timeline: true, inlines: true, deopts: true } as const;

/** The log of a fixture. */
export function fixtureLog(name: string): Buffer {
  return gunzipSync(readFileSync(join(FIXTURES, name, "isolate.log.gz")));
}

/** The saved symbols of a fixture. */
export function fixtureSymbols(name: string): RecordedSymbols {
  return readRecordedSymbols(readFileSync(join(FIXTURES, name, "isolate.log.symbols"), "utf8"), name);
}

/** The profiles that were asked for, by fixture and options: all tests of a process share them. */
const profiles = new Map<string, Promise<Analysis>>();

/**
 * What the log of a fixture says, with its saved symbols. Nobody changes it: it is made once for the same plain options, and so is
 * what reports ask of it.
 */
export function fixtureProfile(name: string, options: Partial<AnalyzeOptions> = {}): Promise<Analysis> {
  const made = async () =>
    Analysis.of(
      await analyze(chunksOf(fixtureLog(name)), { name, recorded: fixtureSymbols(name), ...options }),
    );
  const entries = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.some(([, value]) => typeof value === "object" || typeof value === "function")) return made();
  const key = JSON.stringify([name, entries]);
  let profile = profiles.get(key);
  if (profile === undefined) {
    profile = made();
    profiles.set(key, profile);
  }
  return profile;
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type AnalyzeOptions, analyze } from "../../src/analyze.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { type RecordedSymbols, readRecordedSymbols } from "../../src/symbols/recorded-symbols.ts";
import { chunksOf } from "./logs.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));

/** Every fixture that is one log. */
export const FIXTURE_NAMES: readonly string[] = readdirSync(FIXTURES).filter((name) =>
  existsSync(join(FIXTURES, name, "isolate.log.gz")),
);

/** The log of a fixture. */
export function fixtureLog(name: string): Buffer {
  return gunzipSync(readFileSync(join(FIXTURES, name, "isolate.log.gz")));
}

/** The saved symbols of a fixture. */
export function fixtureSymbols(name: string): RecordedSymbols {
  return readRecordedSymbols(readFileSync(join(FIXTURES, name, "isolate.log.symbols"), "utf8"), name);
}

/** What the log of a fixture says, with its saved symbols. */
export function fixtureProfile(name: string, options: Partial<AnalyzeOptions> = {}): Promise<Profile> {
  return analyze(chunksOf(fixtureLog(name)), { name, recorded: fixtureSymbols(name), ...options });
}

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { analyze } from "../../src/analyze.ts";
import { EXPORTERS } from "../../src/exporters/exporters.ts";
import { unescapeBytes } from "../../src/parser/fields.ts";
import { parseLoggedName } from "../../src/profile/logged-name.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { LogCheck, numberDifferences } from "../../src/redact/check.ts";
import { KEPT_REASONS, KeyedHash } from "../../src/redact/name-hash.ts";
import { redactSymbols } from "../../src/redact/redact-files.ts";
import { redactProfile } from "../../src/redact/redact-profile.ts";
import { isNodeScript, Redactor } from "../../src/redact/redactor.ts";
import { readRecordedSymbols, writeRecordedSymbols } from "../../src/symbols/recorded-symbols.ts";
import { FIXTURE_NAMES, fixtureLog } from "../helpers/fixtures.ts";
import { chunksOf } from "../helpers/logs.ts";
import { recordsOfLog, redactedLog } from "../helpers/redacted.ts";

const HASH = /(?<![a-z])[bdfklnprsSt]_[a-z2-7]{12}/g;
const ROW_WORDS = new Set(
  `${"tick code creation move delete deopt source info sfi shared library end version profiler script new"} ${"current time active runtime timer event start overflow platform capacity available heap scavenge vector"} ${"feedback disable optimization symbols segment library build"}`.split(
    " ",
  ),
);

interface Redacted {
  readonly log: Buffer;
  readonly symbols: string;
  readonly redactor: Redactor;
}

function symbolsOf(name: string): string {
  return readFileSync(new URL(`../../fixtures/${name}/isolate.log.symbols`, import.meta.url), "utf8");
}

function redactFixture(name: string, key: string): Redacted {
  const redactor = new Redactor(new KeyedHash(Buffer.from(key)));
  const log = redactedLog(fixtureLog(name), redactor);
  const libraries = readRecordedSymbols(symbolsOf(name), name).values();
  const lines = Array.from(writeRecordedSymbols(redactSymbols(libraries, redactor)));
  return { log, symbols: `${lines.join("\n")}\n`, redactor };
}

function profileOf(log: Buffer, symbols: string, inlines: boolean): Promise<Profile> {
  const recorded = readRecordedSymbols(symbols, "test");
  const rest = { inferred: false, timeline: true, deopts: true };
  return analyze(chunksOf(log), { name: "a.log", recorded, inlines, ...rest });
}

/** Every string of a log that is of its program: names, paths and their parts, and what stands between quotes in texts. */
function secretsOf(log: Buffer): Set<string> {
  const secrets = new Set<string>();
  let isOld = false;
  const addPath = (path: string) => {
    secrets.add(path);
    for (const part of path.split(/[\\/:]/)) secrets.add(part.replace(/\.[a-z]+$/, ""));
  };
  for (const record of recordsOfLog(log)) {
    if (record.type === "v8-version") isOld = record.major < 9;
    if (record.type === "script-source" && !isNodeScript(record.url, isOld)) {
      addPath(record.url);
      const source = unescapeBytes(record.source);
      for (const [literal] of source.matchAll(/(?<=")[^"\\\n]{3,80}(?=")|(?<=')[^'\\\n]{3,80}(?=')/g)) {
        secrets.add(literal);
      }
      for (const [word] of source.matchAll(/[A-Za-z_$][\w$]{5,}/g)) secrets.add(word);
    }
    if (record.type !== "code-creation") continue;
    const { name, file } = parseLoggedName(record.name);
    if (record.codeType === "RegExp") secrets.add(record.name);
    else if (record.function !== undefined && file !== undefined && !isNodeScript(file, isOld)) {
      if (name.endsWith("native")) continue;
      secrets.add(name);
      addPath(file);
    }
  }
  secrets.add("/opt/node");
  return new Set(Array.from(secrets).filter((secret) => (secret.match(/[A-Za-z]/g)?.length ?? 0) >= 3));
}

/** What is kept, as one text. */
function keptText({ kept }: Redactor): string {
  return KEPT_REASONS.flatMap((reason) => kept.list(reason).map(({ text }) => text)).join("\n");
}

/** The secrets that are in a text and not in what may be there. */
function found(secrets: Iterable<string>, text: string, allowed: string): string[] {
  const shown = text.replace(HASH, " ");
  const words = new Set(allowed.split("\n"));
  const isAllowed = (secret: string) =>
    allowed.includes(secret) || secret.split(/[^\w$]+/).every((word) => word === "" || words.has(word));
  return Array.from(secrets).filter((secret) => shown.includes(secret) && !isAllowed(secret));
}

describe("a redacted log", () => {
  describe.each(FIXTURE_NAMES)("of %s", (name) => {
    const one = redactFixture(name, "one key of enough bytes");

    it("says nothing of the program", () => {
      const secrets = secretsOf(fixtureLog(name));
      expect(secrets.size).toBeGreaterThan(5);
      const allowed = `${keptText(one.redactor)}\n${Array.from(ROW_WORDS).join("\n")}`;
      expect(found(secrets, one.log.toString(), allowed)).toEqual([]);
      expect(found(secrets, one.symbols, allowed)).toEqual([]);
    });

    it("has no word that is not known to be public", () => {
      const plain = one.log
        .toString()
        .replace(HASH, " ")
        .replace(/0x[0-9a-f]+|^code-source-info,.*$|^(script-source,[^,]*,[^,]*),.*$/gm, " $1");
      const allowed = new Set(keptText(one.redactor).match(/[A-Za-z_$][\w$]{2,}/g));
      const words = new Set(plain.match(/[A-Za-z_$][\w$]{2,}/g));
      expect(Array.from(words).filter((word) => !allowed.has(word) && !ROW_WORDS.has(word))).toEqual([]);
    });

    it.each([false, true])("has the numbers of the original, with inlined functions: %s", async (inlines) => {
      const original = await profileOf(fixtureLog(name), symbolsOf(name), inlines);
      const redacted = await profileOf(one.log, one.symbols, inlines);
      expect(redacted.info.ticks).toBeGreaterThan(50);
      expect(numberDifferences(original, redacted)).toEqual([]);
      const again = redactProfile(
        original,
        new Redactor(new KeyedHash(Buffer.from("one key of enough bytes"))),
      );
      // What functions are for is read from texts, which the redacted profile has none of.
      expect(again.frames).toEqual(redacted.frames.map((frame) => ({ ...frame, role: undefined })));
      expect(again.deopts).toEqual(redacted.deopts);
      expect(again.info.libraries).toEqual(redacted.info.libraries);
    });

    it("passes its own check", () => {
      const check = new LogCheck();
      for (let at = 0; at < one.log.length; at += 100_000) check.push(one.log.subarray(at, at + 100_000));
      expect(check.end()).toEqual({ strings: [], count: 0, otherByte: -1 });
    });

    it("has the same hashes by the same key, and none by another", () => {
      expect(redactFixture(name, "one key of enough bytes").log.equals(one.log)).toBe(true);
      const other = redactFixture(name, "another key of enough bytes");
      const hashes = new Set(other.log.toString().match(HASH));
      expect(hashes.size).toBeGreaterThan(5);
      expect(
        one.log
          .toString()
          .match(HASH)
          ?.filter((hash) => hashes.has(hash)),
      ).toEqual([]);
    });
  });

  it("is the same however its chunks are cut", () => {
    for (const name of ["node-06-recursion", "node-26-odd-names"]) {
      const log = fixtureLog(name).subarray(0, 150_000);
      const redact = (size: number) =>
        redactedLog(log, new Redactor(new KeyedHash(Buffer.from("key"))), size);
      expect(redact(1000).equals(redact(log.length))).toBe(true);
    }
  });

  it("that was not redacted does not pass the check", () => {
    const check = new LogCheck();
    check.push(fixtureLog("node-26-inlining"));
    const { strings, count, otherByte } = check.end();
    expect(strings.length).toBeGreaterThan(5);
    expect(count).toBeGreaterThan(strings.length);
    expect(otherByte).toBeGreaterThanOrEqual(0);
  });

  it("does not pass the check with one name put back, in any row", () => {
    const { log } = redactFixture("node-26-inlining", "key");
    const text = log.toString("latin1");
    for (const row of [
      "delete",
      "script-source,",
      "code-creation,JS",
      "shared-library,",
      "tick,",
      "code-source-info,",
    ]) {
      const at = text.indexOf("\n", text.indexOf(`\n${row}`) + 1);
      const check = new LogCheck();
      check.push(Buffer.from(`${text.slice(0, at)} secret${text.slice(at)}`, "latin1"));
      const { count, otherByte } = check.end();
      expect(count > 0 || otherByte >= 0, row).toBe(true);
    }
  });
});

describe("a redacted profile", () => {
  it.each(["node-08-builtins", "node-20-bundle", "node-26-guide"])(
    "of %s says nothing in any export",
    async (name) => {
      const original = await profileOf(fixtureLog(name), symbolsOf(name), true);
      const redactor = new Redactor(new KeyedHash(Buffer.from("key")));
      const profile = redactProfile(original, redactor);
      const secrets = Array.from(secretsOf(fixtureLog(name))).filter((secret) => /[a-zA-Z]{6}/.test(secret));
      for (const exporter of EXPORTERS.filter(({ name }) => !/pprof|parquet|flame/.test(name))) {
        let text = "";
        for await (const chunk of exporter.export(profile)) text += Buffer.from(chunk).toString();
        // The fields of a form are words too.
        let fields = "";
        for await (const chunk of exporter.export({
          ...profile,
          frames: profile.frames.map(() => ({ kind: "unknown", reason: "unmapped" })),
        })) {
          fields += Buffer.from(chunk).toString();
        }
        expect(found(secrets, text, `${keptText(redactor)}\n${fields}`), exporter.name).toEqual([]);
      }
    },
  );
});

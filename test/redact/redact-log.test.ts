import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EXPORTERS } from "../../src/exports/exporters.ts";
import { type AnalyzeOptions, analyze } from "../../src/load/analyze.ts";
import { unescapeBytes } from "../../src/log/fields.ts";
import { parseProcessMap } from "../../src/native/process-map.ts";
import { readRecordedSymbols, writeRecordedSymbols } from "../../src/native/recorded-symbols.ts";
import { parseLoggedName } from "../../src/profile/logged-name.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { LogCheck, numberDifferences } from "../../src/redact/check.ts";
import { HashCheck, KEPT_REASONS, KeyedHash } from "../../src/redact/name-hash.ts";
import { redactMap, redactSymbols } from "../../src/redact/redact-files.ts";
import { redactProfile } from "../../src/redact/redact-profile.ts";
import { isNodeScript, Redactor } from "../../src/redact/redactor.ts";
import { faultOf, inputOf } from "../fuzz/cases.ts";
import { redact } from "../fuzz/targets/redact.ts";
import { FIXTURE_NAMES, fixtureLog, fixtureProfile, WHOLE } from "../helpers/fixtures.ts";
import { chunksOf, leavesOf, logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { recordsOfLog, redactedLog } from "../helpers/redacted.ts";

describe("redact log", () => {
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
    return analyze(chunksOf(log), { name: "a.log", recorded, timeline: true, deopts: true, inlines });
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

      // With inlined functions there is all that there is without.
      it.each(name === "node-26-inlining" ? [false, true] : [true])(
        "has the numbers of the original, with inlined functions: %s",
        async (inlines) => {
          const original = await fixtureProfile(name, { ...WHOLE, inlines });
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
        },
      );

      it("passes its own check", () => {
        const check = new LogCheck();
        for (let at = 0; at < one.log.length; at += 100_000) check.push(one.log.subarray(at, at + 100_000));
        expect(check.end()).toEqual({ strings: [], count: 0, otherByte: -1 });
      });
    });

    it.each(["node-04-regexps", "node-12-builtins", "node-26-bundle"])(
      "of %s has the same hashes by the same key, and none by another",
      (name) => {
        const one = redactFixture(name, "one key of enough bytes");
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
      },
    );

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
    it("keeps no name that a program gave a thread", async () => {
      const log = logOf("v8-version,14,6,202,34,0", "v8-platform,linux,linux");
      const original = await analyze(chunksOf(log), { name: "v8.log" });
      const threads = original.info.threads.map((thread) => ({ ...thread, pid: 7, label: "acme-billing" }));
      const { info } = redactProfile({ ...original, info: { ...original.info, threads } }, redactor());
      expect(info.threads).toHaveLength(1);
      expect(info.threads[0]?.name).toMatch(/^pid 7/);
      expect(JSON.stringify(info)).not.toContain("acme");
    });

    it.each(["node-08-builtins", "node-20-bundle", "node-26-guide"])(
      "of %s says nothing in any export",
      async (name) => {
        const original = await fixtureProfile(name, WHOLE);
        const redactor = new Redactor(new KeyedHash(Buffer.from("key")));
        const profile = redactProfile(original, redactor);
        const secrets = Array.from(secretsOf(fixtureLog(name))).filter((secret) =>
          /[a-zA-Z]{6}/.test(secret),
        );
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
});

describe("names", () => {
  const redact = (log: Buffer) => redactedLog(log, new Redactor(new KeyedHash(Buffer.from("key"))));

  /** Checks a redacted log against its original, as `ticks redact --check` does, and returns its text. */
  async function checked(log: Buffer, options: Partial<AnalyzeOptions> = {}): Promise<string> {
    const redacted = redact(log);
    const check = new LogCheck();
    check.push(redacted);
    expect(check.end()).toEqual({ strings: [], count: 0, otherByte: -1 });
    const [one, other] = await Promise.all([profileOf(log, options), profileOf(redacted, options)]);
    expect(numberDifferences(one, other)).toEqual([]);
    return redacted.toString("latin1");
  }

  describe("names of V8 before 4", () => {
    const code = [
      'code-creation,Script,0x11000,100,"/srv/app.js"',
      'code-creation,LazyCompile,0x12000,100,"exp native math.js:41"',
      'code-creation,LazyCompile,0x13000,100,"exp native secret.js:41"',
      'code-creation,LazyCompile,0x14000,100,"native array.js:7"',
      'code-creation,Function,0x15000,100,"secret /srv/my app.js:12"',
      'code-creation,LazyCompile,0x16000,100,"secret /srv/app.js native math.js:12"',
    ];
    const places = [0x11010, 0x12010, 0x13010, 0x14010, 0x15010, 0x16010];

    it.each([
      ["V8 1", code, (pc: string) => `tick,${pc},0xffdfe880,0`],
      ["V8 3.12", code, (pc: string) => `tick,${pc},0xffdfe880,0,0x0,5`],
      [
        "V8 3.28",
        code.map((row) =>
          row.replace(/(code-creation,\w+,)(.*)/, "$10,$2,0x99990,~").replace(/:(\d+)"/, ':$1:3"'),
        ),
        (pc: string) => `tick,${pc},7,0,0x0,4`,
      ],
    ])("pass the check: %s", async (_, rows, tick) => {
      const ticks = places.map((pc) => tick(`0x${pc.toString(16)}`));
      const log = logOf('profiler,"begin",1', ...rows, ...ticks, 'profiler,"end"');
      const text = await checked(log);
      expect(text).toMatch(/"exp native math\.js:41/);
      expect(text).toMatch(/"native array\.js:7/);
      expect(text).not.toMatch(/secret|srv|app/);
    });
  });

  describe("a name without a folder that Node has too", () => {
    const rows = [
      "code-creation,LazyCompile,10,1,0x10000,100,chargeCard stream.js:1:1,0x99990,~",
      "code-creation,LazyCompile,10,1,0x11000,100,formatWithOptions internal/util/inspect.js:1:1,0x99991,~",
      "tick,0x10010,2,0,0x0,0",
      "tick,0x11010,3,0,0x0,0",
    ];

    it("is no proof that a script is Node's", async () => {
      const text = await checked(logOf("v8-version,8,4,371,19,-node.18,0", ...rows));
      expect(text).not.toMatch(/chargeCard|stream/);
      expect(text).toMatch(/formatWithOptions internal\/util\/inspect\.js:1:1/);
    });

    it("is none at all once Node's have a scheme", async () => {
      expect(await checked(logOf(...NODE_26, ...rows))).not.toMatch(/chargeCard|stream|formatWith/);
    });
  });

  describe("a script with a blank in its name", () => {
    it.each([
      "[worker eval]-wrapper",
      "my secret file.js",
      "a  secret.js",
      "dir/my secret.js",
      "get secret.js",
      "native secret.js",
      "/srv/secret folder/a.js",
    ])("keeps its functions and their ticks: %s", async (file) => {
      const at = (name: string, address: string, sfi: string) =>
        `code-creation,JS,10,1,${address},256,${name} ${file}:1:5,${sfi},~`;
      const log = logOf(
        ...NODE_26,
        at("charge", "0x10000", "0x98"),
        `script-source,7,${file},function charge() {}`,
        "code-source-info,0x10000,7,4,20,C0O4,,",
        at("", "0x20000", "0x99"),
        "code-source-info,0x20000,7,0,20,C0O0,,",
        "tick,0x10010,2,0,0x0,0,0x20010",
        "tick,0x20010,3,0,0x0,0",
      );
      const text = await checked(log);
      expect(text).not.toMatch(/secret|charge|srv/);
      const redacted = await profileOf(Buffer.from(text, "latin1"), { inlines: true });
      const original = await profileOf(log, { inlines: true });
      expect(numberDifferences(original, redacted)).toEqual([]);
      expect(Object.values(leavesOf(redacted))).toEqual([1, 1]);
      // The script is found by its name.
      const url = /^script-source,7,([^,]*),/m.exec(text)![1]!;
      expect(text.match(/^code-creation.*$/gm)!.every((row) => row.includes(` ${url}:1:5,`))).toBe(true);
    });
  });

  it("a torn row before a name that is kept is not kept with it", async () => {
    const row =
      "code-creation,JS,10,1,0x10000,256,chargeCard /home/alice/pay.js:1:1,0x9readFileSync node:fs:435:22,0x99,~";
    const text = await checked(logOf(...NODE_26, row, "tick,0x10010,2,0,0x0,0"));
    expect(text).not.toMatch(/chargeCard|alice|pay/);
    expect(text).toMatch(/ node:fs:435:22,0x99,~$/m);
  });

  describe("a log of Node before 16 with torn rows", () => {
    const version = "v8-version,6,8,275,32,-node.51,0";
    const code = (address: number, name: string, mark: string) =>
      `code-creation,LazyCompile,0,10,0x${address.toString(16)},256,${name},0x99,${mark}`;
    const name = "readSync internal/url.js:1:8";
    const glued = "chargeCardSync internal/url.js:1:9";
    const native = "chargeAll native array.js:1:9";
    const rows = [
      code(0x10000, name, "~"),
      code(0x20000, name, "*"),
      code(0x30000, glued, "~"),
      code(0x40000, native, "~"),
      "tick,0x10010,2,0,0x0,0",
      "tick,0x30010,3,0,0x0,0",
    ];

    it.each([
      ["a part of a row", "code-creation,LazyCompile,0"],
      ["a row of no type", "chargeCard"],
      ["a hole", `tick,0x1${"\0".repeat(600)}`],
    ])("keeps names in scripts of Node's that two rows have: %s", async (_, torn) => {
      const text = await checked(logOf(version, ...rows, torn, "tick,0x20010,4,0,0x0,0"));
      expect(text.match(/readSync internal\/url\.js:1:8/g)).toHaveLength(2);
      expect(text).not.toContain("charge");
      expect(text).toMatch(/,f_\w{12} internal\/url\.js:1:9,0x99,~$/m);
    });

    it("keeps no public hash of the others in texts", async () => {
      const source = "script-source,1,/srv/a.js,chargeCardSync(); readSync()";
      const whole = await checked(logOf(version, source, ...rows));
      const torn = await checked(logOf(version, source, ...rows, "chargeCard"));
      const words = (text: string) => text.match(/=w_\w{12}/g)?.length ?? 0;
      expect([words(whole), words(torn)]).toEqual([2, 1]);
    });

    it("keeps them all where no row is torn, or only the last one is cut", async () => {
      for (const end of ["", "tick,0x2"]) {
        const text = (await checked(Buffer.concat([logOf(version, ...rows), Buffer.from(end)]))).split("\n");
        for (const one of [name, glued, native]) expect(text.join("\n")).toContain(one);
      }
    });
  });

  describe("an unreadable row keeps what it says of the log", () => {
    it("bytes that are not UTF-8, in the positions of code", async () => {
      const row = Buffer.from("code-source-info,0x10420,1,0,90,C0O35\xa2,F0O3,S0x7\xa2\n", "latin1");
      const log = Buffer.concat([logOf(...NODE_26), row, logOf("tick,0x10010,2,0,0x0,0")]);
      expect(await checked(log)).toContain("\ncode-source-info,0x1,0,0,0,\xff,,S\n");
    });

    it("that texts are in quotes, where no row before says so", async () => {
      const cut = `tick,0x10010,1,0,0x0,0${",0x10010".repeat(300)}`.slice(0, 2047);
      const rows = ['code-deopt,1,2,0x1,-1,3,"eager","secret', cut, 'code-creation,Stub,0x10000,99,"secret"'];
      expect(await checked(logOf(...rows), { deopts: true })).toContain('code-deopt,,""\n');
    });
  });

  it("the map of a process names libraries as its redacted log does", async () => {
    const rows = [
      "shared-library,/srv/secret/node,0x400000,0x500000,0",
      "code-creation,JS,10,1,0x10000,256,f /srv/a.js:1:20,0x99,~",
      "tick,0x7f1000100100,100,0,0x0,0,0x10010",
    ];
    const log = logOf(...NODE_26, ...rows);
    const map = parseProcessMap(
      "7f1000100000-7f1000200000 r-xp 00001000 08:01 1234 /srv/secret/a\\012b.node\n" +
        "7f2000100000-7f2000200000 r-xp 00000000 08:01 1235 /usr/lib/libz.so.1\n",
    );
    const redactor = new Redactor(new KeyedHash(Buffer.from("key")));
    const text = redactMap(map, redactor);
    expect(text).toMatch(
      /^7f1000100000-7f1000200000 r-xp 1000 00:00 0 \/d_\w{12}\/d_\w{12}\/l_\w{12}\.node\n7f2000100000-7f2000200000 r-xp 0 00:00 0 \/usr\/lib\/libz\.so\.1\n$/,
    );
    const hash = new HashCheck();
    expect(redactMap(parseProcessMap(text), new Redactor(hash))).toBe(text);
    expect(hash.found).toEqual([]);
    const one = await profileOf(log, { mapped: map });
    const other = await profileOf(redactedLog(log, redactor), { mapped: parseProcessMap(text) });
    expect(numberDifferences(one, other)).toEqual([]);
  });
});

const redactor = () => new Redactor(new KeyedHash(Buffer.from("key")));

describe("redacted rows of inline caches", () => {
  it("keep numbers, states and V8's words, and no name or key", () => {
    const rows = redactedLog(
      logOf(
        ...NODE_26,
        "LoadIC,0x10,5,2,3,0,1,0x20,creditCard,,my reason",
        "KeyedLoadIC,0x10,6,2,3,1,N,0x20,4915112345,.IGNORE_OOB,",
        "KeyedStoreIC,0x10,7,2,3,1,N,0x20,a, b,.secret,",
        "StoreIC,creditCard",
      ),
      redactor(),
    )
      .toString("latin1")
      .split("\n");
    expect(rows[2]).toMatch(/^LoadIC,0x10,5,2,3,0,1,0x20,k_[a-z2-7]{12},,t_[a-z2-7]{12}$/);
    expect(rows[3]).toMatch(/^KeyedLoadIC,0x10,6,2,3,1,N,0x20,k_[a-z2-7]{12},.IGNORE_OOB,$/);
    expect(rows[4]).toMatch(/^KeyedStoreIC,0x10,7,2,3,1,N,0x20,k_[a-z2-7]{12},t_[a-z2-7]{12},$/);
    expect(rows[5]).toBe("StoreIC,");
  });

  it.each(["node-12-ics", "node-26-ics"])("of %s count the same", async (name) => {
    const log = fixtureLog(name);
    const options = { name, inlines: true, ics: true, inferred: false };
    const original = await analyze(chunksOf(log), options);
    const other = await analyze(chunksOf(redactedLog(log, redactor())), options);
    expect(other.ics!.rows).toBeGreaterThan(100);
    expect(numberDifferences(original, other)).toEqual([]);
    const changed = { ...other, ics: { ...other.ics!, charges: other.ics!.charges.slice(1) } };
    expect(numberDifferences(original, changed)).toEqual(["inline caches"]);
    const { ics } = redactProfile(original, redactor());
    expect(ics!.sites.flatMap(({ keys }) => keys)).not.toContain("price");
    expect(ics!.sites.map(({ file }) => file)).not.toContain("/srv/app/ics.js");
  });
});

describe("a redacted profile", () => {
  it("keeps no text after the version and no build id of a private library", async () => {
    const log = logOf("v8-version,14,6,202,34,-acme.secret,0", "v8-platform,linux,linux");
    const original = await analyze(chunksOf(log), { name: "v8.log" });
    const library = { ...original.info.libraries[0]!, path: "/srv/acme.node", buildId: "abc123" };
    const { info } = redactProfile(
      { ...original, info: { ...original.info, libraries: [library] } },
      redactor(),
    );
    expect(info.v8[0]?.embedder).toBe("");
    expect(info.libraries[0]?.buildId).toBeUndefined();
    expect(redactedLog(log, redactor()).toString("latin1").split("\n")[0]).toBe("v8-version,14,6,202,34,0");
  });
});

// `npm run fuzz -- --target redact` makes as many as one likes.
it("odd logs are redacted: nothing private is left, the check holds, numbers stay", async () => {
  for (let number = 0; number < 12; number++) {
    expect(await faultOf(redact, inputOf(redact, 1, number)), `case ${number}`).toBeUndefined();
  }
});

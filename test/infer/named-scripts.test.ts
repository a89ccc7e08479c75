import { describe, expect, it } from "vitest";
import { lineTicks } from "../../src/facts/line-ticks.ts";
import { stableKeys } from "../../src/facts/stable-key.ts";
import { mergeProfiles, ProfileMerger } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { KeyedHash } from "../../src/redact/name-hash.ts";
import { redactProfile } from "../../src/redact/redact-profile.ts";
import { Redactor } from "../../src/redact/redactor.ts";
import { logOf, profileOf } from "../helpers/logs.ts";

const V8 = ["v8-version,12,4,254,21,-node.57,0", "profiler,begin,1000"];

/** A script with a function of one line at `address`, and a tick in it. */
function script(id: number, url: string, name: string, source: string): string[] {
  const address = `0x${(id * 0x1000).toString(16)}`;
  return [
    `code-creation,JS,10,${id},${address},64,${name} ${url === "<unknown>" ? "" : url}:1:1,0xf${id},*`,
    `script-source,${id},${url},${source}`,
    `code-source-info,${address},${id},0,4,C0O0,,`,
    `tick,${address},${id},0,0x0,0`,
  ];
}

function logged(...rows: string[][]): Promise<Profile> {
  return profileOf(logOf(...V8, ...rows.flat()), { inlines: true, identities: true });
}

async function rowsOf(...rows: string[][]): Promise<string[]> {
  return linesOf(await logged(...rows));
}

function linesOf(profile: Profile): string[] {
  const texts = new Map(profile.sources.map(({ file, text }) => [file, text]));
  return lineTicks(profile)
    .map((row) => `${row.file}:${row.line} ${row.function.name} ${row.self} ${texts.get(row.file ?? "")}`)
    .sort();
}

describe("scripts without a name of their own", () => {
  it("are told apart by their text, and named by their number", async () => {
    const rows = await rowsOf(
      script(1, "<unknown>", "a", "a()"),
      script(2, "<unknown>", "a", "b()"),
      script(3, "<unknown>", "a", "a()"),
    );
    expect(rows).toEqual(["<eval #1>:1 a 2 a()", "<eval #2>:1 a 1 b()"]);
  });

  it("are named by their comment", async () => {
    const [row] = await rowsOf(script(1, "<unknown>", "a", "a()\\n//# sourceURL=/srv/made.js\\n}"));
    expect(row).toBe("/srv/made.js:1 a 1 a()\n//# sourceURL=/srv/made.js\n}");
  });
});

describe("deoptimizations in scripts without a name of their own", () => {
  it("belong to one of them, and end with its code", async () => {
    const deopt = (id: number) =>
      `code-deopt,20,64,0x${id}000,-1,9,deopt-eager,<unknown:2:3> inlined at <unknown:1:4>,wrong map`;
    const rows = (id: number) => script(id, "<unknown>", "a", `a(${id})`);
    const again = rows(1)[0]!.replace("0x1000", "0x5000");
    const log = logOf(...V8, ...rows(1), ...rows(2), deopt(1), deopt(2), deopt(2), again);
    const { deopts } = await profileOf(log, { inlines: true, deopts: true });
    const shown = deopts!.entries.map(({ function: name, position, count, isOpen }) => [
      name,
      position,
      count,
      isOpen,
    ]);
    expect(shown).toEqual([
      ["a <eval #1>:1:1", "<<eval #1>:2:3> inlined at <<eval #1>:1:4>", 1, false],
      ["a <eval #2>:1:1", "<<eval #2>:2:3> inlined at <<eval #2>:1:4>", 2, true],
    ]);
  });
});

describe("scripts of one name", () => {
  it("are several if their texts differ", async () => {
    const rows = await rowsOf(
      script(1, "/srv/a.js", "a", "a()"),
      script(2, "/srv/a.js", "a", "b()"),
      script(3, "/srv/a.js", "a", "a()"),
    );
    expect(rows).toEqual(["/srv/a.js:1 a 2 a()", "/srv/a.js<2>:1 a 1 b()"]);
  });
});

describe("scripts of several logs", () => {
  const name = "<unknown>";

  it("are one if their texts are, whatever their numbers are", async () => {
    const first = await logged(script(1, name, "a", "a()"), script(2, name, "b", "b()"));
    const second = await logged(script(1, name, "b", "b()"), script(2, name, "a", "a()"));
    const merged = mergeProfiles([first, second]);
    expect(linesOf(merged)).toEqual(["<eval #1>:1 a 2 a()", "<eval #2>:1 b 2 b()"]);
    expect(merged.sources.map(({ scripts }) => scripts)).toEqual([2, 2]);
    expect(stableKeys(merged).keys.map(({ key }) => key)).toEqual(
      stableKeys(first).keys.map(({ key }) => key),
    );
  });

  it("are several without a name if their texts differ", async () => {
    const logs = ["a()", "b()", "c()", "b()"].map((text) => logged(script(1, name, "a", text)));
    const merged = mergeProfiles(await Promise.all(logs));
    const rows = ["<eval #1>:1 a 1 a()", "<eval #2>:1 a 2 b()", "<eval #3>:1 a 1 c()"];
    expect(linesOf(merged)).toEqual(rows);
    // As threads do it that read some of the logs each, and send what they read.
    const pieces = [logs.slice(0, 2), logs.slice(2)].map(async (piece) => {
      const { samples: _, ...read } = mergeProfiles(await Promise.all(piece));
      return { ...structuredClone(read), samples: _ };
    });
    expect(linesOf(mergeProfiles(await Promise.all(pieces)))).toEqual(rows);
  });

  it("have numbers if they have one name and several texts", async () => {
    const logs = ["a()", "b()", "a()"].map((text) => logged(script(1, "/srv/a.js", "a", text)));
    const profiles = await Promise.all(logs);
    const merged = mergeProfiles(profiles);
    expect(linesOf(merged)).toEqual(["/srv/a.js:1 a 2 a()", "/srv/a.js<2>:1 a 1 b()"]);
    // Two releases of a file are compared.
    const compared = new ProfileMerger({ byName: true });
    for (const profile of profiles) compared.add(profile);
    expect(linesOf(compared.finish())).toEqual(["/srv/a.js:1 a 3 a()"]);
    expect(new Set(stableKeys(merged).keys.map(({ key }) => key))).toEqual(new Set(["a.js a"]));
  });

  it("have their new names in deoptimizations and inline caches too", async () => {
    const read = (text: string) => {
      const [code, source, info, tick] = script(1, name, "a", text);
      const rows = [
        "LoadIC,0x1000,20,1,3,P,N,0x77,x,,",
        "code-deopt,20,64,0x1000,-1,9,deopt-eager,<unknown:2:3>,wrong map",
      ];
      const log = logOf(...V8, code!, source!, info!, ...rows, tick!);
      return profileOf(log, { inlines: true, deopts: true, ics: true });
    };
    const { deopts, ics } = mergeProfiles([await read("a.x"), await read("b.x")]);
    expect(deopts!.entries.map(({ function: of, position }) => [of, position])).toEqual([
      ["a <eval #1>:1:1", "<<eval #1>:2:3>"],
      ["a <eval #2>:1:1", "<<eval #2>:2:3>"],
    ]);
    expect(ics!.sites.map(({ function: of, file }) => [of, file])).toEqual([
      ["a <eval #1>:1:1", "<eval #1>"],
      ["a <eval #2>:1:1", "<eval #2>"],
    ]);
  });

  it("keep their numbers and their texts' identity without private names", async () => {
    const redacted = async (...rows: string[][]) =>
      redactProfile(await logged(...rows), new Redactor(new KeyedHash(Buffer.from("key"))));
    const first = await redacted(script(1, name, "a", "a()"), script(2, "/srv/a.js", "c", "c()"));
    const second = await redacted(script(1, name, "b", "b()"), script(2, name, "a", "a()"));
    const [inEval, inFile] = first.frames.map((frame) => frame.kind === "js" && frame.name);
    expect([inEval, inFile]).toEqual([
      expect.stringMatching(/^f_[a-z2-7]{12} <eval #1>:1:1$/),
      expect.stringMatching(/^f_[a-z2-7]{12} \/d_[a-z2-7]{12}\/s_[a-z2-7]{12}\.js:1:1$/),
    ]);
    const keysOf = (profile: Profile) => stableKeys(profile).keys.map(({ key }) => key);
    expect(keysOf(second)[1]).toBe(keysOf(first)[0]);
    expect(keysOf(second)[0]).not.toBe(keysOf(first)[0]);
    expect(linesOf(mergeProfiles([first, second]))).toHaveLength(3);
  });
});

import { gunzipSync } from "node:zlib";
import { Profile as PprofProfile } from "pprof-format";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../../src/base/version.ts";
import type { ExportOptions } from "../../../src/exports/export-options.ts";
import { packed, pprof, pprofMessage, pprofNames } from "../../../src/exports/pprof.ts";
import { Analysis } from "../../../src/facts/analysis.ts";
import { mergeProfiles } from "../../../src/profile/merge.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { fixtureProfile, SOME_FIXTURES, WHOLE } from "../../helpers/fixtures.ts";
import { profileFromStacks } from "../../helpers/stacks.ts";

function messageOf(profile: Profile, options?: ExportOptions): Buffer {
  return Buffer.concat(Array.from(pprofMessage(profile, options)));
}

/** Returns the file, which is compressed. */
async function fileOf(profile: Profile): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of pprof(profile)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** A pprof file with its ids and strings looked up. */
function readBack(profile: Profile) {
  const file = PprofProfile.decode(messageOf(profile));
  const text = (index: number | bigint) => file.stringTable.strings[Number(index)] ?? "no such string";
  const functions = new Map(file.function.map((entry) => [entry.id, entry]));
  const mappings = new Map(file.mapping.map((entry) => [entry.id, entry]));
  const locations = new Map(
    file.location.map(({ id, mappingId, line }) => {
      const lines = line.map((entry) => ({ ...functions.get(entry.functionId)!, line: Number(entry.line) }));
      return [id, { lines, mapping: mappings.get(mappingId) }];
    }),
  );
  const samples = file.sample.map(({ locationId, value, label }) => ({
    /** The leaf first. */
    stack: locationId.map((id) => locations.get(id)!),
    value: value.map(Number),
    label: Object.fromEntries(label.map(({ key, str }) => [text(key), text(str)])),
  }));
  return { file, text, samples };
}

/** `leaf@line in outer@line < caller@line 3`: a sample a line, `in` for what is inlined. */
function stacksOf(profile: Profile): string[] {
  const { samples, text } = readBack(profile);
  return samples.map(({ stack, value }) => {
    const places = stack.map(({ lines }) => lines.map((l) => `${text(l.name)}@${l.line}`).join(" in "));
    return `${places.join(" < ")} ${value.join()}`;
  });
}

function withInterval(profile: Profile, asked: number | undefined): Profile {
  return { ...profile, info: { ...profile.info, sampling: { ...profile.info.sampling, asked } } };
}

describe("pprof", () => {
  it("has inlined functions as lines of their caller's location, the innermost first", () => {
    const profile = profileFromStacks(
      "js:main@9 js:outer@3 inlined:inner@7 inlined:most@5 cpp:memcpy",
      "js:main@9 js:outer@3 inlined:inner@7",
      "js:main@9 js:outer@3",
    );
    expect(stacksOf(profile)).toEqual([
      "memcpy@0 < most@5 in inner@7 in outer@3 < main@9 1",
      "inner@7 in outer@3 < main@9 1",
      "outer@3 < main@9 1",
    ]);
  });

  it("takes an inlined function without a caller for code of its own", () => {
    expect(stacksOf(profileFromStacks("inlined:lost@7 inlined:leaf@2"))).toEqual(["leaf@2 in lost@7 1"]);
  });

  it("puts samples together that differ in the tiers of callers only", () => {
    expect(stacksOf(profileFromStacks("js:~a@1 js:b@2", "js:*a@1 js:b@2", "js:*a@1 js:~b@2"))).toEqual([
      "b@2 < a@1 2",
      "b@2 < a@1 1",
    ]);
  });

  it("labels samples with the state of the VM, the tier of the leaf and the log", () => {
    const profile = profileFromStacks(
      "gc:js:~a",
      "js:+a cpp:b",
      "js:^a",
      "js:a handler:Add",
      "js:a builtin:B",
    );
    const info = {
      ...profile.info,
      threads: [{ ...profile.info.threads[0]!, name: "pid 12", pid: 12, isolate: "0x1f" }],
    };
    const thread = { thread: "pid 12", log: "log", pid: "12", isolate: "0x1f" };
    expect(readBack({ ...profile, info }).samples.map(({ label }) => label)).toEqual([
      { state: "gc", tier: "ignition", ...thread },
      { state: "js", ...thread },
      { state: "js", tier: "sparkplug", ...thread },
      { state: "js", tier: "ignition", ...thread },
      { state: "js", ...thread },
    ]);
    expect(readBack(profile).samples[0]!.label).toEqual({
      ...{ state: "gc", tier: "ignition" },
      ...{ thread: "log", log: "log" },
    });
  });

  it("has labels, versions and the start of the log", () => {
    const profile = profileFromStacks("js:a");
    const v8 = [{ major: 12, minor: 4, build: 254, patch: 21, embedder: "-node.33" }];
    const known = { ...profile, info: { ...profile.info, v8 } };
    const start = new Date("2026-11-22T10:00:00.5Z");
    const bytes = messageOf(known, { labels: { env: "prod", deploy: "v2" }, start });
    const { sample, stringTable, comment, timeNanos } = PprofProfile.decode(bytes);
    const text = (index: number | bigint) => stringTable.strings[Number(index)];
    expect(Object.fromEntries(sample[0]!.label.map(({ key, str }) => [text(key), text(str)]))).toMatchObject({
      env: "prod",
      deploy: "v2",
    });
    expect(BigInt(timeNanos)).toBe(BigInt(start.getTime()) * 1_000_000n);
    const comments = comment.map(text);
    expect(comments).toEqual(
      expect.arrayContaining(["label: deploy=v2", "label: env=prod", "v8: 12.4.254.21-node.33", "node: 22"]),
    );
    expect(comments).toContain(`ticks version: ${VERSION}`);
    expect(readBack(profile).file.timeNanos).toBe(0);
  });

  it("has the same names in two versions of a program", () => {
    const stack = (line: number, at: string) =>
      `js:main·${at}/src/app.js:1:1@9 js:f·${at}/src/text.js:${line}:1@3 js:·${at}/src/text.js:${line + 9}:1@4`;
    const namesOf = (profile: Profile) => {
      const { file, text } = readBack(profile);
      return file.function.map(({ name }) => text(name)).sort();
    };
    const before = namesOf(profileFromStacks(stack(10, "/srv/release-1")));
    expect(before).toEqual(["app.js::main", "text.js::<anonymous>", "text.js::f"]);
    expect(namesOf(profileFromStacks(stack(13, "/home/ci/release-2")))).toEqual(before);
  });

  it("has functions with their files and first lines", () => {
    const { file, text } = readBack(
      profileFromStacks(
        "js:run·file:///srv/my%20app.js:10:5 js:·/srv/a.js:3:1 builtin:Map cpp:std::sort<int> ?",
      ),
    );
    expect(
      file.function.map((f) => [text(f.name), text(f.systemName), text(f.filename), f.startLine]),
    ).toEqual([
      ["UNKNOWN", "", "", 0],
      ["std::sort<int>", "", "/bin/node", 0],
      ["Builtin: Map", "", "", 0],
      ["a.js::<anonymous>", "", "/srv/a.js", 3],
      ["my app.js::run", "", "/srv/my app.js", 10],
    ]);
  });

  it("has a mapping for each library, the program first, and one for what V8 made", () => {
    const profile = profileFromStacks("js:a lib:/lib/libc.so.6", "cpp:main builtin:B ?");
    const library = { source: "elf", symbols: 1, problem: undefined };
    const libraries = [{ ...library, path: "/bin/node", buildId: "ab12" }];
    const { file, text, samples } = readBack({ ...profile, info: { ...profile.info, libraries } });
    expect(file.mapping.map((m) => [text(m.filename), text(m.buildId), m.hasFunctions])).toEqual([
      ["node", "ab12", true],
      ["[jit]", "", true],
      ["libc.so.6", "", false],
    ]);
    const mapped = samples.map(({ stack }) => stack.map(({ mapping }) => mapping && text(mapping.filename)));
    expect(mapped).toEqual([
      ["libc.so.6", "[jit]"],
      [undefined, "[jit]", "node"],
    ]);
  });

  it("gives nanoseconds where the interval is known, and says what it is", () => {
    const known = readBack(withInterval(profileFromStacks("js:a", "js:a"), 1000));
    const types = known.file.sampleType.map(({ type, unit }) => `${known.text(type)}/${known.text(unit)}`);
    expect(types).toEqual(["samples/count", "cpu/nanoseconds"]);
    expect(known.samples[0]!.value).toEqual([2, 2_000_000]);
    expect([known.file.period, known.text(known.file.periodType!.type)]).toEqual([1_000_000, "cpu"]);
    const unknown = readBack(profileFromStacks("js:a", "js:a"));
    expect(unknown.samples[0]!.value).toEqual([2]);
    expect([unknown.file.period, unknown.text(unknown.file.periodType!.type)]).toEqual([0, "cpu"]);
  });

  it("gives none for logs of different intervals", () => {
    const slow = withInterval(profileFromStacks("js:a"), 1000);
    const fast = withInterval(profileFromStacks("js:a"), 100);
    expect(readBack(mergeProfiles([slow, fast])).samples[0]!.value).toEqual([1]);
    expect(readBack(mergeProfiles([slow, slow])).samples[0]!.value).toEqual([1, 1_000_000]);
  });

  it("shows control characters of a log as escapes", () => {
    const { file } = readBack(profileFromStacks("js:a\nb\x1b[2J cpp:x\x00y lib:/a\tb.so"));
    expect(file.stringTable.strings.join("")).not.toMatch(/\p{Cc}/u);
    expect(file.stringTable.strings).toContain("a\\nb\\x1b[2J");
  });

  it("fails if a part of it cannot be made", async () => {
    function* parts() {
      yield Uint8Array.of(1, 2);
      throw new Error("no more parts");
    }
    const read = async () => {
      for await (const _ of packed(parts()));
    };
    await expect(read()).rejects.toThrow("no more parts");
  });

  it("is the same bytes each time, without a date or a system", async () => {
    const bytes = await fileOf(profileFromStacks("js:a js:b"));
    expect(bytes.equals(await fileOf(profileFromStacks("js:a js:b")))).toBe(true);
    expect(bytes.subarray(3, 10)).toEqual(Buffer.from([0, 0, 0, 0, 0, 0, 255]));
    expect(PprofProfile.decode(gunzipSync(bytes)).timeNanos).toBe(0);
  });

  it("is whole where it is written in several parts", () => {
    const stacks = Array.from({ length: 10_000 }, (_, i) => `js:a js:f${i}`);
    const { samples } = readBack(profileFromStacks(...stacks));
    expect(samples.map(({ value }) => value[0])).toEqual(stacks.map(() => 1));
  });
});

describe.each(SOME_FIXTURES)("pprof of %s", (name) => {
  it("has all ticks, and every function with its self and total", async () => {
    const profile = await fixtureProfile(name, WHOLE);
    const { file, text, samples } = readBack(profile);
    expect(samples.reduce((sum, { value }) => sum + value[0]!, 0)).toBe(profile.info.ticks);
    expect(new Set(samples.map(({ label }) => Object.keys(label).includes("state")))).toEqual(
      new Set([true]),
    );
    const rows = new Map<string, [self: number, total: number]>(
      file.function.map((entry) => [text(entry.name), [0, 0]]),
    );
    for (const { stack, value } of samples) {
      const names = stack.flatMap(({ lines }) => lines.map((line) => text(line.name)));
      rows.get(names[0]!)![0] += value[0]!;
      for (const each of new Set(names)) rows.get(each)![1] += value[0]!;
    }
    const { table, names } = pprofNames(profile);
    const { self, total } = Analysis.of(profile).functionTicks;
    // Frames of stacks that no tick ended in are of no use to others.
    const expected = table.functions
      .map((_, i) => [names[i]!, [self[i], total[i]!]] as const)
      .filter(([, [, ticks]]) => ticks > 0);
    expect(new Set(expected.map(([each]) => each)).size).toBe(expected.length);
    expect(rows).toEqual(new Map(expected));
  });
});

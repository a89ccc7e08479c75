import { Profile as PprofProfile, StringTable } from "pprof-format";
import { describe, expect, it } from "vitest";
import { readPprof } from "../../src/inputs/pprof.ts";
import { analyze } from "../../src/load/analyze.ts";
import { allSamples } from "../../src/profile/sample-table.ts";

interface Size {
  readonly functions?: number;
  readonly stacks?: number;
  readonly texts?: number;
  readonly inlined?: number;
}

/** A profile of so many functions, each with a location and a sample; `stacks` adds stacks of all of them, each 64 deep. */
function profileOf({ functions = 10, stacks = 0, texts = 0, inlined = 1 }: Size): Uint8Array {
  const strings = new StringTable();
  const text = (word: string) => strings.dedup(word);
  const ids = Array.from({ length: functions }, (_, i) => i + 1);
  const deep = Array.from({ length: stacks }, (_, i) => ({
    // The digits of the number of the stack, the last one outermost: no two share many callers.
    locationId: Array.from(
      { length: 64 },
      (_, at) => 1 + (Math.floor(i / functions ** at) % functions),
    ).reverse(),
    value: [1],
  }));
  const sampleType = [{ type: text("samples"), unit: text("count") }];
  for (let i = 0; i < texts; i++) text(`text ${i}`);
  return new PprofProfile({
    sampleType,
    sample: [...ids.map((id) => ({ locationId: [id], value: [1] })), ...deep],
    location: ids.map((id) => ({
      id,
      line: Array.from({ length: inlined }, (_, i) => ({ functionId: 1 + ((id + i) % functions), line: id })),
    })),
    function: ids.map((id) => ({ id, name: text(`f${id}`), filename: text("/srv/a.js"), startLine: id })),
    stringTable: strings,
  }).encode();
}

/** Reads such a profile in 1 MiB of memory. */
async function samplesOf(of: Size): Promise<number> {
  async function* inOnePiece() {
    yield profileOf(of);
  }
  const [profile] = await readPprof(inOnePiece(), { name: "a.pb" }, 2 ** 20);
  return allSamples(profile!.samples);
}

describe("the memory that a pprof profile takes is bounded", () => {
  it.each<[string, Size, Size]>([
    ["functions", { functions: 200 }, { functions: 2000 }],
    ["stacks", { stacks: 50 }, { stacks: 2000 }],
    ["inlined functions in stacks", { stacks: 3, inlined: 50 }, { stacks: 50, inlined: 50 }],
    ["texts", { texts: 20_000 }, { texts: 40_000 }],
  ])("of many %s", async (_, some, many) => {
    expect(await samplesOf(some)).toBe((some.functions ?? 10) + (some.stacks ?? 0));
    await expect(samplesOf(many)).rejects.toMatchObject({
      message: expect.stringMatching(/^a\.pb: a pprof profile that takes more than .* GiB of memory/),
      hint: expect.stringContaining("Profile for a shorter time"),
    });
  });
});

describe("functions of a pprof profile", () => {
  it("with ids far apart, and twice the same id, are told apart", async () => {
    const strings = new StringTable();
    const text = (word: string) => strings.dedup(word);
    const far = [1, 2 ** 40, 2n ** 63n];
    const bytes = new PprofProfile({
      sampleType: [{ type: text("samples"), unit: text("count") }],
      sample: far.map((id, i) => ({ locationId: [id], value: [i + 1] })),
      location: far.map((id) => ({ id, line: [{ functionId: id, line: 7 }] })),
      function: [
        { id: 1, name: text("old"), filename: text("/srv/a.js"), startLine: 1 },
        ...far.map((id, i) => ({ id, name: text(`f${i}`), filename: text("/srv/a.js"), startLine: i + 1 })),
      ],
      stringTable: strings,
    }).encode();
    async function* inOnePiece() {
      yield bytes;
    }
    const { frames, tree, samples } = await analyze(inOnePiece(), { name: "a.pb" });
    const names = Array.from(samples.node.subarray(0, samples.length), (node) => {
      const frame = frames[tree.frame[node]!]!;
      return frame.kind === "js" ? `${frame.name} @${frame.line}` : frame.kind;
    });
    expect(names).toEqual(["f0 /srv/a.js:1:1 @7", "f1 /srv/a.js:2:1 @7", "f2 /srv/a.js:3:1 @7"]);
  });
});

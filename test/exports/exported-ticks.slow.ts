import { describe, expect, it } from "vitest";
import type { Exporter } from "../../src/exports/export-options.ts";
import { EXPORTERS } from "../../src/exports/exporters.ts";
import { filterProfile } from "../../src/facts/filter-profile.ts";
import { filterStates, keepSamples } from "../../src/profile/filter.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { vmState } from "../../src/profile/vm-state.ts";
import { FIXTURE_NAMES, fixtureProfile, WHOLE } from "../helpers/fixtures.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { READERS } from "./readers.ts";

function fixture(name: string): Promise<Profile> {
  return fixtureProfile(name, WHOLE);
}

async function fileOf(exporter: Exporter, profile: Profile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of exporter.export(profile)) chunks.push(Buffer.from(chunk as string));
  return Buffer.concat(chunks);
}

async function expectAllTicks(profile: Profile): Promise<void> {
  const ticks = profile.info.ticks - profile.info.excluded;
  for (const exporter of EXPORTERS) {
    const file = await fileOf(exporter, profile);
    expect([exporter.name, await READERS[exporter.name]!(file)]).toEqual([exporter.name, ticks]);
  }
}

describe("every export has the ticks of the profile, in a file by its format", () => {
  it("has a reader here", () => {
    expect(EXPORTERS.map(({ name }) => name).filter((name) => READERS[name] === undefined)).toEqual([]);
  });

  it.each(FIXTURE_NAMES)("%s", async (name) => {
    await expectAllTicks(await fixture(name));
  });

  it("of some ticks only", async () => {
    const all = await fixture("node-24-garbage");
    const collecting = filterStates(all, (state) => state === vmState("gc"));
    expect(collecting.info.excluded).toBeGreaterThan(0);
    expect(collecting.info.ticks - collecting.info.excluded).toBeGreaterThan(0);
    await expectAllTicks(collecting);
    await expectAllTicks(keepSamples(all, (sample) => sample % 3 === 0));
    await expectAllTicks(filterProfile(all, { only: ["app"] }));
    await expectAllTicks(filterProfile(all, { hide: [/./] }));
  });

  it("of several logs", async () => {
    const [first, second] = [await fixture("node-24-garbage"), await fixture("node-26-guide")];
    await expectAllTicks(mergeProfiles([first, second, first]));
  });

  it("without any ticks", async () => {
    await expectAllTicks(await profileOf(logOf(...NODE_26), { timeline: true }));
  });

  it("of one tick that nobody knows", async () => {
    await expectAllTicks(await profileOf(logOf(...NODE_26, "tick,0x1,5,0,0x0,0"), { timeline: true }));
  });

  it("is the same each time", async () => {
    const profile = await fixture("node-18-classes");
    for (const exporter of EXPORTERS) {
      expect((await fileOf(exporter, profile)).equals(await fileOf(exporter, profile))).toBe(true);
    }
  });
});

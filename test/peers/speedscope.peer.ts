import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { CASES, exported, FOLDERS, ticksOf } from "./fixture.ts";
import { importIntoSpeedscope, SPEEDSCOPE_SCHEMA } from "./speedscope-importer.ts";

const validate = new Ajv({ strict: false }).compile(SPEEDSCOPE_SCHEMA);

describe("speedscope's own importer", () => {
  it.each(CASES)("%s: reads its own format, which is by its schema", async (name) => {
    const file = await exported(name, "speedscope.json");
    validate(JSON.parse(readFileSync(file, "utf8")));
    expect(validate.errors ?? []).toEqual([]);
    const [profile, ...others] = await importIntoSpeedscope(file);
    expect(others).toEqual([]);
    expect(profile!.getWeightUnit()).toBe("none");
    expect(profile!.getTotalWeight()).toBe(await ticksOf(name));
  });

  it.each(FOLDERS)("%s: reads a profile a thread", async (name) => {
    const profiles = await importIntoSpeedscope(await exported(name, "speedscope.json"));
    expect(profiles.length).toBeGreaterThan(1);
    expect(new Set(profiles.map((profile) => profile.getName())).size).toBe(profiles.length);
    const ticks = profiles.map((profile) => profile.getTotalWeight());
    expect(ticks.reduce((a, b) => a + b)).toBe(await ticksOf(name));
  });

  it.each(CASES)("%s: reads collapsed stacks", async (name) => {
    const [profile] = await importIntoSpeedscope(await exported(name, "folded"));
    expect(profile!.getTotalWeight()).toBe(await ticksOf(name));
  });

  it.each(CASES)("%s: reads callgrind", async (name) => {
    const [profile] = await importIntoSpeedscope(await exported(name, "callgrind"));
    expect(profile!.getTotalWeight()).toBeCloseTo(await ticksOf(name), 6);
  });

  it.each(CASES)(
    "%s: reads a CPU profile and a trace, with the same time that was not idle",
    async (name) => {
      const [cpuprofile] = await importIntoSpeedscope(await exported(name, "cpuprofile"));
      const [trace] = await importIntoSpeedscope(await exported(name, "trace.json"));
      expect(cpuprofile!.getWeightUnit()).toBe("microseconds");
      expect(cpuprofile!.getTotalNonIdleWeight()).toBeGreaterThan(0);
      expect(trace!.getTotalNonIdleWeight()).toBe(cpuprofile!.getTotalNonIdleWeight());
    },
  );

  it.each(CASES)("%s: reads preprocessed JSON", async (name) => {
    const [profile] = await importIntoSpeedscope(await exported(name, "preprocess.json"));
    const names = new Set<string>();
    profile!.forEachCall(
      ({ frame }) => names.add(frame.name),
      () => {},
    );
    expect(names.size).toBeGreaterThan(5);
  });
});

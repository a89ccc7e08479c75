import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26 } from "../helpers/logs.ts";
import { expectValid } from "../helpers/schema.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

// A log of Node 0.10, whose ticks have no times: `pc,sp,ext,tos,state,frames`.
const CODE = [
  'code-creation,LazyCompile,0,0x1000,256,"f /srv/a.js:3",0x500,*',
  'code-creation,LazyCompile,0,0x2000,256,"g /srv/a.js:9",0x600,*',
];
const TICKS = Array.from(
  { length: 200 },
  (_, i) => `tick,${i < 150 ? "0x1010" : "0x2010"},0xffd0,0,0x0,0,0x2020`,
);

describe("a log without times", () => {
  const folder = testFolder();
  beforeAll(() => {
    writeFileSync(join(folder, "v8.log"), logOf('profiler,"begin",1', ...CODE, ...TICKS));
  });
  const run = async (...args: string[]) => {
    const result = await warmTicks(args, { cwd: folder });
    expect([result.status, result.stderr.includes("malformed")]).toEqual([0, false]);
    return result;
  };
  const json = async (...args: string[]) => JSON.parse((await run(...args)).stdout);

  it("says so in top and doctor", async () => {
    const { stdout } = await run("top", "v8.log");
    expect(stdout).toMatch(/^no times$/m);
    expect(stdout).not.toContain("0.00 s");
    const document = await json("top", "--json", "v8.log");
    expectValid("top", document);
    expect(document.warnings).toContainEqual({ kind: "no-times", intervalUs: 1000 });

    expect((await run("doctor", "v8.log")).stdout).toMatch(/times +none\n/);
    const doctor = await json("doctor", "--json", "v8.log");
    expectValid("doctor", doctor);
    expect(doctor.sampling).toMatchObject({
      hasTimes: false,
      intervalAskedUs: 1000,
      spanUs: 199_000,
      gaps: 0,
    });
  });

  it("has its ticks as far apart as was asked for, in the timeline", async () => {
    const { stdout } = await run("timeline", "v8.log");
    expect(stdout).toContain("This log has no times: ticks count as 1.00 ms apart, as asked for.");
    expect(stdout).not.toContain("no ticks");
    const [thread] = (await json("timeline", "--json", "--slices", "4", "v8.log")).threads;
    expect(thread).toMatchObject({ startUs: 0, gaps: 0 });
    expect(thread.lanes.js).toEqual([50, 50, 50, 50]);
  });

  it("has them so in exports, which say it", async () => {
    const { stdout, stderr } = await run("export", "--format", "cpuprofile", "v8.log");
    const { timeDeltas, ticks: facts } = JSON.parse(stdout);
    expect(timeDeltas).toEqual(new Array(200).fill(1000));
    expect(facts).toEqual({ hasTimes: false, intervalUs: 1000 });
    expect(stderr).toContain("This log has no times: ticks count as 1.00 ms apart, as asked for.");
    const gecko = await json("export", "--format", "gecko", "v8.log");
    expect(gecko.threads[0].samples.time.at(-1)).toBe(199);
    expect((await json("export", "--format", "speedscope", "v8.log")).name).toBe(
      "v8.log (no times: a tick every 1000 µs, as asked for)",
    );
    const preprocessed = await json("export", "--format", "preprocess", "v8.log");
    expect(preprocessed.ticks.map(({ tm }: { tm: number }) => tm).slice(0, 3)).toEqual([0, 1000, 2000]);
  });

  it("is told from others that have some", async () => {
    const timed = TICKS.map((row, i) => row.replace(",0xffd0,", `,${i * 1000},`));
    writeFileSync(join(folder, "timed.log"), logOf(...NODE_26, ...CODE, ...timed));
    const both = ["v8.log", "timed.log"];
    const { warnings } = await json("top", "--json", ...both);
    expect(warnings).toContainEqual({
      ...{ kind: "no-times", intervalUs: 1000 },
      ...{ isForSome: true, untimedThreads: 1, threads: 2 },
    });
    expect((await run("threads", ...both)).stderr).toContain("1 of 2 threads have no times: ticks count as");
    const { stdout } = await run("timeline", ...both);
    expect(stdout).toContain("\n1 of 2 threads have no times: ticks count as");
    expect(stdout.match(/ ticks; no times\n/g)).toHaveLength(1);
  });

  it("is cut at the times that it is given", async () => {
    const { functions } = await json("top", "--json", "--from", "150", "v8.log");
    expect(functions.bySelf.map((one: { name: string; self: number }) => [one.name, one.self])).toEqual([
      ["g", 50],
    ]);
    const [thread] = (await json("timeline", "--json", "--slices", "2", "--from", "150", "v8.log")).threads;
    expect(thread).toMatchObject({ startUs: 150_000 });
  });

  it("has none in a redacted copy either", async () => {
    await run("redact", "v8.log", "-o", "copy.log");
    expect((await run("doctor", "copy.log")).stdout).toMatch(/times +none\n/);
  });
});

describe("a profile of Node 12, in which waiting is not told from work", () => {
  const folder = testFolder();
  const at = (functionName: string, url = "", lineNumber = -1) => ({
    callFrame: { functionName, scriptId: "1", url, lineNumber, columnNumber: -1 },
  });
  beforeAll(() => {
    const profile = {
      nodes: [
        { id: 1, ...at("(root)"), children: [2, 3] },
        { id: 2, ...at("work", "/srv/a.js", 0) },
        { id: 3, ...at("(program)") },
      ],
      startTime: 0,
      endTime: 1_000_000,
      samples: Array.from({ length: 1000 }, (_, i) => (i < 300 || i >= 900 ? 2 : 3)),
      timeDeltas: Array.from({ length: 1000 }, (_, i) => (i === 0 ? 0 : 1000)),
    };
    writeFileSync(join(folder, "a.cpuprofile"), JSON.stringify(profile));
  });

  it("says so in top, without a margin that more samples would narrow, and in the timeline", async () => {
    const top = await warmTicks(["top", "a.cpuprofile"], { cwd: folder });
    expect(top.stdout).toContain("includes waiting. No share is sure");
    expect(top.stdout).not.toContain("The first share may be off");
    const { stdout } = await warmTicks(["timeline", "a.cpuprofile"], { cwd: folder });
    expect(stdout).toContain("includes waiting. No share is sure");
  });
});

describe("a profile that does not tell all times", () => {
  const folder = testFolder();
  const frame = (functionName: string, url = "") => ({
    callFrame: { functionName, scriptId: "1", url, lineNumber: 3, columnNumber: 1 },
  });
  const profile = (names: readonly string[], more: object = {}) => {
    const nodes = names.map((name, i) => ({
      id: i + 2,
      ...frame(name, name === "(program)" ? "" : "/a.js"),
    }));
    const root = { id: 1, ...frame("(root)"), children: nodes.map(({ id }) => id) };
    return JSON.stringify({ nodes: [root, ...nodes], startTime: 0, ...more });
  };
  const times = (count: number) => ({
    samples: Array.from({ length: count }, (_, i) => 2 + (i % 2)),
    timeDeltas: new Array(count).fill(1000),
  });
  beforeAll(() => {
    writeFileSync(join(folder, "none.cpuprofile"), profile(["f"], { samples: [2, 2, 2], endTime: 0 }));
    writeFileSync(join(folder, "end.cpuprofile"), profile(["f", "g"], { ...times(10), endTime: 90_000 }));
    writeFileSync(
      join(folder, "waits.cpuprofile"),
      profile(["f", "(program)"], { ...times(400), endTime: 401_000 }),
    );
  });
  const run = async (command: string, file: string) =>
    warmTicks([command, `${file}.cpuprofile`], { cwd: folder });

  it("has no span, and no gap, made of the number of its samples", async () => {
    expect((await run("threads", "none")).stdout).not.toContain("span");
    expect((await run("doctor", "none")).stdout).not.toMatch(/first to last|gaps over|bursts/);
    expect((await run("threads", "end")).stdout).toMatch(/span/);
    expect((await run("doctor", "end")).stdout).toMatch(/first to last sample +\d/);
  });

  it("tells what was not sampled at its end, in milliseconds if it is short", async () => {
    for (const command of ["top", "timeline", "doctor"])
      expect((await run(command, "end")).stdout).toMatch(
        /No sample came in \d+% of the time \(7\d\.\d of 8\d\.\d ms\)/,
      );
  });

  it("says with every report that samples may be waits", async () => {
    for (const command of ["tree", "lines", "threads", "startup"])
      expect((await run(command, "waits")).stderr).toContain(
        "(program), with 200 ms (50.0%), includes waiting",
      );
    for (const command of ["top", "timeline"])
      expect((await run(command, "waits")).stderr).not.toContain("includes waiting");
    expect((await run("startup", "waits")).stdout).toContain("the runtime's own start, or waiting");
  });
});

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/folder.ts";
import { createRandom } from "../helpers/random.ts";
import { expectValid } from "../helpers/schema.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const folder = testFolder();
const KB = 1024;

/** What a function allocates: so many samples of so many bytes in the mean. */
interface Allocator {
  readonly name: string;
  readonly samples: number;
  readonly size?: number;
  /** The function that calls it, if V8 tells. */
  readonly caller?: string;
}

const PROGRAM: readonly Allocator[] = [
  ...Array.from({ length: 8 }, (_, i) => ({ name: `part${i}`, samples: 900 })),
  { name: "large", samples: 4, size: 20_000 * KB },
];

interface Runs {
  readonly count?: number;
  /** What is not as in `PROGRAM`. */
  readonly changed?: readonly Allocator[];
  readonly program?: readonly Allocator[];
  /** Whether V8 kept only what was alive. */
  readonly isAlive?: boolean;
}

/** Writes runs into a folder, with sample counts as V8 has them: of a Poisson distribution. */
function record(name: string, { count = 3, changed = [], program = PROGRAM, isAlive = false }: Runs = {}) {
  const whole = createRandom(name.length * 1000 + name.charCodeAt(0));
  const random = () => (whole(2 ** 30) + 0.5) / 2 ** 30;
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  mkdirSync(join(folder, name));
  for (let run = 0; run < count; run++) {
    const samples: { nodeId: number; size: number; ordinal: number }[] = [];
    const children = program.map((one, i) => {
      const {
        name: title,
        samples: mean,
        size = 32 * KB,
        caller,
      } = changed.find((other) => other.name === one.name) ?? one;
      const found = Math.max(0, Math.round(mean + (mean < 10 ? 0 : Math.sqrt(mean) * normal())));
      for (let sample = 0; sample < found; sample++)
        samples.push({ nodeId: i + 2, size, ordinal: samples.length + (isAlive ? 100 : 1) });
      const callFrame = { functionName: title, scriptId: "1", url: "file:///srv/app.js", lineNumber: 10 * i };
      const node = { callFrame, selfSize: found * size, id: i + 2, children: [] };
      if (caller === undefined) return node;
      const line = 10 * program.findIndex((other) => other.name === caller);
      const ofCaller = { ...callFrame, functionName: caller, lineNumber: line < 0 ? 500 : line };
      return { callFrame: ofCaller, selfSize: 0, id: 100 + i, children: [node] };
    });
    const callFrame = { functionName: "(root)", scriptId: "0", url: "", lineNumber: -1, columnNumber: -1 };
    const head = { callFrame, selfSize: 0, id: 1, children };
    writeFileSync(join(folder, name, `Heap.${run}.heapprofile`), JSON.stringify({ head, samples }));
  }
}

const run = (words: string) => warmTicks(words.split(" "), { cwd: folder });
const sentences = async (words: string) => (await run(words)).stdout.split("\n").slice(3, 6).join("\n");

/** The document of a comparison, and the row of a function. */
async function rowsOf(words: string, name: string) {
  const document = JSON.parse((await run(words)).stdout);
  return [document, document.rows.find((row: { name: string }) => row.name === name)] as const;
}

beforeAll(() => {
  record("before");
  record("again");
  record("more", { changed: [{ name: "part3", samples: 1500 }] });
  record("less", { changed: [{ name: "part3", samples: 500 }] });
  record("one", { count: 1, changed: [{ name: "part3", samples: 1800 }] });
  record("gone", { program: PROGRAM.filter(({ name }) => name !== "part3") });
  record("twice", { changed: [{ name: "large", samples: 8, size: 20_000 * KB }] });
  record("large-more", { changed: [{ name: "large", samples: 4, size: 20_150 * KB }] });
  record("shift", { changed: [{ name: "part3", samples: 1015 }] });
  const short = PROGRAM.slice(0, 8).map((one) => ({ ...one, samples: 100 }));
  const small = { name: "small", samples: 6 };
  record("few", { program: [...short, small] });
  record("few-more", { program: [...short, { ...small, samples: 14 }] });
  const ofCaller = (count: number) => PROGRAM.slice(0, count).map((one) => ({ ...one, caller: "caller" }));
  record("inlined", { changed: ofCaller(1) });
  record("called", { changed: ofCaller(8) });
  record("called-more", { changed: [...ofCaller(7), { name: "part7", samples: 1800, caller: "caller" }] });
  const inlinable = (own: number, helper: number) => [
    ...[...PROGRAM, { name: "user", samples: own }],
    { name: "helper", samples: helper, caller: "user" },
  ];
  record("apart", { program: inlinable(100, 900) });
  record("within", { program: inlinable(700, 300) });
  record("alive", { isAlive: true });
  record("alive-more", { isAlive: true, changed: [{ name: "part3", samples: 1800 }] });
  record("nothing", { program: [] });
  record("huge", { program: [{ name: "huge", samples: 1, size: 2 ** 53 - 1 }] });
});

describe("ticks diff of memory", () => {
  it("finds the function that allocates more, in bytes a run", async () => {
    const page = await run("diff before more");
    expect([page.status, page.stderr]).toEqual([0, ""]);
    expect(page.stdout).toMatch(
      /\nA run allocates \d+ % more: \d+ MB → \d+ MB\.\npart3 allocates more: 2\d\.\d MB → 4\d\.\d MB a run/,
    );
    expect(page.stdout).toContain("Functions by bytes allocated a run; in total: with all they call");
    expect(page.stdout).toMatch(
      /\n {2}more +2\d\.\d MB +4\d\.\d MB +\+\d+% +\+[\d.]+ MB to \+[\d.]+ MB .*part3/,
    );
    expect(page.stdout).not.toMatch(/ ms|CPU|slower|the time|ticks a run/);
  });

  it("says what is less, what is as before, and what is gone", async () => {
    expect(await sentences("diff before less")).toMatch(
      /A run allocates \d+ % less: .*\npart3 allocates less: /,
    );
    expect(await sentences("diff before again")).toMatch(
      /A run allocates about as much as before: .*, 95 %: -.*\nNo function changed/,
    );
    expect(await sentences("diff before gone")).toMatch(/part3 is gone/);
    expect(await sentences("diff before nothing")).toMatch(/A run allocates 100 % less: \d+ MB → 0 B\./);
    expect(await sentences("diff nothing before")).toMatch(
      /A run allocates memory, before none: 0 B → \d+ MB, 95 %: /,
    );
  });

  it("knows that large objects are counted and not sampled, and few small samples tell little", async () => {
    const large = await run("diff before twice");
    expect(large.stdout).toMatch(/\nlarge allocates more: 78\.1 MB → 156 MB a run/);
    const few = await run("diff few few-more -n 20");
    expect(few.stdout).toMatch(/\nNo function changed/);
    expect(few.stdout).toMatch(/~ few samples +192 KB +\d+ KB .* small/);
  });

  it("does not call what V8 itself makes runs differ by a change", async () => {
    // Large objects have no error of sampling: 0.75 % more of them.
    const [, large] = await rowsOf("diff before large-more -n 20 --format json", "large");
    expect([large?.verdict, large?.perRun.self.change > 0]).toEqual(["same", true]);
    const [document, part] = await rowsOf("diff before shift -n 20 --format json", "part3");
    expect(part?.verdict).toBe("same");
    expect(part?.self.falseRate).toBeGreaterThan(0.01);
    expect(part?.self.falseRate).toBeLessThan(0.05);
    expect(document.rows.some((row: { verdict: string }) => row.verdict !== "same")).toBe(false);
  });

  it("does not take a frame that V8 inlines in some runs for what allocates", async () => {
    const [document, caller] = await rowsOf("diff inlined called -n 20 --format json", "caller");
    expect(caller?.perRun.total.after).toBeGreaterThan(8 * caller?.perRun.total.before);
    expect(document.rows.some((row: { verdict: string }) => row.verdict !== "same")).toBe(false);
    const [, changed] = await rowsOf("diff inlined called-more -n 20 --format json", "caller");
    expect(changed?.verdict).toBe("slower");
  });

  it("does not take what V8 inlines for what its caller allocates more", async () => {
    const [, user] = await rowsOf("diff apart within -n 20 --format json", "user");
    expect(user?.perRun.self.after).toBeGreaterThan(5 * user?.perRun.self.before);
    expect(user?.verdict).toBe("same");
  });

  it("says what was alive, and does not compare it with what was allocated", async () => {
    expect(await sentences("diff alive alive-more")).toMatch(
      /A run has \d+ % more alive at its end: .*\npart3 has more: /,
    );
    const refused = await run("diff before alive");
    expect(refused.status).toBe(2);
    expect(refused.stderr).toMatch(
      /Heap\.0\.heapprofile has bytes allocated and .* bytes alive at the end: they cannot be counted together/,
    );
  });

  it("has no verdict of one run, and says so", async () => {
    expect(await sentences("diff before one")).toMatch(
      /The run after allocated \d+ % more: .*\nOne run on a side: no verdict/,
    );
    expect((await run("diff before one")).stdout).toContain(
      "ticks record --allocations --runs 5 -- node app.js",
    );
    expect((await run("check one --max-allocated part3=50MB")).stdout).toMatch(
      /few runs tell little: record more\n +ticks record --allocations --runs 3 -- node app\.js$/m,
    );
  });

  it("counts units of work, and refuses CPU time", async () => {
    expect(await sentences("diff before more --per 100,100")).toMatch(
      /A unit of work allocates \d+ % more: [\d.]+ MB → [\d.]+ MB\.\npart3 allocates more: \d+ KB → \d+ KB a unit of work/,
    );
    const refused = await run("diff before more --scale cpu");
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("counts memory, not time")]);
  });

  it("has the bytes in JSON", async () => {
    const { stdout } = await run("diff before more --format json");
    const document = JSON.parse(stdout);
    expectValid("diff", document);
    expect(document).toMatchObject({
      memory: { of: "bytes", is: "allocated" },
      judgedBy: "run",
      perRun: { unit: "bytes", ms: null, cpu: null },
    });
    expect(document.before.runs[0].bytes).toBeGreaterThan(8 * 800 * 32 * KB);
    expect(document.rows[0]).toMatchObject({ name: "part3", verdict: "slower" });
    expect(document.rows[0].perRun.self.before).toBeGreaterThan(800 * 32 * KB);
  });

  it("writes the difference of stacks in bytes of a run", async () => {
    const document = JSON.parse((await run("diff before more --format json -o more.folded")).stdout);
    const sums = [0, 0];
    for (const line of readFileSync(join(folder, "more.folded"), "utf8").trimEnd().split("\n"))
      for (const [side, bytes] of line.split(" ").slice(-2).entries()) sums[side]! += Number(bytes);
    const { before, after } = document.perRun;
    expect(sums.map((sum, side) => Math.abs(sum - [before, after][side]) < 100)).toEqual([true, true]);
    expect((await run("diff before more -o more.pb.gz")).status).toBe(0);
    const top = JSON.parse((await run("top more.pb.gz --format json")).stdout);
    expect(top.memory).toMatchObject({ of: "bytes", is: "allocated" });
  });

  it("takes sizes that are as large as can be", async () => {
    const page = await run("diff nothing huge");
    expect([page.status, page.stderr]).toEqual([0, ""]);
    expect(page.stdout).toContain("0 B → 8192 TB");
    expect(page.stdout).not.toMatch(/NaN|Infinity/);
  });
});

describe("ticks check of memory", () => {
  it("limits what code allocates, by sizes", async () => {
    const kept = await run("check before --max-allocated part3=32MB");
    expect([kept.status, kept.stdout]).toEqual([0, expect.stringContaining("1 budget: all hold")]);
    const broken = await run("check more --max-allocated part3=32MB --max-allocated part1=31744KB");
    expect(broken.status).toBe(1);
    expect(broken.stdout).toMatch(
      /broken +4\d\.\d MB +4\d\.\d MB to [45]\d\.\d MB +32\.0 MB +allocated +part3/,
    );
    expect(broken.stdout).toMatch(/ok +2\d\.\d MB .* 31\.0 MB +allocated +part1/);
    const perUnit = await run("check more --max-allocated part3=0.2MB --per 100");
    expect([perUnit.status, perUnit.stdout]).toEqual([
      1,
      expect.stringMatching(/broken +4\d\d KB .* 205 KB/),
    ]);
  });

  it("has growth in bytes, and says what was alive", async () => {
    const grown = await run("check more --against before --max-growth part3=10");
    expect([grown.status, grown.stdout]).toEqual([1, expect.stringMatching(/broken +\+[5-8]\d\.\d%/)]);
    const same = await run("check again --against before --max-growth part3=25");
    expect([same.status, same.stdout]).toEqual([0, expect.stringContaining("all hold")]);
    expect((await run("check alive --max-allocated part3=1GB")).stdout).toMatch(
      /ok .*alive at the end +part3/,
    );
  });

  it("refuses what memory has not, and what is no size", async () => {
    for (const [words, why] of [
      ["check before --max-ticks part3=10", "counts memory, not time"],
      ["check before --max-turn 10", "counts memory, not time"],
      ["check before --max-allocated part3=10XB", "expected NAME=SIZE"],
      ["check before --max-allocated part3=-1MB", "expected NAME=SIZE"],
      ["check before --against alive --max-growth part3=1", "cannot be counted together"],
    ] as const) {
      const { status, stderr } = await run(words);
      expect([words, status, stderr]).toEqual([words, 2, expect.stringContaining(why)]);
    }
  });

  it("writes budgets that its own runs meet, and none that other ones break by chance", async () => {
    const written = await run("check --init before --budget memory.json");
    expect([written.status, written.stderr]).toEqual([0, expect.stringContaining("wrote memory.json")]);
    const own = await run("check before --budget memory.json --format json");
    const document = JSON.parse(own.stdout);
    expectValid("check", document);
    expect(document.budgets[0]).toMatchObject({ metric: "allocated", verdict: "holds" });
    expect([own.status, (await run("check again --budget memory.json")).status]).toEqual([0, 0]);
    expect((await run("check more --budget memory.json")).stdout).toContain("broken");
    expect((await run("check --init one --budget one.json")).stderr).toContain("record three");
  });

  it("reads sizes in a file", async () => {
    const budgets = [{ select: { function: "part3" }, metric: "allocated", max: "32 MB" }];
    writeFileSync(join(folder, "sizes.json"), JSON.stringify({ budgets }));
    expect((await run("check more --budget sizes.json")).status).toBe(1);
    writeFileSync(join(folder, "odd.json"), JSON.stringify({ budgets: [{ ...budgets[0], max: "much" }] }));
    expect((await run("check more --budget odd.json")).stderr).toContain("max must be a size, such as 10MB");
  });
});

describe("a folder with profiles of time and of memory", () => {
  beforeAll(() => {
    for (const name of ["both", "both-more"]) {
      record(name, { count: 1, changed: name === "both" ? [] : [{ name: "part3", samples: 1800 }] });
      writeFileSync(join(folder, name, "CPU.1.cpuprofile"), cpuProfile());
    }
  });

  /** Samples in two functions of a program, and three times as many in the collector behind each. */
  function cpuProfile(): string {
    const nodes = ["work", "read", "(garbage collector)"].map((functionName, i) => ({
      id: i + 1,
      callFrame: { functionName, scriptId: "1", url: i < 2 ? "file:///srv/app.js" : "", lineNumber: 20 * i },
      children: [],
      hitCount: 1,
    }));
    const samples = Array.from({ length: 400 }, (_, i) => (i % 4 > 0 ? 3 : i % 8 > 0 ? 2 : 1));
    const timeDeltas = samples.map(() => 1000);
    return JSON.stringify({ nodes, startTime: 0, endTime: 400_000, samples, timeDeltas });
  }

  it("has the functions that allocate on the page of top", async () => {
    const { stdout, stderr } = await run("top both");
    expect(stderr).toBe("");
    expect(stdout).toContain("74.9%: garbage collection; see below who allocates.");
    expect(stdout).toMatch(
      / {2}garbage collection\n[^[]*\n \[Who allocates, of 30\d MB\]:\n +size +share +function\n +78\.1 MB +2\d\.\d% +large +app\.js:81\n(?: +2\d\.\d MB +\d\.\d% +part\d +app\.js:\d+\n){4} {2}… 11\d MB in 4 more functions\n/,
    );
    expect(stdout).toContain("\n  ticks top both --sample-type space\n");
    expect(stdout).not.toContain("ticks record");
  });

  it("has them in its document, with what the limit leaves out", async () => {
    const { allocations, nextSteps } = JSON.parse((await run("top both --json -n 3")).stdout);
    expect(allocations).toMatchObject({ logs: [join("both", "Heap.0.heapprofile")], is: "allocated" });
    const { functions, otherBytes, otherRows, bytesWithoutProgram, bytes } = allocations;
    expect(functions[0]).toMatchObject({
      name: "large",
      file: "file:///srv/app.js",
      line: 81,
      bytes: 80_000 * KB,
    });
    expect([functions.length, otherRows, bytesWithoutProgram]).toEqual([3, 6, 0]);
    expect(functions.reduce((sum: number, one: { bytes: number }) => sum + one.bytes, otherBytes)).toBe(
      bytes,
    );
    expect(nextSteps.map(({ kind }: { kind: string }) => kind)).toContain("allocations");
    await expectValid("top", JSON.parse((await run("top both --json")).stdout));
  });

  it("has none of them for a part of the time, or of another thread", async () => {
    const { stdout, stderr } = await run("top both --from 100ms");
    expect(stdout).not.toContain("Who allocates");
    expect(stderr).toContain("1 profile is left out beside CPU.1.cpuprofile");
  });

  it("names what shows them on other pages, which works", async () => {
    expect((await run("tree both-more")).stderr).toBe(
      "ticks: both-more: 1 profile is left out beside CPU.1.cpuprofile: who allocates: ticks both-more --sample-type space\n",
    );
    const tree = await run("tree both --sample-type space");
    expect(tree.stderr).toBe("");
    expect(tree.stdout).toMatch(/ MB allocated, .*\n(?:.*\n)*.*78\.1 MB .* large /);
    const { stdout } = await run("diff both both-more --sample-type space");
    expect(stdout).toContain("part3");
    expect(stdout).toMatch(/MB/);
  });

  it("goes on without a heap profile that cannot be read", async () => {
    record("torn", { count: 1 });
    writeFileSync(join(folder, "torn", "CPU.1.cpuprofile"), cpuProfile());
    writeFileSync(join(folder, "torn", "Heap.0.heapprofile"), "{}");
    const { status, stdout, stderr } = await run("top torn");
    expect([status, stdout.includes("Who allocates")]).toEqual([0, false]);
    expect(stderr).toContain("Heap.0.heapprofile");
  });
});

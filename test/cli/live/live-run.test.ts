import { appendFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type LiveEnd, type LiveRunOptions, runLive } from "../../../src/cli/live/live-run.ts";
import { type FollowedLogs, LogFollower } from "../../../src/cli/live/log-follower.ts";
import { CLOCK, LineFace } from "../../../src/cli/live/watch-logs.ts";
import { openSharedInput } from "../../../src/cli/log-input.ts";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26 } from "../../helpers/logs.ts";
import { expectValid } from "../../helpers/schema.ts";

let folder = "";
beforeEach(() => {
  folder = testFolder();
});

const FLAGS = { cache: false };
const F = "code-creation,JS,10,1,0x1000,256,handle /srv/app.js:1:10,0xf1,~";
const G = "code-creation,JS,10,1,0x2000,256,parse /srv/app.js:9:10,0xf2,*";
const END = "profiler,end";
/** Rows of ticks in one second. */
const second = (at: number, address: string, count = 100) =>
  Array.from({ length: count }, (_, i) => `tick,${address},${at * 1e6 + i * 1000},0,0x0,0`);

interface Watched {
  readonly lines: string[];
  readonly end: LiveEnd;
  readonly logs: readonly string[];
}

/** Follows logs while `steps` happen: one after each second of a clock that no one waits for. */
async function watch(
  followed: FollowedLogs,
  steps: readonly (() => void)[],
  options: Omit<LiveRunOptions, "clock"> & {
    readonly format?: "text" | "json";
    readonly isAlive?: boolean;
    readonly most?: number;
    readonly systemTime?: () => number;
  } = {},
): Promise<Watched> {
  let written = "";
  const output = new Writable({
    write(chunk, _, done) {
      written += String(chunk);
      done();
    },
  });
  const left = [...steps];
  let time = Date.now() + 10_000;
  const { isAlive = true, format = "text", most, systemTime } = options;
  const clock = {
    now: () => time,
    async sleep(milliseconds: number) {
      time += milliseconds;
      left.shift()?.();
    },
  };
  const shared = await openSharedInput(FLAGS);
  const follower = new LogFollower({
    ...followed,
    flags: FLAGS,
    shared,
    now: clock.now,
    isAlive: () => isAlive,
    most,
    systemTime,
  });
  const face = new LineFace({ format, output });
  const end = await runLive(follower, face, { ...options, clock });
  return { lines: written.split("\n").slice(0, -1), end, logs: follower.paths };
}

describe("ticks live in a pipe", () => {
  it("prints a line a second of a log that grows, and ends with it", async () => {
    const path = join(folder, "v8.log");
    writeFileSync(path, logOf(...NODE_26, F, G, ...second(0, "0x1001")));
    const rows = logOf(...second(1, "0x2001", 300)).toString();
    const { lines, end } = await watch({ logs: [path], folders: [] }, [
      () => appendFileSync(path, rows.slice(0, 4001)), // Inside a row.
      () => appendFileSync(path, rows.slice(4001)),
      () => appendFileSync(path, logOf(END)),
    ]);
    expect(end).toBe("complete");
    expect(lines).toEqual([
      "1.1 s  242 ticks, 212/s  js 100.0%  58.7% parse app.js:9, 41.3% handle app.js:1",
      "1.3 s  400 ticks, 308/s  js 100.0%  75.0% parse app.js:9, 25.0% handle app.js:1",
      "1.3 s  400 ticks, 308/s  js 100.0%  75.0% parse app.js:9, 25.0% handle app.js:1",
      "1.3 s  400 ticks, 174/s  js 100.0%  75.0% parse app.js:9, 25.0% handle app.js:1",
      "1.3 s  400 ticks, 121/s  js 100.0%  75.0% parse app.js:9, 25.0% handle app.js:1",
    ]);
  });

  it("prints documents, the deoptimizations each in one of them", async () => {
    const path = join(folder, "v8.log");
    const deopt = (time: number) =>
      `code-deopt,${time},304,0x2000,-1,25,deopt-eager,</srv/app.js:9:20>,wrong map`;
    writeFileSync(path, logOf(...NODE_26, F, G, ...second(0, "0x2001"), deopt(90_000)));
    const steps = [() => appendFileSync(path, logOf(...second(1, "0x2001"), deopt(1_090_000)))];
    const { lines } = await watch({ logs: [path], folders: [] }, steps, { duration: 2000, format: "json" });
    const documents = lines.map((line) => JSON.parse(line));
    for (const document of documents) expectValid("live", document);
    expect(documents.map(({ elapsedMs, ticks, deopts }) => [elapsedMs, ticks, deopts.length])).toEqual([
      [1000, 200, 2],
      [2000, 200, 0],
    ]);
    expect(documents[0].functions[0]).toMatchObject({ name: "parse", self: 200, tier: "turbofan" });
  });

  it("finds logs that come to a folder, and forgets those whose file is replaced", async () => {
    const [one, two] = [join(folder, "isolate-0x1-70-v8.log"), join(folder, "isolate-0x2-70-v8.log")];
    const { lines, logs, end } = await watch(
      { logs: [], folders: [folder] },
      [
        () => writeFileSync(one, logOf(...NODE_26, F, ...second(0, "0x1001", 50))),
        () => writeFileSync(two, logOf(...NODE_26, G, ...second(0, "0x2001", 30))),
        () => {
          renameSync(one, `${one}.1`);
          writeFileSync(one, logOf(...NODE_26, F, ...second(0, "0x1001", 7)));
        },
        () => writeFileSync(two, logOf(...NODE_26, ...second(0, "0x2001", 2))),
      ],
      { duration: 5000 },
    );
    expect(lines.map((line) => / (\d+) ticks/.exec(line)![1])).toEqual(["50", "80", "37", "9", "9"]);
    expect([logs, end]).toEqual([[one, two], "time"]);
  });

  it("takes only what it is asked to follow", async () => {
    const [one, two] = [join(folder, "v8.log"), join(folder, "v8-2.log")];
    for (const path of [one, two]) writeFileSync(path, logOf(...NODE_26, F, ...second(0, "0x1001", 5)));
    const ignored = new Set([two]);
    const { logs } = await watch({ logs: [one], folders: [folder], ignored }, [], { duration: 0 });
    expect(logs).toEqual([one]);
  });

  it("ends when the process is gone and the log stays as it is", async () => {
    const path = join(folder, "isolate-0x1-70-v8.log");
    writeFileSync(path, logOf(...NODE_26, F, ...second(0, "0x1001")));
    const grow = () => appendFileSync(path, logOf(...second(1, "0x1001")));
    const followed = { logs: [path], folders: [] };
    const gone = await watch(followed, [grow], { duration: 60_000, isAlive: false });
    expect([gone.end, gone.lines.length]).toEqual(["complete", 1]); // It was old when we came.
    const idle = await watch(followed, [grow, () => {}], { duration: 60_000, isAlive: true });
    expect([idle.end, idle.lines.length]).toEqual(["time", 60]);
  });

  it("reads a complete log again if it grows after all", async () => {
    const [path, other] = [join(folder, "isolate-0x1-70-v8.log"), join(folder, "isolate-0x2-71-v8.log")];
    writeFileSync(path, logOf(...NODE_26, F, ...second(0, "0x1001", 5), END));
    writeFileSync(other, logOf(...NODE_26, F, ...second(0, "0x1001", 1)));
    const grow = () => appendFileSync(path, logOf(...second(1, "0x1001", 7)));
    const { lines } = await watch(
      { logs: [path, other], folders: [] },
      [() => {}, () => {}, grow, () => {}, grow],
      { duration: 6000 },
    );
    expect(lines.map((line) => Number(/ (\d+) ticks/.exec(line)![1]))).toEqual([6, 6, 13, 13, 20, 20]);
  });

  it("reads what was written before it is told to end, whatever the log says", async () => {
    const path = join(folder, "v8.log");
    writeFileSync(path, logOf(...NODE_26, F, ...second(0, "0x1001", 5), END));
    const until = new AbortController();
    const { lines, end } = await watch(
      { logs: [path], folders: [] },
      [
        () => {},
        () => {},
        () => {
          appendFileSync(path, logOf(...second(1, "0x1001", 9)));
          until.abort();
        },
      ],
      { until: until.signal },
    );
    expect(end).toBe("time");
    expect(lines.at(-1)).toMatch(/ 14 ticks/);
  });

  it("follows the newest logs, and says how many it leaves out", async () => {
    const paths = Array.from({ length: 6 }, (_, i) => join(folder, `isolate-0x${i}-7${i}-v8.log`));
    const write = (i: number) =>
      writeFileSync(paths[i]!, logOf(...NODE_26, F, ...second(0, "0x1001", i + 1)));
    for (const i of [0, 1, 2, 3]) {
      write(i);
      utimesSync(paths[i]!, 1000 - i, 1000 - i);
    }
    const steps = [() => {}, () => write(4), () => write(5)];
    const text = await watch({ logs: [], folders: [folder] }, steps, { most: 3, duration: 5000 });
    // Logs 0, 1 and 2 at first; then 4 in place of 2, and 5 in place of 1.
    expect(text.lines.map((line) => Number(/ (\d+) ticks/.exec(line)![1]))).toEqual([6, 8, 12, 12, 12]);
    expect(text.lines[0]).toContain("the newest 3 of 4 logs");
    expect(text.lines.at(-1)).toContain("the newest 3 of 6 logs");
    expect(text.logs).toEqual([paths[0], paths[4], paths[5]]);
    const json = await watch({ logs: paths, folders: [] }, [], { most: 4, duration: 0, format: "json" });
    const document = JSON.parse(json.lines.at(-1)!);
    expectValid("live", document);
    expect([document.leftLogs, document.threads.length]).toEqual([2, 4]);
  });

  it("goes on when the system's clock is set back", async () => {
    const before = CLOCK.now();
    vi.spyOn(Date, "now").mockReturnValue(0);
    expect(CLOCK.now()).toBeGreaterThanOrEqual(before);
    vi.restoreAllMocks();
    const path = join(folder, "isolate-0x1-70-v8.log");
    writeFileSync(path, logOf(...NODE_26, F, ...second(0, "0x1001"), END));
    const systemTime = () => Date.now() - 3_600_000;
    const { end, lines } = await watch({ logs: [path], folders: [] }, [], { systemTime, duration: 60_000 });
    expect([end, lines.length]).toEqual(["complete", 2]);
  });

  it("ends when nobody reads it", async () => {
    const path = join(folder, "v8.log");
    writeFileSync(path, logOf(...NODE_26, F, ...second(0, "0x1001", 5)));
    const shared = await openSharedInput(FLAGS);
    const now = () => 0;
    const follower = new LogFollower({ logs: [path], folders: [], flags: FLAGS, shared, now });
    const output = new Writable({ write: (_, __, done) => done(new Error("closed")) });
    const clock = { now, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) };
    const face = new LineFace({ format: "text", output });
    const closing = setTimeout(() => output.write("x"), 20);
    expect(await runLive(follower, face, { clock })).toBe("closed");
    clearTimeout(closing);
  });

  it("does not mind what is no log", async () => {
    writeFileSync(join(folder, "v8-a.log"), "no log\n".repeat(200_000));
    writeFileSync(join(folder, "v8-b.log.gz"), "packed");
    writeFileSync(join(folder, "v8-c.log"), "");
    const { lines, end } = await watch({ logs: [], folders: [folder] }, [], { duration: 3000 });
    expect(end).toBe("time");
    expect(lines.at(-1)).toMatch(/^0\.0 s {2}0 ticks, 0\/s/);
  });
});

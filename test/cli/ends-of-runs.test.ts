import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { Progress } from "../../src/cli/progress.ts";
import { ticks } from "../helpers/cli.ts";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26 } from "../helpers/logs.ts";
import { expectValid } from "../helpers/schema.ts";
import { hasTerminal, MARK, runOnTerminal } from "../helpers/terminal.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

function setup(total: number | undefined) {
  let time = 0;
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  });
  const progress = new Progress(stream, total, () => time);
  return { progress, written, at: (ms: number) => (time = ms) };
}

describe("Progress", () => {
  it("says nothing of work under a second", () => {
    const { progress, written, at } = setup(1e6);
    at(999);
    progress.update({ bytes: 5e5, ticks: 7 });
    progress.done();
    expect(written).toEqual([]);
  });

  it("tells the share, the speed and the ticks, ten times a second, and goes away", () => {
    const { progress, written, at } = setup(400e6);
    for (const ms of [1000, 1050, 2000]) {
      at(ms);
      progress.update({ bytes: ms * 1e5, ticks: ms });
    }
    progress.done();
    expect(written).toEqual([
      "\r\x1b[K25 %  95.4 MB  95.4 MB/s  1000 ticks",
      "\r\x1b[K50 %  191 MB  95.4 MB/s  2000 ticks",
      "\r\x1b[K",
    ]);
  });

  it("tells no ticks of a profile, which has them at its end", () => {
    const { progress, written, at } = setup(undefined);
    at(1000);
    progress.update({ bytes: 3e6, ticks: 0 });
    expect(written).toEqual(["\r\x1b[K2.86 MB  2.86 MB/s"]);
  });

  it.each([undefined, 0])("tells no share of what has no known size: %s", (total) => {
    const { progress, written, at } = setup(total);
    at(1000);
    progress.update({ bytes: 1e6, ticks: 1 });
    expect(written).toEqual(["\r\x1b[K977 KB  977 KB/s  1 tick"]);
  });
});

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));

const LOG = "short.log";
const folder = testFolder();
const onTerminal = (...args: readonly string[]) => runOnTerminal(args, { cwd: folder, env: MARK });

describe.skipIf(!hasTerminal)("a report on a terminal", () => {
  it("goes through the pager, and has its warnings after it", () => {
    const { output, status } = onTerminal("top", LOG, "--hide", "zzzzz");
    expect([output.slice(0, 2), status]).toEqual(["> ", 0]);
    expect(output.trimEnd().split("\n").at(-1)).toBe("ticks: --hide zzzzz matches nothing");
  });
});

it("a report in a pipe goes through no pager, and has no hint", async () => {
  const run = await ticks(["process", "node-26-bundle/isolate.log.gz"], { cwd: FIXTURES, env: MARK });
  expect(run.stdout).not.toMatch(/^> /);
  expect(run.stderr).not.toContain("--inlines");
});

const F = "code-creation,JS,10,1,0x1000,256,f /srv/x.js:1:1,0xf1,*";
const G = "code-creation,JS,10,2,0x2000,256,g /srv/x.js:9:1,0xf2,*";
const STATES = { js: 0, external: 6, atomics: 7, idle: 8, idleExternal: 10 };

/** A log whose ticks are in functions (f, g or none) and VM states, one a millisecond. */
function logWith(...ticks: readonly (readonly ["f" | "g" | "", keyof typeof STATES, number])[]): Buffer {
  const places = { f: "0x1001", g: "0x2001", "": "0x0" };
  const rows = ticks.flatMap(([place, state, count]) =>
    Array.from({ length: count }, () => [places[place], STATES[state]] as const),
  );
  return logOf(
    ...NODE_26,
    F,
    G,
    ...rows.map(([pc, state], i) => `tick,${pc},${(i + 1) * 1000},0,0x0,${state}`),
  );
}

beforeAll(() => {
  const write = (name: string, log: Buffer) => writeFileSync(join(folder, name), log);
  write(
    "some.log",
    logWith(
      ["f", "js", 120],
      ["", "idle", 250],
      ["", "idleExternal", 50],
      ["g", "js", 40],
      ["g", "atomics", 100],
    ),
  );
  write("more.log", logWith(["f", "js", 120], ["", "idle", 1900], ["g", "js", 40], ["g", "atomics", 10]));
  write("all.log", logWith(["", "idle", 30], ["g", "atomics", 10]));
  write(LOG, logWith(["f", "js", 9], ["", "js", 1]));
  write("none.log", logWith(["f", "js", 120], ["g", "external", 40]));
});

const run = async (command: string, ...more: string[]) => {
  const { stdout, stderr, status } = await warmTicks([...command.split(" "), ...more], { cwd: folder });
  return { stdout, stderr, status };
};

const out = async (command: string, ...more: string[]) => (await run(command, ...more)).stdout;

const json = async (command: string) => {
  const document = JSON.parse(await out(`${command} --json`));
  expectValid(command.split(" ")[0]!, document);
  return document;
};

const NOTE =
  "400 of 560 ticks waited (idle and Atomics.wait); shares are of the other 160: --idle counts them.";

const REPORTS = [
  "top some.log",
  "tree some.log",
  "function some.log f",
  "lines some.log",
  "deopts some.log",
  "ics some.log",
];

/** A text in one line: sentences are wrapped. */
const unwrapped = (text: string) => text.replaceAll(/\s+/g, " ");

describe("ticks that waited", () => {
  it("are out of the shares of every report, whose head says so once", async () => {
    for (const report of REPORTS) {
      for (const format of ["text", "md"]) {
        const page = unwrapped(await out(`${report} --format ${format}`));
        expect(page.split(NOTE).length, `${report} ${format}`).toBe(2);
        expect(page, report).not.toContain("(idle)");
        const all = unwrapped(await out(`${report} --format ${format} --idle`));
        expect(all, report).not.toContain("waited");
        const same = unwrapped(await out(`${report} --format ${format} --no-idle`));
        // Commands to run next keep the option.
        expect(same.replaceAll(" --no-idle", ""), report).toBe(page);
      }
    }
    expect(await out("top some.log")).toMatch(/^ +120 +75\.0% .* f/m);
    expect(await out("top some.log --idle")).toMatch(/^ +120 +21\.4% .* f/m);
    expect(await out("tree some.log --idle")).toMatch(/^ +140 +25\.0% +140 +g/m);
  });

  it("are named in JSON, by state", async () => {
    const waited = { ticks: 400, states: { "atomics-wait": 100, idle: 250, "idle-external": 50 } };
    for (const report of REPORTS) {
      expect(await json(report), report).toMatchObject({ ticks: 160, excludedTicks: 400, waited });
      const all = await json(`${report} --idle`);
      expect([all.ticks, all.excludedTicks, all.waited], report).toEqual([560, 0, undefined]);
    }
    expect((await json("top none.log")).waited).toBeUndefined();
    const filtered = await json("top some.log --focus ^f$");
    expect(filtered).toMatchObject({ ticks: 120, excludedTicks: 440, waited });
  });

  it("are told from those that filters leave out", async () => {
    const page = unwrapped(await out("tree some.log --focus ^f$"));
    expect(page).toContain("some.log, Node 26: 120 ticks (40 more filtered out)");
    expect(page).toContain("shares are of the 120 others that pass the filters");
    expect(await out("top some.log --focus ^f$")).toMatch(/^some\.log, Node 26: 120 of 160 ticks$/m);
  });

  it("are shown to who asks for their state, or for when they were", async () => {
    expect(await out("tree some.log --state atomics-wait")).toMatch(/^ +100 +100\.0% +100 +g/m);
    expect(await out("tree some.log --state atomics-wait --no-idle")).toContain("some.log, Node 26: 0 ticks");
    for (const command of ["timeline", "threads", "startup"]) {
      const { ticks, waited } = await json(`${command} some.log`);
      expect([ticks, waited], command).toEqual([560, undefined]);
      expect(await json(`${command} some.log --no-idle`), command).toMatchObject({
        ticks: 160,
        waited: { ticks: 400 },
      });
    }
    const collapsed = await out("export some.log --format collapsed");
    expect(collapsed.match(/\d+$/gm)!.reduce((sum, count) => sum + Number(count), 0)).toBe(560);
    expect(await out("process some.log")).toContain("(560 ticks, 300 unaccounted, 0 excluded)");
    expect(await out("process some.log --no-idle")).toContain("(560 ticks, 0 unaccounted, 300 excluded)");
  });

  it("may be all there are", async () => {
    const note = "All 40 ticks waited (idle and Atomics.wait): --idle counts them.";
    for (const report of [
      "top all.log",
      "tree all.log",
      "lines all.log",
      "tree all.log --heavy",
      "deopts all.log",
    ]) {
      for (const format of ["text", "md"]) {
        const { stdout, status } = await run(`${report} --format ${format}`);
        expect(unwrapped(stdout), report).toContain(note);
        expect([stdout.includes("NaN"), status], report).toEqual([false, 0]);
      }
    }
    expect(await json("top all.log")).toMatchObject({ ticks: 0, waited: { ticks: 40 } });
    const { stdout, status } = await run("diff all.log some.log");
    expect([stdout.includes("NaN"), status]).toEqual([false, 0]);
    const page = await run("flame all.log -o all.html");
    expect(page.status).toBe(0);
    const check = await run("check all.log --max-self f=10");
    expect(check.stderr + check.stdout).not.toContain("NaN");
  });

  it("are no part of a comparison, and no CPU time", async () => {
    const compared = await json("diff some.log more.log");
    expect(compared.rows.every(({ self }: { self: { change: number } }) => self.change === 0)).toBe(true);
    expect(compared.before.runs[0]).toMatchObject({ ticks: 160, waited: { ticks: 400 } });
    const text = unwrapped(await out("diff some.log more.log"));
    expect(text).toContain("160 ticks and 1910 that waited (idle and Atomics.wait)");
    expect(text).toContain(
      "Ticks that waited take no CPU and are left out of all numbers: --idle counts them.",
    );
    expect(await out("diff some.log more.log --md")).toContain("--idle counts them");
    const cpu = await json("diff some.log more.log --scale cpu");
    expect(
      cpu.rows.reduce((sum: number, { self }: { self: { after: number } }) => sum + self.after, 0),
    ).toBeCloseTo(160);
    const refused = await run("diff some.log more.log --scale cpu --idle");
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("what waits takes no CPU")]);
    expect((await json("diff some.log more.log --idle")).before.ticks).toBe(560);
  });

  it("are no part of budgets, which cannot limit them", async () => {
    const { stdout, status } = await run("check some.log --max-self f=50");
    expect(unwrapped(stdout)).toContain(
      "400 ticks waited (idle and Atomics.wait) and are left out: --idle counts them.",
    );
    expect(status).toBe(0);
    expect(await json("check some.log --max-self f=90")).toMatchObject({
      checked: { runs: [{ ticks: 160, waited: { ticks: 400 } }] },
      budgets: [{ value: 75 }],
    });
    const all = await json("check some.log --max-self f=90 --idle");
    expect(all.budgets[0].value).toBeCloseTo((100 * 120) / 560);
    const refused = await run("check some.log --max-self category:idle=99");
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("To count them: --idle")]);
    expect((await run("check some.log --max-self category:idle=99 --idle")).status).toBe(0);
  });

  it("are not on the page of flames unless they are asked for", async () => {
    const page = async (...more: string[]) => {
      expect((await run("flame", ...more, "-o", "page.html")).status).toBe(0);
      return readFileSync(join(folder, "page.html"), "utf8");
    };
    const [without, all] = [await page("some.log"), await page("some.log", "--idle")];
    expect(without).not.toContain('"(idle)"');
    expect(all).toContain('"(idle)"');
    expect(without).toContain('"waited":{"ticks":400,"how":"idle and Atomics.wait"}');
    expect(all).not.toContain('"waited":{');
    expect(await page("some.log", "--", "more.log")).not.toContain('"(idle)"');
  });
});

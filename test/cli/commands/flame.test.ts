import { chmodSync, existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { defaultOutput } from "../../../src/cli/commands/flame.ts";
import { ticks } from "../../helpers/cli.ts";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26, tickAt } from "../../helpers/logs.ts";
import { simulatedLog } from "../../helpers/simulated-run.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

describe("ticks flame", () => {
  let folder = "";
  beforeAll(() => {
    folder = testFolder();
    const code = "code-creation,JS,10,1,0x1000,256,f x.js:1:1,0xf1,*";
    writeFileSync(join(folder, "a.log"), logOf(...NODE_26, code, tickAt(0x1001), tickAt(0x1002)));
  });
  const run = (args: readonly string[], env?: Record<string, string>) =>
    env === undefined
      ? warmTicks(["flame", ...args], { cwd: folder })
      : ticks(["flame", ...args], { cwd: folder, env });

  it("has turns and optimizations over time, without private names where they are redacted", async () => {
    const codeOf = (at: string, tier: string) =>
      `code-creation,JS,10,1,${at},256,secretive /srv/private/own.js:7:1,0xf1,${tier}`;
    // An idle tick before and after 30 in one callback, of which the last ten are in faster code.
    const stacks = Array.from(
      { length: 30 },
      (_, i) => `tick,${i < 20 ? "0x1001" : "0x3001"},${2000 + i * 1000},0,0x0,0`,
    );
    const idle = (at: number) => `tick,0x1,${at},0,0x0,8`;
    const rows = [
      ...NODE_26,
      codeOf("0x1000", "~"),
      codeOf("0x3000", "*"),
      idle(1000),
      ...stacks,
      idle(32_000),
    ];
    writeFileSync(join(folder, "turns.log"), logOf(...rows));
    const timesOf = async (...words: readonly string[]) => {
      const { stdout } = await run(["turns.log", ...words, "-o", "-"]);
      expect(stdout).toContain('"hasStarts":');
      return stdout;
    };
    const page = await timesOf();
    expect(page).toContain('"title":"secretive","position":"/srv/private/own.js:7"');
    expect(page).toContain("secretive: first tick in TurboFan after Ignition, /srv/private/own.js:7");
    const redacted = await timesOf("--redact");
    expect(redacted).toMatch(/"title":"f_\w+","position":"[^"]+:7"/);
    expect(redacted).not.toMatch(/secretive|private\/|own\.js/);
  });

  it("writes a page here, after the log, and says so on stderr alone", async () => {
    const { stdout, stderr, status } = await run([join(folder, "a.log")]);
    expect([stdout, status]).toEqual(["", 0]);
    expect(stderr).toMatch(/^ticks: wrote 2 ticks to a\.flame\.html \(\d+ KB\)\n$/);
    const page = readFileSync(join(folder, "a.flame.html"), "utf8");
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('"ticks":2');
    expect(page).not.toContain("{{");
  });

  it("writes it elsewhere, or to standard output", async () => {
    expect((await run(["a.log", "-o", "b.html"])).stderr).toContain("wrote 2 ticks to b.html");
    const { stdout, stderr } = await run(["a.log", "-o", "-"]);
    expect(stdout).toBe(readFileSync(join(folder, "b.html"), "utf8"));
    expect(stderr).toBe("");
  });

  it("says how to compare two folders that are in one picture", async () => {
    for (const name of ["before", "after it"]) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "v8.log"), readFileSync(join(folder, "a.log")));
    }
    const hint = "To compare them: ticks flame before -- 'after it'";
    expect((await run(["before", "after it", "-o", "c.html"])).stderr).toContain(hint);
    const compared = await run(["before", "--", "after it", "-o", "c.html"]);
    expect([compared.status, compared.stderr.includes(hint)]).toEqual([0, false]);
  });

  it("says what cannot be", async () => {
    const nowhere = await run(["a.log", "-o", "nowhere/b.html"]);
    expect([nowhere.status, nowhere.stdout]).toEqual([2, ""]);
    expect(nowhere.stderr).toContain("nowhere/b.html cannot be written");
    const log = readFileSync(join(folder, "a.log"));
    expect((await run(["a.log", "-o", "./a.log"])).stderr).toContain(
      "--output ./a.log would overwrite the log",
    );
    expect(readFileSync(join(folder, "a.log"))).toEqual(log);
    const both = await run(["a.log", "-o", "-", "--open"]);
    expect([both.status, both.stdout]).toEqual([2, ""]);
    expect(both.stderr).toContain("--open does not work with -o -");
  });

  it.skipIf(process.platform !== "linux")(
    "opens it with the opener of the system, without a shell",
    async () => {
      const opener = join(folder, "xdg-open");
      writeFileSync(opener, `#!/bin/sh\nprintf '%s' "$1" > '${folder}/opened'\n`);
      chmodSync(opener, 0o755);
      const name = "it's $(touch hacked).html";
      const PATH = `${folder}${delimiter}${process.env.PATH}`;
      expect((await run(["a.log", "-o", name, "--open"], { PATH })).status).toBe(0);
      await expect.poll(() => existsSync(join(folder, "opened"))).toBe(true);
      await expect.poll(() => readFileSync(join(folder, "opened"), "utf8")).toBe(join(folder, name));
      expect(existsSync(join(folder, "hacked"))).toBe(false);
      const without = await run(["a.log", "-o", "c.html", "--open"], { PATH: "/nowhere" });
      expect(without.status).toBe(2);
      expect(without.stderr).toMatch(/wrote 2 ticks to c\.html.*\nticks: --open: could not open \S+c\.html/);
    },
  );

  it("names the page after the only log", () => {
    const name = (args: readonly string[], logs: readonly string[] = []) => defaultOutput(args, logs);
    expect(name(["/logs/isolate-0x1-v8.log"])).toBe("isolate-0x1-v8.flame.html");
    expect(name(["isolate.log.gz"])).toBe("isolate.flame.html");
    expect(name([], ["isolate-0x1-v8.log"])).toBe("isolate-0x1-v8.flame.html");
    expect(name(["a.log", "b.log"])).toBe("ticks.flame.html");
    expect(name(["-"])).toBe("ticks.flame.html");
    expect(name(["/logs/run/"])).toBe("run.flame.html");
  });
});

describe("ticks flame BEFORE... -- AFTER...", () => {
  let folder = "";
  beforeAll(() => {
    folder = testFolder();
    for (const [side, weight] of [
      ["before", 1],
      ["after", 2],
    ] as const) {
      mkdirSync(join(folder, side));
      const names = ["secretive", "part1", "part2", "part3", "part4", "part5"];
      for (let i = 0; i < 4; i++) {
        const functions = names.map((name, at) => ({ name, weight: at === 0 ? weight : 1 }));
        const log = simulatedLog({
          file: "/srv/private/app.js",
          functions,
          ticks: 1500,
          seed: 40 * weight + i,
        });
        writeFileSync(join(folder, side, `isolate-0x1-${100 + i}-v8.log`), log);
      }
    }
  });
  const run = (...args: readonly string[]) => warmTicks(["flame", ...args], { cwd: folder });
  const dataOf = (html: string) =>
    JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)![1]!);

  it("writes one page of both sides", async () => {
    const { stdout, stderr, status } = await run("before", "--", "after");
    expect([stdout, status]).toEqual(["", 0]);
    expect(stderr).toMatch(/^ticks: wrote 4 against 4 runs to diff\.flame\.html \(\d+ KB\)\n$/);
    const { diff, title } = dataOf(readFileSync(join(folder, "diff.flame.html"), "utf8"));
    expect(title).toBe("before (4 logs) → after (4 logs)");
    expect(diff.hasVerdict).toBe(true);
    expect(diff.summary[1]).toMatch(/^secretive got slower: /);
    expect(diff.sides).toMatchObject([
      { runs: 4, ticks: 6000 },
      { runs: 4, ticks: 6000 },
    ]);
    unlinkSync(join(folder, "diff.flame.html"));
  });

  it("has titles without the folder that both sides share", async () => {
    const page = await run(join(folder, "before"), "--", join(folder, "after"), "-o", "-");
    expect(dataOf(page.stdout).title).toBe("before (4 logs) → after (4 logs)");
  });

  it("says what ticks diff says, with its filters", async () => {
    const page = async (...args: string[]) =>
      dataOf((await run("before", "--", "after", "-o", "-", ...args)).stdout);
    const { stdout } = await warmTicks(["diff", "before", "--", "after", "--focus", "part"], { cwd: folder });
    const { diff } = await page("--focus", "part");
    expect(stdout.replaceAll("\n", " ")).toContain(diff.summary[0]);
    expect((await page()).sources).toHaveLength(1);
    expect((await page("--no-source")).sources).toEqual([]);
  });

  it("renames functions of the first side", async () => {
    const functions = ["secretive", "part1"].map((name) => ({
      name: `new_${name}`,
      body: "other",
      weight: 1,
    }));
    const log = simulatedLog({ file: "/srv/private/app.js", functions, ticks: 500, seed: 1 });
    writeFileSync(join(folder, "renamed.log"), log);
    const page = async (...args: string[]) =>
      dataOf((await run("before", "--", "renamed.log", "-o", "-", ...args)).stdout);
    const found = (await page("--rename", "s/(secretive|part)/new_$1/")).functions.titles;
    const without = (await page()).functions.titles;
    expect(found).toEqual(expect.arrayContaining(["new_secretive", "new_part1", "part2"]));
    expect(found).not.toContain("secretive");
    expect(without).toEqual(expect.arrayContaining(["new_secretive", "secretive"]));
  });

  it("leaves no private name in a redacted page, and finds the functions again", async () => {
    const { stdout } = await run("before", "--", "after", "--redact", "-o", "-");
    expect(stdout).not.toMatch(/secretive|private|before \(/);
    const { diff } = dataOf(stdout);
    expect(diff.summary[1]).toMatch(/ got slower: /);
    expect(diff.summary.join(" ")).not.toContain("one side does not have");
  });

  it("has no verdict with one run a side", async () => {
    const logs = ["before", "after"].map((side) => `${side}/isolate-0x1-100-v8.log`);
    const { diff } = dataOf((await run(logs[0]!, "--", logs[1]!, "-o", "-")).stdout);
    expect(diff.hasVerdict).toBe(false);
    expect(diff.summary[1]).toContain("One run a side: no verdict.");
  });

  it("takes several logs without -- for one page, as ever", async () => {
    const page = dataOf((await run("before", "after", "-o", "-")).stdout);
    expect(page.diff).toBeUndefined();
    expect(page.ticks).toBe(12_000);
  });

  it.each([
    [["before", "--"], "name the logs before and those after, with -- between them"],
    [["--", "after"], "Such as: ticks flame before/ -- after/"],
    [["before", "--", "nowhere"], "nowhere: "],
    [["before", "--rename", "s/a/b/"], "--rename needs two sides"],
    [["before", "--", "after", "--rename", "x"], "--rename x: expected s/from/to/"],
    [["before", "--", "after", "--key", "x"], "--key needs --redact"],
    [["before", "--", "after", "-o", "-", "--open"], "--open does not work with -o -"],
    [
      ["before", "--", "after", "-o", "after/isolate-0x1-100-v8.log"],
      "--output after/isolate-0x1-100-v8.log would overwrite the log",
    ],
  ])("refuses %j", async (args, message) => {
    const { stdout, stderr, status } = await run(...args);
    expect([stdout, status]).toEqual(["", 2]);
    expect(stderr).toContain(message);
  });
});

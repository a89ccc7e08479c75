import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26 } from "../../helpers/logs.ts";
import { expectValid } from "../../helpers/schema.ts";
import { simulatedLog } from "../../helpers/simulated-run.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const folder = testFolder();

const file = "/srv/r1/app.js";

function record(name: string, count: number, hot: number): void {
  mkdirSync(join(folder, name));
  for (let i = 0; i < count; i++) {
    const functions = [
      { name: "hot", weight: hot },
      { name: "cold", weight: 100 - hot },
    ];
    const log = simulatedLog({ file, functions, ticks: 2000, seed: 31 * hot + i });
    writeFileSync(join(folder, name, `isolate-0x1-${100 + i}-v8.log`), log);
  }
}

beforeAll(() => {
  record("base", 6, 20);
  record("same", 6, 20);
  record("slow", 6, 30);
  record("alone", 1, 20);
});

const check = (...args: readonly string[]) => warmTicks(["check", ...args], { cwd: folder });

describe("ticks check", () => {
  it("passes if all budgets hold, and fails if one is broken", async () => {
    const good = await check("same", "--max-self", "hot=25", "--max-growth", "hot=15", "--against", "base");
    expect([good.stderr, good.status]).toEqual(["", 0]);
    expect(good.stdout).toContain("2 budgets: all hold");
    const bad = await check("slow", "--max-self", "hot=25", "--max-growth", "hot=15", "--against", "base");
    expect([bad.stderr, bad.status]).toEqual(["", 1]);
    expect(bad.stdout).toContain("2 budgets: 2 are broken");
    expect(bad.stdout).toMatch(/^broken +\d\d\.\d% +2\d\.\d% to 3\d\.\d% +25\.0% +self share +hot$/m);
  });

  it("limits the longest turn of the event loop", async () => {
    const code = [
      "code-creation,JS,10,1,0x1000,256,sweep /srv/cache.js:7:15,0xf1,~",
      "code-creation,JS,10,1,0x2000,256,listOnTimeout node:internal/timers:5:1,0xf2,~",
    ];
    const rows = Array.from({ length: 5 }, (_, i) => [
      `tick,0x9001,${i * 700_000},0,0x0,8`,
      ...Array.from({ length: 80 }, (_, at) => `tick,0x1001,${i * 700_000 + (at + 1) * 1000},0,0x0,0,0x2001`),
      `tick,0x9001,${i * 700_000 + 200_000},0,0x0,8`,
    ]);
    mkdirSync(join(folder, "turns"));
    writeFileSync(join(folder, "turns/isolate-0x1-7-v8.log"), logOf(...NODE_26, ...code, ...rows.flat()));
    const bad = await check("turns", "--max-turn", "50");
    expect(bad.stdout).toMatch(
      /^broken +80\.5 ms +79\.0 ms to 84\.0 ms +50\.0 ms +longest turn +event loop$/m,
    );
    expect([bad.stderr, bad.status]).toEqual(["", 1]);
    expect((await check("turns", "--max-turn", "100ms")).stdout).toContain("1 budget: all hold");
    writeFileSync(
      join(folder, "turns.json"),
      `{ "budgets": [{ "metric": "longestTurn", "max": 50, "name": "loop" }] }`,
    );
    const { stdout } = await check("turns", "--budget", "turns.json", "--format", "json");
    const document = JSON.parse(stdout);
    expectValid("check", document);
    expect(document.budgets[0]).toMatchObject({
      name: "loop",
      verdict: "broken",
      file: "/srv/cache.js",
      line: 7,
    });
    writeFileSync(
      join(folder, "turns.json"),
      `{ "budgets": [{ "metric": "longestTurn", "max": 50, "select": { "function": "f" } }] }`,
    );
    expect((await check("turns", "--budget", "turns.json")).stderr).toContain("leave out select");
  });

  it("calls a limit within the interval inconclusive, and fails only with --strict", async () => {
    const limits = ["same", "--max-total", "hot=20"];
    const lax = await check(...limits);
    expect(lax.status).toBe(0);
    expect(lax.stdout).toContain("1 budget: 1 is inconclusive");
    expect(lax.stdout).not.toContain("record more");
    const alone = await check("alone", "--max-total", "hot=20");
    expect(alone.stdout).toMatch(
      /few runs tell little: record more\n +ticks record --runs 3 -- node app\.js$/m,
    );
    expect((await check(...limits, "--strict")).status).toBe(1);
  });

  it("selects by file, package, category, key and pattern", async () => {
    const limits = ["file:app.js=99", "package:app=99", "category:js=99", "app.js hot=25", "/^HO/i=25"];
    const { stdout, status } = await check("same", ...limits.flatMap((one) => ["--max-self", one]), "--json");
    const found = JSON.parse(stdout);
    expectValid("check", found);
    expect(status).toBe(1);
    const values = found.budgets.map(({ value }: { value: number }) => Math.round(value));
    expect(values).toEqual([100, 100, 100, values[3], values[3]]);
    expect(Math.abs(values[3] - 20)).toBeLessThan(3);
    expect(found.budgets.map(({ verdict }: { verdict: string }) => verdict)).toEqual([
      "broken",
      "broken",
      "broken",
      "holds",
      "holds",
    ]);
  });

  it("counts ticks for units of work, and deoptimizations", async () => {
    const args = ["--max-ticks", "hot=0.5", "--max-deopts", "hot=0", "--per", "1000", "--json"];
    const { stdout, status } = await check("same", ...args);
    const [counted, deopts] = JSON.parse(stdout).budgets;
    expect(counted.value).toBeCloseTo(0.4, 1);
    expect(deopts).toMatchObject({ value: 0, verdict: "holds" });
    expect(status).toBe(0);
  });

  it("writes a file of budgets that the same logs hold, as plain JSON", async () => {
    const init = await check("base", "--init");
    expect([init.stderr, init.status]).toEqual(["ticks: wrote ticks.budget.json\n", 0]);
    const path = join(folder, "ticks.budget.json");
    // Other programs read it too: it has no comments.
    expectValid("budget", JSON.parse(readFileSync(path, "utf8")));
    const held = await check("same");
    expect([held.stderr, held.status]).toEqual(["", 0]);
    expect(held.stdout).toContain("all hold");
    expect((await check("slow")).status).toBe(1);
    const again = await check("base", "--init");
    expect([again.stderr, again.status]).toEqual([
      "ticks: ticks.budget.json exists\nDelete it first, or name another with --budget.\n",
      2,
    ]);
    rmSync(path);
  }, 30_000);

  it("refuses a budget of what the baseline alone has, as after a file was renamed", async () => {
    mkdirSync(join(folder, "renamed"));
    for (const name of readdirSync(join(folder, "same"))) {
      const log = readFileSync(join(folder, "same", name), "utf8");
      writeFileSync(join(folder, "renamed", name), log.replaceAll("app.js", "main.js"));
    }
    const found = await check("renamed", "--against", "base", "--max-total", "file:app.js=99");
    expect([found.stderr, found.status]).toEqual([
      "ticks: only the runs of --against have file app.js, which a budget limits\nIf it was renamed, name it anew in the budget; if it is gone, remove the budget.\n",
      2,
    ]);
    // Under its new name it is compared with what it was.
    const grown = ["--max-growth", "file:main.js=15", "--max-growth", "hot=15"];
    const named = await check("renamed", "--against", "base", ...grown);
    expect([named.stderr, named.status]).toEqual(["", 0]);
    expect(named.stdout).toMatch(/^ok +[-+]?\d.*growth +file main\.js$/m);
  });

  it("limits what the whole program runs in by its ticks, its file too", async () => {
    record("whole", 2, 96);
    const init = await check("whole", "--init", "--budget", "whole.json");
    expect([init.stderr, init.status]).toEqual(["ticks: wrote whole.json\n", 0]);
    const { budgets } = parse(readFileSync(join(folder, "whole.json"), "utf8"));
    const limits = new Map<string, { metric: string; max: number }>(
      budgets.map((one: { select: object }) => [JSON.stringify(one.select), one]),
    );
    const hot = limits.get('{"function":"app.js hot"}');
    expect(hot?.metric).toBe("ticks");
    expect(hot?.max).toBeGreaterThan(2300);
    expect(hot?.max).toBeLessThan(2500);
    expect(limits.get('{"file":"app.js"}')).toBeDefined();
    expect(limits.get('{"package":"app"}')).toBeDefined();
    expect((await check("whole", "--budget", "whole.json")).status).toBe(0);
  });

  it("limits a function of the whole program that works in native code, not the one that only calls it", async () => {
    mkdirSync(join(folder, "through"));
    const rows = [
      "v8-version,12,4,0,0,0",
      "shared-library,/x/lib.so,0x9000,0xa000,0",
      "code-creation,JS,10,1,0x1000,256,main /srv/app.js:1:1,0xf1,*",
      "code-creation,JS,10,2,0x2000,256,hash /srv/app.js:5:1,0xf2,*",
      "profiler,begin,1000",
      ...Array.from({ length: 100 }, (_, i) => `tick,0x9010,${1000 * (i + 1)},0,0x0,0,0x2010,0x1010`),
    ];
    writeFileSync(join(folder, "through", "isolate-0x1-7-v8.log"), `${rows.join("\n")}\n`);
    expect((await check("through", "--init", "--budget", "through.json")).status).toBe(0);
    const { budgets } = parse(readFileSync(join(folder, "through.json"), "utf8"));
    expect(budgets.flatMap(({ select }: { select: object }) => Object.values(select))).toEqual([
      "app.js hash",
      "app.js",
      "app",
    ]);
  });

  it("writes no file without code to limit, and refuses a file without budgets", async () => {
    mkdirSync(join(folder, "native"));
    const log = "v8-version,12,4,0,0,0\nshared-library,/x/lib.so,0x1000,0x9000,0\ntick,0x1010,900,0,0x0,0\n";
    writeFileSync(join(folder, "native", "isolate-0x1-7-v8.log"), log);
    const init = await check("native", "--init", "--budget", "native.json");
    expect(init.status).toBe(2);
    expect(init.stderr).toContain("native.json is not written: no function, file or package of the program");
    expect(existsSync(join(folder, "native.json"))).toBe(false);
    writeFileSync(join(folder, "empty.json"), '{"budgets": []}');
    const held = await check("same", "--budget", "empty.json");
    expect([held.stdout, held.status]).toEqual(["", 2]);
    expect(held.stderr).toContain("no budgets: empty.json has none");
  });

  it("of a first file hold for names with control characters, and replace nothing", async () => {
    const rows = [
      "v8-version,12,4,254,21,-node.20,0",
      "profiler,begin,1000",
      "code-creation,JS,11,900,0x3e5f40001000,200,be\\x07e\\x0ap\\x1b[2J /srv/a\\x09b.js:3:9,0x2a0b1c2d3e0,*",
      "code-creation,JS,11,900,0x3e5f40002000,200,main /srv/app/main.js:3:9,0x2a0b1c2d3f0,*",
      ...[1, 2, 3, 4].map((time) => `tick,0x3e5f4000${time % 2 ? 1 : 2}010,${time}000,0,0x0,0`),
    ];
    writeFileSync(join(folder, "controls.log"), `${rows.join("\n")}\n`);
    const file = "limits\u0007.json";
    const init = await warmTicks(["check", "--init", "controls.log", "--budget", file], { cwd: folder });
    expect([init.stderr, init.status]).toEqual([
      "ticks: wrote limits\\x07.json\nticks: it is of one run, which does not tell how much runs differ: record three, and write it anew of all\n",
      0,
    ]);
    const held = await warmTicks(["check", "controls.log", "--budget", file], { cwd: folder });
    expect([held.stderr, held.status]).toEqual(["", 0]);
    symlinkSync("elsewhere.json", join(folder, "link.json"));
    const linked = await warmTicks(["check", "--init", "controls.log", "--budget", "link.json"], {
      cwd: folder,
    });
    expect([linked.status, existsSync(join(folder, "elsewhere.json"))]).toEqual([2, false]);
  });

  it("only warns about a budget of level warn", async () => {
    const budgets = [{ name: "the hot part", select: { function: "hot" }, max: 25, level: "warn" }];
    writeFileSync(join(folder, "own.json"), JSON.stringify({ budgets }));
    const { stdout, status } = await check("slow", "--budget", "own.json");
    expect(status).toBe(0);
    expect(stdout).toContain("1 budget: 1 is broken, but only warned about");
    expect(stdout).toContain("the hot part");
  });

  it("annotates files and lines on GitHub, and writes JUnit's XML and Markdown", async () => {
    const args = ["slow", "--max-self", "hot=25"];
    const github = await check(...args, "--format", "github");
    expect(github.stdout).toMatch(
      /^::error file=\/srv\/r1\/app\.js,line=1,title=Budget broken::hot: self share \d\d\.\d%25 \(95 %25: /,
    );
    const junit = await check(...args, "--format", "junit");
    expect(junit.stdout).toContain('<testsuite name="ticks check" tests="1" failures="1" skipped="0">');
    expect(junit.stdout).toContain('name="hot: self share"><failure message="hot: self share ');
    expect((await check(...args, "--md")).stdout).toContain("**1 budget: 1 is broken.**");
  });

  it.each([
    [["same"], "no budgets: there is no ticks.budget.json here, and no --max option"],
    [["same", "--max-self", "hott=3"], "no log has hott, which a budget limits\nDid you mean hot?"],
    [["same", "--max-total", "app.js=3"], "no log has app.js, which a budget limits\nDid you mean file:"],
    [
      ["same", "--max-total", "package:nothing-like-it=3"],
      "no log has package nothing-like-it, which a budget limits\nDid you mean package:app",
    ],
    [
      ["same", "--max-total", "package:hot=3"],
      "no log has package hot, which a budget limits\nDid you mean hot?",
    ],
    [["same", "--max-self", "hot"], "--max-self hot: expected NAME=NUMBER"],
    [["same", "--max-self", "/(/=3"], "--max-self: invalid regular expression ("],
    [["same", "--max-self", "category:gcc=3"], "no category gcc: did you mean gc?"],
    [["same", "--max-growth", "hot=3"], "name the baseline with --against"],
    [["same", "--budget", "none.json"], "none.json: no such file"],
  ])("refuses %j", async (args, message) => {
    const { stdout, stderr, status } = await check(...args);
    expect([stdout, status]).toEqual(["", 2]);
    expect(stderr).toContain(message);
  });

  it.each([
    ["{\n", "ticks.bad.json:2:1: close brace expected"],
    [
      '{\n  "budgets": [\n    { "functoin": 1 }] }',
      "ticks.bad.json:3:7: budget 1 has an unknown key functoin",
    ],
    ['{"budgets": [], "pre": 1}', "the file has an unknown key pre; did you mean per?"],
    ["[]", "the file must be an object"],
    ["{}", "budgets must be a list"],
    ['{"budgets": [{}]}', "budget 1: select must be an object"],
    [
      '{"budgets": [{"select": {}, "max": 1}]}',
      "budget 1: select must have one of function, file, package, category",
    ],
    ['{"budgets": [{"select": {"function": "hot"}}]}', "budget 1: max must be a number"],
    [
      '{"budgets": [{"select": {"function": "hot"}, "max": 1, "metric": "x"}]}',
      "metric must be one of self, total",
    ],
    ['{"budgets": [], "budget": 1}', "the file has an unknown key budget"],
  ])("refuses the file %s", async (text, message) => {
    writeFileSync(join(folder, "ticks.bad.json"), text);
    const { stderr, status } = await check("same", "--budget", "ticks.bad.json");
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});

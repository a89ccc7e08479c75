import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26 } from "../../helpers/logs.ts";
import { expectValid } from "../../helpers/schema.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const CODE = [
  "code-creation,JS,10,1,0x1000,256,f /srv/a.js:1:10,0xf1,~",
  "code-creation,JS,10,1,0x2000,256,f /srv/a.js:1:10,0xf1,*",
  "code-creation,JS,10,1,0x3000,256,\x1b[31mg /srv/b.js:7:2,0xf2,~",
  "code-creation,JS,10,1,0x4000,256,\x1b[31mg /srv/b.js:7:2,0xf2,+",
];
const F = "code-deopt,1,256,0x2000,0,9,deopt-eager,</srv/b.js:4:5> inlined at </srv/a.js:2:3>,wrong map";
const OTHER = "code-deopt,1,256,0x2000,-1,9,deopt-eager,</srv/a.js:3:3>,not a Smi";
const G = "code-deopt,1,256,0x4000,-1,9,deopt-lazy,</srv/b.js:8:1>,(unknown)";
const TICKS = ["tick,0x1001,1,0,0x0,0", "tick,0x1001,2,0,0x0,0", "tick,0x2001,3,0,0x0,0"];
const LATER = ["tick,0x3001,9000,0,0x0,0"];

describe("ticks deopts", () => {
  const folder = testFolder();
  beforeAll(() => {
    writeFileSync(
      join(folder, "v8.log"),
      logOf(...NODE_26, ...CODE, OTHER, F, F, F, F, F, ...TICKS, G, ...LATER),
    );
    writeFileSync(join(folder, "unasked.log"), logOf(...NODE_26, ...CODE, TICKS[2]!, ...TICKS));
    writeFileSync(
      join(folder, "none.log"),
      logOf("v8-version,8,4,371,23,-node.88,0", ...CODE.slice(0, 2), ...TICKS),
    );
  });
  const run = (...args: string[]) => warmTicks(["deopts", ...args], { cwd: folder });

  it("prints what each cost, the costliest first", async () => {
    const { stdout, stderr, status } = await run("v8.log");
    expect(stdout.split("\n")).toEqual([
      "v8.log, Node 26:",
      "7 deoptimizations in 2 functions",
      "3 of 4 ticks (75.0%) in slower code until optimized again",
      "",
      " [Functions]:",
      "  cost  share  times  positions  left  slower code  function",
      "     2  50.0%      6          2  *     ~2           f  a.js:1",
      "     1  25.0%      1          1  +     ~1 …         \\x1b[31mg  b.js:7",
      "",
      " [Positions]:",
      "  cost  share  times  left  slower code  function, where, reason",
      "     2  50.0%      5  *     ~2           f  a.js:1",
      "         at b.js:4:5, inlined at a.js:2:3: wrong map (eager), a bailout loop",
      "     1  25.0%      1  +     ~1 …         \\x1b[31mg  b.js:7",
      "         at 8:1: (unknown) (lazy)",
      "     0   0.0%      1  *                  f  a.js:1",
      "         at 3:3: not a Smi (eager)",
      "",
      "  cost: ticks in the function's slower code until it was optimized again",
      "  left: the tier of the abandoned code",
      "  slower code: ~ Ignition, ^ Sparkplug, + Maglev; … = not optimized again",
      "",
      " [Next]:",
      "  # callers, tiers and lines of the first one",
      "  ticks function v8.log f",
      "",
    ]);
    expect([stderr, status]).toEqual(["", 0]);
  });

  it("shows fewer rows when asked to, and what the others cost", async () => {
    const { stdout } = await run("-n", "1", "v8.log");
    expect(stdout).toContain("  … 1 tick in 1 more\n");
    expect(stdout).toContain("  … 1 tick in 2 more\n");
    expect((await run("-n", "0", "v8.log")).status).toBe(2);
    const limited = JSON.parse((await run("--format", "json", "-n", "1", "v8.log")).stdout);
    expect([limited.deopts.length, limited.functions.length, limited.cost]).toEqual([1, 1, 3]);
  });

  it("counts only the ticks that the filters leave", async () => {
    expect((await run("--from", "5", "v8.log")).stdout).toContain("1 of 1 tick (100.0%)");
    expect((await run("--ignore", "a.js", "v8.log")).stdout).toContain("1 of 1 tick (100.0%)");
  });

  it("says how to record them where nobody asked for them", async () => {
    const { stdout, status } = await run("unasked.log");
    expect(stdout).toContain("no deoptimizations logged\n");
    expect(stdout).toContain("\n    node --prof --log-deopt app.js\n");
    expect(status).toBe(0);
    expect((await run("none.log")).stdout).toBe(
      "none.log, Node 14:\nno deoptimizations\n\nThis version of V8 logs each without being asked: there were none.\n",
    );
  });

  it("names the functions that ran slower code after optimized code, where the log has no rows", async () => {
    const again = "code-creation,JS,10,9,0x5000,256,f /srv/a.js:1:10,0xf1,*";
    const g = ["tick,0x4001,5,0,0x0,0", "tick,0x3001,6,0,0x0,0"];
    writeFileSync(join(folder, "two.log"), logOf(...NODE_26, ...CODE, TICKS[2]!, ...TICKS, again, ...g));
    const { stdout } = await run("two.log");
    expect(stdout).toContain(`
2 functions had ticks in slower code after ticks in optimized code, 3 of 6 ticks in all.
V8 may have thrown that code away; code optimized for one long loop, or for another closure, looks the same.

 [Suspects]:
  ticks  optimized again  function
      2                1  f  a.js:1
      1                0  \\x1b[31mg  b.js:7
`);
    expect((await run("-n", "1", "two.log")).stdout).toMatch(
      / f {2}a\.js:1\n {2}… 1 more function\n\n \[Next\]/,
    );
    expect((await run("--md", "two.log")).stdout).toMatch(
      /\| 2 \| 1 \| `f` `a\.js:1` \|\n\| 1 \| 0 \| `.*` `b\.js:7` \|\n\n## Next/,
    );
    const document = JSON.parse((await run("--json", "two.log")).stdout);
    expectValid("deopts", document);
    expect(document.suspects[0]).toEqual({
      function: { name: "f", file: "/srv/a.js", line: 1, column: 10 },
      ticks: 2,
      optimizedAgain: 1,
    });
    writeFileSync(join(folder, "steady.log"), logOf(...NODE_26, ...CODE, ...TICKS));
    expect((await run("steady.log")).stdout).toContain("\n\nNo function had ticks in slower code after");
  });

  it("has colours where they are asked for", async () => {
    const { stdout } = await run("--color", "always", "v8.log");
    expect(stdout).toContain("\x1b[33m50.0%\x1b[39m");
    expect(stdout).toContain("\x1b[33mf\x1b[39m  \x1b[2ma.js:1");
  });
});

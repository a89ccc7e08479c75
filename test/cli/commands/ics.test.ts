import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26 } from "../../helpers/logs.ts";
import { expectValid } from "../../helpers/schema.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const SCRIPT = String.raw`script-source,5,/srv/a.js,function f(o) {\n  return o.a + o.b;\n}\n`;
const NAME = "f /srv/a.js:1:11";
const CODE = [
  SCRIPT,
  `code-creation,JS,10,1,0x1000,64,${NAME},0xf1,~`,
  "code-source-info,0x1000,5,10,36,C0O16C4O27C9O33,,",
  `code-creation,JS,10,1,0x2000,64,${NAME},0xf1,*`,
  "code-source-info,0x2000,5,10,36,C0O16C20O27C40O33,,",
  "code-creation,JS,10,1,0x3000,64,\x1b[31mg /srv/b.js:7:2,0xf2,~",
  "code-creation,Builtin,2,1,0x5000,256,LoadIC",
  "code-creation,Builtin,2,1,0x6000,256,LoadIC_Megamorphic",
  "code-creation,Builtin,2,1,0x7000,256,StoreIC",
];
const ROWS = [
  "LoadIC,0x1004,20,2,12,0,1,0x900,a,,",
  "LoadIC,0x1004,30,2,12,1,P,0x910,a,,",
  "LoadIC,0x1004,40,2,12,P,N,0x920,a,,",
  "LoadIC,0x1009,50,2,18,0,1,0x900,b,,",
  "LoadIC,0x3005,60,8,3,0,1,0x900,\x1b[32mkey,.\x1b[33m,\x1b[34m",
  "LoadIC,0x9999,70,1,1,0,1,0x900,lost,,",
];
const tick = (pc: string, ...frames: string[]) => ["tick", pc, "100", "0", "0x0", "0", ...frames].join();
const TICKS = [
  tick("0x5010", "0x1004"), // Bytecode: .a
  tick("0x5010", "0x1009"), // Bytecode: .b
  tick("0x6010", "0x2015"), // Optimized: .a
  tick("0x6010", "0x2029"), // Optimized: .b, which never was megamorphic.
  tick("0x7010", "0x2015"), // No store is there.
  tick("0x5010", "0x3005"),
  tick("0x5010"),
  tick("0x1008"),
];
const DEOPT = "code-deopt,90,64,0x2000,-1,27,deopt-eager,</srv/a.js:2:12>,wrong map";

const folder = testFolder();
const run = (...args: string[]) => warmTicks(args, { cwd: folder });

beforeAll(() => {
  const write = (name: string, ...rows: readonly string[]) =>
    writeFileSync(join(folder, name), logOf(...NODE_26, ...CODE, ...rows));
  write("v8.log", ...ROWS, ...TICKS, DEOPT);
  write("other.log", ...ROWS.slice(0, 1), TICKS[0]!);
  write("unasked.log", ...TICKS);
  writeFileSync(
    join(folder, "old.log"),
    logOf("v8-version,6,2,414,78,0", 'code-creation,Builtin,2,1,0x5000,256,"LoadIC"', TICKS[6]!),
  );
});

describe("ticks ics", () => {
  it("prices sites by bytecode and by position, as far as the log places ticks", async () => {
    const { stdout, status } = await run("ics", "v8.log", "--json");
    expect(status).toBe(0);
    const report = JSON.parse(stdout);
    expectValid("ics", report);
    expect(report).toMatchObject({ icTicks: 7, placed: 4, shared: 0, rows: 6, unknownRows: 1 });
    const sites = report.sites.map((site: Record<string, unknown>) => [site.line, site.column, site.ticks]);
    expect(sites).toEqual([
      [2, 12, 2],
      [2, 18, 1],
      [8, 3, 1],
    ]);
    expect(report.sites[0]).toMatchObject({
      kind: "LoadIC",
      function: { name: "f", file: "/srv/a.js", line: 1, column: 11 },
      keys: ["a"],
      maps: 3,
      rows: 3,
      isMegamorphic: true,
      firstState: "0",
      lastState: "N",
      deopts: [{ reason: "wrong map", count: 1, cost: 0 }],
      text: "  return o.a + o.b;",
    });
    expect(report.notPlaced).toEqual([
      { reason: "no-site", ticks: 2, percent: 25 },
      { reason: "no-caller", ticks: 1, percent: 12.5 },
    ]);
  });

  it("merges the sites of several logs", async () => {
    const report = JSON.parse((await run("ics", "v8.log", "other.log", "--json")).stdout);
    expect(report.sites[0]).toMatchObject({ line: 2, column: 12, ticks: 3, rows: 4, maps: 3 });
  });

  it("shows people the source, the key and what else is known, with nothing that moves the cursor", async () => {
    const { stdout } = await run("ics", "v8.log");
    expect(stdout).toContain(
      "7 of 8 ticks (87.5%) in V8's code for inline caches\n4 at 3 sites, 3 not placed\n",
    );
    expect(stdout).toMatch(
      / 2 {2}25\.0% +load +0 1 P N +3 {2}a\.js:2:12 {2}\.a {2}in f\n +return o\.a \+ o\.b;\n/,
    );
    expect(stdout).toContain("deoptimized here once (wrong map): see ticks deopts");
    for (const format of ["text", "md", "json"]) {
      expect((await run("ics", "v8.log", "--format", format)).stdout).not.toContain("\x1b");
    }
  });

  it("is named by ticks deopts where a site has both", async () => {
    const { stdout } = await run("deopts", "v8.log");
    expect(stdout).toContain("inline cache: load .a, 0 1 P N, 2 ticks; see ticks ics");
    const report = JSON.parse((await run("deopts", "v8.log", "--json")).stdout);
    expectValid("deopts", report);
    expect(report.deopts[0].ics).toEqual([
      { kind: "LoadIC", keys: ["a"], states: ["0", "1", "P", "N"], ticks: 2 },
    ]);
  });

  it("is named by ticks top above 5 %", async () => {
    expect((await run("top", "v8.log")).stdout).toContain("ticks ics v8.log");
    const few = join(folder, "few.log");
    writeFileSync(few, logOf(...NODE_26, ...CODE, TICKS[0]!, ...Array(30).fill(TICKS[7]!)));
    expect((await run("top", "few.log")).stdout).not.toContain("ticks ics");
  });

  it("ranks functions and says how to record, where the log has no rows", async () => {
    const { stdout } = await run("ics", "unasked.log");
    expect(stdout).toContain("    ticks record --ics -- node app.js\n");
    expect(stdout).toMatch(/ 5 {2}62\.5% +f {2}a\.js:1\n/);
    expect(stdout).not.toContain("[Sites]");
    const report = JSON.parse((await run("ics", "unasked.log", "--json")).stdout);
    expectValid("ics", report);
    expect(report).toMatchObject({ whyNoSites: "not-asked", notPlaced: [{ reason: "no-rows", ticks: 7 }] });
    expect((await run("ics", "old.log")).stdout).toContain("    node --prof --trace-ic app.js\n");
  });

  it("prints what docs/ics.md shows", async () => {
    const page = readFileSync(join(ROOT, "docs/ics.md"), "utf8");
    const [, shown] = /^```text\n(.*?)^```$/ms.exec(page)!;
    const { stdout } = await warmTicks(["ics", "isolate.log.gz", "--limit", "3"], {
      cwd: join(ROOT, "fixtures/node-26-ics"),
    });
    expect(stdout.startsWith(shown!)).toBe(true);
  });
});

import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26, tickAt } from "../helpers/logs.ts";
import { expectValid } from "../helpers/schema.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const folder = testFolder();

const script = join(folder, "app.js");
writeFileSync(script, "one\ntwo\nthree\n");
writeFileSync(
  join(folder, "isolate0x1-1-v8.log"),
  logOf(
    ...NODE_26,
    `code-creation,JS,11,1,0x1000,256,parse ${script}:2:1,0x10,~`,
    "code-creation,JS,11,1,0x2000,256,parse /srv/lib/app.js:9:1,0x20,*",
    "code-creation,JS,11,1,0x3000,256,parseAll /srv/other.js:7:1,0x30,^",
    "code-creation,Builtin,2,1,0x4000,256,ArrayMap",
    ...[0x1010, 0x1010, 0x2010, 0x3010, 0x4010].map(tickAt),
  ),
);
const LOG = "isolate0x1-1-v8.log";
const run = (...args: string[]) => warmTicks(args, { cwd: folder });

describe("ticks function", () => {
  it("shows the hottest of several, and all with --all", async () => {
    const { stdout, status } = await run("function", LOG, "parse", "--source-root", ".");
    expect(status).toBe(0);
    expect(stdout).toContain("[2 functions match parse; --all shows all]:");
    expect(stdout).toContain(`  from ${script}:2:1\n  self 2 (40.0%)`);
    expect(stdout).toContain("[Lines (text from disk; it may have changed since)]:");
    expect(stdout).toContain("2?  parse: line unknown\n");
    const all = await run("function", LOG, "parse", "--all");
    expect(all.stdout).toContain("/srv/lib/app.js:9:1");
  });

  it("exits with 1 where there is none, and names near ones", async () => {
    const miss = await run("function", LOG, "prase");
    expect(miss).toEqual({
      stdout: "",
      stderr: "ticks: no function named prase has ticks\nticks: did you mean parse?\n",
      status: 1,
    });
    const json = await run("function", LOG, "prase", "--format", "json");
    expect(json.status).toBe(1);
    expectValid("function", JSON.parse(json.stdout));
    expect(JSON.parse(json.stdout)).toMatchObject({
      query: "prase",
      matches: [],
      suggestions: ["parse"],
      functions: [],
    });
  });

  it("takes the only log of the folder where but a name is given", async () => {
    const { stdout, stderr, status } = await run("function", "ArrayMap");
    expect([status, stderr]).toEqual([0, `ticks: processing ${LOG}\n`]);
    expect(stdout).toContain("function Builtin: ArrayMap\n  from V8 Builtin\n  self 1 (20.0%)");
  });

  it("wants a name, and a regular expression that is one", async () => {
    expect(await run("function", LOG)).toMatchObject({ status: 2, stdout: "" });
    expect(await run("function", LOG, "/(/")).toMatchObject({ status: 2, stdout: "" });
  });

  it("counts what is left by filters", async () => {
    const { stdout } = await run("function", LOG, "parse", "--ignore", "Builtin");
    expect(stdout).toContain("4 ticks (1 more filtered out)");
    expect(await run("function", LOG, "ArrayMap", "--ignore", "Builtin")).toMatchObject({ status: 1 });
  });
});

describe("ticks lines", () => {
  it("shows a script by the end of its path, with the text on disk where that may be read", async () => {
    const refused = await run("lines", LOG, script);
    expect(refused.stdout).toContain("No source text: it is neither in the log nor under a --source-root.\n");
    expect(refused.stderr).toBe(
      `ticks: did not read 1 source outside the log: ${script} (to allow files in DIR: --source-root DIR)\n`,
    );
    const { stdout, stderr, status } = await run("lines", LOG, script, "--source-root", ".");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(
      `source of ${script}: 2 ticks in its lines\nThe source text is from disk; it may have changed since.\n`,
    );
    expect(stdout).toContain("                 2  two\n    2      2    2?  parse: line unknown\n");
    expect((await run("lines", LOG, "other.js")).stdout).toContain("No source text: ");
  });

  it("lists the scripts that end so, and names others where none does", async () => {
    const several = await run("lines", LOG, "app.js");
    expect(several.status).toBe(2);
    expect(several.stderr).toContain(
      `several scripts match app.js:\n   self  script\n      2  ${script}\n      1  /srv/lib/app.js\n`,
    );
    const miss = await run("lines", LOG, "othre.js");
    expect(miss).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("did you mean other.js?"),
    });
    const far = await run("lines", LOG, "xyz");
    expect(far.stderr).toContain("ticks: the hottest scripts are ");
  });
});

describe("ticks tree", () => {
  it("takes several logs, limits and filters", async () => {
    copyFileSync(join(folder, LOG), join(folder, "copy.log"));
    const { stdout, status } = await run(
      "tree",
      LOG,
      "copy.log",
      "--depth",
      "1",
      "--min",
      "30",
      "--only",
      "js",
    );
    expect(status).toBe(0);
    expect(stdout.split("\n")).toEqual([
      `${LOG}, copy.log, Node 26: 8 ticks (2 more filtered out), top-down: callees below`,
      "",
      "total   share   self  function",
      `    4   50.0%      4  parse  ${script.split("/").slice(-2).join("/")}:2`,
      "    4   50.0%         … 2 more",
      "",
    ]);
  });

  it("refuses limits that are no numbers", async () => {
    expect(await run("tree", LOG, "--min", "101")).toMatchObject({ status: 2, stdout: "" });
    expect(await run("tree", LOG, "--depth", "x")).toMatchObject({ status: 2, stdout: "" });
  });
});

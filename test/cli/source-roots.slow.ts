import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { TICKS } from "../helpers/cli.ts";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26, tickAt } from "../helpers/logs.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const folder = testFolder();
const run = (...args: string[]) => warmTicks(args, { cwd: folder });

/** Every command that names functions by source maps, or shows source; all but the log. */
const COMMANDS: readonly (readonly string[])[] = [
  ["top"],
  ["top", "--format", "md"],
  ["lines"],
  ["lines", "--all", "--format", "json"],
  ["flame", "-o", "-"],
  ["function"],
  ["tree"],
  ["deopts", "--format", "json"],
  ["export", "--format", "collapsed", "-o", "-"],
  ["process", "--inlines"],
];
/** The name of a script, and its last line: its source map comment. */
type Script = readonly [url: string, comment: string];

/** A log that has a tick in one function of each of these scripts. */
function write(name: string, ...scripts: readonly Script[]): string {
  const rows = scripts.flatMap(([url, comment], i) => {
    const source = `function f(a){return a}\nf(1);\n${comment}`
      .replaceAll("\n", "\\n")
      .replaceAll(",", "\\x2C");
    const start = 0x10000 + i * 256;
    return [
      `script-source,${i + 1},${url},${source}`,
      `code-creation,JS,10,100,0x${start.toString(16)},256,f${i} ${url}:1:11,0x${(i + 1).toString(16)},*`,
      `code-source-info,0x${start.toString(16)},${i + 1},10,23,C0O10C5O14,,`,
      tickAt(start + 1),
    ];
  });
  writeFileSync(join(folder, name), logOf(...NODE_26, ...rows));
  return name;
}

function inline(map: unknown): string {
  const data = Buffer.from(typeof map === "string" ? map : JSON.stringify(map)).toString("base64");
  return `//# sourceMappingURL=data:application/json;base64,${data}`;
}

function commandLine(command: readonly string[], log: string, ...flags: readonly string[]): string[] {
  const [name = "", ...rest] = command;
  return [name, ...rest, ...flags, log, ...(name === "function" ? ["/./"] : [])];
}

/** Runs all commands, which have to find every tick; what they wrote, by command. */
async function runAll(log: string, ticksInLog: number, ...flags: readonly string[]) {
  const runs: { command: string; stdout: string; stderr: string }[] = [];
  for (const command of COMMANDS) {
    const { stdout, stderr, status } = await run(...commandLine(command, log, ...flags));
    expect(status, `${command.join(" ")}: ${stderr}`).toBe(0);
    runs.push({ command: command.join(" "), stdout, stderr });
  }
  const collapsed = runs
    .find(({ command }) => command.startsWith("export"))!
    .stdout.trimEnd()
    .split("\n");
  expect(collapsed.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0)).toBe(ticksInLog);
  return runs;
}

const SECTION = { version: 3, sources: ["a"], names: [], mappings: "AAAA" };

describe("broken source maps", { timeout: 60_000 }, () => {
  it("are one warning, and the scripts are shown as they ran", async () => {
    const scripts: Script[] = [
      ["/srv/app/a.js", "//# sourceMappingURL=%"],
      ["/srv/app/b.js", "//# sourceMappingURL=data:,%"],
      ["file://[", "//# sourceMappingURL=x"],
      ["/srv/c.js", inline({ ...SECTION, mappings: [[null], [null]] })],
      ["/srv/d.js", inline({ ...SECTION, sourcesContent: [123] })],
      ["/srv/e.js", inline({ ...SECTION, mappings: "AEAA" })],
      ["/srv/f.js", inline("[".repeat(1e5))],
    ];
    const log = write("broken.log", ...scripts);
    for (const { command, stdout, stderr } of await runAll(log, scripts.length)) {
      expect(stderr, command).toBe(
        "ticks: broken.log:3: scripts with an unreadable source map (shown as generated) (7 times)\n",
      );
      if (!command.startsWith("deopts")) expect(stdout, command).toMatch(/\bf6\b/);
    }
  });

  it("of 1 KB takes no more memory than another", () => {
    const sections = [{ offset: { line: 100_000_000, column: 0 }, map: SECTION }];
    const log = write("far.log", ["/srv/a.js", inline({ version: 3, sections })]);
    const print = "process.on('exit', () => console.error(process.resourceUsage().maxRSS))";
    const preload = `data:text/javascript,${encodeURIComponent(print)}`;
    const result = spawnSync(process.execPath, ["--import", preload, TICKS, "lines", log], { cwd: folder });
    expect(result.status).toBe(0);
    expect(Number(result.stderr)).toBeGreaterThan(1000);
    expect(Number(result.stderr)).toBeLessThan(300_000); // KB
  });

  it("that ends in spaces takes no longer than another", async () => {
    const spaces = " ".repeat(1e6);
    const log = write("spaces.log", ["/srv/a.js", `//# sourceMappingURL=a${spaces}x`]);
    const { stderr, status } = await run("lines", log);
    expect([stderr, status]).toEqual(["", 0]);
  });

  it("that the user names is an error", async () => {
    const log = write("plain.log", ["/srv/a.js", ""]);
    for (const text of [
      "{",
      "null",
      JSON.stringify({ ...SECTION, mappings: "A" }).replace("3", "4"),
      "[[[[",
    ]) {
      writeFileSync(join(folder, "broken.map"), text);
      const { stdout, stderr, status } = await run("process", "--source-map", "broken.map", log);
      expect([stdout, status]).toEqual(["", 2]);
      expect(stderr).toMatch(/^ticks: broken\.map: not a source map \(.+\)\n$/);
    }
  });
});

describe("a file that a log names", { timeout: 120_000 }, () => {
  const SECRET = "secret-of-another-file";
  const root = join(folder, "app");
  mkdirSync(join(root, "dist"), { recursive: true });
  mkdirSync(join(folder, "other"));
  const other = join(folder, "other", "secret.js");
  writeFileSync(other, `${SECRET}\n`);
  writeFileSync(join(folder, "other", "a.js.map"), JSON.stringify({ ...SECTION, sourcesContent: [SECRET] }));
  symlinkSync(other, join(root, "link.js"));
  const fifo = join(root, "fifo.js");
  if (process.platform !== "win32") spawnSync("mkfifo", [fifo]);
  const listing = (source: string) => inline({ ...SECTION, sources: [source] });
  const script = join(root, "dist", "a.js");

  it("is not shown where it is outside of the roots, however it is named", async () => {
    const sources = [
      other,
      "../../other/secret.js",
      `${pathToFileURL(root)}/../other/secret.js`,
      `${pathToFileURL(root)}/%2e%2e/other/secret.js`,
      "../link.js",
      fifo,
      "/proc/self/environ",
      "file:///proc/self/environ",
    ];
    const scripts: Script[] = [
      ...sources.map((source, i): Script => [join(root, "dist", `${i}.js`), listing(source)]),
      [join(folder, "other", "a.js"), ""],
      [script, "//# sourceMappingURL=../../other/a.js.map"],
    ];
    const log = write("leak.log", ...scripts);
    for (const flags of [[], ["--source-root", "app"]]) {
      for (const { command, stdout, stderr } of await runAll(log, scripts.length, ...flags)) {
        expect(`${stdout}${stderr}`, `${command} ${flags}`).not.toMatch(/secret-of|XDG_CACHE_HOME=/);
        expect(stderr.split("\n").length, `${command} ${flags}: ${stderr}`).toBe(2);
      }
    }
  });

  it("is shown where it is under a root, and the reports say so", async () => {
    const map = join(root, "dist", "a.js.map");
    writeFileSync(
      map,
      JSON.stringify({ ...SECTION, sources: ["../a.ts", "../b.ts"], sourcesContent: ["text of a"] }),
    );
    const log = write("root.log", [script, "//# sourceMappingURL=a.js.map"]);
    const refused = await run("lines", log);
    expect(refused.stdout).toContain("function f(a){return a}");
    expect(refused.stderr).toBe(
      `ticks: did not read 1 source map outside the log: ${map} (to allow files in DIR: --source-root DIR)\n`,
    );
    const lines = await run("lines", log, "--format", "md", "--source-root", "app");
    expect(lines.stderr).toBe("");
    expect(lines.stdout).toContain("`text of a`");
    expect(lines.stdout).toMatch(
      /\nContains source lines of 1 script: from source maps on disk \(`.*a\.js\.map`\)\.\n/,
    );
    const page = await run("flame", log, "-o", "-", "--source-root", "app");
    expect(page.stdout).toContain(`"mapFile":${JSON.stringify(map)}`);
    const moved = write("moved.log", ["/home/ci/app/dist/a.js", "//# sourceMappingURL=a.js.map"]);
    const elsewhere = await run("lines", moved, "--source-root", "/home/ci/app=app");
    expect(elsewhere.stderr).toBe("");
    expect(elsewhere.stdout).toContain("text of a");
    rmSync(map);
    const missing = await run("lines", log, "--source-root", "app");
    expect(missing.stderr).toBe(
      "ticks: root.log:3: scripts whose source map is missing (shown as generated)\n",
    );
  });

  it("is a source of a map, or the script itself", async () => {
    writeFileSync(join(root, "c.ts"), "text of c\n");
    const log = write("source.log", [script, listing("../c.ts")]);
    expect((await run("lines", log)).stderr).toContain(`1 source outside the log: ${join(root, "c.ts")}`);
    const { stdout, stderr } = await run("lines", log, "--format", "md", "--source-root", root);
    expect([stdout.includes("text of c"), stderr]).toEqual([true, ""]);
    expect(stdout).toContain("Contains source lines of 1 script: from files on disk.");
  });

  it("is asked for by no report without functions, nor with --no-source-maps", async () => {
    const log = write("asked.log", [script, "//# sourceMappingURL=no.map"]);
    for (const args of [
      ["process"],
      ["process", "--inlines", "--no-source-maps"],
      ["top", "--no-source-maps"],
    ]) {
      expect((await run(...args, log)).stderr).toBe("");
    }
    expect((await run("process", "--inlines", log)).stderr).toContain("1 source map outside the log: ");
  });

  it("wants roots that are folders", async () => {
    const log = write("plain.log", [script, ""]);
    const { stderr, status } = await run("top", "--source-root", "nowhere", log);
    expect([stderr, status]).toEqual(["ticks: nowhere: no such folder\n", 2]);
    expect(readFileSync(other, "utf8")).toBe(`${SECRET}\n`);
  });
});

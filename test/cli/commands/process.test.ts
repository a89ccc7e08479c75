import { spawnSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../../src/base/version.ts";
import { type RunOptions, TICKS, ticks } from "../../helpers/cli.ts";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26 } from "../../helpers/logs.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const f = "code-creation,JS,10,1,0x1000,256,f /srv/x.js:1:1,0xf1,*";
const regexp = "code-creation,RegExp,4,1,0x3000,256,a+";
const LOG = logOf(
  ...NODE_26,
  f,
  regexp,
  "tick,0x1001,10,0,0x0,0",
  "tick,0x3001,20,0,0x0,0,0x1001",
  "tick,0x1002,3000,0,0x0,1",
  "profiler,end",
);
const HEADING = "Statistical profiling result from a.log, (3 ticks, 0 unaccounted, 0 excluded).\n";

const folder = testFolder();
beforeAll(() => {
  writeFileSync(join(folder, "a.log"), LOG);
  writeFileSync(join(folder, "a.log.gz"), gzipSync(LOG));
});

const run = (args: readonly string[], options?: RunOptions) =>
  options === undefined ? warmTicks(args, { cwd: folder }) : ticks(args, { cwd: folder, ...options });
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);

describe("ticks process", () => {
  it("prints the report to stdout, and nothing else anywhere", async () => {
    const { stdout, stderr, status } = await run(["process", "a.log"]);
    expect(stdout.startsWith(HEADING)).toBe(true);
    expect(stdout).toContain("      2   66.7%   66.7%  JS: *f /srv/x.js:1:1\n");
    expect([stderr, status]).toEqual(["", 0]);
  });

  it("is not what a bare ticks LOG does: that is ticks top", async () => {
    expect(await run(["a.log"])).toEqual(await run(["top", "a.log"]));
  });

  it("reads standard input, gzip, and UTF-16 as PowerShell writes it", async () => {
    const { stdout } = await run(["process", "a.log"]);
    const body = stdout.slice(HEADING.length);
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(LOG.toString(), "utf16le")]);
    for (const [args, input] of [
      [["-"], LOG],
      [["a.log.gz"], ""],
      [["-"], gzipSync(LOG)],
      [["-"], utf16],
    ] as const) {
      const { stdout: other, status } = await run(["process", ...args], { input: Buffer.from(input) });
      expect(other.slice(other.indexOf("\n") + 1)).toBe(body);
      expect(status).toBe(0);
    }
  });

  it("makes one report of several logs", async () => {
    write("b.log", LOG);
    const { stdout } = await run(["process", "a.log", "b.log"]);
    expect(stdout.split("\n")[0]).toBe(
      "Statistical profiling result from a.log, b.log, (6 ticks, 0 unaccounted, 0 excluded).",
    );
  });

  it("filters by VM state, several together, and counts the rest as excluded", async () => {
    const counts = async (...flags: string[]) =>
      /\((.*)\)/.exec((await run(["process", ...flags, "a.log"])).stdout)?.[1];
    expect(await counts("-g")).toBe("3 ticks, 0 unaccounted, 2 excluded");
    expect(await counts("--gc", "--js")).toBe("3 ticks, 0 unaccounted, 0 excluded");
    expect(await counts("--no-idle")).toBe("3 ticks, 0 unaccounted, 0 excluded");
    expect(await counts("--range=auto,1")).toBe("2 ticks, 0 unaccounted, 0 excluded");
  });

  it("takes the values that --prof-process takes, with = or a space", async () => {
    const { stdout: whole } = await run(["process", "a.log"]);
    expect((await run(["process", "--separate-ic", "a.log"])).stdout).toBe(whole);
    expect((await run(["process", "--separate-ic", "true", "a.log"])).stdout).toBe(whole);
    expect((await run(["process", "--separate-bytecodes=false", "a.log"])).stdout).toBe(whole);
    expect((await run(["process", "--call-graph-size", "0", "a.log"])).stdout).not.toContain("    JS: *f");
    expect((await run(["process", "--only-summary", "a.log"])).stdout).not.toContain("[JavaScript]");
  });

  it("says which flags of --prof-process change nothing", async () => {
    const { stderr, status } = await run([
      "process",
      "--use-bigint-addresses",
      "--objdump=x",
      "--linux",
      "a.log",
    ]);
    expect(stderr.split("\n").filter((line) => line.includes("has no effect"))).toHaveLength(3);
    expect(status).toBe(0);
  });

  it("says which flags change nothing for this log", async () => {
    const { stdout, stderr } = await run(["process", "--timed-range", "--filter-runtime-timer=JS", "a.log"]);
    expect(stdout.startsWith(HEADING)).toBe(true);
    expect(stderr.split("\n").filter((line) => line.includes("has no effect"))).toHaveLength(2);
    write(
      "timed.log",
      logOf(...NODE_26, "tick,0x1,1,0,0x0,0", "current-time,1", "tick,0x1,2,0,0x0,0", "current-time,3"),
    );
    const timed = await run(["process", "--timed-range", "timed.log"]);
    expect([timed.stdout.includes("(1 ticks"), timed.stderr]).toEqual([true, ""]);
  });

  it("shows places in the sources of a source map", async () => {
    write("map.json", JSON.stringify({ version: 3, sources: ["src/f.ts"], names: [], mappings: "AAIA" }));
    const { stdout } = await run(["process", "--source-map", "map.json", "a.log"]);
    expect(stdout).toContain("src/f.ts:5:1 -> JS: *f /srv/x.js:1:1");
    write("broken.json", "{");
    const broken = await run(["process", "--source-map", "broken.json", "a.log"]);
    expect([
      broken.stderr.split("\n")[0]?.startsWith("ticks: broken.json: not a source map"),
      broken.status,
    ]).toEqual([true, 2]);
  });

  it("has colours on demand only", async () => {
    const hasColor = async (env: Record<string, string>, ...flags: string[]) =>
      (await run(["process", ...flags, "a.log"], { env })).stdout.includes("\x1b[");
    expect(await hasColor({})).toBe(false);
    expect(await hasColor({ FORCE_COLOR: "1" })).toBe(true);
    expect(await hasColor({ FORCE_COLOR: "0" })).toBe(false);
    expect(await hasColor({ FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(false);
    expect(await hasColor({ FORCE_COLOR: "1" }, "--color=never")).toBe(false);
    expect((await run(["process", "--color=always", "a.log"])).stdout).toContain("\x1b[1m");
    expect((await run(["process", "a.log"], { env: { NO_COLOR: "1" } })).stdout).not.toContain("\x1b[");
  });

  it("tells faults one line a kind, with the line number, and goes on", async () => {
    write(
      "faulty.log",
      logOf(...NODE_26, f, "", "nonsense,1", "tick,zz", "tick,0x1001,2,0,0x0,0", "", "code-move,0x1,0x2"),
    );
    const { stdout, stderr, status } = await run(["process", "faulty.log"]);
    expect(stdout).toContain("(1 ticks, 0 unaccounted");
    expect(stderr.trimEnd().split("\n")).toEqual([
      "ticks: faulty.log:4: empty lines (2 times)",
      "ticks: faulty.log:5: rows of unknown types (skipped): nonsense",
      "ticks: faulty.log:6: unreadable rows (skipped): tick",
      "ticks: faulty.log:9: moves of unknown code",
    ]);
    expect(status).toBe(0);
    expect((await run(["process", "--strict", "faulty.log"])).status).toBe(1);
    expect((await run(["process", "--strict", "a.log"])).status).toBe(0);
  });

  it("calls no error what is only spelled in another way: \\r\\n is one note", async () => {
    const rows = [...NODE_26, f, "tick,0x1001,2,0,0x0,0", "tick,0x1001,1002,0,0x0,0", ""];
    writeFileSync(join(folder, "windows.log"), rows.map((row) => `${row}\r\n`).join(""));
    const { stdout, stderr, status } = await run(["process", "--strict", "windows.log"]);
    expect(stdout).toContain("(2 ticks, 0 unaccounted");
    const note = "lines end in \\r\\n: the log went through a Windows tool (harmless)";
    expect(stderr).toBe(`ticks: windows.log:1: ${note}\nticks: windows.log:6: empty lines\n`);
    expect(status).toBe(0);
    const doctor = (await warmTicks(["doctor", "windows.log"], { cwd: folder })).stdout;
    expect(doctor).toContain(`line 1: ${note}\n`);
    expect(doctor).not.toContain("has errors");
    expect((await warmTicks(["top", "windows.log"], { cwd: folder })).stdout).not.toContain("error");
  });

  it("says which library has no names, how many ticks that is, and why", async () => {
    const rows = [
      ...NODE_26,
      "shared-library,/nowhere/lib.so,0x8000,0xa000,0",
      "shared-library,[vdso],0xb000,0xc000,0",
    ];
    write(
      "library.log",
      logOf(...rows, "tick,0x8001,1,0,0x0,6", "tick,0x8002,1,0,0x0,6", "tick,0xb001,1,0,0x0,6"),
    );
    const { stdout, stderr, status } = await run(["process", "library.log"]);
    expect(stdout).toContain("      2   66.7%          /nowhere/lib.so\n");
    expect(stderr).toMatch(/^ticks: no names for 2 ticks in .*\/nowhere\/lib\.so: .*not on this machine.*\n/);
    expect(stderr.trimEnd().split("\n").slice(1)).toEqual([
      "ticks: run ticks doctor LOG to see what to do about it",
    ]);
    expect(status).toBe(0);
  });

  it("opens nothing but regular files, and takes no path for an option", async () => {
    const fifo = join(folder, "fifo.so");
    expect(spawnSync("mkfifo", [fifo]).status).toBe(0);
    mkdirSync(join(folder, "dir.so"));
    const paths = [
      fifo,
      "/dev/zero",
      "/dev/stdin",
      "--version",
      "-o/tmp/x",
      join(folder, "dir.so"),
      join(folder, "a.log"),
    ];
    const libraries = paths.map((path, i) => `shared-library,${path},0x${i + 1}0000,0x${i + 1}1000,0`);
    const at = paths.map((_, i) => `tick,0x${i + 1}0001,1,0,0x0,6`);
    write("hostile.log", logOf(...NODE_26, ...libraries, ...at));
    const report = await run(["process", "hostile.log"]);
    expect(report.stdout).toContain(`(${paths.length} ticks, 0 unaccounted`);
    expect([report.stderr.trimEnd().split("\n").length, report.status]).toEqual([6, 0]);
    const doctor = await run(["doctor", "--format", "json", "hostile.log"]);
    const problems = JSON.parse(doctor.stdout).libraries.map(
      ({ problem }: { problem: { kind: string } }) => problem.kind,
    );
    expect(problems.toSorted()).toEqual([
      ...["not-a-regular-file", "not-a-regular-file", "not-a-regular-file", "not-a-regular-file"],
      ...["not-absolute", "not-absolute", "not-elf"],
    ]);
  });

  it("ends quietly when its reader does", () => {
    const script = `"${process.execPath}" "${TICKS}" process a.log | head -1; exit \${PIPESTATUS[0]}`;
    const { stdout, stderr, status } = spawnSync("bash", ["-c", script], { cwd: folder, encoding: "utf8" });
    expect([stdout, stderr, status]).toEqual([HEADING, "", 0]);
    const help = spawnSync("bash", ["-c", `"${process.execPath}" "${TICKS}" process --help | head -1`], {
      encoding: "utf8",
    });
    expect([help.stdout.split("\n").length, help.stderr]).toEqual([2, ""]);
  });
});

describe("ticks process without a usable log", () => {
  const cases: [string, string | Uint8Array, RegExp][] = [
    [
      "empty.log",
      "",
      /^ticks: empty\.log is empty\nRecord one with: ticks record -- node app\.js\. Then: ticks\n/,
    ],
    [
      "image.png",
      Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"),
      /^ticks: image\.png is a binary file, not a V8 log\nName the log/,
    ],
    [
      "cpu.json",
      '{"nodes":[{"id":1}],"samples":[1]}',
      /^ticks: cpu\.json is a CPU profile, without the libraries and C\+\+ functions .*\nRecord a log, which has them: /,
    ],
  ];
  for (const [name, content, message] of cases) {
    it(name, async () => {
      write(name, content);
      const { stdout, stderr, status } = await run(["process", name]);
      expect([stdout, status]).toEqual(["", 2]);
      expect(stderr).toMatch(message);
    });
  }

  it("a path that is not there, a directory, a file that may not be read", async () => {
    expect(await run(["nowhere.log"])).toMatchObject({
      stdout: "",
      status: 2,
      stderr: expect.stringContaining("nowhere.log: no such file"),
    });
    expect(await run(["process", "."])).toMatchObject({
      stdout: "",
      status: 2,
      stderr: expect.stringContaining(".: no isolate*.log or v8*.log in this folder"),
    });
  });

  it("damaged gzip", async () => {
    const damaged = gzipSync(LOG);
    damaged.fill(0xff, 12, 40);
    write("damaged.gz", damaged);
    expect(await run(["process", "damaged.gz"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("the compressed data is damaged"),
    });
  });

  it("a log without ticks is a report that says so", async () => {
    write("none.log", logOf(...NODE_26));
    expect(await run(["process", "none.log"])).toEqual({
      stdout: "Statistical profiling result from none.log, (0 ticks, 0 unaccounted, 0 excluded).\n",
      stderr: "",
      status: 0,
    });
  });

  it("none named: takes the only one here, lists several, newest first", async () => {
    const here = join(folder, "here");
    mkdirSync(here);
    expect(await run(["process"], { cwd: here })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("no isolate*.log or v8*.log here"),
    });
    writeFileSync(join(here, "isolate-0x1-7-v8.log"), LOG);
    const only = await run(["process"], { cwd: here });
    expect(only.stdout).toContain("isolate-0x1-7-v8.log, (3 ticks");
    expect([only.stderr, only.status]).toEqual(["ticks: processing isolate-0x1-7-v8.log\n", 0]);
    writeFileSync(join(here, "isolate-0x2-8-v8.log"), LOG);
    utimesSync(join(here, "isolate-0x1-7-v8.log"), 1000, 1000);
    const { stdout, stderr, status } = await run(["process"], { cwd: here });
    expect([stdout, status]).toEqual(["", 2]);
    expect(stderr).toMatch(
      /several runs .*\n +run +log +size +ticks\n +PID 8 +isolate-0x2-8-v8\.log +240 B +3\n +PID 7 +isolate-0x1-7/,
    );
  });
});

describe("the command line", () => {
  it("is told that -o is no output file", async () => {
    expect(await run(["process", "a.log", "-o", "report.txt"])).toEqual({
      stdout: "",
      stderr:
        "ticks: report.txt: no such file; -o keeps only ticks in other work of V8, as in --prof-process\n" +
        "To write the report to a file: ticks process LOG > report.txt\n",
      status: 2,
    });
    expect((await run(["a.log", "-o", "report.txt"])).stderr).toMatch(
      /unknown option -o; .*\nReports go to standard output: ticks top LOG > FILE\n$/,
    );
  });

  it("tells its version", async () => {
    expect(await ticks(["--version"])).toMatchObject({ stdout: `${VERSION}\n`, status: 0 });
  });
});

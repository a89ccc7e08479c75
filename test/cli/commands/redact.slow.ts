import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../helpers/folder.ts";
import { expectValid } from "../../helpers/schema.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const FIXTURES = fileURLToPath(new URL("../../../fixtures", import.meta.url));
const FOLDER = testFolder();
const KEY = "a key that nobody guesses";

const run = (...args: string[]) => warmTicks(args, { cwd: FOLDER });
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8");

function copyOf(fixture: string, name: string): string {
  mkdirSync(join(FOLDER, name));
  for (const file of readdirSync(join(FIXTURES, fixture)).filter((file) => file !== "expected")) {
    cpSync(join(FIXTURES, fixture, file), join(FOLDER, name, file));
  }
  return name;
}

/** A log of a program that has a package, with a name for each kind of row. */
const ROWS = [
  "v8-version,14,6,202,34,-node.34,0",
  "v8-platform,linux,linux",
  "shared-library,/home/alice/bin/node,0x400000,0x500000,0",
  "shared-library,/home/alice/app/build/secretaddon.node,0x600000,0x700000,0",
  "profiler,begin,1000",
  "script-source,7,/home/alice/app/main.js,function payInvoice() {\\n  return 'hunter2'\\n}",
  "code-creation,JS,10,1,0x10000,256,payInvoice /home/alice/app/main.js:1:20,0x99,~",
  "code-source-info,0x10000,7,19,50,C0O30,,",
  "code-creation,JS,10,1,0x20000,256,Router.handle /home/alice/app/node_modules/express/lib/router.js:5:1,0x98,*",
  "code-creation,JS,10,1,0x30000,256,readSync node:fs:700:18,0x97,^",
  "code-creation,RegExp,4,1,0x40000,256,^alice\\\\d+$",
  "LoadIC,0x1,1,2,0x3,creditCard",
  "tick,0x10010,100,0,0x0,0",
  "tick,0x20010,200,0,0x0,0,0x10010",
  "tick,0x30010,300,0,0x0,0,0x10010",
  "tick,0x600100,400,0,0x0,0,0x10010",
  "tick,0x400100,450,0,0x0,0,0x10010",
  "tick,0x40010,500,0,0x0,0,0x10010",
];
const SECRETS = /alice|payInvoice|\bmain\b|hunter2|secretaddon|creditCard|chargeCard|app\b/;
const SYMBOLS = [
  "ticks-symbols 1",
  "library /home/alice/bin/node",
  "segment 0 0 100000",
  "100 20 node::Start(int, char**)",
  "library /home/alice/app/build/secretaddon.node",
  "segment 0 0 100000",
  "100 20 chargeCard(int)",
];

function writeProgram(folder: string): string {
  mkdirSync(join(FOLDER, folder));
  const log = join(folder, "alice-isolate-0x1000-77-v8.log");
  writeFileSync(join(FOLDER, log), `${ROWS.join("\n")}\n`);
  writeFileSync(join(FOLDER, `${log}.symbols`), `${SYMBOLS.join("\n")}\n`);
  return log;
}

describe("ticks redact", () => {
  const log = writeProgram("program");

  it("leaves nothing of the program, in the log and in its symbols", async () => {
    const { stdout, stderr, status } = await run("redact", log, "-o", "out.log", "--key", KEY);
    expect([stderr, status]).toEqual(["", 0]);
    for (const text of [read("out.log"), read("out.log.symbols"), stdout]) expect(text).not.toMatch(SECRETS);
    expect(read("out.log")).toMatch(/^code-creation,JS,0,1,0x30000,256,readSync node:fs:700:18,0x97,\^$/m);
    expect(read("out.log")).toMatch(
      /^script-source,7,\/d_\w+\/d_\w+\/d_\w+\/s_\w+\.js,function a000000000\(\) \{\\n {2}return ' {7}'\\n\}\\n\/\/# redacted=/m,
    );
    expect(read("out.log.symbols")).toMatch(/ node::Start\(int, char\*\*\)$/m);
    expect(await run("redact", "--check", log, "out.log")).toEqual({
      stdout:
        "The log has no other strings, and the same numbers\n" +
        "Not compared: 1 row that cannot be read, of which nothing is kept\n",
      stderr: "",
      status: 0,
    });
  });

  it("lists what is left", async () => {
    const { stdout } = await run("redact", log, "-o", "list.log");
    expect(stdout).toMatch(/^Written: list\.log\nWritten: list\.log\.symbols\nHashes use a random key/);
    expect(stdout).toMatch(/ of native code in .*\n( .*\n)* {4}1 {2}node::Start\(int, char\*\*\)\n/);
    expect(stdout).toMatch(/^ {4}1 {2}node:fs$/m);
    const json = JSON.parse((await run("redact", log, "-o", "list.log", "--format", "json")).stdout);
    expect(json.key).toBe("random");
    expectValid("redact", json);
    const kept: { reason: string; strings: { text: string; count: number }[] }[] = json.kept;
    expect(kept.find(({ reason }) => reason === "node")?.strings).toEqual([
      { text: "node:fs", count: 1 },
      { text: "readSync", count: 1 },
    ]);
    const texts = kept.flatMap(({ strings }) => strings);
    const left = read("list.log").replace(/[a-zA-Z]_[a-z2-7]{12}/g, "");
    for (const { text } of texts) expect(left + read("list.log.symbols"), text).toContain(text);
  });

  it("keeps packages that are named", async () => {
    await run("redact", log, "-o", "keep.log", "--keep", "express");
    expect(read("keep.log")).toMatch(
      /,Router\.handle (\/d_\w{12}){3}\/node_modules\/express\/lib\/router\.js:5:1,/,
    );
    expect(read("keep.log")).not.toMatch(SECRETS);
    expect((await run("redact", "--check", log, "keep.log", "--keep", "express")).status).toBe(0);
    const { stdout, status } = await run("redact", "--check", log, "keep.log");
    expect([stdout, status]).toEqual([expect.stringMatching(/neither hashes nor public: .*Router/), 1]);
  });

  it("gives the same names by the same key, of a text or a file, and others by another", async () => {
    const redacted = async (key: string) => {
      await run("redact", log, "-o", "key.log", "--key", key);
      return read("key.log");
    };
    writeFileSync(join(FOLDER, "key.txt"), KEY);
    expect(await redacted("key.txt")).toBe(await redacted(KEY));
    expect(await redacted("another key that nobody guesses")).not.toBe(await redacted(KEY));
    expect((await run("redact", log, "-o", "key.log", "--key", "short")).stderr).toMatch(
      /a short key can be guessed/,
    );
  });

  it("gives the names of a redacted log to what is exported of one that is not", async () => {
    await run("redact", log, "-o", "same.log", "--key", KEY);
    const args = ["--format", "collapsed"];
    const own = await run("export", log, ...args, "--redact", "--key", KEY);
    const redacted = await run("export", "same.log", ...args);
    expect(own.stdout).toBe(redacted.stdout);
    expect(own.stdout).toMatch(/f_[a-z2-7]{12}/);
    expect(own.stdout).not.toMatch(SECRETS);
    for (const format of ["speedscope", "cpuprofile", "gecko", "chrome-trace", "callgrind"]) {
      const { stdout, status } = await run("export", log, "--format", format, "--redact");
      expect(status).toBe(0);
      expect(stdout).not.toMatch(/alice|payInvoice|hunter2|secretaddon|chargeCard/);
    }
  });

  it("writes a flame graph without names, or without texts", async () => {
    const page = async (...args: string[]) => (await run("flame", log, "-o", "-", ...args)).stdout;
    expect(await page()).toMatch(/hunter2/);
    const without = await page("--no-source");
    expect(without).not.toMatch(/hunter2/);
    expect(without).toMatch(/payInvoice/);
    expect(await page("--redact")).not.toMatch(/alice|payInvoice|hunter2|secretaddon|chargeCard/);
  });

  it("says what it cannot do", async () => {
    const fails = async (...args: string[]) => {
      const { stderr, status } = await run(...args);
      expect(status).toBe(2);
      return stderr;
    };
    expect(await fails("redact", log)).toMatch(/missing -o/);
    expect(await fails("redact", log, "-o", log)).toMatch(/would overwrite the log/);
    expect(await fails("redact", log, "-o", "program")).toMatch(/is a folder/);
    expect(await fails("redact", log, "x", "-o", "y")).toMatch(/expected only one log or folder/);
    expect(await fails("redact", "--check", log)).toMatch(/needs two logs/);
    expect(await fails("redact", log, "-o", "x.log", "--key", "")).toMatch(/--key is empty/);
    expect(await fails("export", log, "--format", "collapsed", "--key", KEY)).toMatch(/--key needs --redact/);
    expect(await fails("export", log, "--format", "preprocess", "--redact")).toMatch(/Redact the log first/);
    writeFileSync(join(FOLDER, "no.log"), "no log\n".repeat(10));
    expect(await fails("redact", "no.log", "-o", "x.log")).toMatch(/is not a V8 log/);
  });

  it("tells where native names are missing", async () => {
    cpSync(join(FOLDER, log), join(FOLDER, "alone.log"));
    const { stderr, status } = await run("redact", "alone.log", "-o", "alone.out.log");
    expect([stderr, status]).toEqual([
      expect.stringMatching(/no alone\.log\.symbols found; run ticks symbols/),
      0,
    ]);
  });
});

describe("ticks redact of a folder", () => {
  it("that fails leaves nothing", async () => {
    writeProgram("damaged");
    writeFileSync(join(FOLDER, "damaged", "record.json"), '{"recorded":');
    const { stderr, status } = await run("redact", "damaged", "-o", "damaged.out");
    expect([stderr, status]).toEqual([expect.stringMatching(/record\.json is not JSON/), 2]);
    expect(existsSync(join(FOLDER, "damaged.out"))).toBe(false);
    mkdirSync(join(FOLDER, "empty.out"));
    expect((await run("redact", "damaged", "-o", "empty.out")).status).toBe(2);
    expect(readdirSync(join(FOLDER, "empty.out"))).toEqual([]);
  });

  it("redacts its logs and its record into a new one", async () => {
    const folder = "several";
    writeProgram(folder);
    const record = {
      command: "node /home/alice/app/main.js",
      cwd: "/home/alice",
      node: "v26.1.0",
      interval: 1000,
      labels: { team: "alice" },
    };
    writeFileSync(join(FOLDER, folder, "record.json"), JSON.stringify(record));
    writeFileSync(join(FOLDER, folder, "notes.txt"), "alice");
    const map = "7f1000100000-7f1000200000 r-xp 00001000 08:01 1234 /home/alice/app/build/secretaddon.node\n";
    writeFileSync(join(FOLDER, folder, "process-77.maps"), map);
    expect((await run("redact", folder, "-o", "several.out")).status).toBe(0);
    const files = readdirSync(join(FOLDER, "several.out")).sort();
    expect(files).toEqual([
      "process-77.maps",
      "record.json",
      expect.stringMatching(/^t_\w{12}-isolate-0x1000-77-v8\.log$/),
      expect.stringMatching(/\.log\.symbols$/),
    ]);
    for (const file of files) expect(file + read(join("several.out", file))).not.toMatch(SECRETS);
    expect(JSON.parse(read("several.out/record.json"))).toEqual({ node: "v26.1.0", interval: 1000 });
    expect((await run("redact", "--check", folder, "several.out")).status).toBe(0);
    const again = await run("redact", folder, "-o", "several.out");
    expect([again.stderr, again.status]).toEqual([expect.stringMatching(/the folder is not empty/), 2]);
    writeFileSync(join(FOLDER, "several.out", "notes.txt"), "alice");
    const check = await run("redact", "--check", folder, "several.out");
    expect([check.stdout, check.status]).toEqual([
      expect.stringMatching(/^notes\.txt is not a log and was not checked\nNot compared: 1 row /),
      1,
    ]);
  });

  it("keeps the logs of a process together", async () => {
    copyOf("node-12-threads", "threads");
    await run("redact", "threads", "-o", "threads.out", "--key", KEY);
    expect(readdirSync(join(FOLDER, "threads.out")).filter((file) => file.endsWith(".gz"))).toEqual(
      readdirSync(join(FOLDER, "threads")).filter((file) => file.endsWith(".gz")),
    );
    expect((await run("redact", "--check", "threads", "threads.out")).status).toBe(0);
    const threads = async (folder: string) =>
      JSON.parse((await run("threads", folder, "--format", "json")).stdout).threads;
    const numbers = ({ hottest, ...thread }: { hottest: object }) => ({
      ...thread,
      log: "",
      hottest: { ...hottest, file: "", name: "" },
    });
    expect((await threads("threads.out")).map(numbers)).toEqual((await threads("threads")).map(numbers));
    expect(
      gunzipSync(
        readFileSync(join(FOLDER, "threads.out", readdirSync(join(FOLDER, "threads.out"))[0]!)),
      ).toString(),
    ).not.toMatch(/srv/);
  });
});

describe("the reports of a redacted log", () => {
  /** Every number of a document, the smallest first: rows that tie stand in the order of their names. */
  function numbersIn(value: unknown): number[] {
    if (typeof value === "number") return [value];
    if (typeof value !== "object" || value === null) return [];
    return Object.values(value)
      .flatMap(numbersIn)
      .sort((a, b) => a - b);
  }

  const reports = [
    "process",
    "process --inlines --call-graph-size 10",
    "top",
    "deopts",
    "lines",
    "timeline",
    "threads",
    "tree",
  ];

  for (const fixture of ["node-14-scripts", "node-20-inlining"]) {
    const log = join(copyOf(fixture, fixture), "isolate.log.gz");
    const redacted = `${fixture}.log.gz`;

    it.each(reports)(`have its numbers: ${fixture}, %s`, async (report) => {
      if (!existsSync(join(FOLDER, redacted))) await run("redact", log, "-o", redacted, "--key", KEY);
      expect(existsSync(join(FOLDER, `${redacted}.symbols`))).toBe(true);
      const [command = "", ...options] = report.split(" ");
      const plain = command === "threads" ? [] : ["--no-source-maps"];
      const print = (file: string) => run(command, file, "--format", "json", ...plain, ...options);
      const [original, other] = await Promise.all([print(log), print(redacted)]);
      expect([original.stderr, original.status, other.status]).toEqual(["", 0, 0]);
      expect(other.stdout).not.toMatch(/srv/);
      const numbers = numbersIn(JSON.parse(original.stdout));
      expect(numbers.length).toBeGreaterThan(3);
      expect(numbersIn(JSON.parse(other.stdout))).toEqual(numbers);
    });
  }
});

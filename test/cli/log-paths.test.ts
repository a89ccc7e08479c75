import { linkSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ticks } from "../helpers/cli.ts";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26 } from "../helpers/logs.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const folder = testFolder();

/** A log of so many ticks, of a thread that Node starts with this script. */
function logWith(count: number, script = "run_main_module"): Buffer {
  const main = `code-creation,JS,10,1,0x9000,64, node:internal/main/${script}:1:1,0x9,~`;
  return logOf(...NODE_26, main, ...Array.from({ length: count }, (_, i) => `tick,0x9000,${i + 1},0,0x0,0`));
}

function write(path: string, bytes: Uint8Array | string, seconds = 1000): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), bytes);
  utimesSync(join(folder, path), seconds, seconds);
}

const run = (args: readonly string[], cwd = ".") => warmTicks(args, { cwd: join(folder, cwd) });
/** In a process of its own: what logs count as is said once in each. */
const runAlone = (args: readonly string[], cwd = ".") => ticks(args, { cwd: join(folder, cwd) });

describe("logs of one PID", () => {
  write("one/isolate-0x1-7-v8.log", logWith(2));
  write("one/isolate-0x2-7-v8.log", logWith(3, "worker_thread"));

  it("are one run, for which no log has to be named", async () => {
    const { stdout, stderr, status } = await runAlone([], "one");
    expect(stdout).toMatch(/^\. \(2 logs\), Node 26: 5 ticks/);
    expect([stderr, status]).toEqual(["ticks: processing 2 logs of PID 7 as one run\n", 0]);
    const exported = await runAlone(["export", "--format", "collapsed"], "one");
    expect(exported.stderr).toBe(stderr);
    expect(exported.stdout).toMatch(/run_main_module.* 2\n.*worker_thread.* 3\n/);
    const flame = await runAlone(["flame", "-o", "x.html"], "one");
    expect(flame.stderr).toMatch(
      /^ticks: processing 2 logs of PID 7 as one run\nticks: wrote 5 ticks to x\.html/,
    );
  });

  it("are told to be of several runs where each has a main thread", async () => {
    for (const isolate of [1, 2]) write(`reused/isolate-0x${isolate}-7-v8.log`, logWith(2));
    const { stderr, status } = await runAlone(["top"], "reused");
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /as one run\nticks: these logs are of 2 runs: each has a main thread\. Name the logs/,
    );
  });

  it("are listed together, the newest run first, with the command for it", async () => {
    write("runs/isolate-0x1-7-v8.log", logWith(1), 1000);
    write("runs/isolate-0x1-8-v8.log", logWith(2), 2000);
    write("runs/isolate-0x2-7-v8.log", logWith(3, "worker_thread"), 3000);
    write("runs/isolate-0x9-v8.log", logWith(4), 500);
    const { stdout, stderr, status } = await run(["top"], "runs");
    expect([stdout, status]).toEqual(["", 2]);
    expect(
      stderr.split("\n").map((line) =>
        line
          .trim()
          .replaceAll(/ +/g, " ")
          .replace(/\d+ B /, "SIZE "),
      ),
    ).toEqual([
      "ticks: several runs have logs here, newest first:",
      "run log size ticks",
      "PID 7 isolate-0x2-7-v8.log SIZE 3",
      "isolate-0x1-7-v8.log SIZE 1",
      "PID 8 isolate-0x1-8-v8.log SIZE 2",
      "isolate-0x9-v8.log SIZE 4",
      "The newest: ticks isolate-0x2-7-v8.log isolate-0x1-7-v8.log; all together: ticks .",
      "",
    ]);
  });

  it("are profiles of several processes, which have no ticks to count", async () => {
    const profile = JSON.stringify({
      nodes: [{ id: 1, callFrame: { functionName: "(root)" } }],
      samples: [1],
    });
    for (const pid of [7, 8])
      write(`profiles/CPU.20260101.120000.${pid}.0.001.cpuprofile`, profile, pid * 1000);
    const { stderr, status } = await run([], "profiles");
    expect(stderr.split("\n").map((line) => line.trim().replaceAll(/ +/g, " "))).toEqual([
      "ticks: several processes have profiles here, newest first:",
      "process profile size",
      `PID 8 CPU.20260101.120000.8.0.001.cpuprofile ${profile.length} B`,
      `PID 7 CPU.20260101.120000.7.0.001.cpuprofile ${profile.length} B`,
      "The newest: ticks CPU.20260101.120000.8.0.001.cpuprofile; all together: ticks .",
      "",
    ]);
    expect(status).toBe(2);
  });

  it("are named where there are only traces", async () => {
    for (const name of ["events.json", "Trace-20260101.json"]) write(`traces/${name}`, '{"traceEvents":[]}');
    for (const args of [[], ["."]]) {
      const { stderr } = await run(args, "traces");
      expect(stderr).toContain(
        "Trace-20260101.json and 1 more may be a Chrome trace\nName it: ticks top Trace-",
      );
    }
  });

  it("are listed up to 20, and named by their PID where they are many", async () => {
    for (let i = 0; i < 24; i++) write(`many/isolate-0x${i}-7-v8.log`, logWith(1), 2000);
    write("many/isolate-0x1-8-v8.log", logWith(1));
    const { stderr } = await run([], "many");
    expect(stderr.match(/-v8\.log/g)).toHaveLength(20);
    expect(stderr).toMatch(/\n +and 5 more\nThe newest: ticks \. --thread 7; all together: ticks \.\n$/);
    const newest = await run([".", "--thread", "7"], "many");
    expect(newest.stdout).toMatch(/: 24 ticks/);
  });
});

describe("the newest recording here", () => {
  it("is none that wrote no log, as of a command that failed at once", async () => {
    write("failed/ticks-1/record.json", '{"recorded":{"command":["node"]}}', 1000);
    write("failed/ticks-1/t1-v8-7.log", logWith(2), 1000);
    write("failed/ticks-2/record.json", '{"recorded":{"command":["false"]}}', 2000);
    const { stderr, status } = await run(["top"], "failed");
    expect([stderr, status]).toEqual(["ticks: processing ticks-1\n", 0]);
  });

  const recorded = (name: string, count: number, seconds: number) => {
    write(`recorded/${name}/isolate-0x1-7-v8.log`, logWith(count), seconds);
    write(`recorded/${name}/record.json`, "{}", seconds);
  };
  recorded("ticks-1", 1, 1000);
  recorded("ticks-2", 2, 3000);
  write("recorded/isolate-0x9-9-v8.log", logWith(5), 2000);

  it("is read without a command, without a log, and where only a name is given", async () => {
    const { stdout, stderr, status } = await run([], "recorded");
    expect(stdout).toMatch(/^isolate-0x1-7-v8\.log, Node 26: 2 ticks\n/);
    expect([stderr, status]).toEqual(["ticks: processing ticks-2, the newest of 2 recordings here\n", 0]);
    expect((await run(["--json"], "recorded")).stdout).toContain('"command":"top"');
    expect((await run(["process"], "recorded")).stdout).toContain("(2 ticks,");
    expect((await run(["check", "--max-self", "category:gc=99"], "recorded")).stderr).toMatch(
      /^ticks: processing ticks-2,/,
    );
    expect((await run(["function", "nobody"], "recorded")).stderr).toMatch(/^ticks: processing ticks-2,/);
    write("recorded/app.js", "f();\n");
    expect((await run(["lines", "app.js"], "recorded")).stderr).toMatch(
      /^ticks: processing ticks-2, .*\nticks: no script named app\.js has ticks/,
    );
  });

  it("is not read where a newer log is here, or one is named", async () => {
    write("later/ticks-1/isolate-0x1-7-v8.log", logWith(1));
    write("later/ticks-1/record.json", "{}");
    write("later/isolate-0x9-9-v8.log", logWith(5), 2000);
    expect((await run([], "later")).stderr).toBe("ticks: processing isolate-0x9-9-v8.log\n");
    expect((await run(["ticks-1"], "later")).stdout).toMatch(/^isolate-0x1-7-v8\.log, Node 26: 1 tick\n/);
  });
});

describe("a recording of two commands", () => {
  const recorded = (folder: string, seconds: number) => {
    for (const side of ["before", "after"]) {
      for (const run of ["run-1", "run-2"]) {
        const count = side === "before" ? 20 : 40;
        write(`${folder}/${side}/${run}/isolate-0x1-7-v8.log`, logWith(count), seconds);
        write(`${folder}/${side}/${run}/record.json`, "{}", seconds);
      }
      write(`${folder}/${side}/record.json`, "{}", seconds);
    }
  };
  recorded("two/ticks-2", 3000);
  write("two/ticks-1/isolate-0x1-7-v8.log", logWith(5), 1000);
  write("two/ticks-1/record.json", "{}", 1000);

  it("is compared, as the newest one here, by its name and in its folder", async () => {
    const newest = await run([], "two");
    expect(newest.stderr).toBe("ticks: processing ticks-2, the newest of 2 recordings here\n");
    expect(newest.stdout).toContain("20 → 40 ticks");
    expect((await run(["--json", "ticks-2"], "two")).stdout).toContain('"command":"diff"');
    const named = await run(["diff", "ticks-2"], "two");
    expect(named.stdout).toBe(newest.stdout);
    expect((await run(["diff"], "two")).stdout).toBe(newest.stdout);
    const inside = await run([], "two/ticks-2");
    expect(inside.stdout).toContain("20 → 40 ticks");
    expect(inside.stderr).toBe("ticks: processing .\n");
    expect((await run(["flame", "-o", "-", "ticks-2"], "two")).stdout).toContain("20 → 40 ticks");
  });

  it("says what to ask for where one profile is wanted", async () => {
    const { stderr, status } = await run(["top", "ticks-2"], "two");
    expect([stderr, status]).toEqual([
      "ticks: ticks-2 has the runs before and after a change\n" +
        "To compare them: ticks diff ticks-2. One side, such as: ticks ticks-2/after\n",
      2,
    ]);
  });
});

describe("words in another order", () => {
  it("are a log and a name all the same", async () => {
    write("order/isolate-0x1-7-v8.log", logWith(2));
    const log = "isolate-0x1-7-v8.log";
    const usual = await run(["lines", log, "run_main_module"], "order");
    expect(usual.stdout).toContain("run_main_module");
    expect(await run(["lines", "run_main_module", log], "order")).toEqual(usual);
    expect(await run(["lines", "run_main_module", "."], "order")).toMatchObject({ status: 0 });
  });
});

describe("a folder whose logs are one level down", () => {
  for (const path of ["b/v8.log", "a/v8.log", "a/isolate-0x1-v8.log", "esc\x1b[1m/v8.log"])
    write(`above/${path}`, "");

  it("has these folders listed", async () => {
    expect(await run(["process", "above"])).toEqual({
      stdout: "",
      stderr:
        "ticks: no logs in above; found in: above/a (2), above/b (1), above/esc\\x1b[1m (1)\n" +
        "Name one or several of them, such as: ticks process above/a\n",
      status: 2,
    });
    const { stderr } = await run([], "above");
    expect(stderr).toMatch(/^ticks: no log given, and no logs here; found in: a \(2\), b \(1\), /);
  });

  it("has ten of them listed, and the others counted", async () => {
    for (let i = 0; i < 15; i++) write(`wide/${String(i).padStart(2, "0")}/v8.log`, "");
    expect((await run(["wide"])).stderr).toMatch(/wide\/09 \(1\) and 5 more\n/);
  });
});

describe("a log that is given again", () => {
  write("again/isolate-0x1-7-v8.log", logWith(2));
  write("again/isolate-0x1-7-v8.log.gz", gzipSync(logWith(2)));
  linkSync(join(folder, "again/isolate-0x1-7-v8.log"), join(folder, "again/v8.log"));

  it("counts once, with a warning", async () => {
    const [log, packed, link] = ["isolate-0x1-7-v8.log", "isolate-0x1-7-v8.log.gz", "v8.log"] as const;
    const again = `ticks: ${packed} has the same log as ${log}: it counts once\nticks: ${link} is the same file as ${log}: it counts once\n`;
    const given = await runAlone(["threads", log, packed, link], "again");
    expect(given.stdout).toMatch(/^isolate-0x1-7-v8\.log, Node 26: 1 thread, 2 ticks\n/);
    expect(given.stderr).toBe(again);
    expect((await runAlone([], "again")).stderr).toBe(`${again}ticks: processing ${log}\n`);
    expect((await runAlone(["top", "."], "again")).stderr).toBe(again);
    expect((await runAlone(["export", "--format", "collapsed", "."], "again")).stderr).toBe(again);
  });

  it("is two logs where the compressed one has another", async () => {
    write("differ/v8.log", logWith(2));
    write("differ/v8.log.gz", gzipSync(logWith(3, "worker_thread")));
    const { stdout, stderr } = await runAlone(["threads", "differ"]);
    expect([stdout.split("\n")[0], stderr]).toEqual(["differ (2 logs), Node 26: 2 threads, 5 ticks", ""]);
  });
});

describe("a log of V8 without ticks", () => {
  const rows = ["v8-version,14,6,202,34,-node.34,0", "code-creation,JS,10,1,0x10000,64,f /a.js:1:1,0x1,~"];
  write("deopt.log", logOf(...rows));
  write("idle.log", logOf(...NODE_26, ...rows.slice(1)));

  it.each(["process", "top", "tree", "timeline", "threads", "flame"])(
    "is refused by %s, with what to record",
    async (command) => {
      expect(await run([command, "deopt.log"])).toEqual({
        stdout: "",
        stderr:
          "ticks: deopt.log was recorded without --prof: code, deopts and ICs, no samples\n" +
          "ticks deopts, ticks redact and ticks export --format preprocess read it. For samples, record with: ticks record -- node app.js\n",
        status: 2,
      });
    },
  );

  it.each([["process", "--strict"], ["doctor"], ["doctor", "--json"]])("fails %s %s", async (...command) => {
    const { stdout, stderr, status } = await run([...command, "deopt.log"]);
    expect(status).toBe(1);
    expect(stderr).toBe("ticks: deopt.log was recorded without --prof: code, deopts and ICs, no samples\n");
    if (command[0] === "doctor")
      expect(stdout).toContain("This log was recorded without --prof: code, deopts and ICs, no samples.");
  });

  it("is read by the commands that it is said to be read by", async () => {
    expect((await run(["redact", "deopt.log", "-o", "redacted.log"])).status).toBe(0);
    const { stdout, status } = await run(["export", "--format", "preprocess", "deopt.log"]);
    expect([JSON.parse(stdout).functions.length, status]).toEqual([1, 0]);
  });

  it("is read by ticks deopts and ticks ics, and is reported where the sampler ran but took none", async () => {
    for (const command of ["deopts", "ics"]) expect((await run([command, "deopt.log"])).status).toBe(0);
    expect((await run(["process", "idle.log"])).status).toBe(0);
    expect((await run(["threads", "deopt.log", "idle.log"])).status).toBe(0);
  });
});

it("a truncated .gz is called that, with the ticks that were read; a damaged one damaged", async () => {
  const packed = gzipSync(
    logOf(
      ...NODE_26,
      ...Array.from({ length: 9000 }, (_, i) => `tick,0x${((i * 7919) % 65536).toString(16)},${i},0,0x0,0`),
    ),
  );
  write("cut.log.gz", packed.subarray(0, packed.length / 2));
  write("none.log.gz", packed.subarray(0, 14));
  const damaged = Buffer.from(packed);
  damaged[packed.length - 5]! ^= 1; // The checksum.
  write("damaged.log.gz", damaged);
  expect((await run(["cut.log.gz"])).stderr).toMatch(
    /^ticks: cut\.log\.gz:\d+: the compressed file is truncated: it ends early .*; [1-9]\d+ ticks were read$/m,
  );
  expect((await run(["damaged.log.gz"])).stderr).toMatch(
    /the compressed file is damaged .*; 9000 ticks were read$/m,
  );
  expect(await run(["none.log.gz"])).toMatchObject({
    stderr: "ticks: none.log.gz: the compressed file is truncated: nothing of it can be read\n",
    status: 2,
  });
});

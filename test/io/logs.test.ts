import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  allLogsIn,
  describeLog,
  expandPatterns,
  isFolder,
  logFoldersIn,
  logsIn,
  newestFirst,
  profilesLeftOut,
  tracesIn,
} from "../../src/io/find-logs.ts";
import { GrowingLog } from "../../src/io/growing-log.ts";
import { openLog } from "../../src/io/input.ts";
import { findCopies } from "../../src/io/log-copies.ts";
import { normalAddress, originOfLog, runsOf } from "../../src/io/log-origin.ts";
import { testFolder } from "../helpers/folder.ts";

let folder = "";

beforeAll(() => {
  folder = testFolder();
});

function folderOf(name: string, ...files: readonly string[]): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const file of files) writeFileSync(join(path, file), "tick,1\nx\ntick,2\n");
  return path;
}

it("reads the CPU profiles of a folder without logs, and pprof profiles where there is neither", () => {
  const names = ["run.parquet", "a.pb.gz", "b.pb.gz", "CPU.1.cpuprofile", "v8.log"];
  const found = (...files: string[]) => {
    const path = folderOf(`kinds-${files.length}`, ...files);
    return allLogsIn(path).map((one) => one.slice(path.length + 1));
  };
  expect(found(...names)).toEqual(["v8.log"]);
  expect(found(...names.slice(0, 4))).toEqual(["CPU.1.cpuprofile"]);
  expect(found(...names.slice(0, 3))).toEqual(["a.pb.gz", "b.pb.gz"]);
});

it("replaces patterns by the logs and profiles that match them", () => {
  const path = folderOf(
    "patterns",
    "isolate-00000209B99A60A0-v8.log",
    "isolate-0x1-9-v8.log",
    "isolate.js",
    "a.log.gz",
  );
  for (const name of ["run-1", "run-2"]) folderOf(join("patterns", name), "v8.log", "run.pb.gz", ".v8.log");
  writeFileSync(join(path, "what?.log"), "");
  const expand = (...patterns: string[]) =>
    expandPatterns(patterns.map((one) => join(path, one))).map((one) => one.slice(path.length + 1));
  const logs = ["isolate-00000209B99A60A0-v8.log", "isolate-0x1-9-v8.log"];
  expect(expand("isolate*")).toEqual(logs);
  expect(expand("isolate-*-v8.log", "a.log.gz")).toEqual([...logs, "a.log.gz"]);
  expect(expand("is?late-*x*-*.log")).toEqual([logs[1]]);
  expect(expand("run-*/*")).toEqual(["run-1/run.pb.gz", "run-1/v8.log", "run-2/run.pb.gz", "run-2/v8.log"]);
  expect(expand("what?.log", "none*.log", "none*/*.log", "*.js")).toEqual([
    ...["what?.log", "none*.log", "none*/*.log", "*.js"],
  ]);
});

it("finds what V8 and --logfile call logs, by name", () => {
  const logs = [
    "host-3.isolate-0x7f00-77-v8.log",
    "isolate-00000209B99A60A0-v8.log",
    "isolate-0x1-9-app.log",
    "isolate-0x1-v8-9.log.zst",
    "isolate-0x2-10-v8.log.br",
    "isolate-0x3-11-chrome.prof",
    "isolate-0x4-12-v8-prof",
    "isolate.log.gz",
    "v8-4711.log",
    "v8.log",
  ];
  const others = [
    "app.log",
    "v8.log.symbols",
    "isolate.txt",
    "npm-v8.log.bak",
    "envoy8.log",
    "isolated.log",
    "v8.prof",
    "a.prof",
  ];
  const path = folderOf("names", ...others, ...logs);
  expect(logsIn(path)).toEqual(logs.map((name) => join(path, name)));
});

it("takes a log and its compressed copy once", () => {
  const path = folderOf("copies", "v8.log", "v8.log.gz", "isolate-0x1-v8.log.gz", "isolate-0x1-v8.log.zst");
  expect(logsIn(path)).toEqual(
    ["isolate-0x1-v8.log.gz", "isolate-0x1-v8.log.zst", "v8.log"].map((name) => join(path, name)),
  );
  expect(allLogsIn(path)).toHaveLength(4);
});

it("takes nothing but files: no folders in it, no pipes, no links to nowhere or to themselves", () => {
  const path = folderOf("many-kinds", "v8.log");
  mkdirSync(join(path, "isolate-1-v8.log"));
  expect(spawnSync("mkfifo", [join(path, "isolate-2-v8.log")]).status).toBe(0);
  symlinkSync("nowhere", join(path, "isolate-3-v8.log"));
  symlinkSync("isolate-4-v8.log", join(path, "isolate-4-v8.log"));
  symlinkSync("v8.log", join(path, "isolate-5-v8.log"));
  expect(logsIn(path)).toEqual(["isolate-5-v8.log", "v8.log"].map((name) => join(path, name)));
});

it("finds the folders in a folder that have logs, one level down, and follows no links", () => {
  const path = folderOf("above", "v8.log");
  for (const name of ["b", "a"]) {
    folderOf(`above/${name}`, "v8.log", "isolate-0x1-v8.log", "x.txt");
  }
  folderOf("above/none", "x.txt");
  folderOf("above/deep");
  folderOf("above/deep/deeper", "v8.log");
  symlinkSync("a", join(path, "link"));
  expect(logFoldersIn(path)).toEqual(["a", "b"].map((name) => ({ path: join(path, name), logs: 2 })));
  expect(logFoldersIn(join(path, "none"))).toEqual([]);
});

it("says why a folder cannot be read", () => {
  const file = join(folderOf("file", "v8.log"), "v8.log");
  expect(() => logsIn(file)).toThrow(`${file}: cannot read the folder (ENOTDIR)`);
  expect([isFolder(folder), isFolder(file), isFolder(join(file, "x")), isFolder("-")]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

it("lists the newest first, with ticks, where they can be counted", async () => {
  const path = folderOf("times", "isolate-0x1-v8.log", "isolate-0x2-v8.log", "isolate-0x3-v8.log");
  for (const [i, time] of [2000, 3000, 1000].entries()) {
    utimesSync(join(path, `isolate-0x${i + 1}-v8.log`), time, time);
  }
  expect(newestFirst(logsIn(path))).toEqual([2, 1, 3].map((i) => join(path, `isolate-0x${i}-v8.log`)));
  expect(await describeLog(newestFirst(logsIn(path))[0]!)).toMatchObject({ bytes: 16, ticks: 2 });
  const broken = join(path, "broken.gz");
  writeFileSync(broken, Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]));
  expect((await describeLog(broken)).ticks).toBeUndefined();
});

const LOG = Buffer.from("v8-version,1\ntick,1\ntick,2\n");
const copiesFolder = testFolder();

const at = (name: string) => join(copiesFolder, name);

/** The copies among files, by name, each with what it is a copy of. */
async function copiesOf(...names: readonly string[]): Promise<string[]> {
  const copies = await findCopies(names.map((name) => (name === "-" ? name : at(name))));
  return copies.map(
    ({ copy, original, isSameFile }) => `${names[copy]} ${isSameFile ? "is" : "packs"} ${names[original]}`,
  );
}

it("knows a file by any path: the same one, others to it, hard and symbolic links", async () => {
  writeFileSync(at("a.log"), LOG);
  linkSync(at("a.log"), at("hard.log"));
  symlinkSync("a.log", at("link.log"));
  symlinkSync(copiesFolder, at("here"));
  expect(await copiesOf("a.log", "a.log", "./a.log", "hard.log", "link.log", "here/a.log")).toEqual([
    "a.log is a.log",
    "./a.log is a.log",
    "hard.log is a.log",
    "link.log is a.log",
    "here/a.log is a.log",
  ]);
  copyFileSync(at("a.log"), at("other.log"));
  expect(await copiesOf("a.log", "other.log", "-", "-", "nowhere", "nowhere", ".", ".")).toEqual([]);
});

it("knows a compressed log beside the log, in whatever order, and through links to the folder", async () => {
  writeFileSync(at("b.log"), LOG);
  writeFileSync(at("b.log.gz"), gzipSync(LOG));
  expect(await copiesOf("b.log", "b.log.gz")).toEqual(["b.log.gz packs b.log"]);
  expect(await copiesOf("b.log.gz", "here/b.log", "b.log.gz")).toEqual([
    "b.log.gz packs here/b.log",
    "b.log.gz is here/b.log",
  ]);
  mkdirSync(at("else"));
  copyFileSync(at("b.log.gz"), at("else/b.log.gz"));
  expect(await copiesOf("b.log", "else/b.log.gz")).toEqual([]);
});

it("counts the longer one where one begins with all of the other", async () => {
  writeFileSync(at("c.log"), LOG);
  writeFileSync(at("c.log.gz"), gzipSync(LOG.subarray(0, 20)));
  expect(await copiesOf("c.log.gz", "c.log")).toEqual(["c.log.gz packs c.log"]);
  writeFileSync(at("c.log.gz"), gzipSync(Buffer.concat([LOG, LOG])));
  expect(await copiesOf("c.log.gz", "c.log")).toEqual(["c.log packs c.log.gz"]);
});

it("counts both where their contents differ, or one is empty", async () => {
  writeFileSync(at("d.log"), LOG);
  writeFileSync(at("d.log.gz"), gzipSync(Buffer.from("v8-version,2\n")));
  expect(await copiesOf("d.log", "d.log.gz")).toEqual([]);
  writeFileSync(at("d.log"), "");
  expect(await copiesOf("d.log", "d.log.gz")).toEqual([]);
});

it("compares the first 64 KiB only, and takes what cannot be unpacked for a copy", async () => {
  const long = Buffer.alloc(1 << 17, "tick,1\n");
  writeFileSync(at("e.log"), long);
  writeFileSync(at("e.log.gz"), gzipSync(Buffer.concat([long.subarray(0, 1 << 16), Buffer.alloc(99)])));
  expect(await copiesOf("e.log.gz", "e.log")).toEqual(["e.log.gz packs e.log"]);
  writeFileSync(at("e.log.gz"), gzipSync(long).subarray(0, 12));
  expect(await copiesOf("e.log.gz", "e.log")).toEqual(["e.log.gz packs e.log"]);
});

it("tells of traces in a folder, and of profiles beside logs", () => {
  const made = folderOf(
    "kinds",
    "Trace-20260101T120000.json.gz",
    "node_trace.1.log",
    "a.json",
    "v8.log",
    "CPU.1.cpuprofile",
  );
  expect(tracesIn(made).map((path) => basename(path))).toEqual([
    "Trace-20260101T120000.json.gz",
    "node_trace.1.log",
  ]);
  expect(profilesLeftOut(made)).toEqual(["CPU.1.cpuprofile"]);
  expect(profilesLeftOut(folderOf("one-kind", "CPU.1.cpuprofile", "CPU.2.cpuprofile"))).toEqual([]);
  const both = folderOf("both", "Heap.2.heapprofile", "CPU.1.cpuprofile", "Heap.1.heapprofile.gz");
  expect(profilesLeftOut(both)).toEqual(["Heap.1.heapprofile.gz", "Heap.2.heapprofile"]);
});

it.each([
  ["isolate-0x2e477fc0-v8.log", undefined, "0x2e477fc0"],
  ["isolate-0x38db74c0-16691-v8.log", 16691, "0x38db74c0"],
  ["isolate-0x19b94fd0-v8-15731.log", 15731, "0x19b94fd0"],
  ["isolate-0x2bf9f570-16587-v8-16587.log.gz", 16587, "0x2bf9f570"],
  ["isolate-00000209B99A60A0-v8.log", undefined, "0x209b99a60a0"],
  ["isolate-00000209B99A60A0-1234-v8.log.zst", 1234, "0x209b99a60a0"],
  ["isolate-0x7f00-77-app.log", 77, "0x7f00"],
  ["host-3.isolate-0x7f00-77-v8.log", 77, "0x7f00"],
  ["CPU.1795873816706.12368.cpuprofile", 12368, undefined],
  ["CPU.1795873816746.12368.worker-1.cpuprofile", 12368, "1"],
  ["v8.log", undefined, undefined],
  ["v8-4711.log", 4711, undefined],
  ["isolate.log.gz", undefined, undefined],
  ["-", undefined, undefined],
])("reads %s", (name, pid, isolate) => {
  expect(originOfLog(name)).toEqual({ pid, isolate });
  expect(originOfLog(`logs/isolate-0x1-9-v8/${name}`)).toEqual({ pid, isolate });
  expect(originOfLog(`C:\\logs\\${name}`)).toEqual({ pid, isolate });
});

it("writes one address one way", () => {
  expect(normalAddress("00000209B99A60A0")).toBe("0x209b99a60a0");
});

describe("the rest of a log", () => {
  const folder = testFolder();
  /** What is left of a log after each chunk, by the bytes read so far. */
  async function restsOf(path: string) {
    const log = openLog(path);
    const rests: unknown[] = [log.rest()];
    for await (const chunk of log) rests.push([chunk.length, log.rest()]);
    return rests;
  }

  const text = "v8-version,14,6,202,34,-node.34,0\n".repeat(40_000);
  const file = (name: string, bytes: Uint8Array) => {
    const path = join(folder, `${name}.log`);
    writeFileSync(path, bytes);
    return path;
  };

  it("is in its file, from the bytes on that were read", async () => {
    const path = file("plain", Buffer.from(text));
    expect(await restsOf(path)).toEqual([
      undefined,
      [1 << 20, { path }],
      [text.length - (1 << 20), { path }],
    ]);
  });

  it("is nowhere as it stands where the log is compressed or has another encoding", async () => {
    for (const [name, bytes] of Object.entries({
      gzip: gzipSync(text),
      utf16: Buffer.from(`\ufeff${text}`, "utf16le"),
      mark: Buffer.from(`\ufeff${text}`),
    })) {
      const rests = await restsOf(file(name, bytes));
      expect(rests.length, name).toBeGreaterThan(1);
      expect(
        rests.flat().filter((rest) => typeof rest === "object"),
        name,
      ).toEqual([]);
    }
  });
});

it("logs whose names differ in the isolate alone are of one run, if they have a PID", () => {
  const runs = [
    ["d/isolate-0x2-7-v8.log", "d/isolate-0x1-7-v8.log.gz", "d/isolate-0x3-7-v8-7.log.zst"],
    ["isolate-0x1-8-v8.log"],
    ["isolate-0x1-7-app.log", "isolate-00000209B99A60A0-7-app.log"],
    ["host.isolate-0x1-7-v8.log"],
    ["isolate-0x1-v8.log"],
    ["isolate-0x2-v8.log"],
    ["v8.log"],
  ] as const;
  const [first, ...others] = runs;
  const paths = [first[0], ...others.flat(), first[1]];
  expect(runsOf(paths).map(({ pid, logs }) => [pid, ...logs])).toEqual([
    [7, first[0], first[1]],
    [8, "isolate-0x1-8-v8.log"],
    [7, "isolate-0x1-7-app.log", "isolate-00000209B99A60A0-7-app.log"],
    [7, "host.isolate-0x1-7-v8.log"],
    [undefined, "isolate-0x1-v8.log"],
    [undefined, "isolate-0x2-v8.log"],
    [undefined, "v8.log"],
  ]);
  expect(runsOf([first[0], first[2]])).toHaveLength(2);
});

describe("a log that grows", () => {
  let folder = "";
  let path = "";
  let log: GrowingLog;

  beforeEach(() => {
    folder = testFolder();
    path = join(folder, "v8.log");
    log = new GrowingLog(path);
  });

  afterEach(() => {
    log.close();
  });

  /** Reads all that there is: the text, with a `|` before what begins another log. */
  function readAll(): string {
    let text = "";
    for (let next = log.read(); next !== undefined; next = log.read())
      text += (next.isOther ? "|" : "") + Buffer.from(next.bytes).toString("latin1");
    return text;
  }

  /** Where Linux lists the files that this process has open. */
  const OPEN_FILES = "/proc/self/fd";

  /** Whether this process has the log open. */
  function isOpen(): boolean {
    return readdirSync(OPEN_FILES).some((file) => {
      const link = join(OPEN_FILES, file);
      return existsSync(link) && readlinkSync(link) === realpathSync(path);
    });
  }

  describe("a growing log", () => {
    it("gives each byte once, however it grows", () => {
      const text = "tick,0x1,1,0,0x0,0\ncode-creation,JS,10,1,0x1000,256,f\n".repeat(20);
      writeFileSync(path, "");
      let read = "";
      for (const byte of text) {
        appendFileSync(path, byte);
        read += readAll();
      }
      expect(read).toBe(text);
      expect(readAll()).toBe("");
      expect([log.position, log.size]).toEqual([text.length, text.length]);
    });

    it("reads a large file in parts", () => {
      const text = "0123456789abcdef\n".repeat(60_000);
      writeFileSync(path, text);
      const first = log.read()!;
      expect(first.bytes.length).toBeLessThan(text.length / 2);
      expect(Buffer.from(first.bytes).toString("latin1") + readAll()).toBe(text);
    });

    it("has nothing before the file is there, and goes on when it comes back", () => {
      expect(log.read()).toBeUndefined();
      writeFileSync(path, "one\n");
      expect(readAll()).toBe("one\n");
      log.close();
      unlinkSync(path);
      expect(log.read()).toBeUndefined();
      writeFileSync(path, "two\n");
      expect(readAll()).toBe("|two\n");
    });

    it("reads a removed file to its end", () => {
      writeFileSync(path, "one\n");
      expect(readAll()).toBe("one\n");
      appendFileSync(path, "two\n");
      unlinkSync(path);
      expect(readAll()).toBe("two\n");
    });

    it("begins anew when the file was cut, also to nothing", () => {
      writeFileSync(path, "one\ntwo\n");
      readAll();
      truncateSync(path, 4);
      expect(readAll()).toBe("|one\n");
      truncateSync(path, 0);
      expect(readAll()).toBe("|");
      appendFileSync(path, "three\n");
      expect(readAll()).toBe("three\n");
    });

    it("notices a file that was written again, as long or longer", () => {
      writeFileSync(path, "one,1\n");
      readAll();
      writeFileSync(path, "two,2\n");
      expect(readAll()).toBe("|two,2\n");
      writeFileSync(path, "three,3\nfour,4\n");
      expect(readAll()).toBe("|three,3\nfour,4\n");
    });

    it("notices a hole where the rows were: a file cut while its writer goes on", () => {
      writeFileSync(path, "one\ntwo\n");
      readAll();
      writeFileSync(path, Buffer.concat([Buffer.alloc(8), Buffer.from("three\n")]));
      expect(readAll()).toBe(`|${"\0".repeat(8)}three\n`);
    });

    it("reads the old file to its end when another takes its name", () => {
      writeFileSync(path, "one\n");
      readAll();
      appendFileSync(path, "two\n");
      renameSync(path, `${path}.1`);
      writeFileSync(path, "three\n");
      expect(readAll()).toBe("two\n|three\n");
      expect(readAll()).toBe("");
    });

    it("notices a closed log that was written again, as long and at the same time as the clock tells", () => {
      const now = new Date();
      writeFileSync(path, "one\n");
      utimesSync(path, now, now);
      readAll();
      log.close();
      writeFileSync(path, "two\n");
      utimesSync(path, now, now);
      expect(readAll()).toBe("|two\n");
    });

    it.runIf(existsSync(OPEN_FILES))("is not open after it was closed, until the file has changed", () => {
      writeFileSync(path, "one\n");
      readAll();
      expect(isOpen()).toBe(true);
      log.close();
      expect([readAll(), isOpen()]).toEqual(["", false]);
      appendFileSync(path, "two\n");
      expect([log.read()?.isOther, isOpen()]).toEqual([false, true]);
    });

    it("goes on after it was closed, if the file has grown", () => {
      writeFileSync(path, "one\n");
      readAll();
      log.close();
      expect(readAll()).toBe("");
      appendFileSync(path, "two\n");
      utimesSync(path, 1, 1);
      expect(readAll()).toBe("two\n");
    });
  });
});

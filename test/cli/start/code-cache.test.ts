import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cachedDataVersionTag, setFlagsFromString } from "node:v8";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CodeCache, type ProgramPart } from "../../../src/cli/start/code-cache.ts";
import { ticks } from "../../helpers/cli.ts";
import { logOf, NODE_26, tickAt } from "../../helpers/logs.ts";

const DAY = 24 * 3_600_000;
const MAIN: ProgramPart = { path: "/program/main.cjs", text: '(() => "main")', written: 1 };
const PART: ProgramPart = {
  path: "/program/part.cjs",
  text: "[(n) => { const sum = (i) => (i > 0 ? i + sum(i - 1) : 0); return sum(n); }][0]",
  written: 1,
};

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ticks-code-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const file = () => join(folder, readdirSync(folder)[0]!);
const open = (main = MAIN, command = "top") => CodeCache.open(folder, main, command)!;
/** Whether V8 took the code of an earlier run; undefined if there was none. */
const isTaken = (cache: CodeCache, part = PART) => {
  const { cachedDataRejected } = cache.compile(part, "part");
  return cachedDataRejected === undefined ? undefined : !cachedDataRejected;
};
/** Compiles a part as a run does, may call its function, and saves its code. Returns whether V8 took that of an earlier run. */
function run(part = PART, argument?: number) {
  const cache = open();
  const script = cache.compile(part, "part");
  if (argument !== undefined) script.runInThisContext()(argument);
  cache.save();
  return script.cachedDataRejected === undefined ? undefined : !script.cachedDataRejected;
}

describe("compiled code", () => {
  it("is taken by the next run", () => {
    const first = open();
    expect(first.compile(PART, "part").runInThisContext()(4)).toBe(10);
    first.save();
    const second = open();
    const script = second.compile(PART, "part");
    expect(script.cachedDataRejected).toBe(false);
    expect(script.runInThisContext()(5)).toBe(15);
  });

  it("has the functions that were called", () => {
    const size = () => statSync(file()).size;
    const part = { ...PART, text: `/* V8 knows the other text from other tests. */${PART.text}` };
    run(part);
    const uncalled = size();
    const cache = open();
    cache.compile(part, "part").runInThisContext()(4);
    cache.save();
    expect(size()).toBeGreaterThan(uncalled + 100);
  });

  it("has them still when V8 has dropped them, because they were not called for long", () => {
    run(PART, 4);
    const size = statSync(file()).size;
    const cache = open();
    const script = cache.compile(PART, "part");
    const less = script.createCachedData().subarray(0, -100);
    script.createCachedData = () => less;
    cache.save();
    expect(statSync(file()).size).toBe(size);
    expect(run()).toBe(true);
  });

  it("is taken where V8 has the flags again that it had, whatever they were in the end", () => {
    const initial = cachedDataVersionTag();
    const cache = open();
    try {
      expect(isTaken(cache)).toBeUndefined();
      setFlagsFromString("--stack-size=900");
      expect(cachedDataVersionTag()).not.toBe(initial);
      expect(isTaken(cache, MAIN)).toBeUndefined();
      cache.save();
      setFlagsFromString("--stack-size=984");
      const next = open();
      expect(isTaken(next)).toBe(true);
      // It was compiled with other flags.
      expect(isTaken(next, MAIN)).toBeUndefined();
    } finally {
      setFlagsFromString("--stack-size=984");
    }
  });

  it("is written by the first runs, which may call other functions, and after a day", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 10 * DAY });
    const isWritten = () => {
      const before = statSync(file(), { bigint: true });
      run();
      const after = statSync(file(), { bigint: true });
      return after.ino !== before.ino || after.mtimeNs !== before.mtimeNs;
    };
    run();
    expect(Array.from({ length: 5 }, isWritten)).toEqual([true, true, false, false, false]);
    vi.setSystemTime(11 * DAY);
    expect(isWritten()).toBe(false);
    vi.setSystemTime(11 * DAY + 1);
    expect([isWritten(), isWritten()]).toEqual([true, false]);
  });

  it("is written when a part was missing, with those that were there", () => {
    const other = { ...PART, path: "/program/other.cjs" };
    for (let i = 0; i < 4; i++) run();
    expect([run(other), run(other), run()]).toEqual([undefined, true, true]);
  });

  it("is not of another text, time, program, command or place", () => {
    run();
    expect(isTaken(open(), { ...PART, text: PART.text.replace("=>", "=> ") })).toBeUndefined();
    expect(isTaken(open(), { ...PART, written: 2 })).toBeUndefined();
    expect(isTaken(open({ ...MAIN, text: '(() => "next")' }))).toBeUndefined();
    expect(isTaken(open(MAIN, "tree"))).toBeUndefined();
    expect(isTaken(open({ ...MAIN, path: "/other/main.cjs" }))).toBeUndefined();
    expect(isTaken(open())).toBe(true);
  });

  it("is not taken from a damaged file, which is replaced", () => {
    run();
    const bytes = readFileSync(file());
    bytes[bytes.length - 100]! ^= 1;
    writeFileSync(file(), bytes);
    expect([run(), run()]).toEqual([undefined, true]);
  });

  it.skipIf(process.platform === "win32")("is not taken from a file that others may write", () => {
    run();
    chmodSync(file(), 0o666);
    expect([run(), run()]).toEqual([undefined, true]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });
});

describe("the program", () => {
  const caches = () => join(folder, process.platform === "darwin" ? "Library/Caches" : "", "ticks/code-1");
  const start = (args: readonly string[], env: Record<string, string> = {}) =>
    ticks(args, { cwd: folder, env: { XDG_CACHE_HOME: folder, LOCALAPPDATA: folder, HOME: folder, ...env } });
  const names = () => readdirSync(caches()).map((name) => name.split("-")[0]);
  beforeEach(() => writeFileSync(join(folder, "v8.log"), logOf(...NODE_26, ...[1, 2, 3].map(tickAt))));

  it("runs with the code of earlier runs, all parts of which V8 takes", async () => {
    const runs = [];
    for (let i = 0; i < 5; i++) {
      const { stdout, status } = await start(["top", "v8.log"]);
      const [name] = readdirSync(caches());
      const { ino, mtimeMs, mode } = statSync(join(caches(), name!));
      runs.push({ stdout, status, ino, mtimeMs, mode: mode & 0o777 });
    }
    expect(runs[0]!.status).toBe(0);
    expect(names()).toEqual(["top"]);
    expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(1);
    // Had V8 refused a part, each run would have written the file.
    expect(runs[3]).toEqual(runs[2]);
    expect(runs[4]).toEqual(runs[2]);
    if (process.platform !== "win32") expect(runs[4]!.mode).toBe(0o600);
  });

  it("has a file for each command, whatever the name of the log", async () => {
    writeFileSync(join(folder, "secret"), logOf(...NODE_26, tickAt(1)));
    for (const args of [["secret"], ["-j", "v8.log"], ["tree", "v8.log"], ["--help"]]) await start(args);
    expect(names().sort()).toEqual(["process", "tree"]);
  });

  it("writes none where it is told so, or when it failed", async () => {
    await start(["--no-cache", "v8.log"]);
    await start(["v8.log"], { NODE_DISABLE_COMPILE_CACHE: "1" });
    expect((await start(["none.log"])).status).toBe(2);
    await start(["--version"]);
    expect(() => names()).toThrow();
  });

  it("runs where nothing can be cached", async () => {
    const { stdout } = await start(["--no-cache", "v8.log"]);
    writeFileSync(join(folder, "file"), "");
    for (const home of [join(folder, "file"), "relative"])
      expect(await start(["v8.log"], { XDG_CACHE_HOME: home, HOME: home })).toEqual({
        stdout,
        stderr: "",
        status: 0,
      });
  });
});

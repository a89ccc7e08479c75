import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { TicksError } from "../../src/base/errors.ts";
import { type Chunks, type WriteFileOptions, writeFile } from "../../src/io/output.ts";
import { testFolder } from "../helpers/folder.ts";

const OUTPUT = fileURLToPath(new URL("../../build/io/output.js", import.meta.url));
const TYPED = { isTyped: true };
/** More than is written at once. */
const LARGE = "0123456789abcdef".repeat(1 << 15);

let folder = "";
beforeEach(() => {
  folder = testFolder();
});

const at = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(at(name), "utf8");
const names = () => readdirSync(folder).sort();

async function errorOf(path: string, chunks: Chunks, options?: WriteFileOptions): Promise<TicksError> {
  const error = await writeFile(path, chunks, options).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(TicksError);
  return error as TicksError;
}

describe("a file that is written", () => {
  it("has all chunks, whatever their size, compressed or not", async () => {
    const chunks = ["a", Buffer.from("é"), LARGE, "", "b".repeat(70_000), "c"];
    const whole = chunks.map(String).join("");
    await writeFile(at("plain"), chunks);
    expect(text("plain") === whole).toBe(true);
    await writeFile(at("packed.gz"), chunks, { isCompressed: true });
    expect(gunzipSync(readFileSync(at("packed.gz"))).toString() === whole).toBe(true);
    await writeFile(at("empty"), []);
    expect(text("empty")).toBe("");
    expect(names()).toEqual(["empty", "packed.gz", "plain"]);
  });

  it("copies chunks whose buffer is used again", async () => {
    const chunks = function* () {
      const buffer = Buffer.alloc(3);
      for (const c of "abc") yield buffer.fill(c);
    };
    await writeFile(at("x"), chunks());
    expect(text("x")).toBe("aaabbbccc");
  });

  it("is not there before it is whole, nor is what it replaces gone", async () => {
    writeFileSync(at("x"), "old");
    const seen: string[] = [];
    const chunks = async function* () {
      yield LARGE;
      seen.push(text("x"), ...names());
      yield "end";
    };
    await writeFile(at("x"), chunks());
    expect(seen).toEqual(["old", expect.stringMatching(/^\.ticks-[0-9a-z]{12,}\.tmp$/), "x"]);
    expect(text("x").endsWith("fend")).toBe(true);
    expect(names()).toEqual(["x"]);
  });

  for (const isCompressed of [false, true]) {
    it(`stays as it was where its chunks throw${isCompressed ? ", compressed" : ""}`, async () => {
      writeFileSync(at("x"), "old");
      const chunks = function* () {
        yield LARGE;
        throw new RangeError("of the exporter");
      };
      await expect(writeFile(at("x"), chunks(), { isCompressed })).rejects.toThrow("of the exporter");
      await expect(writeFile(at("y"), chunks(), { isCompressed })).rejects.toThrow(RangeError);
      expect([names(), text("x")]).toEqual([["x"], "old"]);
    });
  }

  it.skipIf(process.platform === "win32")("keeps the permissions of the one it replaces", async () => {
    for (const mode of [0o600, 0o644, 0o755, 0o620]) {
      writeFileSync(at("x"), "old");
      chmodSync(at("x"), mode);
      await writeFile(at("x"), ["new"]);
      expect(statSync(at("x")).mode & 0o7777).toBe(mode);
    }
    const umask = process.umask();
    await writeFile(at("y"), ["new"]);
    expect(statSync(at("y")).mode & 0o777).toBe(0o666 & ~umask);
  });

  it("replaces one of several names only", async () => {
    writeFileSync(at("x"), "old");
    linkSync(at("x"), at("other"));
    await writeFile(at("x"), ["new"]);
    expect([text("x"), text("other")]).toEqual(["new", "old"]);
  });

  it("is told by the name that it was given, without that of the file before it", async () => {
    expect(await errorOf(at("no/such/x"), ["a"], { name: "NAME" })).toMatchObject({
      code: "NOT_WRITABLE",
      message: "NAME cannot be written: its folder does not exist",
    });
    mkdirSync(at("folder"));
    expect((await errorOf(at("folder"), ["a"])).message).toMatch(/folder is not a regular file/);
    expect(await errorOf(at("folder"), ["a"], TYPED)).toMatchObject({ code: "IS_DIRECTORY" });
    expect(names()).toEqual(["folder"]);
  });
});

describe.skipIf(process.platform === "win32")("a link", () => {
  beforeEach(() => {
    mkdirSync(at("home"));
    writeFileSync(at("home/rc"), "old");
    symlinkSync("home/rc", at("link"));
    symlinkSync("link", at("link-to-link"));
    symlinkSync("home/new", at("dangling"));
    symlinkSync("loop", at("loop"));
  });

  it("that nobody typed is refused, and so is one to nothing", async () => {
    for (const name of ["link", "link-to-link", "dangling", "loop"]) {
      const error = await errorOf(at(name), ["bad"], { name });
      expect(error.message).toBe(`${name} is a symbolic link: refusing to write to it`);
      expect(error.hint).toBe("Choose the output: -o FILE");
    }
    expect([text("home/rc"), readdirSync(at("home"))]).toEqual(["old", ["rc"]]);
  });

  it("that was typed is followed, and what it means is replaced", async () => {
    for (const name of ["link", "link-to-link", "dangling"]) await writeFile(at(name), [name], TYPED);
    expect([text("home/rc"), text("home/new")]).toEqual(["link-to-link", "dangling"]);
    expect(readlinkSync(at("link"))).toBe("home/rc");
    expect(lstatSync(at("dangling")).isSymbolicLink()).toBe(true);
    expect(readdirSync(at("home")).sort()).toEqual(["new", "rc"]);
    expect((await errorOf(at("loop"), ["x"], TYPED)).message).toMatch(/cannot be written: ELOOP/);
  });

  it("that is put there meanwhile is replaced, not written through", async () => {
    const chunks = async function* () {
      yield LARGE;
      symlinkSync("home/rc", at("x"));
      yield "end";
    };
    await writeFile(at("x"), chunks());
    expect(lstatSync(at("x")).isFile()).toBe(true);
    expect(text("home/rc")).toBe("old");
  });
});

describe.skipIf(process.platform === "win32")("what is no regular file", () => {
  it("is written to as the user typed it", async () => {
    await writeFile("/dev/null", [LARGE], TYPED);
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
    expect((await errorOf("/dev/null", ["x"])).message).toMatch(/is not a regular file/);
  });

  it.runIf(existsSync("/dev/full"))("tells that it is full", async () => {
    for (const isCompressed of [false, true]) {
      for (const chunk of ["x", LARGE]) {
        const { code, message } = await errorOf("/dev/full", [chunk], { ...TYPED, isCompressed });
        expect([code, message]).toEqual([
          "NOT_WRITABLE",
          "/dev/full cannot be written: ENOSPC: no space left on device",
        ]);
      }
    }
  });

  it.runIf(existsSync("/proc/self/fd"))("takes what is open already after what it has", async () => {
    writeFileSync(at("x"), "before\n");
    const script =
      'import(process.argv[1]).then((o) => o.writeFile("/dev/stdout", ["after\\n"], { isTyped: true }))';
    const { status } = await sh('"$0" -e "$1" "$2" >> x', [process.execPath, script, OUTPUT]);
    expect([status, text("x"), names()]).toEqual([0, "before\nafter\n", ["x"]]);
  });

  it("can be a pipe", async () => {
    const script = 'import(process.argv[1]).then((o) => o.writeFile("pipe", ["a", "b"], { isTyped: true }))';
    const { stdout, status } = await sh('mkfifo pipe; cat pipe & "$0" -e "$1" "$2"; wait', [
      process.execPath,
      script,
      OUTPUT,
    ]);
    expect([stdout, status]).toEqual(["ab", 0]);
    expect(statSync(at("pipe")).isFIFO()).toBe(true);
  });
});

describe.skipIf(process.platform === "win32")("a disk that gets full", () => {
  // The system takes a part of what is written, and refuses the rest: as on a full disk, with another word.
  const write = (file: string, options: string, blocks: number) =>
    sh(`ulimit -f ${blocks}; exec "$0" -e "$1" "$2"`, [
      process.execPath,
      `import(process.argv[1]).then((o) => o.writeFile("${file}", ["0123456789".repeat(2e4)], ${options})).catch((e) => { console.log(e.code, e.message); process.exitCode = 2; })`,
      OUTPUT,
    ]);

  it("leaves what was there, and nothing else", async () => {
    writeFileSync(at("x"), "old");
    for (const options of ["{}", "{ isTyped: true }"]) {
      for (const file of ["x", "y"]) {
        const { stdout, status } = await write(file, options, 8);
        expect([stdout, status]).toEqual([
          `NOT_WRITABLE ${file} cannot be written: EFBIG: file too large\n`,
          2,
        ]);
      }
    }
    expect([names(), text("x")]).toEqual([["x"], "old"]);
    expect((await write("x", "{ isCompressed: true }", 8)).status).toBe(0);
    expect(gunzipSync(readFileSync(at("x"))).length).toBe(200_000);
  });
});

describe.skipIf(process.platform === "win32")("a signal", () => {
  /** Writes without end, and never waits for anything by itself. */
  const ENDLESS =
    'import(process.argv[1]).then((o) => o.writeFile("x", (function* () { for (;;) yield "0123456789".repeat(1000) })(), { isCompressed: process.argv[2] === "gz" }))';

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it(`leaves what was there, and nothing else: ${signal}`, async () => {
      for (const form of ["plain", "gz"]) {
        writeFileSync(at("x"), "old");
        // No file grows past some MB.
        const child = spawn(
          "sh",
          ["-c", 'ulimit -f 40000; exec "$0" "$@"', process.execPath, "-e", ENDLESS, OUTPUT, form],
          {
            cwd: folder,
            stdio: "ignore",
          },
        );
        const ended = new Promise((resolve) => {
          child.on("exit", (status, by) => resolve([status, by]));
        });
        await expect.poll(() => names().length, { interval: 1 }).toBe(2);
        child.kill(signal);
        expect(await ended).toEqual([null, signal]);
        expect([names(), text("x")]).toEqual([["x"], "old"]);
      }
    });
  }

  it("that comes when all is written ends the process as ever", async () => {
    const script =
      'import(process.argv[1]).then((o) => o.writeFile("x", ["new"])).then(() => setTimeout(() => process.kill(process.pid, "SIGTERM"), 20)); setTimeout(() => {}, 5000)';
    const { signal } = await sh('exec "$0" -e "$1" "$2"', [process.execPath, script, OUTPUT]);
    expect([signal, text("x")]).toEqual(["SIGTERM", "new"]);
  });
});

/** Runs a line of the shell in the folder. */
function sh(line: string, args: readonly string[]) {
  return new Promise<{ stdout: string; status: number | null; signal: string | null }>((resolve) => {
    const child = spawn("sh", ["-c", line, ...args], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    let stdout = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.on("close", (status, signal) => resolve({ stdout, status, signal }));
  });
}

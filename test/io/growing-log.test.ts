import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GrowingLog } from "../../src/io/growing-log.ts";

let folder = "";
let path = "";
let log: GrowingLog;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ticks-growing-"));
  path = join(folder, "v8.log");
  log = new GrowingLog(path);
});
afterEach(() => {
  log.close();
  rmSync(folder, { recursive: true });
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

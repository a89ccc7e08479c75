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
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { TICKS, ticks } from "../helpers/cli.ts";
import { elfImage } from "../helpers/elf-image.ts";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26, tickAt } from "../helpers/logs.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const NM = "0000000000401000 0000000000000042 T _ZN1a1bEv\n";

let folder = "";
let log: Buffer;
beforeEach(() => {
  folder = testFolder();
  log = Buffer.from(
    logOf(
      ...NODE_26,
      "shared-library,/nowhere/node,0x400000,0x500000,0",
      ...[0x401008, 0x402000].map(tickAt),
    ),
  );
  writeFileSync(at("v8.log"), log);
  writeFileSync(at("node.nm"), NM);
});

const at = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(at(name), "utf8");
const names = () => readdirSync(folder).sort();
const run = (...args: string[]) => warmTicks(args, { cwd: folder });

/** Every way to write a file, without its name. */
const WRITERS: readonly (readonly string[])[] = [
  ["export", "v8.log", "--format", "collapsed"],
  ["export", "v8.log", "--format", "preprocess"],
  ["export", "v8.log", "--format", "parquet"],
  ["flame", "v8.log"],
  ["symbols", "v8.log", "--symbols", "node=node.nm"],
];

describe.skipIf(process.platform === "win32").each(WRITERS)("%s %s %s %s", (...writer) => {
  it.runIf(existsSync("/dev/full"))("tells that the disk is full, whatever takes the output", async () => {
    const full = { stdout: "", status: 2 };
    expect(await run(...writer, "-o", "/dev/full")).toEqual({
      ...full,
      stderr: "ticks: /dev/full cannot be written: ENOSPC: no space left on device\n",
    });
    expect(await sh(`"$@" -o - > /dev/full`, writer)).toEqual({
      ...full,
      stderr: "ticks: the output cannot be written: ENOSPC: no space left on device\n",
    });
  });

  it("leaves what was there where the disk gets full", async () => {
    writeFileSync(at("out"), "old");
    const before = names();
    // Nothing fits.
    for (const name of ["out", "new"]) {
      expect(await sh(`ulimit -f 0; "$@" -o ${name} --no-cache`, writer)).toEqual({
        stdout: "",
        stderr: `ticks: ${name} cannot be written: EFBIG: file too large\n`,
        status: 2,
      });
    }
    expect([names(), text("out")]).toEqual([before, "old"]);
  });

  it("writes over no file that it reads, by whatever name", async () => {
    const nm = ["--symbols", "node=node.nm"];
    mkdirSync(at("links"));
    linkSync(at("v8.log"), at("links/hard"));
    symlinkSync("hard", at("links/both"));
    for (const name of ["v8.log", "links/hard", "links/both"]) {
      expect(await run(...writer, "-o", name)).toMatchObject({
        stdout: "",
        stderr: `ticks: --output ${name} would overwrite the log\n`,
        status: 2,
      });
    }
    linkSync(at("node.nm"), at("links/nm"));
    for (const name of ["node.nm", "links/nm"]) {
      expect(await run(...writer, ...nm, "-o", name)).toMatchObject({
        stderr: `ticks: --output ${name} would overwrite a symbols file that is read\n`,
        status: 2,
      });
    }
    expect(readFileSync(at("v8.log")).equals(log)).toBe(true);
    expect(text("node.nm")).toBe(NM);
    expect(names()).toEqual(["links", "node.nm", "v8.log"]);
  });

  it("follows a link that was typed", async () => {
    mkdirSync(at("results"));
    symlinkSync("results/new", at("link"));
    expect(await run(...writer, "-o", "link")).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(/ to link/),
      status: 0,
    });
    expect(readlinkSync(at("link"))).toBe("results/new");
    expect(readdirSync(at("results"))).toEqual(["new"]);
  });

  it("shows the name of a file as it can be shown", async () => {
    const { stderr, status } = await run(...writer, "-o", "no/such\x1b[31m\x9b/file");
    expect([stderr, status]).toEqual([
      "ticks: no/such\\x1b[31m\\x9b/file cannot be written: its folder does not exist\n",
      2,
    ]);
  });
});

describe.skipIf(process.platform === "win32")("a name that nobody typed", () => {
  const DEFAULTS = [
    [["flame", "v8.log"], "v8.flame.html"],
    [["symbols", "v8.log"], "v8.log.symbols"],
  ] as const;

  it("is not written where it is a link: what it means stays", async () => {
    mkdirSync(at("home"));
    writeFileSync(at("home/rc"), "old");
    for (const [command, name] of DEFAULTS) {
      for (const target of ["home/new", "home/rc", "/dev/null"]) {
        symlinkSync(target, at(name));
        const { stdout, stderr, status } = await run(...command);
        expect([stdout, status]).toEqual(["", 2]);
        expect(stderr).toContain(
          `ticks: ${name} is a symbolic link: refusing to write to it\nChoose the output: -o FILE\n`,
        );
        rmSync(at(name));
      }
      mkdirSync(at(name));
      expect((await run(...command)).status).toBe(2);
      rmSync(at(name), { recursive: true });
    }
    expect([readdirSync(at("home")), text("home/rc")]).toEqual([["rc"], "old"]);
  });

  it("is not written where it is a file that is read", async () => {
    for (const [command, name] of DEFAULTS) {
      linkSync(at("v8.log"), at(name));
      expect((await run(...command, "--symbols", "node=node.nm")).stderr).toContain(
        "would overwrite the log",
      );
      rmSync(at(name));
    }
    mkdirSync(at("logs"));
    for (const name of ["isolate-0x1-v8.log", "isolate-0x2-v8.log"]) writeFileSync(at(`logs/${name}`), log);
    linkSync(at("logs/isolate-0x1-v8.log"), at("logs/isolate-0x2-v8.log.symbols"));
    expect(await run("symbols", "logs")).toMatchObject({
      stderr: "ticks: --output logs/isolate-0x2-v8.log.symbols would overwrite the log\n",
      status: 2,
    });
    expect(readFileSync(at("logs/isolate-0x1-v8.log")).equals(log)).toBe(true);
  });

  it.runIf(existsSync("/usr/bin/script"))("of export, on a terminal, too (needs script)", async () => {
    writeFileSync(at("rc"), "old");
    symlinkSync("rc", at("v8.log.folded"));
    const line = `script -qec "'${process.execPath}' '${TICKS}' export v8.log --format collapsed" /dev/null`;
    const { stdout } = await sh(line, []);
    expect(stdout).toContain("v8.log.folded is a symbolic link");
    expect(text("rc")).toBe("old");
    rmSync(at("v8.log.folded"));
    expect((await sh(line, [])).stdout).toContain("ticks: wrote 2 ticks to v8.log.folded");
    expect(text("v8.log.folded")).toBe("/nowhere/node 2\n");
  });
});

describe("standard input", () => {
  it.skipIf(process.platform === "win32")("is a log that is not written over", async () => {
    const { stderr, status } = await sh('"$@" < v8.log', [
      "export",
      "-",
      "--format",
      "collapsed",
      "-o",
      "v8.log",
    ]);
    expect([stderr, status]).toEqual(["ticks: --output v8.log would overwrite the log\n", 2]);
    expect(readFileSync(at("v8.log")).equals(log)).toBe(true);
  });
});

describe("ticks symbols", () => {
  const given = ["--symbols", "node=node.nm"];

  it("writes anew what it wrote before, also by its name, and keeps it where no binaries are", async () => {
    const first = await run("symbols", "v8.log", ...given);
    expect([first.stderr, first.status]).toEqual([
      "ticks: wrote 1 symbols of 1 libraries to v8.log.symbols\n",
      0,
    ]);
    const saved = text("v8.log.symbols");
    for (const more of [[], ["-o", "v8.log.symbols"], given, ["-o", "./v8.log.symbols", ...given]]) {
      expect(await run("symbols", "v8.log", ...more)).toMatchObject({ stdout: "", status: 0 });
      expect(text("v8.log.symbols")).toBe(saved);
    }
    // Named as an input, it is one.
    const both = await run("symbols", "v8.log", "--symbols", "v8.log.symbols", "-o", "v8.log.symbols");
    expect(both.stderr).toContain("would overwrite a symbols file that is read");
    for (const command of [["flame"], ["export", "--format", "collapsed"]]) {
      expect(await run(...command, "v8.log", "-o", "v8.log.symbols")).toMatchObject({
        stderr: "ticks: --output v8.log.symbols would overwrite a symbols file that is read\n",
        status: 2,
      });
    }
    expect(text("v8.log.symbols")).toBe(saved);
    expect(names()).toEqual(["node.nm", "v8.log", "v8.log.symbols"]);
  });

  it("makes damaged ones again, which every other command refuses", async () => {
    await run("symbols", "v8.log", ...given);
    const saved = text("v8.log.symbols");
    for (const damaged of [saved.slice(0, -9), saved.replace("a::b", "a::c"), "", "garbage"]) {
      writeFileSync(at("v8.log.symbols"), damaged);
      const { stdout, stderr, status } = await run("v8.log");
      expect([stdout, status]).toEqual(["", 2]);
      expect(stderr).toMatch(/^ticks: v8\.log\.symbols(?: is damaged|: not a symbols file)/);
      expect(stderr).toMatch(/ticks symbols LOG/);
      const again = await run("symbols", "v8.log", ...given);
      expect(again.stderr).toMatch(
        /^ticks: skipped: v8\.log\.symbols.*\nticks: wrote 1 symbols of 1 libraries to v8\.log\.symbols\n$/,
      );
      expect([again.status, text("v8.log.symbols")]).toEqual([0, saved]);
    }
  });

  it.skipIf(process.platform === "win32")("beside a log have to be a regular file", async () => {
    const beside = at("v8.log.symbols");
    const said = "ticks: v8.log.symbols is not a regular file\nRemove it, or use --symbols FILE.\n";
    await sh("mkfifo v8.log.symbols", []);
    expect(await run("v8.log")).toMatchObject({ stdout: "", stderr: said, status: 2 });
    for (const target of ["/dev/zero", "/proc/self/environ"].filter(existsSync)) {
      rmSync(beside);
      symlinkSync(target, beside);
      expect(await run("v8.log")).toMatchObject({ stdout: "", stderr: said, status: 2 });
      expect((await run("symbols", "v8.log", "-o", "-")).stderr).toContain("is not a regular file");
    }
    // A link to a file is fine.
    await run("symbols", "v8.log", "-o", "elsewhere", ...given);
    rmSync(beside);
    symlinkSync("elsewhere", beside);
    expect((await run("v8.log")).stdout).toContain("a::b");
  });

  it("that would take all memory are refused", async () => {
    // 1.2 GB of lines that could be symbols.
    const block = gzipSync(Buffer.from("401000 10 f\n".repeat(1 << 20)), { level: 9 });
    const blocks = Array.from({ length: 100 }, () => block);
    writeFileSync(
      at("v8.log.symbols"),
      Buffer.concat([gzipSync("ticks-symbols 1\nlibrary /a\n"), ...blocks]),
    );
    const { stderr, status } = await run("v8.log");
    expect([stderr, status]).toEqual(["ticks: v8.log.symbols: too large for a symbols file\n", 2]);
  });

  it("show names and paths on a terminal as they can be shown, and read them back", async () => {
    writeFileSync(
      at("v8.log"),
      logOf(
        ...NODE_26,
        "shared-library,/no\\x1b\\u202e\\u2028where/node,0x400000,0x500000,0",
        tickAt(0x401008),
      ),
    );
    writeFileSync(at("odd.nm"), "0000000000401000 0000000000000042 T \x1b[31mred\u202e\x85\n");
    const { stdout, status } = await run("symbols", "v8.log", "-o", "-", "--symbols", "node=odd.nm");
    expect(status).toBe(0);
    expect(stdout).toContain("library /no\\u{1b}\\u{202e}\\u{2028}where/node\n");
    expect(stdout).toContain("401000 42 \\u{1b}[31mred\\u{202e}\\u{85}\n");
    const report = await run("v8.log", "--symbols", "node=odd.nm", "--format", "json");
    writeFileSync(at("v8.log.symbols"), stdout);
    const again = await run("v8.log", "--format", "json");
    expect(JSON.parse(again.stdout).bottomUp).toEqual(JSON.parse(report.stdout).bottomUp);
  });
});

describe.skipIf(process.platform === "win32")("programs in the folder of a log", () => {
  beforeEach(() => {
    for (const name of ["nm", "c++filt", "xdg-open", "open"]) {
      writeFileSync(at(name), `#!/bin/sh\ntouch '${at("ran")}'\n`);
      chmodSync(at(name), 0o755);
    }
    const symbols = [{ name: "_ZN1a1bEv", value: 0x1100, size: 0x10 }];
    writeFileSync(at("lib.so"), elfImage({ symbols }));
    // Without symbols, so that nm is asked.
    writeFileSync(at("bare.so"), elfImage({ symbols: [] }));
    writeFileSync(
      at("v8.log"),
      logOf(
        ...NODE_26,
        `shared-library,${at("lib.so")},0x400000,0x411000,0`,
        `shared-library,${at("bare.so")},0x600000,0x611000,0`,
        ...[0x401108, 0x601108].map(tickAt),
      ),
    );
  });

  it("are not run, whatever the PATH says of the current folder", async () => {
    for (const PATH of ["", ".", `:${process.env.PATH}`, `.${delimiter}${process.env.PATH}`, "./"]) {
      const { stdout, status } = await ticks(["v8.log", "--no-cache"], { cwd: folder, env: { PATH } });
      expect(status).toBe(0);
      expect(stdout).toContain("a::b");
    }
    const PATH = `.${delimiter}/nowhere`;
    const opened = await ticks(["flame", "v8.log", "--open"], { cwd: folder, env: { PATH } });
    expect(opened.stderr).toMatch(
      /wrote .* to v8\.flame\.html.*\n(?:.*\n)*.*could not open .*: .*open is not on the PATH/,
    );
    for (const nm of ["nm", "c++filt"]) {
      const { stderr, status } = await ticks(["v8.log", "--nm", nm], { cwd: folder, env: { PATH } });
      expect([status, stderr]).toEqual([2, expect.stringContaining(`cannot run --nm ${nm}`)]);
    }
    expect(existsSync(at("ran"))).toBe(false);
  });

  it("are run where the user names them", async () => {
    const { status } = await ticks(["v8.log", "--nm", "./nm", "--no-cache"], { cwd: folder });
    expect([status, existsSync(at("ran"))]).toEqual([0, true]);
  });
});

describe.skipIf(process.platform === "win32")("a report in a file", () => {
  it("that gets full is told, also where the system took a part of the last bytes", async () => {
    const whole = (await run("v8.log")).stdout;
    expect(whole.length).toBeGreaterThan(600);
    // A block is 512 bytes, or 1024.
    const { stderr, status } = await sh('ulimit -f 1; "$@" > report', ["v8.log", "--no-cache"]);
    expect(lstatSync(at("report")).size).toBeLessThan(whole.length);
    expect([stderr, status]).toEqual(["ticks: the output cannot be written: EFBIG: file too large\n", 2]);
  });

  it.runIf(existsSync("/dev/full"))("is missed also where it is only help", async () => {
    for (const flag of ["--version", "--help"]) {
      expect(await sh('"$@" > /dev/full', [flag])).toEqual({
        stdout: "",
        stderr: "ticks: the output cannot be written: ENOSPC: no space left on device\n",
        status: 2,
      });
    }
  });

  it("whose reader has had enough is a success", async () => {
    for (const args of [
      ["v8.log"],
      ["export", "v8.log", "--format", "collapsed"],
      ["symbols", "v8.log", "-o", "-"],
    ]) {
      const { stderr } = await sh('{ "$@"; echo "$?" >&2; } | :', args);
      expect(stderr.split("\n").at(-2)).toBe("0");
    }
  });
});

describe.skipIf(process.platform === "win32")("the cache", () => {
  it("is left out where the disk is full, and nothing is left in it", async () => {
    writeFileSync(at("lib.so"), elfImage({ symbols: [{ name: "main", value: 0x1100, size: 0x10 }] }));
    const row = `shared-library,${at("lib.so")},0x400000,0x411000,0`;
    writeFileSync(at("v8.log"), logOf(...NODE_26, row, tickAt(0x401108)));
    const good = await run("v8.log", "--no-cache");
    const home = at("home");
    const env = { XDG_CACHE_HOME: home, HOME: home };
    expect(await sh('ulimit -f 0; "$@" | cat', ["v8.log"], env)).toEqual(good);
    const left = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(left).toEqual([]);
  });
});

/** Runs a line of the shell in the folder; `"$@"` in it is ticks with arguments. */
function sh(line: string, args: readonly string[], env: Record<string, string> = {}) {
  return new Promise<{ stdout: string; stderr: string; status: number | null }>((resolve) => {
    const child = spawn("sh", ["-c", line, "sh", process.execPath, TICKS, ...args], {
      cwd: folder,
      env: { ...process.env, XDG_CACHE_HOME: at(".cache"), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (chunk: string) => {
        output[name] += chunk;
      });
    }
    child.on("close", (status) => {
      rmSync(at(".cache"), { recursive: true, force: true });
      resolve({ ...output, status });
    });
  });
}

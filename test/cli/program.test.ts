import { mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { COMMANDS as ROWS } from "../../src/cli/commands.ts";
import { ticks } from "../helpers/cli.ts";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26 } from "../helpers/logs.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const FOLDER = testFolder();

const COMMANDS = ROWS.filter(({ group }) => group !== undefined).map(({ name }) => name);

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

let runs = 0;

/** Runs the program; returns the modules that Node loaded for it, by their names in dist/program without the hash. */
async function modulesOf(args: readonly string[]) {
  const folder = join(FOLDER, String(runs++));
  const { status } = await ticks(args, { cwd: FOLDER, env: { NODE_V8_COVERAGE: folder } });
  const scripts = readdirSync(folder).flatMap(
    (name) => (JSON.parse(readFileSync(join(folder, name), "utf8")) as Coverage).result,
  );
  const own = scripts.filter(({ url }) => url.includes("/dist/program/"));
  const packages = scripts.flatMap(({ url }) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  return {
    modules: own.map(({ url }) => basename(url).replace(/(?:-.{8})?\.c?js$/, "")),
    packages: Array.from(new Set(packages)),
    status,
  };
}

const commandsIn = (modules: readonly string[]) =>
  Array.from(new Set(modules.filter((name) => COMMANDS.includes(name))));

describe("the program", () => {
  it("loads nothing that it does not need to say its version", async () => {
    const { modules } = await modulesOf(["--version"]);
    expect(modules).not.toContain("program");
    expect(commandsIn(modules)).toEqual([]);
    expect(modules.length).toBeLessThan(8);
  });

  it.each([[["--help"]], [["help"]], [["-h", "top"]], [["top", "--help"]], [["help", "filters"]]])(
    "loads nothing but the table of commands for %j",
    async (args) => {
      const { modules } = await modulesOf(args);
      expect(commandsIn(modules)).toEqual([]);
      expect(modules).toContain("program");
      expect(modules.length).toBeLessThan(16);
    },
  );

  it("loads no package for the text of ticks process", async () => {
    const log = fileURLToPath(new URL("../../fixtures/node-20-inlining/isolate.log.gz", import.meta.url));
    const { modules, packages, status } = await modulesOf(["process", log]);
    expect(status).toBe(0);
    const others = new Set(["live", "record", "diff", "flame", "export", "redact", "serve", "top", "lines"]);
    expect(modules.filter((name) => others.has(name))).toEqual([]);
    expect(modules).toContain("process");
    expect(packages).toEqual([]);
  });

  it("starts the second thread for one large log of a command that reads it", async () => {
    const [large, other] = ["large.log", "other.log"].map((name) => join(FOLDER, name)) as [string, string];
    for (const path of [large, other]) {
      writeFileSync(path, "");
      truncateSync(path, 1 << 24);
    }
    const startsThread = async (...args: string[]) =>
      (await modulesOf(args)).modules.includes("parser-thread");
    expect(await startsThread(large)).toBe(true);
    expect(await startsThread("process", "--no-idle", large)).toBe(true);
    expect(await startsThread("process", large, other)).toBe(false);
    expect(await startsThread("redact", large)).toBe(false);
    expect(await startsThread("nobody", large)).toBe(false);
  });

  it("takes what is no command for a log", async () => {
    const { modules, status } = await modulesOf(["nobody"]);
    expect(modules).toContain("top");
    expect(status).toBe(2);
  });

  it("shows the same help of a command, however it is asked for", async () => {
    for (const name of ["process", "function", "redact"]) {
      const asked = await warmTicks([name, "--help"]);
      expect(asked.status).toBe(0);
      expect(asked.stdout).toContain(`Usage: ticks ${name}`);
      expect(asked.stdout).toMatch(/^Options:\n {2}-/m);
      expect((await warmTicks(["help", name])).stdout).toBe(asked.stdout);
    }
  });

  it("lists every command in its group", async () => {
    const { stdout, status } = await warmTicks(["help"]);
    expect(status).toBe(0);
    const listed = Array.from(stdout.matchAll(/^ {2}([a-z]+) {2,}\S/gm), ([, name]) => name);
    expect(listed.filter((name) => name !== "help" && name !== "ticks").sort()).toEqual([...COMMANDS].sort());
    const headings = Array.from(stdout.matchAll(/^([A-Z][a-z ]+):$/gm), ([, title]) => title);
    expect(headings).toEqual(["Start", "Look closer", "Causes", "Compare", "Share", "Other"]);
  });

  it("has no comments, which Node would read at each start", () => {
    const folder = fileURLToPath(new URL("../../dist/program/", import.meta.url));
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((text) => text.includes("\n/**"))).toEqual([]);
  });

  it("is run by its command alone: the library and threads load no part that runs it", () => {
    const folder = fileURLToPath(new URL("../../dist/program/", import.meta.url));
    const asking = readdirSync(folder).filter((name) =>
      /require[$\w]*\(["`]\.\/main\.cjs["`]\)/.test(readFileSync(join(folder, name), "latin1")),
    );
    expect(asking).toEqual([]);
  });

  it("asks for no file that is not there", () => {
    const folder = fileURLToPath(new URL("../../dist/program/", import.meta.url));
    const names = readdirSync(folder);
    const asked = names.flatMap((name) => {
      const text = readFileSync(join(folder, name), "latin1");
      return Array.from(text.matchAll(/\brequire[$\w]*\(["`]([^"`]+)["`]\)/g), ([, asks]) => asks!);
    });
    expect(asked.length).toBeGreaterThan(300);
    const there = (name: string) =>
      isBuiltin(name) || (name.startsWith("./") && names.includes(name.slice(2)));
    expect(asked.filter((name) => !there(name))).toEqual([]);
  });

  it("has no help of what is no command", async () => {
    const { stderr, stdout, status } = await warmTicks(["help", "nobody"]);
    expect({ stdout, status }).toEqual({ stdout: "", status: 2 });
    expect(stderr).toBe("ticks: no command or topic nobody\nAll of them: ticks help\n");
  });
});

describe("patterns that the shell passes on", () => {
  it("stand for the logs that match them, but not in the arguments of a recorded program", async () => {
    const cwd = mkdtempSync(join(FOLDER, "patterns-"));
    const log = (time: number) => logOf(...NODE_26, `tick,0x1,${time},0,0x0,0`, "profiler,end");
    for (const [i, name] of ["isolate-00000209B99A60A0-v8.log", "isolate-0x1-9-v8.log"].entries())
      writeFileSync(join(cwd, name), log(i + 1));
    const pattern = "isolate-*-v8.log";
    expect((await warmTicks(["process", pattern], { cwd })).stdout).toContain("(2 ticks,");
    const show = ["-e", "console.log(process.argv[1])", pattern];
    const recorded = await warmTicks(["record", "--discard", "--", process.execPath, ...show], { cwd });
    expect(recorded.stdout).toContain(pattern);
  });
});

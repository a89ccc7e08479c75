import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { COMMAND_ENV, ticks } from "../helpers/cli.ts";
import { elfImage } from "../helpers/elf-image.ts";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26, tickAt } from "../helpers/logs.ts";
import { WarmProgram } from "../helpers/warm-cli.ts";

const folder = testFolder();
let home = "";
const envOf = (path: string) => ({ XDG_CACHE_HOME: path, LOCALAPPDATA: path, HOME: path });
const program = new WarmProgram({ ...COMMAND_ENV, ...envOf(join(folder, "home")) });
const cacheFolder = () =>
  process.platform === "darwin"
    ? join(home, "Library", "Caches", "ticks", "symbols-1")
    : join(home, "ticks", "symbols-1");
const run = (...args: string[]) => program.run(args, { cwd: folder });
const names = () => readdirSync(cacheFolder()).sort();

beforeAll(() => {
  const symbols = [
    { name: "_ZN1a1bEv", value: 0x1100, size: 0x10 },
    { name: "uv_run", value: 0x1200, size: 0x20 },
  ];
  const v8 = [{ name: "_ZN2v88internal4Heap4FreeEv", value: 0x1100, size: 0x10 }];
  writeFileSync(join(folder, "lib.so"), elfImage({ symbols, buildId: "0011223344556677" }));
  writeFileSync(join(folder, "other.so"), elfImage({ symbols: v8 }));
  const lines = [
    `shared-library,${join(folder, "lib.so")},0x400000,0x411000,0`,
    `shared-library,${join(folder, "other.so")},0x600000,0x611000,0`,
    ...[0x401108, 0x401109, 0x401204, 0x601104].map(tickAt),
  ];
  writeFileSync(join(folder, "v8.log"), logOf(...NODE_26, ...lines));
});
beforeEach(() => {
  home = join(folder, "home");
  rmSync(home, { recursive: true, force: true });
});

describe.skipIf(process.platform === "win32")("the cache of symbols", () => {
  it("changes nothing but the time", async () => {
    const cold = await run("process", "--no-cache", "v8.log");
    expect(cold.stdout).toMatch(/^ +2 .* a::b\(\)$/m);
    expect(cold.stderr).toContain("it is not the binary that wrote the log");
    expect(() => names()).toThrow();

    expect(await run("process", "v8.log")).toEqual(cold);
    const kept = names();
    expect(kept.length).toBeGreaterThan(2);
    expect(await run("process", "v8.log")).toEqual(cold);
    expect(names()).toEqual(kept);
    expect(await run("process", "v8.log")).toEqual(cold);
  });

  it("is used by symbols and doctor too", async () => {
    for (const command of [["symbols", "-o", "-"], ["doctor"]]) {
      rmSync(home, { recursive: true, force: true });
      const cold = await run(...command, "--no-cache", "v8.log");
      expect(() => names()).toThrow();
      expect(await run(...command, "v8.log")).toEqual(cold);
      expect(names().length).toBeGreaterThan(0);
      expect(await run(...command, "v8.log")).toEqual(cold);
    }
  });

  it("does no harm where it cannot be", async () => {
    const good = await run("process", "--no-cache", "v8.log");
    writeFileSync(home, "");
    expect(await run("process", "v8.log")).toEqual(good);
    rmSync(home);
    mkdirSync(cacheFolder(), { recursive: true });
    chmodSync(cacheFolder(), 0o500); // Root may write all the same.
    expect(await run("process", "v8.log")).toEqual(good);
    chmodSync(cacheFolder(), 0);
    expect(await run("process", "v8.log")).toEqual(good);
    chmodSync(cacheFolder(), 0o700);
    const nowhere = await ticks(["process", "v8.log"], {
      cwd: folder,
      env: { XDG_CACHE_HOME: "", HOME: "/dev/null" },
    });
    expect({ ...nowhere, signal: null }).toEqual(good);
  });

  it("is whole after runs at the same time", async () => {
    const good = await run("process", "--no-cache", "v8.log");
    const command = () => ticks(["process", "v8.log"], { cwd: folder, env: envOf(home) });
    for (const result of await Promise.all(Array.from({ length: 5 }, command))) {
      expect({ ...result, signal: null }).toEqual(good);
    }
    expect(names().filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

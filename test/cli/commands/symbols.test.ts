import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { ticks } from "../../helpers/cli.ts";
import { elfImage } from "../../helpers/elf-image.ts";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26, tickAt } from "../../helpers/logs.ts";
import { machOImage } from "../../helpers/mach-o-image.ts";
import { pdbImage } from "../../helpers/pdb-image.ts";
import { PE_IMAGE_SIZE, peImage } from "../../helpers/pe-image.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const NM = "0000000000401000 0000000000000042 T _ZN1a1bEv\n0000000000402000 0000000000000010 T uv_run\n";
const MAP = [
  " Preferred load address is 0000000140000000",
  " 0001:00000000       main                       0000000140001000 f   node.obj",
  " 0001:00001000       ?Lookup@JSObject@internal@v8@@QEAAXXZ 0000000140002000 f   objects.obj",
].join("\r\n");
const MAC_NM = "0000000100001000 T _main\n0000000100002000 T __ZN1a1bEv\n";

const folder = testFolder();
const run = (args: readonly string[], cwd = folder) => warmTicks(args, { cwd });
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
/** The ticks of each function, and of each library outside of its functions. */
const ticksOf = (report: string) =>
  Object.fromEntries(
    Array.from(
      report.split("[Summary]")[0]!.matchAll(/^ +(\d+) +[\d.]+% +(?:[\d.]+% +)?(\S.*)$/gm),
      ([, count, name]) => [name, Number(count)],
    ),
  );

beforeAll(() => {
  const two = ["/nowhere/bin/node,0x400000,0x500000", "/nowhere/lib/libuv.so,0x7f0000000000,0x7f0000011000"];
  write(
    "linux.log",
    logOf(
      ...NODE_26,
      ...two.map((library) => `shared-library,${library},0`),
      ...[0x401008, 0x401010, 0x402004, 0x7f0000001004].map(tickAt),
    ),
  );
  write(
    "windows.log",
    logOf(
      ...["v8-version,4,5,103,35,0", 'profiler,"begin",1000'],
      'shared-library,"C:\\Program Files\\nodejs\\node.exe",0x3f3a0000,0x40a00000',
      ...[0x13f3a1010, 0x13f3a2010, 0x13f3a2020, 0x150000000].map(tickAt),
    ),
  );
  // Of V8 12.1 on arm64: the slide, 0x10000, is in the addresses of libraries twice.
  write(
    "macos.log",
    logOf(
      ...NODE_26,
      "shared-library,/opt/node,0x100021000,0x100024000,65536",
      ...[0x100011010, 0x100012010, 0x100012020].map(tickAt),
    ),
  );
  write("node.nm", NM);
  write("libuv.nm.gz", gzipSync("0000000000001000 0000000000000010 T uv_poll\n"));
  write("node.map", MAP);
  write("mac.nm", MAC_NM);
});

describe("--symbols LIB=FILE", () => {
  it("of a library that has no ticks is told, and so is an nm that cannot be run", async () => {
    write("spare.nm", NM);
    const { stderr, status } = await run(["process", "linux.log", "--symbols", "nobody.so=spare.nm"]);
    expect(stderr).toContain(
      "ticks: --symbols nobody.so=… has no effect: no library of that name has ticks\n",
    );
    expect(status).toBe(0);
    expect(await run(["process", "linux.log", "--nm", "/nope"])).toMatchObject({
      stdout: "",
      status: 2,
      stderr: expect.stringContaining("cannot run --nm /nope"),
    });
  });

  it("names the functions of one library, given again those of another", async () => {
    const both = ["--symbols", "node=node.nm", "--symbols", "/nowhere/lib/libuv.so=libuv.nm.gz"];
    const { stdout, stderr, status } = await run(["process", ...both, "linux.log"]);
    expect(ticksOf(stdout)).toEqual({ "a::b()": 2, uv_run: 1, uv_poll: 1 });
    expect([stderr, status]).toEqual(["", 0]);
  });

  it("leaves the other libraries as they are", async () => {
    const { stdout, stderr } = await run(["process", "--symbols=node=node.nm", "linux.log"]);
    expect(ticksOf(stdout)).toEqual({ "a::b()": 2, uv_run: 1, "/nowhere/lib/libuv.so": 1 });
    expect(stderr).toMatch(/^ticks: no names for 1 tick in .*libuv\.so: it is not on this machine\n/);
  });

  it("takes the map of a Windows linker, and nm output of macOS", async () => {
    const windows = await run(["process", "--symbols", "NODE.EXE=node.map", "windows.log"]);
    expect(ticksOf(windows.stdout)).toEqual({ "v8::internal::JSObject::Lookup": 2, main: 1 });
    const mac = await run(["process", "--symbols", "node=mac.nm", "macos.log"]);
    expect(ticksOf(mac.stdout)).toEqual({ "a::b()": 2, main: 1 });
    expect([windows.stderr, mac.stderr]).toEqual(["", ""]);
  });

  it("goes with saved symbols of all libraries, and before them", async () => {
    const library = (path: string, name: string) => [
      `library ${path}`,
      "segment 0 0 2000",
      `1000 10 ${name}`,
    ];
    write(
      "all.symbols",
      [
        "ticks-symbols 1",
        ...library("/nowhere/bin/node", "old"),
        ...library("/nowhere/lib/libuv.so", "saved"),
      ]
        .map((line) => `${line}\n`)
        .join(""),
    );
    const { stdout } = await run([
      "process",
      "--symbols",
      "all.symbols",
      "--symbols",
      "node=node.nm",
      "linux.log",
    ]);
    expect(ticksOf(stdout)).toEqual({ "a::b()": 2, uv_run: 1, saved: 1 });
    const one = await run(["process", "--symbols", "libuv.so=all.symbols", "linux.log"]);
    expect(ticksOf(one.stdout)).toEqual({ "/nowhere/bin/node": 3, saved: 1 });
  });

  it("takes names with = in them for what is there", async () => {
    write("a=b.nm", NM);
    expect((await run(["process", "--symbols", "node=a=b.nm", "linux.log"])).stdout).toContain("a::b()");
    write(
      "c=d.symbols",
      "ticks-symbols 1\nlibrary /nowhere/bin/node\nsegment 0 400000 9000\n401000 42 whole\n",
    );
    expect((await run(["process", "--symbols", "c=d.symbols", "linux.log"])).stdout).toContain("whole");
  });

  it("takes large files", async () => {
    const symbol = (i: number) =>
      `${(0x410000 + i * 8).toString(16).padStart(16, "0")} 0000000000000008 t f${i}\n`;
    write("large.nm", NM + Array.from({ length: 40_000 }, (_, i) => symbol(i)).join(""));
    const { stdout } = await run(["process", "--symbols", "node=large.nm", "linux.log"]);
    expect(ticksOf(stdout)).toMatchObject({ "a::b()": 2, uv_run: 1 });
  });

  it("takes the library's binary, of any system", async () => {
    const code = { address: 0x100001000, size: 0x3000 };
    write("node-mac", machOImage({ code, symbols: [{ name: "__ZN1a1bEv", value: 0x100002000 }] }));
    write("node-linux", elfImage({ symbols: [{ name: "uv_poll", value: 0x1000, size: 0x10 }] }));
    write("addon.dll", peImage({ exports: [{ name: "napi_register", address: 0x1000 }] }));
    const image = `shared-library,C:\\\\app\\\\addon.node,0x7ff600000000,0x${(0x7ff600000000 + PE_IMAGE_SIZE).toString(16)},0`;
    write("addon.log", logOf(...NODE_26, image, tickAt(0x7ff600001010)));
    mkdirSync(join(folder, "other"), { recursive: true });
    // A binary alone is that of the library of its name.
    write("other/libuv.so", elfImage({ symbols: [{ name: "uv_poll", value: 0x1000, size: 0x10 }] }));
    const alone = await run(["process", "--symbols", "other/libuv.so", "linux.log"]);
    expect(ticksOf(alone.stdout)).toEqual({ uv_poll: 1, "/nowhere/bin/node": 3 });
    for (const [flag, log, wanted] of [
      ["node=node-mac", "macos.log", { "a::b()": 2, "/opt/node": 1 }],
      ["libuv.so=node-linux", "linux.log", { uv_poll: 1, "/nowhere/bin/node": 3 }],
      ["ADDON.NODE=addon.dll", "addon.log", { napi_register: 1 }],
    ] as const) {
      const { stdout, stderr } = await run(["process", "--symbols", flag, log]);
      expect(ticksOf(stdout)).toEqual(wanted);
      expect(stderr).not.toContain(flag.split("=")[1]);
    }
  });

  it("takes no names from a binary that did not write the log, unless it is told to", async () => {
    const image = machOImage({ symbols: [{ name: "_f", value: 0x100001000 }] });
    write("other-mac", image);
    const flags = ["--symbols", "node=other-mac", "macos.log"];
    const { stdout, stderr } = await run(["process", ...flags]);
    expect(ticksOf(stdout)).toEqual({ "/opt/node": 3 });
    expect(stderr).toContain("it is another file than in the log: its code has another size or address");
    expect(ticksOf((await run(["process", ...flags, "--force-symbols"])).stdout)).toMatchObject({ f: 1 });
    const linux = await run(["process", "--symbols", "node=other-mac", "linux.log"]);
    expect(linux.stderr).toContain("it is not a readable ELF file");
  });

  it("are not saved where the file is another one than in the log", async () => {
    const path = join(folder, "libz.so.1");
    writeFileSync(path, elfImage({ symbols: [{ name: "inflate", value: 0x1000, size: 0x40 }] }));
    const map = (end: string) => `shared-library,${path},0x7f0000000000,0x${end},0`;
    for (const [end, saved] of [
      ["7f0000011000", "inflate"],
      ["7f0000013000", undefined],
    ] as const) {
      write("z.log", logOf(...NODE_26, map(end), tickAt(0x7f0000001008)));
      const { stdout, stderr, status } = await run(["symbols", "z.log", "-o", "-"]);
      expect([status, stdout.includes("inflate")]).toEqual([0, saved !== undefined]);
      expect(stderr.includes("it is another file than in the log")).toBe(saved === undefined);
    }
  });

  it("reads standard input", async () => {
    const { stdout } = await ticks(["process", "--symbols", "node=-", "linux.log"], {
      cwd: folder,
      input: Buffer.from(NM),
    });
    expect(stdout).toContain("a::b()");
  });

  it("says which symbols cannot belong to their library", async () => {
    write("far.nm", "0000000000901000 0000000000000042 T far\n");
    const { stderr, status } = await run(["process", "--symbols", "node=far.nm", "linux.log"]);
    expect(stderr).toContain("ticks in /nowhere/bin/node: the given symbols are at other addresses");
    expect(status).toBe(0);
  });

  it("refuses other files, with what to do", async () => {
    write("other.txt", "hello\n");
    write("node.pdb", pdbImage({ guid: "00".repeat(16), age: 1 }));
    write("two.nm", `a (for architecture x86_64):\n${MAC_NM}\na (for architecture arm64):\n${MAC_NM}`);
    mkdirSync(join(folder, "directory"), { recursive: true });
    for (const [flag, message] of [
      ["node=other.txt", /^ticks: other\.txt: unknown symbol format\nUse the output of `nm -n -S LIB`/],
      ["node=two.nm", /^ticks: two\.nm: nm output of several files .*\nRun nm on one/],
      ["node.nm", /^ticks: node\.nm: not a symbols file\n.*--symbols LIB=FILE/],
      ["node=node.pdb", /^ticks: node\.pdb: a PDB is read with its binary\nPut both into one folder/],
      ["node=missing.nm", /^ticks: missing\.nm: no such file\n$/],
      ["node=directory", /^ticks: directory is a folder\n$/],
      ["=node.nm", /^ticks: --symbols =node\.nm: expected FILE or LIB=FILE\n$/],
      ["node=", /^ticks: --symbols node=: expected FILE or LIB=FILE\n$/],
    ] as const) {
      const { stdout, stderr, status } = await run(["process", "--symbols", flag, "linux.log"]);
      expect([stdout, status]).toEqual(["", 2]);
      expect(stderr).toMatch(message);
    }
  });
});

describe("ticks symbols", () => {
  for (const [log, flag] of [
    ["linux.log", "node=node.nm"],
    ["windows.log", "node.exe=node.map"],
    ["macos.log", "node=mac.nm"],
  ] as const) {
    it(`saves what was given: ${log} gives the same report from it`, async () => {
      const direct = await run(["process", "--symbols", flag, log]);
      for (const all of [[], ["--all"]]) {
        const saved = await run(["symbols", ...all, "--symbols", flag, log]);
        expect([saved.stdout, saved.status]).toEqual(["", 0]);
        expect(saved.stderr).toMatch(
          new RegExp(`^ticks: wrote 2 symbols of 1 libraries to ${log}\\.symbols\n$`),
        );
        expect(readFileSync(join(folder, `${log}.symbols`), "utf8")).toMatch(
          /^ticks-symbols 2 lines \d crc-32 [0-9a-f]{8}\nlibrary /,
        );
        expect(await run(["process", log])).toEqual(direct);
        rmSync(join(folder, `${log}.symbols`));
      }
    });
  }
});

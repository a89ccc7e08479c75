import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { labelOf } from "../src/facts/label.ts";
import type { AnalyzeOptions } from "../src/load/analyze.ts";
import { nameLibraries } from "../src/load/preprocess/vm-symbols.ts";
import { elfSymbols } from "../src/native/elf.ts";
import { readSavedSymbols } from "../src/native/saved-symbols.ts";
import { defaultSources } from "../src/native/sources.ts";
import { stackOf } from "../src/profile/call-tree.ts";
import { elfImage } from "./helpers/elf-image.ts";
import { testFolder } from "./helpers/folder.ts";
import { leavesOf, logOf, NODE_26, profileOf, tickAt } from "./helpers/logs.ts";
import { MACH_CODE, machOImage } from "./helpers/mach-o-image.ts";
import { pdbImage } from "./helpers/pdb-image.ts";
import { PE_IMAGE_SIZE, peImage } from "./helpers/pe-image.ts";

const assign = (library: string, text: string) => [
  { library, functions: readSavedSymbols(text, { name: library, library }) },
];

/** What the ticks of a log are in, with symbols given for one library. */
async function leaves(rows: readonly string[], library = "node", symbols?: string) {
  const assigned = symbols === undefined ? [] : assign(library, symbols);
  return leavesOf(await profileOf(logOf(...rows), { assigned }));
}

const MAP = [
  " Preferred load address is 0000000140000000",
  " Start         Length     Name                   Class",
  " 0001:00000000 00003000H .text                   CODE",
  "  Address         Publics by Value              Rva+Base               Lib:Object",
  " 0001:00000000       main                       0000000140001000 f   node.obj",
  " 0001:00001000       ?Lookup@JSObject@internal@v8@@QEAAXXZ 0000000140002000 f   objects.obj",
].join("\r\n");

describe("a log from Windows", () => {
  const NODE_14 = ["v8-version,8,4,371,23,-node.88,0", "profiler,begin,1000"];
  const image = "shared-library,C:\\\\Program Files\\\\nodejs\\\\node.exe,0x7ff6a0000000,0x7ff6a2000000,0";
  const node = "C:\\Program Files\\nodejs\\node.exe";

  it("has names from a linker's map", async () => {
    const rows = [...NODE_14, image, tickAt(0x7ff6a0001010), tickAt(0x7ff6a0002010), tickAt(0x7ff6a0004000)];
    expect(await leaves(rows, "NODE.EXE", MAP)).toEqual({
      main: 1,
      "v8::internal::JSObject::Lookup": 1,
      [node]: 1,
    });
  });

  it("has none without", async () => {
    const profile = await profileOf(logOf(...NODE_14, image, tickAt(0x7ff6a0001010)));
    expect(leavesOf(profile)).toEqual({ [node]: 1 });
    const problem =
      process.platform === "win32"
        ? { kind: expect.stringMatching(/^not-/) }
        : { kind: "other-system", system: "windows" };
    expect(profile.info.libraries).toMatchObject([{ path: node, problem }]);
  });

  describe("of Node 4, whose libraries are cut to 32 bits", () => {
    const NODE_4 = ["v8-version,4,5,103,35,0", 'profiler,"begin",1000'];
    const cut = 'shared-library,"C:\\Program Files\\nodejs\\node.exe",0x3f3a0000,0x40a00000';
    const f = 'code-creation,LazyCompile,0,0x93f3a1000,256,"f x.js:1",0xf1,*';

    it("is looked up by the low half of an address, for its names too", async () => {
      const rows = [...NODE_4, cut, tickAt(0x13f3a1010), tickAt(0x7ff63f3a2010), tickAt(0x3f3a1010)];
      expect(await leaves(rows, "node.exe", MAP)).toEqual({ main: 2, "v8::internal::JSObject::Lookup": 1 });
    });

    it("leaves alone what is anywhere else, or nowhere", async () => {
      const rows = [...NODE_4, cut, f, tickAt(0x93f3a1010), tickAt(0x150000000), tickAt(0)];
      expect(await leaves(rows, "node.exe", MAP)).toEqual({ "LazyCompile: *f x.js:1": 1, UNKNOWN: 2 });
      const gone = [...rows.slice(0, -3), "code-delete,0x93f3a1000", tickAt(0x93f3a1010)];
      expect(await leaves(gone)).toEqual({ UNKNOWN: 1 });
    });

    it("is not taken for cut when a library is above", async () => {
      const above = 'shared-library,"C:\\Windows\\ntdll.dll",0x77000000000,0x77000100000';
      expect(await leaves([...NODE_4, cut, above, tickAt(0x13f3a1010)])).toEqual({ UNKNOWN: 1 });
      expect(await leaves([...NODE_4, cut.replace("C:\\", "/c/"), tickAt(0x13f3a1010)])).toEqual({
        UNKNOWN: 1,
      });
    });
  });
});

describe("a log from macOS", () => {
  const SLIDE = 0x4a3c000;
  const NM = [
    "0000000100000000 T __mh_execute_header",
    "0000000100001000 T _main",
    "0000000100002000 T __ZN2v88internal4Heap14CollectGarbageEv",
    "0000000100003000 T _uv_run",
  ].join("\n");
  const hex = (value: number) => `0x${value.toString(16)}`;
  const row = (path: string, start: number, end: number, slide = SLIDE) =>
    `shared-library,${path},${hex(start)},${hex(end)},${slide}`;
  /** The rows of node and of a library with a slide of its own, their starts as `slides` times theirs above. */
  const libraries = (slides: number) => [
    row("/opt/homebrew/bin/node", 0x100001000 + slides * SLIDE, 0x100004000 + slides * SLIDE),
    row("/usr/lib/libSystem.B.dylib", 0x180001000 + slides * 0x1000, 0x180002000 + slides * 0x1000, 0x1000),
  ];
  const at = (link: number) => tickAt(link + SLIDE);
  const ticks = [at(0x100001008), at(0x100002008), at(0x100002010), at(0x100003008), tickAt(0x180002008)];
  const expected = {
    main: 1,
    "v8::internal::Heap::CollectGarbage()": 2,
    uv_run: 1,
    "/usr/lib/libSystem.B.dylib": 1,
  };

  it("has its libraries where it says, or lower by the slide where V8 added that twice", async () => {
    for (const slides of [1, 2]) {
      const rows = [...NODE_26, ...libraries(slides), ...ticks, tickAt(0x5000), tickAt(0)];
      expect(await leaves(rows, "node", NM)).toEqual({ ...expected, UNKNOWN: 2 });
    }
  });

  it("decides for the log as a whole", async () => {
    const twice = [...NODE_26, ...libraries(2), ...ticks, at(0x100002008 + SLIDE)];
    expect(await leaves(twice, "node", NM)).toEqual({ ...expected, UNKNOWN: 1 });
  });

  it("is resolved when a library with a slide comes after ticks, and in stacks", async () => {
    const f = "code-creation,JS,10,1,0x5000,256,f x.js:1:1,0xf1,~";
    const rows = [
      ...NODE_26,
      row("/opt/plain", 0x9000, 0xa000, 0),
      f,
      tickAt(0x9008),
      ...libraries(2),
      ...ticks,
      `tick,${hex(0x100001008 + SLIDE)},1,0,0x0,0,0x5001,${hex(0x100003008 + SLIDE)}`,
    ];
    const profile = await profileOf(logOf(...rows), { assigned: assign("node", NM) });
    expect(leavesOf(profile)).toEqual({ "/opt/plain": 1, ...expected, main: 2 });
    const stack = Array.from(stackOf(profile.tree, profile.samples.node[profile.samples.length - 1]!));
    expect(stack.map((frame) => labelOf(profile.frames[frame]!))).toEqual([
      "main",
      "JS: ~f x.js:1:1",
      "uv_run",
    ]);
  });

  it("tells of addresses in no library why, as ever", async () => {
    const f = "code-creation,JS,10,1,0x5000,256,f x.js:1:1,0xf1,~";
    const rows = [
      ...[...NODE_26, ...libraries(1), tickAt(0x5001), f, tickAt(0x5001), "code-move,0x5000,0x6000"],
      ...[tickAt(0x5001), tickAt(0x5001), tickAt(0), ...ticks],
    ];
    const { frames, samples, tree } = await profileOf(logOf(...rows));
    const reasons: Record<string, number> = {};
    for (let i = 0; i < samples.length; i++) {
      const frame = frames[tree.frame[samples.node[i]!]!]!;
      if (frame.kind === "unknown") reasons[frame.reason] = (reasons[frame.reason] ?? 0) + samples.ticks[i]!;
    }
    expect(reasons).toEqual({ unmapped: 1, "code-gone": 2, "no-pc": 1 });
  });

  it("still finds the copy of the builtins", async () => {
    const range = 0x7f0000000000;
    const copy = range + (512 << 20) - (256 << 10);
    const rows = [
      row("/nowhere/node", 0x300000 + 2 * SLIDE, 0x500000 + 2 * SLIDE),
      `new,CodeRange,${hex(range)},0`,
      `code-creation,Builtin,2,1,${hex(0x400100 + SLIDE)},256,First`,
      `code-creation,Builtin,2,1,${hex(0x402000 + SLIDE)},256,Last`,
      tickAt(0x300008 + SLIDE),
      tickAt(copy + 0x110),
      tickAt(copy + 0x2010),
    ];
    expect(await leaves([...NODE_26, ...rows])).toEqual({
      "/nowhere/node": 1,
      "Builtin: First": 1,
      "Builtin: Last": 1,
    });
  });

  it("of Node 6 has no slide in it; nm output shows it", async () => {
    const rows = [
      "v8-version,5,1,281,111,0",
      'profiler,"begin",1000',
      `shared-library,"/usr/local/bin/node",${hex(0x100001000 + SLIDE)},${hex(0x100004000 + SLIDE)}`,
      'shared-library,"/usr/lib/libSystem.B.dylib",0x7fff90001000,0x7fff90002000',
    ];
    expect(await leaves([...rows, ...ticks.slice(0, 4)], "/usr/local/bin/node", NM)).toEqual({
      main: 1,
      "v8::internal::Heap::CollectGarbage()": 2,
      uv_run: 1,
    });
  });
});

describe("a log from another system", () => {
  const folder = testFolder();
  let path = "";
  beforeAll(() => {
    path = join(folder, "node");
    writeFileSync(path, elfImage({ symbols: [{ name: "opened", value: 0x1000, size: 0x100 }] }));
  });
  const sources = [elfSymbols()];

  it.skipIf(process.platform !== "linux")("has none of its files opened, even if they are here", async () => {
    const own = `shared-library,${path},0x7f0000000000,0x7f0000011000,0`;
    const log = (...others: readonly string[]) =>
      profileOf(logOf(...NODE_26, own, ...others, tickAt(0x7f0000001010)), { sources });
    expect(leavesOf(await log())).toEqual({ opened: 1 });
    for (const [other, system] of [
      ["shared-library,/usr/lib/dyld,0x7fff00000000,0x7fff00001000,0", "macos"],
      ["shared-library,/opt/x,0x7fff00000000,0x7fff00001000,4096", "macos"],
      ["shared-library,C:\\\\x.dll,0x7fff00000000,0x7fff00001000,0", "windows"],
    ] as const) {
      const profile = await log(other);
      expect(leavesOf(profile)).toEqual({ [path]: 1 });
      expect(profile.info.libraries).toMatchObject([{ path, problem: { kind: "other-system", system } }]);
    }
  });

  it.skipIf(process.platform !== "linux")("neither when all of its libraries are read", async () => {
    const libraries = [path, "/usr/lib/dyld"].map((entry) => ({
      path: entry,
      start: 0x7f0000000000,
      end: 0x7f0000011000,
      slide: 0,
    }));
    const problems = async (list: typeof libraries) =>
      (await nameLibraries(list, { sources })).map(({ info }) => info.problem);
    expect(await problems(libraries.slice(0, 1))).toEqual([undefined]);
    const problem = { kind: "other-system", system: "macos" };
    expect(await problems(libraries)).toEqual([problem, problem]);
  });
});

describe("a log whose binaries are in a folder", () => {
  const target = testFolder();
  const hex = (value: number) => `0x${value.toString(16)}`;
  /** What the ticks are in, or why the first library is not named. */
  const named = async (rows: readonly string[], options: Partial<AnalyzeOptions> = {}) => {
    const profile = await profileOf(logOf(...rows), { target, sources: defaultSources(), ...options });
    return profile.info.libraries[0]?.problem ?? leavesOf(profile);
  };
  const V8 = "14.6.202.34-node.34";

  describe("of macOS", () => {
    const SLIDE = 0x4a3c000;
    const { address: CODE, size } = MACH_CODE;
    const write = (more = V8) =>
      writeFileSync(
        join(target, "node"),
        machOImage({
          symbols: [
            { name: "_main", value: CODE },
            { name: "__ZN2v88internal4Heap14CollectGarbageEv", value: CODE + 0x800 },
          ],
          uuid: "0123456789abcdef0123456789abcdef",
          more,
        }),
      );
    const row = (start: number, slide: number, bytes = size) =>
      `shared-library,/usr/local/bin/node,${hex(start)},${hex(start + bytes)},${slide}`;
    const dyld = "shared-library,/usr/lib/dyld,0x1a0000000,0x1a0001000,0";
    const ticks = [CODE + 8, CODE + 0x808, CODE + 0x810].map((link) => tickAt(link + SLIDE));
    const expected = { main: 1, "v8::internal::Heap::CollectGarbage()": 2 };

    it("has names, with the slide once, twice, or in no column", async () => {
      write();
      expect(await named([...NODE_26, row(CODE + SLIDE, SLIDE), ...ticks])).toEqual(expected);
      expect(await named([...NODE_26, row(CODE + 2 * SLIDE, SLIDE), ...ticks])).toEqual(expected);
      expect(await named([...NODE_26, row(CODE + SLIDE, 0), dyld, ...ticks])).toEqual(expected);
      expect(await named([...NODE_26, row(CODE, 0), dyld, tickAt(CODE)])).toEqual({ main: 1 });
    });

    it("has no names from another file, unless it is told to", async () => {
      const other = { kind: "other-code", buildId: "0123456789abcdef0123456789abcdef" };
      const wrong = [
        [row(CODE + SLIDE, SLIDE, size + 16)],
        [row(CODE + SLIDE + 16, SLIDE)],
        [row(CODE + SLIDE + 16, 0), dyld],
      ];
      for (const rows of wrong) {
        expect(await named([...NODE_26, ...rows, ...ticks])).toEqual(other);
      }
      const forced = await named([...NODE_26, ...wrong[0]!, ...ticks], { forceSymbols: true });
      expect(forced).toEqual(expected);
      write("12.4.254.21-node.57");
      expect(await named([...NODE_26, row(CODE + SLIDE, SLIDE), ...ticks])).toMatchObject({
        kind: "other-v8",
        found: "12.4.254.21-node.57",
      });
    });
  });

  describe("of Windows", () => {
    const BASE = 0x7ff6a0000000;
    const GUID = "00112233445566778899aabbccddeeff";
    const write = (more = V8) =>
      writeFileSync(
        join(target, "node.exe"),
        peImage({
          exports: [{ name: "?New@Isolate@v8@@SAPEAV12@XZ", address: 0x1800 }],
          pdb: { path: "node.pdb", guid: GUID, age: 1 },
          more,
        }),
      );
    const row = (size = PE_IMAGE_SIZE) =>
      `shared-library,C:\\\\Program Files\\\\nodejs\\\\node.exe,${hex(BASE)},${hex(BASE + size)},0`;
    const ticks = [0x1004, 0x1808, 0x4000].map((rva) => tickAt(BASE + rva));
    const node = "C:\\Program Files\\nodejs\\node.exe";

    it("has the names that it exports, and those of its PDB where that is beside it", async () => {
      write();
      const rows = [...NODE_26, row(), ...ticks];
      expect(await named(rows)).toEqual({ [node]: 2, "v8::Isolate::New(void)": 1 });
      writeFileSync(
        join(target, "node.pdb"),
        pdbImage({
          guid: GUID,
          age: 1,
          publics: [{ name: "?Free@Heap@internal@v8@@QEAAXXZ", offset: 0 }],
        }),
      );
      expect(await named(rows)).toEqual({
        [node]: 1,
        "v8::internal::Heap::Free(void)": 1,
        "v8::Isolate::New(void)": 1,
      });
    });

    it("has no names from another file, unless it is told to", async () => {
      const rows = [...NODE_26, row(PE_IMAGE_SIZE + 0x1000), tickAt(BASE + 0x1808)];
      expect(await named(rows)).toMatchObject({ kind: "other-code" });
      expect(await named(rows, { forceSymbols: true })).toEqual({ "v8::Isolate::New(void)": 1 });
      write("12.4.254.21-node.57");
      expect(await named([...NODE_26, row(), tickAt(BASE + 0x1808)])).toMatchObject({ kind: "other-v8" });
    });
  });
});

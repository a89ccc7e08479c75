import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { AnalyzeOptions } from "../../src/analyze.ts";
import type { LibraryProblem } from "../../src/profile/library-problem.ts";
import { elfSymbols } from "../../src/symbols/elf.ts";
import { machOSymbols } from "../../src/symbols/mach-o.ts";
import { readRecordedSymbols } from "../../src/symbols/recorded-symbols.ts";
import { readSavedSymbols } from "../../src/symbols/saved-symbols.ts";
import { nmSource } from "../../src/symbols/sources.ts";
import { adviceFor, coverageOf } from "../../src/views/coverage.ts";
import { problemWords } from "../../src/views/problem-words.ts";
import { unnamedLibraries } from "../../src/views/unnamed-libraries.ts";
import { elfImage, type SymbolSpec } from "../helpers/elf-image.ts";
import { logOf, NODE_26, profileOf, tickAt } from "../helpers/logs.ts";
import { machOImage } from "../helpers/mach-o-image.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const folder = mkdtempSync(join(tmpdir(), "ticks-advice-"));
afterAll(() => rmSync(folder, { recursive: true }));

const BASE = 0x7f0000000000;
const BUILD_ID = "0123456789abcdef";

/** A library of a log, and what is said of it. */
interface Case {
  /** What the log calls it. */
  readonly path: string;
  readonly rows?: readonly string[];
  readonly options?: Partial<AnalyzeOptions>;
  readonly problem: LibraryProblem;
  readonly advice: string;
}

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const library = (name: string, symbols: readonly SymbolSpec[], more = "") =>
  write(name, Buffer.concat([elfImage({ symbols, buildId: BUILD_ID }), Buffer.from(more)]));

const V8 = { name: "_ZN2v88internal4Heap4FreeEv", value: 0x1000, size: 0x100 };
const OTHER_BUILTINS = Array.from({ length: 30 }, (_, i) => ({
  name: `Builtins_Other${i}`,
  value: 0x1000 + 32 * i,
  size: 32,
}));
const BUILTIN_ROWS = OTHER_BUILTINS.map(
  ({ value }, i) => `code-creation,Builtin,2,1,0x${(BASE + value).toString(16)},32,Mine${i}`,
);
/** Of a file that is larger than the library. */
const ELSEWHERE = readSavedSymbols("0000000000001000 T f\n0000000000900000 T g\n", {
  name: "f.nm",
  library: "",
});

/** One for each kind: a kind that is new is none of these, and does not compile. */
const CASES: { [Kind in LibraryProblem["kind"]]: () => Case } = {
  "not-found": () => ({
    path: "/nowhere/lib.so",
    problem: { kind: "not-found" },
    advice:
      "it is not on this machine. Run `ticks symbols LOG` on the machine that recorded it, or pass --target DIR.",
  }),
  "not-readable": () => {
    const path = join(folder, "loop.so");
    symlinkSync(path, path);
    return {
      path,
      problem: { kind: "not-readable", code: "ELOOP" },
      advice: "it cannot be read (ELOOP). Make it readable, or pass --symbols LIB=FILE.",
    };
  },
  "not-a-regular-file": () => {
    const path = join(folder, "folder.so");
    mkdirSync(path);
    return {
      path,
      problem: { kind: "not-a-regular-file" },
      advice: "it is not a regular file. Pass its symbols with --symbols LIB=FILE.",
    };
  },
  "not-elf": () => ({
    path: write("script.so", "#!/bin/sh\n"),
    problem: { kind: "not-elf" },
    advice: "it is not a readable ELF file. Pass its symbols with --symbols LIB=FILE.",
  }),
  damaged: () => ({
    path: write("addon.node", Buffer.from("cffaedfe", "hex")),
    problem: { kind: "damaged", format: "Mach-O" },
    advice: "it is not a readable Mach-O file. Pass its symbols with --symbols LIB=FILE.",
  }),
  "not-absolute": () => ({
    path: "lib.so",
    problem: { kind: "not-absolute" },
    advice: "its path is not absolute. Pass its symbols with --symbols LIB=FILE.",
  }),
  "other-system": () => ({
    path: "C:\\x.dll",
    problem: { kind: "other-system", system: "windows" },
    advice:
      "the log is from Windows. Copy it here with its .pdb, and pass --target DIR or --symbols LIB=FILE.",
  }),
  "other-v8": () => ({
    path: library("other-v8.so", [V8], "\0v12.4.254.21-node.57\0"),
    problem: { kind: "other-v8", found: "12.4.254.21-node.57", logged: "14.6.202.34-node.34" },
    advice:
      "it is not the binary that wrote the log: it contains V8 12.4.254.21-node.57, the log is from 14.6.202.34-node.34. Process the log with the binary that wrote it.",
  }),
  "other-build": () => ({
    path: library("other-build.so", OTHER_BUILTINS),
    rows: BUILTIN_ROWS,
    problem: { kind: "other-build", buildId: BUILD_ID },
    advice:
      "it is not the binary that wrote the log: its builtins are at other addresses. Process the log with the binary that wrote it.",
  }),
  "other-code": () => ({
    path: write("other.node", machOImage({ uuid: BUILD_ID.repeat(2), symbols: [] })),
    options: { sources: [machOSymbols()] },
    problem: { kind: "other-code", buildId: BUILD_ID.repeat(2) },
    advice:
      "it is another file than in the log: its code has another size or address. Run `ticks symbols LOG` on the machine that recorded it, or pass --target DIR.",
  }),
  "other-id": () => {
    const path = library("other-id.so", []);
    const saved = ["ticks-symbols 1", `library ${path}`, "build-id ab01", ""].join("\n");
    return {
      path,
      options: { recorded: readRecordedSymbols(saved, "a.symbols") },
      problem: { kind: "other-id", buildId: BUILD_ID },
      advice:
        "it is another file than in the log: its build id is not the one saved with the symbols. Run `ticks symbols LOG` on the machine that recorded it, or pass --target DIR.",
    };
  },
  "no-symbols": () => ({
    path: library("stripped.so", []),
    problem: { kind: "no-symbols" },
    advice: "it has no symbols. Install its debug symbols, or pass --symbols LIB=FILE.",
  }),
  "tool-failed": () => ({
    path: library("nm.so", []),
    options: { sources: [nmSource({ program: "/nowhere/nm" }), elfSymbols()] },
    problem: { kind: "tool-failed", tool: "/nowhere/nm" },
    advice: "/nowhere/nm cannot be run. Omit --nm, or install the library's debug symbols.",
  }),
  "tool-stopped": () => {
    const program = write("endless-nm", "#!/bin/sh\n[ $# = 1 ] || exec sleep 20\n");
    chmodSync(program, 0o755);
    const nm = nmSource({ program, limits: { milliseconds: 200, bytes: 1000 } });
    return {
      path: library("endless.so", []),
      options: { sources: [nm, elfSymbols()] },
      problem: { kind: "tool-stopped", tool: program },
      advice: `${program} took too long or printed too much, and was stopped. Omit --nm, or save its output and pass --symbols LIB=FILE.`,
    };
  },
  elsewhere: () => ({
    path: library("elsewhere.so", []),
    options: { assigned: [{ library: "elsewhere.so", functions: ELSEWHERE }] },
    problem: { kind: "elsewhere" },
    advice:
      "the given symbols are at other addresses. Save them again from the exact file that the log was recorded with.",
  }),
};

/** The advice on a log with ticks in one library, and the problem that it is about. */
async function adviceOn({ path, rows = [], options }: Omit<Case, "problem" | "advice">) {
  const row = `shared-library,${path.replaceAll("\\", "\\\\")},0x7f0000000000,0x7f0000011000,0`;
  const log = logOf(...NODE_26, row, ...rows, tickAt(BASE + 0x1f00));
  const profile = await profileOf(log, { sources: [elfSymbols()], ...options });
  return { advice: adviceFor(profile, coverageOf(profile)), problem: profile.info.libraries[0]?.problem };
}

describe.skipIf(process.platform !== "linux")("what is said of a library that", () => {
  it.each(Object.entries(CASES))("is %s", async (_, make) => {
    const { problem, advice, ...log } = make();
    expect(await adviceOn(log)).toEqual({ problem, advice: [`No names for ${log.path}: ${advice}`] });
  });

  it("holds a V8 whose version it does not tell", async () => {
    const path = library("no-version.so", [V8]);
    const { problem, advice } = await adviceOn({ path });
    expect(problem).toEqual({ kind: "other-v8", found: undefined, logged: "14.6.202.34-node.34" });
    expect(advice[0]).toContain("it contains V8 another version, the log is from");
  });

  // Rows of code without times, and no version: V8 3.28 or older, that of Node 0.x.
  it("is of Node 10 or later, where the log is too old to state a version", async () => {
    const code = 'code-creation,LazyCompile,0,0x1000,256,"f /srv/a.js:3",0x500,*';
    const adviceOnOld = async (path: string, options: Partial<AnalyzeOptions> = {}) => {
      const row = `shared-library,"${path}",0x7f0000000000,0x7f0000011000`;
      const log = logOf('profiler,"begin",1', row, code, "tick,0x7f0000001010,0xffd0,0,0x0,0");
      const { info } = await profileOf(log, { sources: [elfSymbols()], ...options });
      return info.libraries[0]!;
    };
    const path = library("node-26", [V8], "\0v14.6.202.34-node.34\0");
    const { problem, source } = await adviceOnOld(path);
    expect(source).toBeUndefined();
    expect(problem).toEqual({ kind: "other-v8", found: "14.6.202.34-node.34", logged: undefined });
    expect(problemWords(path, problem!).sentence).toBe(
      "it is not the binary that wrote the log: it contains V8 14.6.202.34-node.34, the log is from V8 3.28 or older",
    );
    expect((await adviceOnOld(path, { forceSymbols: true })).source).toBe("elf");
    // The binary of Node 0.10 has its version without a mark, and libraries without V8 have none.
    expect((await adviceOnOld(library("node-0.10", [V8], "\x003.14.5.9\0"))).source).toBe("elf");
    expect((await adviceOnOld(library("libc.so", [{ ...V8, name: "malloc" }]))).source).toBe("elf");
  });

  it("is mapped several times", async () => {
    const path = "/nowhere/lib.so";
    const rows = [`shared-library,${path},0x10000,0x20000,0`, `shared-library,${path},0x50000,0x60000,0`];
    const profile = await profileOf(logOf(...NODE_26, ...rows, tickAt(0x10010), tickAt(0x50010)));
    const { libraries } = coverageOf(profile);
    expect(libraries.map(({ path, named, unnamed }) => [path, named, unnamed])).toEqual([[path, 0, 2]]);
    const advice = adviceFor(profile, coverageOf(profile));
    expect(advice.filter((text) => text.startsWith(`No names for ${path}`))).toHaveLength(1);
    expect(unnamedLibraries(profile)).toHaveLength(1);
  });

  it.each(["/usr/lib/system/libsystem_kernel.dylib", "/System/Library/Frameworks/A.framework/A"])(
    "is in the shared cache of macOS: %s",
    async (path) => {
      const { advice } = await adviceOn({ path });
      expect(advice[0]).toContain("it is in the shared cache of macOS, not in a file. Leave it, or");
    },
  );

  it("is not trusted, when it is to be trusted all the same", async () => {
    for (const path of ["other-v8.so", "other-build.so"].map((name) => join(folder, name))) {
      const { problem } = await adviceOn({ path, rows: BUILTIN_ROWS, options: { forceSymbols: true } });
      expect(problem).toBeUndefined();
    }
  });
});

describe("adviceFor", () => {
  it("has nothing to say of a good profile", () => {
    const profile = profileFromStacks("js:a", "cpp:f");
    expect(adviceFor(profile, coverageOf(profile))).toEqual([]);
  });

  it("says that there are no ticks", () => {
    const profile = profileFromStacks();
    expect(adviceFor(profile, coverageOf(profile))).toHaveLength(1);
  });
});

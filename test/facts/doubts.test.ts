import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { categories } from "../../src/facts/breakdown.ts";
import { coverageOf, mostlyIdle } from "../../src/facts/coverage.ts";
import { type Doubt, doubtsOf, doubtText, doubtTexts, warningsOf } from "../../src/facts/doubts.ts";
import { missingCallersNote } from "../../src/facts/missing-callers.ts";
import { problemWords } from "../../src/facts/problem-words.ts";
import { systemCallTicks } from "../../src/facts/system-calls.ts";
import { unnamedLibraries } from "../../src/facts/unnamed-libraries.ts";
import type { AnalyzeOptions } from "../../src/load/analyze.ts";
import { elfSymbols } from "../../src/native/elf.ts";
import { machOSymbols } from "../../src/native/mach-o.ts";
import { readRecordedSymbols } from "../../src/native/recorded-symbols.ts";
import { readSavedSymbols } from "../../src/native/saved-symbols.ts";
import { nmSource } from "../../src/native/sources.ts";
import { CATEGORIES } from "../../src/profile/categories.ts";
import type { LibraryProblem } from "../../src/profile/library-problem.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { MissingCallers, Profile } from "../../src/profile/profile.ts";
import type { Sampling } from "../../src/profile/sampling.ts";
import { plainly } from "../../src/render/spoken.ts";
import { adviceFor } from "../../src/reports/doctor.ts";
import { elfImage, type SymbolSpec } from "../helpers/elf-image.ts";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26, profileOf, tickAt } from "../helpers/logs.ts";
import { machOImage } from "../helpers/mach-o-image.ts";
import { profileFromStacks } from "../helpers/stacks.ts";
import { profileOverTime } from "../helpers/timed-stacks.ts";

describe("trust", () => {
  it("puts every tick into one category", () => {
    const profile = profileFromStacks(
      "js:a",
      "js:a builtin:B",
      "cpp:f",
      "cpp:g",
      "lib:/x.so",
      "lib:[vdso]",
      "?",
      "js:a ?",
    );
    const { breakdown, ticks, unknown } = coverageOf(profile);
    const byCategory = Object.fromEntries(breakdown.map((row) => [row.category, row.ticks]));
    expect(byCategory).toEqual({
      js: 1,
      builtins: 1,
      native: 2,
      kernel: 1,
      idle: 0,
      "no-symbol": 1,
      "no-pc": 0,
      "builtin-gap": 0,
      "code-gone": 0,
      unmapped: 2,
    });
    expect([ticks, unknown]).toEqual([8, 3]);
  });

  it("has idle ticks apart: they are no ticks without a function, whatever the thread waited in", () => {
    const idle = ["idle:?", "idle:lib:/ntdll.dll", "idle:cpp:wait"];
    const profile = profileFromStacks("js:a", "js:a ?", ...idle);
    const { breakdown, ticks, unknown, libraries } = coverageOf(profile);
    const shown = breakdown.filter((row) => row.ticks > 0).map((row) => [row.category, row.ticks]);
    expect(shown).toEqual([
      ["js", 1],
      ["idle", 3],
      ["unmapped", 1],
    ]);
    expect([ticks, unknown, libraries]).toEqual([5, 1, []]);
    expect(warningsOf(profile)).toContainEqual({ kind: "idle", ticks: 3, percent: 60 });
    expect(mostlyIdle(profileFromStacks("js:a", "idle:?"))).toBeUndefined();
    const info = {
      ...profile.info,
      libraries: [
        {
          path: "/ntdll.dll",
          buildId: undefined,
          source: undefined,
          symbols: 0,
          problem: { kind: "not-found" as const },
        },
      ],
    };
    expect(unnamedLibraries({ ...profile, info })).toEqual([]);
  });

  it("counts for each library the ticks with and without a name, most first", () => {
    const profile = profileFromStacks("lib:/x.so", "cpp:f", "cpp:g");
    const library = (path: string) => ({
      path,
      buildId: "ab",
      source: "elf",
      symbols: 9,
      problem: undefined,
    });
    const info = { ...profile.info, libraries: [library("/x.so"), library("/bin/node")] };
    expect(
      coverageOf({ ...profile, info }).libraries.map(({ path, named, unnamed }) => [path, named, unnamed]),
    ).toEqual([
      ["/bin/node", 2, 0],
      ["/x.so", 0, 1],
    ]);
  });
});

const folder = testFolder();

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
      "it is not on this machine. Run `ticks symbols LOG` on the machine that recorded it, or pass a copy of the file with --symbols FILE.",
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
      "it is another file than in the log: its code has another size or address. Run `ticks symbols LOG` on the machine that recorded it, or pass a copy of the file with --symbols FILE.",
  }),
  "other-id": () => {
    const path = library("other-id.so", []);
    const saved = ["ticks-symbols 1", `library ${path}`, "build-id ab01", ""].join("\n");
    return {
      path,
      options: { recorded: readRecordedSymbols(saved, "a.symbols") },
      problem: { kind: "other-id", buildId: BUILD_ID },
      advice:
        "it is another file than in the log: its build id is not the one saved with the symbols. Run `ticks symbols LOG` on the machine that recorded it, or pass a copy of the file with --symbols FILE.",
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
  // One tick is few, too.
  const advice = adviceFor(profile, coverageOf(profile)).filter((line) => !line.startsWith("Only 1 tick."));
  return { advice, problem: profile.info.libraries[0]?.problem };
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
    expect(plainly(problemWords(path, problem!).sentence, {})).toBe(
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
    const profile = profileFromStacks(
      ...new Array<string>(60).fill("js:a"),
      ...new Array<string>(60).fill("cpp:f"),
    );
    expect(adviceFor(profile, coverageOf(profile))).toEqual([]);
  });

  it("names the option for more samples where Node has one", () => {
    const few = profileFromStacks("js:a");
    const advice = (input?: "pprof" | "cpuprofile") => {
      const profile = { ...few, info: { ...few.info, ...(input && { input }) } };
      return adviceFor(profile, coverageOf(profile))[0];
    };
    expect(advice()).toContain("--prof-sampling-interval=100");
    expect(advice("cpuprofile")).toContain("--cpu-prof-interval=100");
    expect(advice("pprof")).toMatch(/ Run longer, or sample more often\.$/);
  });

  it("says that there are no ticks", () => {
    const profile = profileFromStacks();
    expect(adviceFor(profile, coverageOf(profile))).toHaveLength(1);
  });
});

describe("missingCallersNote", () => {
  function profileOf(missingCallers: MissingCallers, embedder = "-node.30", major = 13): Profile {
    const profile = profileFromStacks("js:a");
    return {
      ...profile,
      info: { ...profile.info, v8: [{ major, minor: 6, build: 0, patch: 0, embedder }], missingCallers },
    };
  }
  const SOME: MissingCallers = { callers: 200, missing: 83, ticks: 40, belowProgram: 30, interpreted: 2 };

  const missingText = (profile: Profile) => plainly(doubtTexts(profile, "missing-callers")[0]!, {});

  it("says how to see the functions of Node's snapshot", () => {
    const note = missingCallersNote(profileOf(SOME))!;
    expect(note).toMatchObject({ callers: 200, missing: 83, percent: 41.5, isSnapshot: true });
    expect(missingText(profileOf(SOME))).toBe(
      "83 of 200 callers (41.5%) are missing: functions of Node's startup snapshot. Record with --no-node-snapshot to see them.",
    );
  });

  it("knows of no snapshot in Deno and in old Node", () => {
    for (const profile of [profileOf(SOME, "-rusty"), profileOf(SOME, "-node.1", 9)]) {
      expect(missingText(profile)).toBe(
        "83 of 200 callers (41.5%) are missing: the log has no rows of their code.",
      );
    }
  });

  it("is not there for few", () => {
    const ticks = (count: number, belowProgram: number) => {
      const { info, ...profile } = profileOf({ ...SOME, belowProgram });
      return { ...profile, info: { ...info, ticks: count } };
    };
    expect(missingCallersNote(ticks(1000, 49))).toBeUndefined();
    expect(missingCallersNote(ticks(1000, 50))).toBeDefined();
    // All are above the program, as on nearly every stack of Node 22 and later.
    expect(missingCallersNote(ticks(100, 0))).toBeUndefined();
    expect(
      missingCallersNote(profileOf({ callers: 0, missing: 0, ticks: 0, belowProgram: 0, interpreted: 0 })),
    ).toBeUndefined();
    expect(missingCallersNote(profileFromStacks("js:a"))).toBeUndefined();
  });

  it("is a warning and an advice, and sums over logs", () => {
    const both = mergeProfiles([profileOf(SOME), profileOf(SOME)]);
    expect(both.info.missingCallers).toEqual({
      callers: 400,
      missing: 166,
      ticks: 80,
      belowProgram: 60,
      interpreted: 4,
    });
    expect(warningsOf(both)).toContainEqual(
      expect.objectContaining({ kind: "missing-callers", missing: 166, callers: 400 }),
    );
    expect(adviceFor(both, coverageOf(both)).at(-1)).toMatch(/^166 of 400 callers \(41\.5%\)/);
  });
});

/** A profile of so many ticks with this sampling. */
function sampled(sampling: Partial<Sampling>, ...stacks: readonly string[]): Profile {
  const profile = profileFromStacks(...(stacks.length > 0 ? stacks : new Array<string>(200).fill("js:a")));
  const { info } = profile;
  return { ...profile, info: { ...info, sampling: { ...info.sampling, asked: 1000, ...sampling } } };
}

const SAMPLING: readonly Doubt["kind"][] = ["bursts", "no-cpu", "system-calls", "dependent-ticks"];

const samplingDoubts = (profile: Profile) => doubtsOf(profile).filter(({ kind }) => SAMPLING.includes(kind));

const textsOf = (profile: Profile) =>
  samplingDoubts(profile).map((doubt) => plainly(doubtText(doubt, profile.info), {}));

describe("doubts of sampling", () => {
  it("has none for calm logs", () => {
    expect(samplingDoubts(sampled({ span: 200_000, gapTime: 39_000, gaps: 2, bunched: 19 }))).toEqual([]);
    expect(samplingDoubts(profileFromStacks())).toEqual([]);
  });

  it("says which ticks came in bursts", () => {
    expect(textsOf(sampled({ bunched: 50 }))).toEqual([
      "25.0% of the ticks came in bursts, within 0.300 ms of the one before: their times are when V8 wrote them, not when they were taken.",
    ]);
    expect(samplingDoubts(sampled({ bunched: 50, usual: 16_000 }))).toMatchObject([{ withinUs: 4800 }]);
  });

  it("does not say that a thread slept, which may have had no CPU", () => {
    expect(textsOf(sampled({ span: 1_000_000, gapTime: 450_000, gaps: 3 }))).toEqual([
      "No tick came in 45% of the time (0.45 of 1.00 s): the thread slept, or had no CPU.",
    ]);
  });

  it("says that system calls have too many ticks", () => {
    const stacks = [
      ...new Array<string>(180).fill("js:a"),
      ...new Array<string>(20).fill("js:a libc:__write"),
    ];
    expect(textsOf(sampled({}, ...stacks))).toEqual([
      "10.0% of the ticks are in system calls, most in write: these get more ticks than CPU time, so their share is too high.",
    ]);
  });

  it("says how much dependent ticks tell", () => {
    const ticks = Array.from({ length: 1000 }, (_, i) => [i * 1000, i < 500 ? "js:a" : "js:b"] as const);
    const [doubt, ...others] = samplingDoubts(profileOverTime(...ticks));
    expect(others).toEqual([]);
    expect(doubt).toMatchObject({ kind: "dependent-ticks", ticks: 1000 });
    expect(doubt?.kind === "dependent-ticks" && doubt.effectiveTicks).toBeLessThan(100);
    const mixed = Array.from({ length: 1000 }, (_, i) => [i * 1000, i % 2 === 0 ? "js:a" : "js:b"] as const);
    expect(samplingDoubts(profileOverTime(...mixed))).toEqual([]);
  });

  it("is among the warnings and the advice", () => {
    const profile = sampled({ bunched: 50 });
    expect(warningsOf(profile)).toContainEqual(expect.objectContaining({ kind: "bursts", ticks: 50 }));
    expect(adviceFor(profile, coverageOf(profile)).join()).toContain("25.0% of the ticks came in bursts");
  });
});

describe("advice on a slow sampler", () => {
  const SLOW = { usual: 1700, got: 1700 };
  const adviceOf = (profile: Profile) => adviceFor(profile, coverageOf(profile)).join("\n");

  it("says that percentages hold where they do", () => {
    expect(adviceOf(sampled(SLOW))).toContain("Percentages are still valid, but there are fewer ticks.");
  });

  it("does not say so of few ticks, unknown functions, lost ticks and system calls", () => {
    const calls = [...new Array<string>(150).fill("js:a"), ...new Array<string>(50).fill("js:a libc:read")];
    const unknown = [...new Array<string>(150).fill("js:a"), ...new Array<string>(50).fill("js:a ?")];
    for (const profile of [
      sampled(SLOW, "js:a", "js:b"),
      sampled({ ...SLOW, overflows: 1 }),
      sampled(SLOW, ...calls),
      sampled(SLOW, ...unknown),
    ]) {
      expect(adviceOf(profile)).toContain("There are fewer ticks.");
      expect(adviceOf(profile)).not.toContain("valid");
    }
  });
});

describe("advice on lines", () => {
  it("says which ticks have a caller that lost its line", () => {
    const profile = sampled({});
    const lost = { ...profile, info: { ...profile.info, lostLines: 9 } };
    expect(adviceFor(lost, coverageOf(lost))).toEqual([
      "4.5% of the ticks have a caller without its line: V8 deoptimized it while it called.",
    ]);
  });
});

/** The system calls of a profile whose native functions are in another library. */
function inLibrary(library: string, ...stacks: readonly string[]) {
  const profile: Profile = profileFromStacks(...stacks);
  const frames = profile.frames.map((frame) => (frame.kind === "native" ? { ...frame, library } : frame));
  return systemCallTicks({ ...profile, frames });
}

describe("systemCallTicks", () => {
  it("knows calls under all their names in C libraries", () => {
    const names = [
      "__GI___lll_lock_wake",
      "pthread_cond_signal@@GLIBC_2.3.2",
      "getdents64@@GLIBC_2.30",
      "__open64_nocancel",
      "__libc_write",
      "epoll_pwait@@GLIBC_2.6",
      "syscall@@GLIBC_2.2.5",
      "brk",
    ];
    for (const name of names)
      expect(systemCallTicks(profileFromStacks(`js:a libc:${name}`))?.ticks, name).toBe(1);
  });

  it("counts leaves only, and names the call with most of them", () => {
    const profile = profileFromStacks(
      "js:a libc:read",
      "js:a libc:__read",
      "js:a libc:write",
      "js:a libc:write",
      "js:a libc:write",
      "js:a libc:read js:b",
      "js:read",
      "js:a libc:memcpy",
    );
    expect(systemCallTicks(profile)).toEqual({ ticks: 5, percent: 62.5, most: "write" });
  });

  it("takes no other function for one", () => {
    for (const name of [
      "v8::internal::read(int)",
      "_int_malloc",
      "reader",
      "thread",
      "uv__read",
      "NtFoo",
      "64",
    ]) {
      expect(systemCallTicks(profileFromStacks(`js:a libc:${name}`)), name).toBeUndefined();
    }
  });

  it("knows the kernel's own code, and the calls of macOS and Windows", () => {
    expect(systemCallTicks(profileFromStacks("js:a lib:[vdso]"))).toMatchObject({ ticks: 1, most: "[vdso]" });
    expect(inLibrary("/usr/lib/system/libsystem_kernel.dylib", "js:a libc:kevent64_id")?.ticks).toBe(1);
    expect(
      inLibrary("C:\\Windows\\System32\\ntdll.dll", "libc:NtReadFile", "libc:RtlAllocateHeap")?.ticks,
    ).toBe(1);
  });
});

/** The category of a stack's tick. */
function categoryOf(stack: string): string {
  const [index] = categories(profileFromStacks(stack));
  return CATEGORIES[index!]!.category;
}

describe("the profiler's own work", () => {
  it.each([
    "js:f cpp:v8::internal::V8FileLogger::EnsureLogScriptSource(v8::internal::Script)",
    "js:f cpp:v8::internal::Logger::CodeMoveEvent(unsigned·char*,·unsigned·char*)",
    "js:f cpp:v8::internal::Log::MessageBuilder::WriteToLogFile()",
    "js:f cpp:v8::internal::LogFile::MessageBuilder&·v8::internal::LogFile::MessageBuilder::operator<<·<void*>(void*)",
    "js:f cpp:v8::internal::Runtime_CompileLazy(int) cpp:v8::internal::LogFile::MessageBuilder::AppendCharacter(char)",
    "js:f cpp:v8::internal::LogFile::WriteLogHeader() libc:memcpy",
    "gc:cpp:v8::internal::Logger::CodeMoveEvent(unsigned·char*)",
    "bytecode-compiler:js:f cpp:v8::internal::V8FileLogger::FeedbackVectorEvent(int)",
  ])("is a writer of the log, on the stack since the last JavaScript: %s", (stack) => {
    expect(categoryOf(stack)).toBe("profiler");
  });

  it.each([
    "js:f cpp:v8::internal::Runtime_CompileLazy(int) libc:_IO_fwrite@@GLIBC_2.2.5",
    "js:f cpp:v8::internal::Runtime_CompileLazy(int) libc:__write@@GLIBC_2.2.5",
    "builtin:B cpp:v8::internal::Runtime_CompileOptimized(int) libc:_IO_file_xsputn@@GLIBC_2.2.5",
    "js:f cpp:v8::internal::Runtime_CompileLazy(int) libc:std::ostream::sentry::sentry(std::ostream&)@@GLIBCXX_3.4",
    "js:f cpp:v8::internal::Runtime_CompileLazy(int) cpp:v8::internal::OFStreamBase::xsputn(char·const*,·long)",
    "bytecode-compiler:js:f libc:fwrite",
    "gc:libc:__GI___libc_write",
  ])("is a file or stream that V8 itself writes: %s", (stack) => {
    expect(categoryOf(stack)).toBe("profiler");
  });

  it.each([
    "js:f cpp:node::fs::WriteString(v8::FunctionCallbackInfo<v8::Value>·const&) libc:__write@@GLIBC_2.2.5",
    "js:f libc:__write@@GLIBC_2.2.5",
    "external:js:f cpp:v8::internal::Builtin_HandleApiCall(int) libc:__write@@GLIBC_2.2.5",
    "js:f cpp:v8::internal::Builtin_DatePrototypeToUTCString(int) libc:__vfprintf_internal",
    "js:f cpp:v8::internal::Runtime_CompileLazy(int) libc:memcpy",
    "js:f cpp:v8::internal::CodeEventDispatcher::AddListener(v8::internal::Logger::Listener*)",
    "js:f cpp:v8::internal::LoggerFactory::make()",
    "cpp:v8::internal::LogFile::Close() js:f cpp:node::Work()",
  ])("is not what others write, print to memory or do with a log: %s", (stack) => {
    expect(categoryOf(stack)).toBe("native");
  });

  it("is no JavaScript that it called", () => {
    expect(categoryOf("cpp:v8::internal::LogFile::Close() js:f")).toBe("js");
  });
});

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Analysis } from "../../src/facts/analysis.ts";
import { startupOf } from "../../src/facts/startup.ts";
import { loadRowsOf, type ModuleRow, moduleRows } from "../../src/facts/startup-groups.ts";
import type { Until } from "../../src/facts/startup-mark.ts";
import { analyze } from "../../src/load/analyze.ts";
import { PLAIN } from "../../src/render/style.ts";
import { textLines } from "../../src/render/text.ts";
import { STARTUP } from "../../src/reports/startup.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

const OPTIONS = { inlines: true, inferred: true, timeline: true, startup: true } as const;
const LOADED: Until = { kind: "loaded" };

function recorded(name: string): Buffer {
  return gunzipSync(
    readFileSync(fileURLToPath(new URL(`../../fixtures/startup/${name}.log.gz`, import.meta.url))),
  );
}

async function startup(log: Uint8Array, until: Until = LOADED) {
  const profile = await profileOf(log, { ...OPTIONS, readSourceMap: async () => undefined });
  const found = startupOf(profile, until);
  if (found === undefined) throw new Error("nothing has this name");
  const own = found.modules.reduce((sum, { self }) => sum + self, 0);
  const others = Object.values(found.other).reduce((sum, ticks) => sum + ticks, 0);
  expect(own + others).toBe(found.ticks);
  expect(found.packages.reduce((sum, { self }) => sum + self, 0)).toBe(own);
  expect(Object.values(found.phases).reduce((sum, ticks) => sum + ticks, 0)).toBe(own);
  return found;
}

describe("a module that takes 50 ms", () => {
  it.each([
    ["commonjs-16", "slowpkg", "/srv/app/node_modules/slowpkg/index.js"],
    ["commonjs-26", "slowpkg", "/srv/app/node_modules/slowpkg/index.js"],
    ["modules-20", "slowesm", "file:///srv/app/node_modules/slowesm/index.js"],
    ["mixed-24", "slowesm", "file:///srv/app/node_modules/slowesm/index.js"],
    ["typescript-18", "tspkg", "/srv/app/node_modules/tspkg/src/index.ts"],
    ["esbuild-24", "slowesm", "file:///srv/app/es-esm/out.mjs/node_modules/slowesm/index.js"],
    ["esbuild-map-26", "slowpkg", "/srv/app/node_modules/slowpkg/index.js"],
    ["webpack-22", "slowpkg", "/srv/app/wp-dev/out.js/node_modules/slowpkg/index.js"],
  ])("is first with its package in %s", async (name, packageName, file) => {
    const { modules, packages, ticks } = await startup(recorded(name));
    expect(modules[0]).toMatchObject({ file, origin: { kind: "deps", name: packageName } });
    expect(packages[0]).toMatchObject({ origin: { name: packageName }, modules: 1, used: 0 });
    expect(modules[0]!.phases.run).toBeGreaterThan(20);
    expect(modules[0]!.phases.run).toBeLessThan(ticks);
  });

  it("is a part of what loads it", async () => {
    const { loads } = await startup(recorded("commonjs-16"));
    const rows = loads.map(({ module, depth }) => `${depth} ${module.file.replace("/srv/app/", "")}`);
    const main = rows.indexOf("0 main.cjs");
    const slow = rows.indexOf("2 node_modules/slowpkg/index.js");
    expect(main).toBe(0);
    expect(rows.indexOf("1 node_modules/quickpkg/lib/index.js")).toBeLessThan(slow);
    expect(loads[main]!.total).toBeGreaterThan(loads[slow]!.total);
  });

  it("is advised to be loaded later, if nothing uses it afterwards", async () => {
    const { advice, modules } = await startup(recorded("modules-20"));
    expect(advice[0]).toMatchObject({ kind: "lazy", ticks: modules[0]!.total });
  });

  describe("in a program that uses another package", () => {
    const [MAIN, BIG, USE, HELP] = [0x1000, 0x2000, 0x3000, 0x4000];
    const times = (count: number, from: number, stack: readonly number[]) =>
      Array.from({ length: count }, (_, i) => tick(from + i * 1000, stack));
    const program = (use: readonly string[], later: readonly string[] = []) => [
      ...NODE_26,
      row(" /srv/main.js:1:1", MAIN, 500),
      tick(1000, [MAIN]),
      row(" /srv/node_modules/big/index.js:1:1", BIG, 1500),
      ...times(9, 2000, [BIG, MAIN]),
      row(" /srv/node_modules/help/index.js:1:1", HELP, 10_500),
      ...times(9, 11_000, [HELP, BIG, MAIN]),
      ...times(2, 20_000, [BIG, MAIN]),
      ...use,
      tick(23_000, [MAIN]),
      ...later,
    ];
    const adviceOf = async (rows: readonly string[]) =>
      (await startup(logOf(...rows))).advice.map((one) =>
        "package" in one ? `${one.kind} ${one.package.origin.name} ${one.ticks}` : one.kind,
      );

    it("moves a package with what it loads, if it is used after the start", async () => {
      const later = [tick(24_000, [], 1), tick(900_000, [USE])];
      expect(
        await adviceOf(program([], [row("use /srv/node_modules/big/index.js:3:4", USE, 880_000), ...later])),
      ).toEqual(["lazy big 20"]);
    });

    it("moves nothing that ran before the end, even between two ticks", async () => {
      const use = [row("use /srv/node_modules/big/index.js:3:4", USE, 22_500)];
      expect(await adviceOf(program(use))).toEqual(["replace big 11"]);
      // The body of a module of `import` runs when the last of its modules has.
      expect(
        await adviceOf([
          ...program([]),
          ...use.map((line) => line.replace(",22500,", ",23500,")),
          tick(24_000, [], 1),
        ]),
      ).toEqual(["replace big 11"]);
    });

    it("counts what runs inside of the load as the load", async () => {
      const use = [row("use /srv/node_modules/big/index.js:3:4", USE, 20_500)];
      const rows = program([]);
      expect(await adviceOf([...rows.slice(0, -2), ...use, ...rows.slice(-2)])).toEqual(["lazy big 20"]);
    });

    it("leaves what something else uses", async () => {
      const use = [row("help /srv/node_modules/help/index.js:3:4", USE, 21_500), tick(22_000, [USE, MAIN])];
      expect(await adviceOf(program(use))).toEqual(["lazy big 11"]);
    });
  });

  it("is advised to be kept compiled, with the ticks of all packages", async () => {
    const load = (file: string, address: number, from: number) => [
      ...Array.from({ length: 6 }, (_, i) => tick(from + i * 1000, [COMPILE, LOADER, MAIN, LOADER])),
      row(` ${file}:1:1`, address, from + 5500),
      tick(from + 6000, [address, LOADER, MAIN, LOADER]),
    ];
    const rows = [
      ...[...CODE, row(" /srv/main.js:1:1", MAIN, 500), tick(1000, [MAIN, LOADER])],
      ...load("/srv/node_modules/a/index.js", A, 2000),
      ...load("/srv/node_modules/b/index.js", B, 9000),
      tick(16_000, [MAIN, LOADER]),
    ];
    const { advice } = await startup(logOf(...NODE_26, ...rows));
    expect(advice).toContainEqual({ kind: "compile-cache", ticks: 12 });
  });

  it("is advised to do less, if it is one of the program itself", async () => {
    const rows = [row(" /srv/main.js:1:1", 0x1000, 1), row(" /srv/own.js:1:1", 0x2000, 2)];
    const ticks = Array.from({ length: 9 }, (_, i) => tick(1000 + i * 1000, [0x2000, 0x1000]));
    const { advice } = await startup(logOf(...NODE_26, ...rows, ...ticks));
    expect(advice).toEqual([{ kind: "module", file: "/srv/own.js", ticks: 9 }]);
  });
});

// One program: main.js requires a (20 ticks to find, read and compile, and to run), which requires b.
const MAIN = 0x1000;
const A = 0x2000;
const B = 0x3000;
const HANDLE = 0x4000;
const LOADER = 0x5000;
const FIND = 0x6000;
const READ = 0x7000;
const COMPILE = 0x8000;

const row = (name: string, address: number, time: number, tier = "~") =>
  `code-creation,JS,10,${time},0x${address.toString(16)},256,${name},0x${(address + 0x100000).toString(16)},${tier}`;
const tick = (time: number, [pc = -1, ...callers]: readonly number[], state = 0) =>
  [
    `tick,0x${(pc + 1).toString(16)},${time},0,0x0,${state}`,
    ...callers.map((at) => `0x${(at + 1).toString(16)}`),
  ].join();

const CODE = [
  row("Module._load node:internal/modules/cjs/loader:1:20", LOADER, 1),
  row("Module._findPath node:internal/modules/cjs/loader:50:20", FIND, 1),
  row("readFileSync node:fs:10:20", READ, 1),
  row("wrapSafe node:internal/modules/cjs/loader:90:20", COMPILE, 1),
];
const PROGRAM = [
  ...NODE_26,
  ...CODE,
  tick(1000, [FIND, LOADER]),
  row(" /srv/main.js:1:1", MAIN, 1500),
  tick(2000, [MAIN, LOADER]),
  tick(3000, [FIND, LOADER, MAIN, LOADER]),
  tick(4000, [READ, LOADER, MAIN, LOADER]),
  tick(5000, [COMPILE, LOADER, MAIN, LOADER]),
  row(" /srv/node_modules/a/index.js:1:1", A, 5500),
  tick(6000, [A, LOADER, MAIN, LOADER]),
  tick(7000, [FIND, LOADER, A, LOADER, MAIN, LOADER]),
  row(" /srv/node_modules/a/b.js:1:1", B, 7500),
  tick(8000, [B, LOADER, A, LOADER, MAIN, LOADER]),
  tick(9000, [B, LOADER, A, LOADER, MAIN, LOADER], 3),
  // It reads a file itself, and requires a file that is no script.
  tick(10_000, [READ, A, LOADER, MAIN, LOADER]),
  tick(11_000, [READ, LOADER, MAIN, LOADER]),
  tick(12_000, [MAIN, LOADER]),
  tick(13_000, [], 1),
  row("handle /srv/main.js:9:17", HANDLE, 13_500),
  tick(14_000, [HANDLE]),
  tick(15_000, [HANDLE]),
];

describe("the ticks of a load", () => {
  it("are those of finding, reading and compiling the file, and of running it", async () => {
    const { modules, other, ticks, files } = await startup(logOf(...PROGRAM));
    expect({ ticks, files }).toEqual({ ticks: 12, files: 3 });
    expect(
      modules.map(({ file, phases, self, total, parent }) => ({ file, ...phases, self, total, parent })),
    ).toEqual([
      {
        file: "/srv/node_modules/a/index.js",
        resolve: 1,
        read: 1,
        compile: 1,
        run: 2,
        self: 5,
        total: 8,
        parent: "/srv/main.js",
      },
      {
        file: "/srv/main.js",
        resolve: 1,
        read: 1,
        compile: 0,
        run: 2,
        self: 4,
        total: 12,
        parent: undefined,
      },
      {
        file: "/srv/node_modules/a/b.js",
        resolve: 1,
        read: 0,
        compile: 1,
        run: 1,
        self: 3,
        total: 3,
        parent: "/srv/node_modules/a/index.js",
      },
    ]);
    expect(other).toEqual({ start: 0, loader: 0, gc: 0, program: 0, idle: 0 });
  });

  it("count once for a package, however often it loads itself", async () => {
    const { packages } = await startup(logOf(...PROGRAM));
    expect(packages.map(({ origin, self, total, modules }) => [origin.name, self, total, modules])).toEqual([
      ["a", 8, 8, 2],
      ["app", 4, 12, 1],
    ]);
  });
});

describe("the end of a start-up", () => {
  const endOf = async (until: Until, rows: readonly string[] = PROGRAM) => {
    const { ends, ticks } = await startup(logOf(...rows), until);
    return { by: ends[0]!.by, time: ends[0]!.time, main: ends[0]!.main, ticks };
  };
  const main = "/srv/main.js";

  it("is when the main module and all that it needs are loaded", async () => {
    expect(await endOf(LOADED)).toEqual({ by: "loaded", time: 12_000, main, ticks: 12 });
  });

  it("does not take what ticks record loads before the program for the main module", async () => {
    const preload = row(" /tools/v8-ticks/dist/record/preload.cjs:1:1", 0x9000, 1);
    const rows = [...NODE_26, preload, tick(500, [0x9000, LOADER]), ...PROGRAM.slice(NODE_26.length)];
    expect(await endOf(LOADED, rows)).toMatchObject({ by: "loaded", time: 12_000, main });
  });

  it("does not take a preload for the main module, whether Node's own script is on the stack or a log tells", async () => {
    const [NODE, PRE, FIRST, OTHER] = [0x9000, 0xa000, 0xb000, 0xc000];
    const node = row(" node:internal/main/run_main_module:1:1", NODE, 1);
    const pre = [
      row(" /tools/node_modules/pre/hook.js:1:1", PRE, 2),
      tick(3, [PRE, NODE]),
      row(" /tools/node_modules/pre/part.js:1:1", OTHER, 4),
      tick(5, [OTHER, PRE, NODE]),
    ];
    const mainOf = async (...rows: readonly string[]) =>
      (await startup(logOf(...NODE_26, node, ...rows))).ends[0]!.main;
    const first = row(" /srv/first.js:1:1", FIRST, 20);
    expect(await mainOf(...pre, first, tick(30, [FIRST, NODE]))).toBe("/srv/first.js");
    // A module of `import`, below nothing, that Node's script found.
    expect(await mainOf(...pre, tick(10, [NODE]), first, tick(30, [FIRST]))).toBe("/srv/first.js");
    // Before Node 22, this function is logged.
    const entry = row("executeUserEntryPoint node:internal/modules/run_main:1:9", 0xd000, 10);
    expect(await mainOf(...pre, entry, first, tick(30, [FIRST]))).toBe("/srv/first.js");
    // What the program imports later is no other program.
    expect(await mainOf(...pre.slice(0, 2), first, tick(30, [FIRST]))).toBe(
      "/tools/node_modules/pre/hook.js",
    );
  });

  it("can be a time, a function or a file", async () => {
    expect(await endOf({ kind: "time", milliseconds: 6.5 })).toEqual({
      by: "time",
      time: 6500,
      main,
      ticks: 6,
    });
    expect(await endOf({ kind: "mark", name: "handle" })).toEqual({
      by: "mark",
      time: 13_999,
      main,
      ticks: 13,
    });
    expect(await endOf({ kind: "mark", name: "a/b.js" })).toEqual({ by: "mark", time: 7999, main, ticks: 7 });
    expect(startupOf(await profileOf(logOf(...PROGRAM), OPTIONS), { kind: "mark", name: "nothing" })).toBe(
      undefined,
    );
  });

  it("can be the first wait, which is no gap inside of a load", async () => {
    const slow = PROGRAM.map((line) => line.replace(",8000,0,", ",80000,0,"));
    const waiting = [...PROGRAM.slice(0, -2), tick(90_000, [HANDLE]), tick(91_000, [HANDLE])];
    expect(await endOf({ kind: "first-idle" }, waiting)).toMatchObject({ by: "first-idle", ticks: 13 });
    expect(await endOf({ kind: "first-idle" }, slow)).toMatchObject({ by: "log", ticks: 15 });
  });

  it("is no wait of the loader for a file, nor a gap of a busy machine that ticks those who wait", async () => {
    const [pause, late] = [tick(5200, [], 8), tick(100_000, [], 8)];
    const at = PROGRAM.findIndex((line) => line.startsWith("tick,0x8001,5000"));
    const reading = [...PROGRAM.slice(0, at + 1), pause, ...PROGRAM.slice(at + 1)];
    expect(await endOf({ kind: "first-idle" }, reading)).toMatchObject({ by: "log", ticks: 16 });
    const busy = [...reading, tick(90_000, [HANDLE]), late];
    expect(await endOf({ kind: "first-idle" }, busy)).toMatchObject({ by: "first-idle", ticks: 17 });
  });

  it("comes later for modules that a callback loads at once, but not after a wait", async () => {
    const later = (time: number) => [...PROGRAM, tick(time, [B, LOADER, HANDLE])];
    expect(await endOf(LOADED, later(16_000))).toMatchObject({ time: 16_000, ticks: 16 });
    expect(await endOf(LOADED, later(900_000))).toMatchObject({ time: 12_000, ticks: 12 });
  });

  it("is the end of a log without modules", async () => {
    expect(await endOf(LOADED, [...NODE_26, ...CODE, tick(1000, [FIND])])).toEqual({
      by: "log",
      time: Number.POSITIVE_INFINITY,
      main: undefined,
      ticks: 1,
    });
  });
});

describe("small modules of one folder that one module loads", () => {
  const PACK = 0x2000;
  const part = (number: number) => 0x10_000 + number * 0x1000;
  const rows = (count: number, large = 0) => [
    ...NODE_26,
    row(" /srv/main.js:1:1", MAIN, 1),
    row(" /srv/node_modules/pack/index.js:1:1", PACK, 2),
    ...Array.from({ length: 60 }, (_, i) => tick(1000 + i, [PACK, MAIN])),
    ...Array.from({ length: count }, (_, i) => [
      row(` /srv/node_modules/pack/locale/l${i}.js:1:1`, part(i), 2000 + i * 100),
      ...Array.from({ length: i === 0 ? large + 1 : 1 }, (_, n) =>
        tick(2010 + i * 100 + n, [part(i), PACK, MAIN]),
      ),
    ]).flat(),
  ];
  const shown = async (log: readonly string[]) => {
    const { modules, loads, ticks } = await startup(logOf(...log));
    const brief = ({ files, self, depth }: ModuleRow) => `${files.length} ${self} ${depth}`;
    return {
      modules: moduleRows(modules, ticks).map(brief),
      loads: loadRowsOf(
        loads.map((one) => ({ ...one, file: one.module.file })),
        ticks,
      ).map(brief),
    };
  };

  it("are one row", async () => {
    expect(await shown(rows(12))).toEqual({
      modules: ["1 60 0", "12 12 0", "1 0 0"],
      loads: ["1 0 0", "1 60 1", "12 12 2"],
    });
  });

  it("are rows of their own if they are few, and a large one always is", async () => {
    expect((await shown(rows(4))).modules).toHaveLength(6);
    expect((await shown(rows(12, 9))).loads).toEqual(["1 0 0", "1 60 1", "1 10 2", "11 11 2"]);
  });
});

describe("V8's account", () => {
  it("agrees with a count of the rows", async () => {
    const log = recorded("commonjs-16");
    const { work, ends } = await startup(log);
    const sums: Record<string, { count: number; ms: number }> = {};
    for (const line of log.toString("latin1").split("\n")) {
      const [type, event = "", , , , ms, time] = line.split(",");
      if (type !== "function" || Number(time) > ends[0]!.time) continue;
      const { count, ms: before } = sums[event] ?? { count: 0, ms: 0 };
      sums[event] = { count: count + 1, ms: before + Number(ms) };
    }
    const counted = Object.fromEntries(
      work!.events.map(({ event, count, milliseconds }) => [event, { count, ms: milliseconds }]),
    );
    expect(Object.keys(counted).sort()).toEqual(Object.keys(sums).sort());
    for (const [event, { count, ms }] of Object.entries(sums)) {
      expect(counted[event]!.count).toBe(count);
      expect(counted[event]!.ms).toBeCloseTo(ms, 6);
    }
    const of = (...events: string[]) => events.reduce((sum, event) => sum + (sums[event]?.ms ?? 0), 0);
    expect(work!.parse.milliseconds).toBeCloseTo(of("parse-script", "parse-eval", "parse-function"), 6);
    expect(work!.compile.milliseconds).toBeCloseTo(
      of("interpreter", "interpreter-lazy", "interpreter-eval"),
      6,
    );
    expect(work!.scripts.fromSource).toBe(5);
  });

  const events = (version: string) => [
    version,
    "script,create,9,10",
    "script-details,9,/srv/main.js,0,0,",
    "function,preparse-resolution,9,20,30,0.5,100,inner",
    "function,preparse-resolution,9,10,40,1,101,outer",
    "function,full-parse,9,50,60,1,102,eager",
    "function,parse-eval,9,-1,-1,4,103,",
    "function,interpreter-eval,9,0,90,1,104,",
    "function,interpreter,9,50,60,2,105,eager",
    "function,parse-function,9,10,40,3,106,outer",
    "function,interpreter-lazy,9,10,40,1,107,outer",
    "function,first-execution,9,10,40,0,108,outer",
    "function,interpreter-lazy,9,10,40,2,109,outer",
    "script,deserialize,11,200",
    "script-details,11,/srv/cached.js,0,0,",
    "compilation-cache,hit,script,9,0,90,300",
    tick(400, []),
  ];

  it("counts what is preparsed once, what never ran, and what is compiled again", async () => {
    const { work } = await startup(logOf(...events("v8-version,9,4,146,26,-node.22,0")));
    expect(work).toMatchObject({
      parse: { count: 2, milliseconds: 7 },
      preparse: { count: 1, milliseconds: 1 },
      compile: { count: 4, milliseconds: 6 },
      firstRuns: 1,
      lazy: 1,
      eager: 1,
      neverRun: { count: 1, milliseconds: 2 },
      compiledTwice: { count: 1, milliseconds: 2 },
      scripts: { fromSource: 1, fromCache: 1, nodeFromSource: 0, nodeFromCache: 0 },
      lookups: { hits: 1, puts: 0 },
      byScript: [{ file: "/srv/main.js", parse: 7, compile: 6, compiled: 3, neverRun: 1 }],
    });
  });

  it("does not say what never ran where V8 logs only the second run", async () => {
    expect((await startup(logOf(...events(NODE_26[0]!)))).work?.neverRun).toBe(undefined);
  });

  it("is left out without its rows", async () => {
    expect((await startup(logOf(...PROGRAM))).work).toBe(undefined);
  });
});

/** Analyzes a CPU profile: `steps` are samples, by id, a ms each. */
async function profileWith(
  nodes: readonly (readonly [id: number, name: string, url: string, parent: number])[],
  samples: readonly number[],
) {
  const made = nodes.map(([id, functionName, url, parent]) => ({
    id,
    parent,
    callFrame: { functionName, url, lineNumber: functionName === "" ? 0 : 4, columnNumber: 0, scriptId: "1" },
  }));
  const root = { id: 1, callFrame: { functionName: "(root)", url: "", lineNumber: -1, columnNumber: -1 } };
  const text = JSON.stringify({
    nodes: [root, ...made],
    samples,
    timeDeltas: samples.map(() => 1000),
    startTime: 0,
    endTime: 1000 * samples.length + 1000,
  });
  async function* bytes() {
    yield Buffer.from(text);
  }
  return analyze(bytes(), { name: "a.cpuprofile", ...OPTIONS });
}

const times = (count: number, id: number) => Array<number>(count).fill(id);

describe("the start-up of a CPU profile", () => {
  const NODES = [
    [2, "(idle)", "", 1],
    [3, "", "file:///srv/node_modules/tsx/dist/loader.mjs", 1],
    [4, "", "file:///srv/cli.ts", 1],
    [5, "", "/srv/node_modules/slow/index.js", 4],
    [6, "", "node:internal/main/run_main_module", 1],
    [7, "", "/srv/node_modules/esbuild/lib/main.js", 1],
  ] as const;

  it("goes on to the program that a loader loads, which advice leaves out", async () => {
    const samples = [
      ...times(10, 6),
      ...times(60, 3),
      // The compiler of the loader.
      ...times(15, 7),
      ...times(150, 2),
      ...times(20, 4),
      ...times(40, 5),
      ...times(300, 2),
    ];
    const { ends, packages, advice } = startupOf(await profileWith(NODES, samples), LOADED)!;
    expect(ends[0]).toMatchObject({ by: "loaded", main: "file:///srv/cli.ts" });
    expect(packages.map(({ origin }) => origin.name)).toContain("slow");
    const named = advice.flatMap((one) => ("package" in one ? [one.package.origin.name] : []));
    expect(named).toEqual(["slow"]);
  });

  it("ends where the program first waits", async () => {
    const samples = [...times(30, 4), ...times(200, 2), ...times(30, 4)];
    const { phases } = startupOf(await profileWith(NODES, samples), LOADED)!;
    expect(Math.round(phases.run)).toBe(30);
  });

  describe("that began later", () => {
    const LATE = [
      [2, "task", "node:internal/process/task_queues", 1],
      [3, "build", "/srv/node_modules/bundler/lib/build.js", 2],
      [4, "require", "node:internal/modules/helpers", 3],
      [5, "", "/srv/node_modules/minifier/index.js", 4],
      [6, "", "node:internal/main/run_main_module", 1],
      [7, "hook", "/srv/hook.js", 6],
      [8, "", "/srv/app.js", 7],
    ] as const;

    it("has no main module, which what was loaded on demand is not, and no advice", async () => {
      const samples = [...times(100, 3), ...times(40, 5), ...times(100, 3)];
      const { ends, ticks, phases, modules, advice } = startupOf(await profileWith(LATE, samples), LOADED)!;
      expect(ends[0]).toMatchObject({ by: "log", main: undefined });
      expect([Math.round(ticks), Math.round(phases.run)]).toEqual([240, 40]);
      expect(modules.map(({ file }) => file)).toEqual(["/srv/node_modules/minifier/index.js"]);
      expect(advice).toEqual([]);
    });

    it("says so on its page", async () => {
      const page = async (samples: readonly number[]) => {
        const of = Analysis.of(await profileWith(LATE, samples));
        const report = STARTUP.of(of, {}, { limit: 10, logs: ["a"], recordings: () => [] } as never);
        return Array.from(textLines(STARTUP.page(report!), { style: PLAIN, width: 150, unit: of.info })).join(
          "\n",
        );
      };
      const note = "The profile has no main module, so it may have begun later";
      expect(await page([...times(100, 3), ...times(40, 5)])).toContain(note);
      expect(await page([...times(40, 8), ...times(100, 3)])).not.toContain(note);
    });

    it("has one below a hook of the program in what Node runs first", async () => {
      const { ends } = startupOf(await profileWith(LATE, [...times(40, 8), ...times(100, 3)]), LOADED)!;
      expect(ends[0]).toMatchObject({ by: "loaded", main: "/srv/app.js" });
    });
  });

  it("is refused if it is a page's", async () => {
    const page = await profileWith([[2, "boot", "https://example.com/app.js", 1]], times(50, 2));
    const of = () => STARTUP.of(Analysis.of(page), {}, { limit: 10, recordings: () => [] } as never);
    expect(of).toThrow("a page, which has no main module");
  });
});

describe("the page of a start-up", () => {
  async function pageOf(got: number, name = "webpack-22"): Promise<string> {
    const profile = await profileOf(recorded(name), {
      ...OPTIONS,
      readSourceMap: async () => undefined,
    });
    const sampling = { ...profile.info.sampling, got };
    const of = Analysis.of({ ...profile, info: { ...profile.info, sampling } });
    const report = STARTUP.of(of, {}, { limit: 10, logs: ["a.log"], recordings: () => [] } as never);
    return Array.from(textLines(STARTUP.page(report!), { style: PLAIN, width: 100, unit: {} })).join("\n");
  }

  it("has one row for all modules under 1 ms", async () => {
    const page = await pageOf(2000);
    expect(page).toContain("3 modules under 1 ms each");
    expect(page).toMatch(/\[Modules\]:\n(?:.*\n){4}.*3 modules under/);
    expect(page).toMatch(/ticks +ms +share/);
  });

  it("ends with the stacks of the costliest package, unless it is in a bundle", async () => {
    expect(await pageOf(2000, "commonjs-26")).toContain("ticks tree a.log --focus slowpkg");
    expect(await pageOf(2000)).not.toContain("--focus");
  });

  it("has no ms where a tick is one", async () => {
    const page = await pageOf(1000);
    expect(page).toMatch(/ticks +share/);
    expect(page).not.toMatch(/ ms +share/);
  });
});

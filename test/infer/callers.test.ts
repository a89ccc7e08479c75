import { describe, expect, it } from "vitest";
import { labelOf } from "../../src/facts/label.ts";
import { callerCounts } from "../../src/infer/symbolize.ts";
import type { AnalyzeOptions } from "../../src/load/analyze.ts";
import type { RecordedSymbols } from "../../src/native/recorded-symbols.ts";
import { SymbolTableBuilder } from "../../src/native/symbol-table.ts";
import type { Frame } from "../../src/profile/frame.ts";
import type { V8Version } from "../../src/profile/v8-version.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function counted(major: number, ...stacks: readonly string[]) {
  const { frames, tree, samples } = profileFromStacks(...stacks);
  const v8: V8Version = { major, minor: 4, build: 0, patch: 0, embedder: "-node.1" };
  return callerCounts(
    { tree, samples, v8 },
    frames.map((frame) => [frame]),
    () => false,
  ).missing;
}

function nameOf(frame: Frame): string {
  return frame.kind === "js" ? frame.name : "";
}

describe("callerCounts", () => {
  it("counts the ticks of stacks with a lost position", () => {
    const { frames, tree, samples } = profileFromStacks(
      "js:a js:b",
      "js:b js:a js:b",
      "js:a",
      "js:c ?",
      "js:c",
    );
    const { lost } = callerCounts(
      { tree, samples, v8: undefined },
      frames.map((frame) => [frame]),
      (number) => nameOf(frames[number]!) === "b",
    );
    expect(lost).toBe(2);
  });

  it("counts callers and ticks, each as often as ticks passed them", () => {
    expect(counted(13, "js:a ? ? js:b", "js:a ? ? js:b", "js:a js:b", "?", "js:a ?")).toEqual({
      callers: 8,
      missing: 4,
      ticks: 2,
      belowProgram: 2,
      interpreted: 0,
    });
  });

  it("counts the ticks of handlers whose function is missing", () => {
    expect(counted(13, "js:~a ? handler:Add", "js:~a handler:Add", "handler:Add", "?")).toEqual({
      callers: 3,
      missing: 1,
      ticks: 1,
      belowProgram: 1,
      interpreted: 1,
    });
  });

  it("tells those below a function of the program from those above", () => {
    const [main, start] = ["js:~main·/srv/main.js:1:1", "js:~start·node:internal/main:1:1"];
    const above = [
      `? ? ${main} builtin:Add`,
      `${start} ? ${main} ${main}`,
      `${start} ? js:~read·node:fs:2:3`,
    ];
    expect(counted(13, ...above)).toMatchObject({ missing: 4, ticks: 3, belowProgram: 0 });
    // An address that runs itself is no caller.
    expect(counted(13, `${main} ?`, `? ${main} ${start} ?`)).toMatchObject({ missing: 1, belowProgram: 0 });
    const below = [`${main} ? builtin:Add`, `? ${main} ${start} ? ${main}`];
    expect(counted(13, ...above, ...below)).toMatchObject({ missing: 7, ticks: 5, belowProgram: 2 });
  });

  it("does not count what native code has for a caller before V8 12", () => {
    const stacks = ["js:a ? libc:read", "js:a ? builtin:Call", "js:a ? js:b libc:read", "js:a ? ? libc:read"];
    expect(counted(11, ...stacks)).toMatchObject({ callers: 10, missing: 3, ticks: 3 });
    expect(counted(12, ...stacks)).toMatchObject({ callers: 10, missing: 5, ticks: 4 });
  });
});

const NODE_22 = ["v8-version,12,4,254,21,-node.57,0", "profiler,begin,1000"];
const NODE_24 = ["v8-version,13,6,233,17,-node.53,0", "profiler,begin,1000"];

//                                   0        9       17       26
const SOURCE = "script-source,7,/a.js,work(1); tiny(2); list[i](3); box.got;";
const CALL = { work: 0, tiny: 9, any: 24, got: 34 };
const NAMES = ["main", "drive", "work", "other", "tiny"] as const;

type Name = (typeof NAMES)[number];

const CODE = Object.fromEntries(NAMES.map((name, i) => [name, 0x10000 * (i + 1)])) as Record<Name, number>;

/** Offsets in code from which each of the calls is at its position. */
const AT = { work: 32, tiny: 64, any: 96, got: 128, inlined: 160 };
const POSITIONS = `C0O0C${AT.work}O${CALL.work}C${AT.tiny}O${CALL.tiny}C${AT.any}O${CALL.any}C${AT.got}O${CALL.got}C${AT.inlined}O${CALL.tiny}I0`;
const hex = (address: number) => `0x${address.toString(16)}`;
const sfi = (name: Name) => hex(0xf00 + NAMES.indexOf(name));

/** Code of each function in a tier; in the last part, `work` is inlined. */
const code = (tier: string) => [
  ...NAMES.map(
    (name) => `code-creation,JS,5,1,${hex(CODE[name])},256,${name} /a.js:1:1,${sfi(name)},${tier}`,
  ),
  ...NAMES.map(
    (name) => `code-source-info,${hex(CODE[name])},7,0,40,${POSITIONS},F0O${CALL.work},S${sfi("work")}`,
  ),
];

const called = (name: Name, at: keyof typeof AT) => CODE[name] + AT[at] + 8;
const ENTERED = CODE.tiny + 4;
const RUNNING = CODE.tiny + 40;

/** Rows of ticks at an address, called from others, leaf first. */
const tick = (pc: number, ...callers: readonly number[]) =>
  `tick,${hex(pc)},9,0,0x0,0,${[...callers, called("main", "any")].map(hex).join(",")}`;

const times = (count: number, row: string) => Array<string>(count).fill(row);

const known = (at: keyof typeof AT = "work", work: Name = "work") =>
  times(3, tick(RUNNING, called(work, "tiny"), called("drive", at)));

/** The stacks with functions that were added, root first, with their ticks. */
async function addedTo(
  rows: readonly string[],
  options: Partial<AnalyzeOptions> & { head?: string[]; tier?: string } = {},
) {
  const { head = NODE_22, tier = "*", ...rest } = options;
  const log = logOf(...head, SOURCE, ...code(tier), ...rows);
  const { frames, tree, samples } = await profileOf(log, { inlines: true, ...rest });
  const stacks: string[] = [];
  for (let i = 0; i < samples.length; i++) {
    const words: string[] = [];
    for (let node = samples.node[i]!; node !== 0; node = tree.parent[node]!) {
      words.unshift(
        labelOf(frames[tree.frame[node]!]!)
          .replace(/^JS: |[*^+]| \/.*/g, "")
          .replace(/[*^+]| \/.*/g, ""),
      );
    }
    if (words.join().includes("≈")) stacks.push(`${words.join(" ")}: ${samples.ticks[i]}`);
  }
  return stacks;
}

const ADDED = ["main drive ≈work tiny: 1"];

describe("the caller of a function that has no frame yet", () => {
  const entered = tick(ENTERED, called("drive", "work"));

  it("is the function that was called there and calls it, before or after", async () => {
    expect(await addedTo([...known(), entered])).toEqual(ADDED);
    expect(await addedTo([entered, ...known()])).toEqual(ADDED);
  });

  it("is shown as it is where the frame may stand, and on request", async () => {
    const late = tick(CODE.tiny + 20, called("drive", "work"));
    expect(await addedTo([...known(), late])).toEqual([]);
    expect(await addedTo([...known(), entered], { inferred: false })).toEqual([]);
  });

  it("stands at once in optimized code from V8 13 on, but not in Sparkplug's", async () => {
    expect(await addedTo([...known(), entered], { head: NODE_24 })).toEqual([]);
    expect(await addedTo([...known(), entered], { head: NODE_24, tier: "^" })).toEqual(ADDED);
  });

  it("is not sure if the site calls the function itself, another one that does, or a builtin", async () => {
    const direct = times(2, tick(RUNNING, called("drive", "work")));
    expect(await addedTo([...known(), ...direct, entered])).toEqual([]);
    expect(await addedTo([...known(), ...known("work", "other"), entered])).toEqual([]);
    const builtin = "code-creation,Builtin,3,1,0x90000,64,ArrayMap";
    const mapped = tick(RUNNING, 0x90008, called("drive", "work"));
    expect(await addedTo([builtin, ...known(), mapped, entered])).toEqual([]);
  });

  it("is not a function that was only seen at the top, or that calls something else", async () => {
    const top = times(40, tick(CODE.work + 250, called("drive", "work")));
    expect(await addedTo([...top, ...known("any"), entered])).toEqual([]);
    const calls = times(40, tick(CODE.other + 250, called("work", "any"), called("drive", "work")));
    expect(await addedTo([...calls, entered])).toEqual([]);
  });

  it("needs more ticks where the source does not name it", async () => {
    const any = tick(ENTERED, called("drive", "any"));
    expect(await addedTo([...known("any"), any])).toEqual([]);
    expect(await addedTo([...times(7, known("any").join("\n")), any])).toEqual(ADDED);
  });

  it("may be one of several at a site if it alone calls the function, and was often seen to", async () => {
    const any = tick(ENTERED, called("drive", "any"));
    const other = times(9, tick(CODE.main + 250, called("other", "any"), called("drive", "any")));
    const often = times(11, known("any").join("\n"));
    expect(await addedTo([...often, ...other, any])).toEqual(ADDED);
    expect(await addedTo([...often.slice(4), ...other, any])).toEqual([]);
    expect(await addedTo([...often, ...other, ...known("got", "other"), any])).toEqual([]);
  });

  it("is the function that is inlined at the call", async () => {
    const rows = [...times(24, tick(RUNNING, called("drive", "inlined"))), tick(ENTERED)];
    expect(await addedTo(rows)).toEqual(["main ≈drive ≈work tiny: 1"]);
    const own = times(3, tick(RUNNING, called("drive", "tiny")));
    expect(await addedTo([...rows, ...own])).toEqual([]);
  });

  it("is itself known in a recursion, so that none is added", async () => {
    const deep = times(30, tick(RUNNING, called("tiny", "tiny"), called("drive", "work")));
    expect(await addedTo([...deep, entered])).toEqual([]);
    const again = tick(ENTERED, called("tiny", "tiny"), called("drive", "work"));
    expect(await addedTo([...deep, again])).toEqual([]);
  });
});

describe("the caller of a builtin below code that is not in the log", () => {
  const NODE = "/opt/node";
  const SIZE = 64;
  const LOAD = 0x401000;
  const FRAMELESS = "0x401008";
  const FRAMED = "0x401028";
  /** An address in code that is not in the log. */
  const UNKNOWN = "0x7000000";
  const IN_APP = "0x20050";
  const IN_OTHER = "0x30050";
  const HEAD = [
    ...NODE_26,
    `shared-library,${NODE},0x400000,0x500000,0`,
    `code-creation,Builtin,3,1,0x${LOAD.toString(16)},${SIZE},LoadIC_Megamorphic`,
    "script-source,7,/app.js,function value(node) { return node.value } while (true) value(node);",
    "code-creation,JS,5,1,0x40000,256,value /app.js:1:15,0xf1,*",
    "code-creation,Script,5,1,0x20000,256, /app.js:1:1,0xf2,*",
    "code-source-info,0x20000,7,0,68,C0O0C64O35I0,F0O55,S0xf1",
    "code-creation,JS,5,1,0x30000,256,other /app.js:9:9,0xf3,*",
    "tick,0x480000,1,0,0x0,0",
  ];
  function symbols(): RecordedSymbols {
    const table = new SymbolTableBuilder().build(0);
    const builtins = new Map([
      ["LoadIC_Megamorphic", { size: SIZE, isCalled: false, frameless: [0, SIZE / 2] }],
    ]);
    return new Map([[NODE, { path: NODE, buildId: undefined, segments: [], table, builtins }]]);
  }
  const tick = (...addresses: readonly string[]) =>
    `tick,${addresses[0]},9,0,0x0,0,${addresses.slice(1).join(",")}`;
  const times = (count: number, row: string) => Array<string>(count).fill(row);
  /** The frames above the builtin, with their ticks, and the functions that the inline caches name. */
  async function callersIn(rows: readonly string[]) {
    const options = { inlines: true, recorded: symbols(), ics: true };
    const { frames, tree, samples, ics } = await profileOf(logOf(...HEAD, ...rows), options);
    const stacks: Record<string, number> = {};
    for (let i = 0; i < samples.length; i++) {
      const node = samples.node[i]!;
      if (node === 0 || labelOf(frames[tree.frame[node]!]!) !== "Builtin: LoadIC_Megamorphic") continue;
      const caller = frames[tree.frame[tree.parent[node]!]!]!;
      const name = caller.kind === "js" ? caller.name : caller.kind;
      stacks[name] = (stacks[name] ?? 0) + samples.ticks[i]!;
    }
    const named: Record<string, number> = {};
    for (const { place, ticks } of ics?.charges ?? []) {
      const name = ics!.places[place]!.function ?? "unknown";
      named[name] = (named[name] ?? 0) + ticks;
    }
    return { stacks, named };
  }
  const VALUE = "value /app.js:1:15";
  const seen = (count: number) => times(count, tick(FRAMED, IN_APP, UNKNOWN));
  const hidden = times(9, tick(FRAMELESS, UNKNOWN));

  it("is the same on the stacks and for inline caches, with what is inlined", async () => {
    const all = { [VALUE]: 49 };
    expect(await callersIn([...seen(40), ...hidden])).toEqual({ stacks: all, named: all });
  });

  it("is the same if a tick in a hundred shows the builtin without any caller", async () => {
    const odd = tick(FRAMED, UNKNOWN);
    expect((await callersIn([...seen(80), odd, ...hidden])).stacks).toEqual({ [VALUE]: 89, unknown: 1 });
    expect((await callersIn([...seen(40), odd, ...hidden])).stacks).toEqual({ [VALUE]: 40, unknown: 10 });
  });

  it("is the outer function if few ticks show what is inlined", async () => {
    const { stacks, named } = await callersIn([...seen(22), ...hidden]);
    expect(stacks).toEqual({ [VALUE]: 22, " /app.js:1:1": 9 });
    expect(named).toEqual(stacks);
  });

  it("is unknown in both if another function was called there, or there are few ticks", async () => {
    const other = times(30, tick(FRAMED, IN_OTHER, UNKNOWN));
    for (const rows of [[...seen(40), ...other], seen(9)]) {
      const { stacks, named } = await callersIn([...rows, ...hidden]);
      expect([stacks.unknown, named.unknown]).toEqual([9, 9]);
    }
  });
});

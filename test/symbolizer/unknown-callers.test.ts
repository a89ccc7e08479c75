import { describe, expect, it } from "vitest";
import type { RecordedSymbols } from "../../src/symbols/recorded-symbols.ts";
import { SymbolTableBuilder } from "../../src/symbols/symbol-table.ts";
import { labelOf } from "../../src/views/label.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

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

describe("the caller of a builtin below code that is not in the log", () => {
  const seen = (count: number) => times(count, tick(FRAMED, IN_APP, UNKNOWN));
  const hidden = times(9, tick(FRAMELESS, UNKNOWN));

  it("is the same on the stacks and for inline caches, with what is inlined", async () => {
    const all = { [VALUE]: 49 };
    expect(await callersIn([...seen(40), ...hidden])).toEqual({ stacks: all, named: all });
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

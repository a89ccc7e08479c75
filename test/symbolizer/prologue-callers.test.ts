import { describe, expect, it } from "vitest";
import type { AnalyzeOptions } from "../../src/analyze.ts";
import { labelOf } from "../../src/views/label.ts";
import { logOf, profileOf } from "../helpers/logs.ts";

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

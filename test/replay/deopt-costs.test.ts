import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Deopts } from "../../src/profile/deopt.ts";
import { TIERS } from "../../src/profile/frame.ts";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { countDeopts } from "../oracle/deopt-costs.ts";

const F = "f x.js:1:1";
const ADDRESSES: Record<string, number> = { "~": 0x1000, "^": 0x2000, "+": 0x3000, "*": 0x4000 };
const hex = (number: number) => `0x${number.toString(16)}`;
const code = (mark: string, name = F) => {
  const address = ADDRESSES[mark.replace(/[o']/g, "")]! + (name === F ? 0 : 0x10000);
  return `code-creation,JS,10,1,${hex(address)},256,${name},0xf1,${mark}`;
};
const deopt = (tier: string, place = "x.js:2:3", address = ADDRESSES[tier]!) =>
  `code-deopt,1,256,${hex(address)},-1,9,deopt-eager,<${place}>,wrong map`;
const tick = (tier: string) => `tick,${hex(ADDRESSES[tier]! + 1)},1,0,0x0,0`;
const HANDLER = "code-creation,BytecodeHandler,1,1,0x8000,256,Add";
const BUILTIN = "code-creation,Builtin,1,1,0x9000,256,LoadIC";
const REGEXP = "code-creation,RegExp,1,1,0xa000,256,x+";
/** A tick in code of V8's that a tier of F called. */
const tickIn = (address: number, tier: string) =>
  `tick,${hex(address)},1,0,0x0,0,${hex(ADDRESSES[tier]! + 1)}`;

async function deoptsOf(...rows: readonly string[]): Promise<Deopts> {
  const log = logOf(...NODE_26, code("~"), HANDLER, BUILTIN, REGEXP, code("*"), ...rows);
  return (await profileOf(log, { deopts: true })).deopts!;
}

/** The cost of each entry, as `~1` and `^2`, from the lowest tier up. */
function costsOf({ entries, charges }: Deopts): string[][] {
  return entries.map((_, number) =>
    TIERS.flatMap((tier) => {
      const own = charges.filter((charge) => charge.deopt === number && charge.tier === tier);
      return own.length === 0 ? [] : [`${tier}${own.reduce((sum, { ticks }) => sum + ticks, 0)}`];
    }),
  );
}

/** Each entry as `place ×count tier cost`, with `…` behind one that is open at the end. */
function lines(deopts: Deopts): string[] {
  const costs = costsOf(deopts);
  return deopts.entries.map(({ position, count, isOpen }, i) =>
    [position, `×${count}`, ...costs[i]!, ...(isOpen ? ["…"] : [])].join(" "),
  );
}

describe("the cost of a deoptimization", () => {
  it("is the function's ticks in lower tiers until new code of its tier", async () => {
    const rows = [tick("*"), deopt("*"), tick("~"), code("^"), tick("^"), tick("^"), code("*"), tick("^")];
    expect(lines(await deoptsOf(tick("~"), ...rows))).toEqual(["<x.js:2:3> ×1 ~1 ^2"]);
  });

  it("counts Maglev's code for one that left TurboFan's, not the other way round", async () => {
    expect(lines(await deoptsOf(deopt("*"), code("+"), tick("+")))).toEqual(["<x.js:2:3> ×1 +1 …"]);
    expect(lines(await deoptsOf(code("+"), deopt("+"), tick("~"), code("*"), tick("~")))).toEqual([
      "<x.js:2:3> ×1 ~1",
    ]);
  });

  it("ends too when a tick is in such code that was there already, as with on-stack replacement", async () => {
    const rows = [code("+"), deopt("+"), tick("~"), tick("*"), tick("~")];
    expect(lines(await deoptsOf(...rows))).toEqual(["<x.js:2:3> ×1 ~1"]);
    expect(lines(await deoptsOf(deopt("*"), tick("~"), code("o*'"), tick("~")))).toEqual([
      "<x.js:2:3> ×1 ~1",
    ]);
  });

  it("runs to the end of the log for a function that is never optimized again", async () => {
    expect(lines(await deoptsOf(deopt("*"), tick("~"), tick("~")))).toEqual(["<x.js:2:3> ×1 ~2 …"]);
  });

  it("has handlers, builtins and inline caches that work for the function, no pattern, no other function", async () => {
    const rows = [deopt("*"), tickIn(0x8001, "~"), tickIn(0x9001, "~"), tickIn(0xa001, "~")];
    const other = [code("~", "g x.js:9:1"), tickIn(0x11001, "~")];
    expect(lines(await deoptsOf(...rows, ...other))).toEqual(["<x.js:2:3> ×1 ~2 …"]);
  });

  it("goes to the latest of several, each tick once", async () => {
    const rows = [deopt("*", "a:1:1"), tick("~"), deopt("*", "b:1:1"), tick("~"), tick("^"), code("*")];
    expect(lines(await deoptsOf(code("^"), ...rows, tick("~")))).toEqual([
      "<a:1:1> ×1 ~1",
      "<b:1:1> ×1 ~1 ^1",
    ]);
  });

  it("is no tick below code of the tier that was left", async () => {
    const rows = [deopt("*"), tickIn(0x9001, "*"), tickIn(0x8001, "~")];
    expect(lines(await deoptsOf(...rows))).toEqual(["<x.js:2:3> ×1 ~1 …"]);
  });

  it("leaves open only the latest of a tier", async () => {
    const rows = [deopt("*", "a:1:1"), deopt("*", "b:1:1"), tick("~")];
    expect(lines(await deoptsOf(...rows))).toEqual(["<a:1:1> ×1", "<b:1:1> ×1 ~1 …"]);
  });

  it("goes back to the one that left a higher tier when a lower one is made up for", async () => {
    const rows = [deopt("*", "a:1:1"), code("+"), deopt("+", "b:1:1"), tick("~"), code("+"), tick("+")];
    expect(lines(await deoptsOf(...rows))).toEqual(["<a:1:1> ×1 +1 …", "<b:1:1> ×1 ~1"]);
  });

  it("is nothing where no code of a function is known", async () => {
    const deopts = await deoptsOf(deopt("*", "a:1:1", 0xdead00), "code-deopt,1,256", tick("~"));
    expect(lines(deopts)).toEqual(["<a:1:1> ×1", " ×1"]);
    expect(deopts.entries.map(({ function: name }) => name)).toEqual([undefined, undefined]);
  });

  it("follows code that moves, and keeps functions apart", async () => {
    const g = "g x.js:9:1";
    const rows = [code("~", g), tick("*"), "code-move,0x4000,0x7000", deopt("*", "a:1:1", 0x7000)];
    const deopts = await deoptsOf(...rows, "tick,0x11001,1,0,0x0,0", tick("~"));
    expect(deopts.entries).toMatchObject([{ function: F, tier: "*" }]);
    expect(lines(deopts)).toEqual(["<a:1:1> ×1 ~1 …"]);
    expect(deopts.demoted).toEqual([{ thread: 0, function: F, ticks: 1, optimizedAgain: 0 }]);
  });

  it("counts only ticks in range, and is not there unless asked for", async () => {
    const log = logOf(
      ...NODE_26,
      code("~"),
      code("*"),
      deopt("*"),
      tick("~"),
      tick("~").replace(",1,", ",5000,"),
    );
    expect(lines((await profileOf(log, { deopts: true, range: { from: 3 } })).deopts!)).toEqual([
      "<x.js:2:3> ×1 ~1 …",
    ]);
    expect((await profileOf(log)).deopts).toBeUndefined();
  });
});

describe("the account of a whole log", () => {
  const compare = async (log: Buffer, { slow = countDeopts(log.toString("utf8")), inlines = false } = {}) => {
    const { deopts, info } = await profileOf(log, { deopts: true, inlines });
    const costs = costsOf(deopts!);
    const counted = deopts!.entries.map(({ function: name, tier, kind, position, reason, count }, i) => {
      // The only script without a name of its own.
      const own = [name?.replace("<eval #1>", "") ?? "?", position.replaceAll("<eval #1>", "unknown")];
      const what = [own[0], tier, kind, own[1], reason].join(" | ");
      return [what, count, ...costs[i]!.toSorted()].join(" ");
    });
    const expected = slow.deopts.map(({ what, count, cost }) => {
      const spread = Object.entries(cost).map(([tier, ticks]) => `${tier}${ticks}`);
      return [what, count, ...spread.sort()].join(" ");
    });
    expect(counted.sort()).toEqual(expected.sort());
    const cost = deopts!.charges.reduce((sum, { ticks }) => sum + ticks, 0);
    expect(slow.ticks).toBe(info.ticks);
    expect(cost).toBeLessThanOrEqual(info.ticks);
    return { deopts: deopts!, cost, slow };
  };

  for (const name of ["node-12-builtins", "node-14-scripts"]) {
    it(`agrees with a slow count of ${name}`, async () => {
      const file = new URL(`../../fixtures/${name}/isolate.log.gz`, import.meta.url);
      const { deopts } = await compare(gunzipSync(readFileSync(file)));
      expect(deopts.entries).toHaveLength(1);
    });
  }

  it("agrees with a slow count of a log recorded just now", async () => {
    const folder = testFolder();
    const program = fileURLToPath(new URL("../programs/bailouts.js", import.meta.url));
    const flags = ["--prof", "--log-deopt", "--no-logfile-per-isolate", "--logfile=v8.log"];
    execFileSync(process.execPath, [...flags, program], { cwd: folder });
    const log = readFileSync(join(folder, "v8.log"));
    const { deopts, cost, slow } = await compare(log);
    expect((await compare(log, { slow, inlines: true })).cost).toBe(cost);
    expect(deopts.entries.length).toBeGreaterThan(5);
    expect(cost).toBeGreaterThan(0);
  });
});

import { describe, expect, it } from "vitest";
import { shownStacks } from "../../src/profile/shown-stacks.ts";
import { loadingTicks } from "../../src/views/next-steps.ts";
import { topOf } from "../../src/views/top.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

const row = (name: string, address: number) =>
  `code-creation,JS,10,1,0x${address.toString(16)},256,${name},0x${(address + 0x100000).toString(16)},~`;
const CODE = [
  row(" /srv/main.js:1:1", 0x1000),
  row("work /srv/main.js:3:10", 0x2000),
  row("Module._load node:internal/modules/cjs/loader:1:20", 0x3000),
  row(" /srv/node_modules/a/index.js:1:1", 0x4000),
];
const tick = (pc: number, ...callers: number[]) =>
  [`tick,0x${pc.toString(16)},1,0,0x0,0`, ...callers.map((at) => `0x${at.toString(16)}`)].join();
const read = async (...ticks: string[]) =>
  shownStacks(await profileOf(logOf(...NODE_26, ...CODE, ...ticks), { timeline: true, inlines: true }));

describe("the ticks of loading", () => {
  const WORKING = tick(0x2001, 0x1001);
  const LOADING = [tick(0x3001, 0x1001), tick(0x4001, 0x3001, 0x1001), tick(0x2001, 0x4001, 0x3001, 0x1001)];

  it("are those of the loader and of packages, not of the program's own modules", async () => {
    expect(loadingTicks(await read(WORKING, ...LOADING))).toBe(3);
    expect(loadingTicks(await read(WORKING, tick(0x1001)))).toBe(0);
  });

  it("are a reason for ticks startup from 30 % on", async () => {
    const steps = async (...ticks: string[]) => topOf(await read(...ticks), 10).steps;
    expect(await steps(WORKING, ...LOADING)).toContainEqual({ kind: "startup", percent: 75 });
    const kinds = (await steps(...LOADING, ...new Array(8).fill(WORKING))).map(({ kind }) => kind);
    expect(kinds).not.toContain("startup");
  });
});

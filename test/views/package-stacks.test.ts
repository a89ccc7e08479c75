import { describe, expect, it } from "vitest";
import { stackOf } from "../../src/profile/call-tree.ts";
import { originsOf } from "../../src/views/origin.ts";
import { packageStacks } from "../../src/views/package-stacks.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

const row = (name: string, address: number) =>
  `code-creation,JS,10,1,0x${address.toString(16)},256,${name},0x${(address + 0x100000).toString(16)},~`;
const CODE = [
  row("main /srv/main.js:1:1", 0x1000),
  row("helper /srv/lib/helper.js:1:1", 0x2000),
  row("Module._load node:internal/modules/cjs/loader:1:20", 0x3000),
  row("readFileSync node:fs:1:20", 0x4000),
  row("parse /srv/node_modules/@a/b/index.js:1:1", 0x5000),
];
const tick = (...stack: number[]) =>
  [
    `tick,0x${(stack[0] ?? 0).toString(16)},1,0,0x0,0`,
    ...stack.slice(1).map((at) => `0x${at.toString(16)}`),
  ].join();

async function stacks(...ticks: string[]) {
  const grouped = packageStacks(await profileOf(logOf(...NODE_26, ...CODE, ...ticks)));
  const names = originsOf(grouped.frames).map(({ kind, name }) => (kind === "native" ? kind : name));
  const found: Record<string, number> = {};
  for (let i = 0; i < grouped.samples.length; i++) {
    const stack = Array.from(stackOf(grouped.tree, grouped.samples.node[i]!), (frame) => names[frame]);
    const key = stack.reverse().join(" > ");
    found[key] = (found[key] ?? 0) + grouped.samples.ticks[i]!;
  }
  return found;
}

describe("stacks by package", () => {
  it("have one frame for functions of a package that call each other", async () => {
    expect(await stacks(tick(0x2001, 0x1001, 0x2001), tick(0x1001))).toEqual({ app: 2 });
    expect(await stacks(tick(0x1001, 0x5001, 0x2001))).toEqual({ "app > @a/b > app": 1 });
  });

  it("give Node's loader to the package that requires, and other functions of Node to Node", async () => {
    expect(await stacks(tick(0x4001, 0x3001, 0x1001), tick(0x5001, 0x3001, 0x1001))).toEqual({
      app: 1,
      "app > @a/b": 1,
    });
    expect(await stacks(tick(0x4001, 0x1001), tick(0x3001))).toEqual({ "app > node": 1, node: 1 });
  });

  it("keep every tick, also those without JavaScript", async () => {
    expect(await stacks(tick(0x9000), tick(0), tick(0x9000, 0x5001))).toEqual({ native: 2, "@a/b": 1 });
  });
});

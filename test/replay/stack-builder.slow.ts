import { describe, expect, it } from "vitest";
import { withoutKernels } from "../helpers/kernels.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

const hex = (number: number) => `0x${number.toString(16)}`;

describe("StackBuilder", () => {
  it("keeps its nodes when more places need answers than fit at first", async () => {
    // 120,000 return addresses, each looked up again once others took its slot: there are more slots by then.
    const address = (i: number) => 2 ** 40 + 4096 * (i % 1200) + 16 * (Math.floor(i / 1200) % 100);
    const codeRow = (i: number, name: string) =>
      `code-creation,JS,10,1,${hex(address(i))},2000,${name}${i} x.js:1:1,${hex(0x1000 + 8 * i)},*`;
    const tick = (i: number, time: number) =>
      `tick,${hex(address(i))},${time},0,0x0,0,${[1, 7, 49].map((j) => hex(address(i * 31 + j))).join()}`;
    const ticks = (from: number) => Array.from({ length: 120_000 }, (_, i) => tick(i, from + i));
    const codes = Array.from({ length: 1200 }, (_, i) => codeRow(i, "f"));
    const later = Array.from({ length: 600 }, (_, i) => codeRow(2 * i, "g"));
    const rows = [codes, ticks(0), later, ticks(200_000)].flat();
    const log = logOf(...NODE_26, rows.join("\n"));
    const profile = await profileOf(log, { inlines: true });
    expect(profile.tree.length).toBeGreaterThan(5000);
    expect(await withoutKernels(() => profileOf(log, { inlines: true }))).toEqual(profile);
  });

  it("forgets what is in code when there is more of it than answers may take room", async () => {
    // 150,000 pieces of code, each in a KiB of its own: the kernel keeps answers for 131,071.
    const address = (i: number) => 2 ** 40 + 1024 * (i % 150_000);
    const codeRow = (i: number, name: string) =>
      `code-creation,JS,10,1,${hex(address(i))},96,${name}${i % 999} x.js:1:1,0x1,*`;
    const tick = (i: number) => `tick,${hex(address(i) + 40)},${i},0,0x0,0,${hex(address(7 * i) + 20)}`;
    const codes = Array.from({ length: 150_000 }, (_, i) => codeRow(i, "f"));
    const ticks = Array.from({ length: 300_000 }, (_, i) => tick(i));
    const later = Array.from({ length: 50_000 }, (_, i) => codeRow(3 * i, "g"));
    const log = logOf(...NODE_26, [codes, ticks, later, ticks].flat().join("\n"));
    const profile = await profileOf(log);
    // Every third of the names has other code, too.
    expect(profile.frames.length).toBe(999 + 333);
    expect(await withoutKernels(() => profileOf(log))).toEqual(profile);
  });
});

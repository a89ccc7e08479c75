import { Profile as PprofProfile, StringTable } from "pprof-format";
import { expect, it } from "vitest";
import { readPprof } from "../../src/inputs/pprof.ts";
import { stackLines } from "../inputs/stacks-of.ts";

async function readStack(locationId: readonly number[], name: string): Promise<string[]> {
  const strings = new StringTable();
  const text = (word: string) => strings.dedup(word);
  const id = 1;
  const profile = new PprofProfile({
    sampleType: [{ type: text("samples"), unit: text("count") }],
    sample: [{ locationId: [...locationId], value: [1] }],
    location: [{ id, line: [{ functionId: id, line: 7 }] }],
    function: [{ id, name: text(name), filename: text("/srv/a.js"), startLine: 1 }],
    stringTable: strings,
  });
  async function* inOnePiece() {
    yield profile.encode();
  }
  const [read] = await readPprof(inOnePiece(), { name: "a.pb" });
  return stackLines(read!)[0]!.split(" > ");
}

it("a pprof profile's deep stacks are cut as those of others", async () => {
  const stack = await readStack(new Array(5000).fill(1), "f");
  const [, left] = /^\((\d+) frames left out\)$/.exec(stack[512]!)!;
  expect(stack.length - 1 + Number(left)).toBe(5000);
  expect(stack.at(-1)).toMatch(/^f .* 1$/);
});

it("a name in a pprof profile, which stacks repeat by a byte, has 4,096 bytes", async () => {
  const [frame] = await readStack([1], "x".repeat(60_000));
  expect(frame).toMatch(/^js: x{4096} \/srv\/a\.js/);
});

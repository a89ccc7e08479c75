import { describe, expect, it } from "vitest";
import { readElfFunctions } from "../../../src/symbols/elf/functions.ts";
import { ElfKernel } from "../../../src/symbols/elf/kernel.ts";
import { readSections } from "../../../src/symbols/elf/sections.ts";
import { type ElfSpec, elfImage, type SymbolSpec } from "../../helpers/elf-image.ts";
import { withoutKernels } from "../../helpers/kernels.ts";
import { createRandom } from "../../helpers/random.ts";

const MANY = 6000;
const BINDINGS = ["local", "global", "weak", "unique"] as const;
const TYPES = ["none", "object", "function", "section", "file", "common", "thread", "ifunc"] as const;
const SECTIONS = ["text", "text", "text", "undefined", "data", "absolute", "common"] as const;
const NAMES = ["$x", "$d.1", "a", "aa", "", "_ZN1a1bEv", "_ZN1a1bEv.cold"];

const random = createRandom(7);
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;

/** Symbols of all kinds, many at one address. */
function symbols(more: (i: number) => Partial<SymbolSpec> = () => ({})): SymbolSpec[] {
  return Array.from({ length: MANY }, (_, i) => ({
    name: pick(NAMES) + (random(2) === 0 ? "" : random(50)),
    value: 0x1000 + 4 * random(3000),
    size: random(5) === 0 ? 0 : random(2 ** pick([4, 16, 40])),
    binding: pick(BINDINGS),
    type: pick(TYPES),
    section: pick(SECTIONS),
    ...more(i),
  }));
}

/** All that is known of the functions of a file. */
function functionsOf(spec: ElfSpec) {
  const image = elfImage(spec);
  let intoRoom = 0;
  const sections = readSections({
    size: image.length,
    read(offset, size, room) {
      const bytes = image.subarray(offset, offset + size);
      if (room === undefined) return bytes;
      intoRoom++;
      room.set(bytes);
      return room;
    },
  })!;
  const functions = readElfFunctions(sections, sections.list.find(({ type }) => type === 2)!)!;
  const { length, starts, sizes, nameOffsets } = functions;
  const names = Array.from({ length }, (_, i) => functions.name(i));
  return { intoRoom, functions: { length, starts, sizes, nameOffsets, names } };
}

async function expectTheSame(spec: ElfSpec): Promise<void> {
  const { functions, intoRoom } = functionsOf(spec);
  expect(intoRoom).toBe(1);
  const alone = await withoutKernels(() => functionsOf(spec));
  expect(alone.intoRoom).toBe(0);
  expect(functions.length).toBeGreaterThan(500);
  expect(functions).toEqual(alone.functions);
}

describe("functions that a kernel sorts", () => {
  const variants: [string, () => ElfSpec][] = [
    ["of all kinds", () => ({ symbols: symbols() })],
    ["among the marks of an assembler", () => ({ machine: 183, symbols: symbols() })],
    ["all at one address", () => ({ symbols: symbols(() => ({ value: 0x1000 })) })],
    [
      "up to the end of 4 GB",
      () => ({ symbols: symbols((i) => ({ value: i % 2 ? random(2 ** 32) : 2 ** 32 - 1 - i })) }),
    ],
    ["past it", () => ({ symbols: symbols((i) => ({ value: 2 ** 32 + (i % 100) })) })],
    ["one of them past it", () => ({ symbols: symbols((i) => (i === 99 ? { value: 2 ** 40 } : {})) })],
    [
      "in a section that another table tells",
      () => ({
        symbols: symbols((i) => (i === 99 ? { section: "far", binding: "global", type: "function" } : {})),
      }),
    ],
  ];
  for (const [name, spec] of variants) {
    it(`are those that are sorted without it: ${name}`, async () => {
      for (let i = 0; i < 3; i++) await expectTheSame(spec());
    });
  }

  it("come from a copy where the entries are not read into its room", async () => {
    const image = elfImage({ symbols: symbols() });
    const read = () => {
      const sections = readSections({
        size: image.length,
        read: (at, size) => image.subarray(at, at + size),
      })!;
      const { starts, nameOffsets } = readElfFunctions(
        sections,
        sections.list.find(({ type }) => type === 2)!,
      )!;
      return { starts, nameOffsets };
    };
    expect(read()).toEqual(await withoutKernels(read));
  });

  it("are few enough to do without, or too many", () => {
    expect(ElfKernel.open(24 * 4096)?.room.length).toBe(24 * 4096);
    expect(ElfKernel.open(24 * 4096 - 1)).toBeUndefined();
    expect(ElfKernel.open(2 ** 28 + 1)).toBeUndefined();
  });
});

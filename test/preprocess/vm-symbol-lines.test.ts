import { describe, expect, it } from "vitest";
import { vmSymbolLines } from "../../src/preprocess/vm-symbols.ts";
import type { Library } from "../../src/symbols/symbol-source.ts";
import { withFunctions } from "../helpers/named-libraries.ts";

const HIGH: Library = { path: "/lib/high.so", start: 0x500000, end: 0x510000, slide: 0 };
const LOW: Library = { path: "/bin/low", start: 0x10000, end: 0x20000, slide: 0 };

async function symbols(libraries: Library[], functions: Record<string, string[]>): Promise<unknown> {
  return JSON.parse(Array.from(vmSymbolLines(await withFunctions(libraries, functions))).join("\n"));
}

describe("vmSymbolLines", () => {
  it("gives functions of all libraries at process addresses, ascending, and then the libraries", async () => {
    const functions = { [HIGH.path]: ["10 10 a", "20 10 b"], [LOW.path]: ["40 8 main(int, char**)"] };
    expect(await symbols([HIGH, LOW], functions)).toEqual([
      ["main(int, char**)", 0x10040, 0x10048],
      ["a", 0x500010, 0x500020],
      ["b", 0x500020, 0x500030],
      ["/bin/low", 0x10000, 0x20000],
      ["/lib/high.so", 0x500000, 0x510000],
    ]);
  });

  it("ends no function past its library", async () => {
    expect(await symbols([LOW], { [LOW.path]: ["fff0 1000 _fini"] })).toContainEqual([
      "_fini",
      0x1fff0,
      0x20000,
    ]);
  });

  it("names libraries without functions, and is a list without libraries", async () => {
    expect(await symbols([LOW], {})).toEqual([["/bin/low", 0x10000, 0x20000]]);
    expect(await symbols([], {})).toEqual([]);
  });
});

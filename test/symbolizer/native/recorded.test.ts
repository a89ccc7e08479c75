import { describe, expect, it } from "vitest";
import { readRecordedSymbols, writeRecordedSymbols } from "../../../src/symbolizer/native/recorded.ts";
import { findSymbol, SymbolTableBuilder } from "../../../src/symbolizer/native/symbol-table.ts";

function tableOf(...symbols: [number, number, string][]) {
  const builder = new SymbolTableBuilder();
  for (const [start, size, name] of symbols) builder.add(start, size, name);
  return builder.build(0x10000);
}

describe("saved symbols", () => {
  const segments = [{ fileOffset: 0x1000, linkAddress: 0x401000, size: 0x5000 }];
  const library = {
    path: "/opt/a\nb\\c",
    buildId: "00ff",
    segments,
    table: tableOf([0x401000, 16, "f(int, char)"], [0x401010, 0x20, "g\\n\n"]),
  };

  it("come back as they were written", () => {
    const text = Array.from(
      writeRecordedSymbols([library, { ...library, path: "/b", buildId: undefined }]),
      (l) => `${l}\n`,
    ).join("");
    const read = readRecordedSymbols(text, "x");
    expect(Array.from(read.keys())).toEqual(["/opt/a\nb\\c", "/b"]);
    const { table, ...rest } = read.get("/opt/a\nb\\c")!;
    expect(rest).toEqual({ path: library.path, buildId: "00ff", segments });
    expect([table.length, table.name(0), table.name(1)]).toEqual([2, "f(int, char)", "g\\n\n"]);
    expect([findSymbol(table, 0x40100f), findSymbol(table, 0x401010), findSymbol(table, 0x401030)]).toEqual([
      0, 1, -1,
    ]);
  });

  it("are refused with the line when they are something else", () => {
    expect(() => readRecordedSymbols("hello\n", "x")).toThrow("x: not a file of saved symbols");
    for (const line of [
      "10 20 orphan",
      "library /a\nzz 10 f",
      "library /a\nsegment 1 2",
      "library /a\n10 f",
    ]) {
      expect(() => readRecordedSymbols(`ticks-symbols 1\n${line}\n`, "x")).toThrow(/^x:\d: not a line/);
    }
  });
});

describe("SymbolTableBuilder", () => {
  const names = (...symbols: [number, number, string][]) => {
    const table = tableOf(...symbols);
    return (address: number) => {
      const index = findSymbol(table, address);
      return index < 0 ? undefined : table.name(index);
    };
  };

  it("keeps the first of several symbols at one address", () => {
    expect(names([16, 8, "a"], [16, 8, "b"])(20)).toBe("a");
  });

  it("takes the nearest symbol below, and only within its size", () => {
    const at = names([0, 100, "outer"], [10, 5, "inner"]);
    expect([at(5), at(12), at(20)]).toEqual(["outer", "inner", undefined]);
  });

  it("lets a symbol without a size reach to the next", () => {
    const at = names([10, 0, "a"], [30, 5, "b"], [40, 0, "last"]);
    expect([at(29), at(30), at(35), at(50)]).toEqual(["a", "b", undefined, "last"]);
  });

  it("leaves out a symbol without a size inside the function before it", () => {
    expect(names([0, 100, "f"], [10, 0, "label"], [50, 0, "other"], [100, 5, "g"])(20)).toBe("f");
  });
});

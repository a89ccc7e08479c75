import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { foreignV8, hasOtherBuiltins, holdsV8 } from "../../src/symbols/binary-trust.ts";
import { SymbolTableBuilder } from "../../src/symbols/symbol-table.ts";

const V8_11 = { major: 11, minor: 3, build: 244, patch: 8, embedder: "-node.38" };

describe("foreignV8", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ticks-v8-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const fileWith = (text: string, before = 100) => {
    const path = join(folder, "binary");
    writeFileSync(path, Buffer.concat([Buffer.alloc(before), Buffer.from(text), Buffer.alloc(100)]));
    return path;
  };

  it("is nothing for the binary that wrote the log", () => {
    expect(foreignV8(fileWith("\0v11.3.244.8-node.38\0 10.2.154.26-node.39"), V8_11)).toBeUndefined();
  });

  it("is the version of another Node", () => {
    expect(foreignV8(fileWith("\0v12.4.254.21-node.57\0"), V8_11)).toBe("12.4.254.21-node.57");
    expect(foreignV8(fileWith("no version"), V8_11)).toBe("another version");
  });

  it("finds a version across two reads", () => {
    for (const shift of [1, 5, 19]) {
      expect(foreignV8(fileWith("11.3.244.8-node.38", (1 << 22) - shift), V8_11)).toBeUndefined();
    }
  });

  it("knows nothing of a file that is not there", () => {
    expect(foreignV8(join(folder, "nowhere"), V8_11)).toBeUndefined();
  });
});

describe("holdsV8", () => {
  const tableOf = (...names: readonly string[]) => {
    const builder = new SymbolTableBuilder();
    for (const [i, name] of names.entries()) builder.add(i * 16, 16, name);
    return builder.build(0x10000);
  };

  it("tells by the names of functions", () => {
    expect(holdsV8(tableOf("main", "_ZN2v88internal4Heap4FreeEv"))).toBe(true);
    expect(holdsV8(tableOf("main", "malloc"))).toBe(false);
  });
});

describe("hasOtherBuiltins", () => {
  const builtins = Array.from({ length: 30 }, (_, i) => ({ start: i, name: `B${i}` }));
  const ask = (nameAt: (address: number) => string | undefined) => hasOtherBuiltins({ builtins, nameAt });

  it("compares the log's builtins with the symbols at their addresses", () => {
    expect(ask((at) => `Builtins_B${at}`)).toBe(false);
    expect(ask((at) => `Builtins_B${at + 1}`)).toBe(true);
  });

  it("knows nothing without symbols of builtins, or with few", () => {
    expect(ask(() => "memcpy")).toBe(false);
    expect(ask(() => undefined)).toBe(false);
    expect(ask((at) => (at < 5 ? "Builtins_Other" : undefined))).toBe(false);
  });
});

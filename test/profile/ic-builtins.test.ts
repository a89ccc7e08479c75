import { describe, expect, it } from "vitest";
import { icBuiltin, icFamily } from "../../src/profile/inline-caches.ts";

describe("V8's code for inline caches", () => {
  it.each([
    ["LoadIC_Megamorphic", "load"],
    ["LoadICTrampoline", "load"],
    ["LoadICInObjectNonDoubleField3Baseline", "load"],
    ["LoadSuperICBaseline", "load"],
    ["KeyedLoadICTrampoline_MegamorphicStringKey", "keyed-load"],
    ["EnumeratedKeyedLoadIC", "keyed-load"],
    ["KeyedHasIC_SloppyArguments", "keyed-load"],
    ["LoadIndexedInterceptorIC", "keyed-load"],
    ["StoreIC_NoFeedback", "store"],
    ["StoreOwnIC", "store"],
    ["DefineNamedOwnICBaseline", "store"],
    ["KeyedStoreIC_Megamorphic", "keyed-store"],
    ["DefineKeyedOwnICTrampoline", "keyed-store"],
    ["StoreInArrayLiteralIC_Slow", "keyed-store"],
    ["StoreFastElementIC_InBounds", "keyed-store"],
    ["ElementsTransitionAndStore_Standard", "keyed-store"],
    ["LookupGlobalICInsideTypeofBaseline", "global-load"],
    ["LoadGlobalICTrampoline", "global-load"],
    ["StoreGlobalIC_Slow", "global-store"],
    ["CloneObjectIC_Slow", "clone"],
  ])("%s is for %s", (name, family) => {
    expect(icFamily(name)).toBe(family);
  });

  it.each([
    "CallRefIC",
    "WasmFastApiCallTypeCheckAndUpdateIC",
    "GlobalDecodeURIComponent",
    "ArrayMap",
    "InstanceOf_WithFeedback",
    "Load_FastSmiElements_0",
  ])("%s is not", (name) => {
    expect(icFamily(name)).toBeUndefined();
  });

  it("is known by its type in old logs, and not by the name of a function", () => {
    const code = (type: string, name: string) => icBuiltin({ kind: "code", type, name, duplicate: 0 });
    expect(code("LoadIC", "A load IC from the snapshot")).toEqual({
      name: "LoadIC",
      family: "load",
      isMegamorphic: false,
    });
    expect(code("Handler", "An IC handler from the snapshot")?.family).toBeUndefined();
    expect(code("Builtin", "StoreIC_Megamorphic")).toMatchObject({ family: "store", isMegamorphic: true });
    expect(code("RegExp", "LoadIC")).toBeUndefined();
    expect(code("BytecodeHandler", "GetNamedProperty")).toBeUndefined();
    const frame = {
      kind: "js",
      type: "JS",
      tier: "~",
      name: "LoadIC a.js:1:1",
      line: 0,
      inlined: false,
    } as const;
    expect(icBuiltin(frame)).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { fittedSymbol } from "../../src/reports/names.ts";
import { widthOf } from "../../src/reports/width.ts";

const RUN =
  "node::crypto::DeriveBitsJob<node::crypto::PBKDF2Traits>::Run(v8::FunctionCallbackInfo<v8::Value> const&)";

describe("a native symbol that does not fit", () => {
  it.each([
    [RUN.length, RUN],
    [83, "node::crypto::DeriveBitsJob<node::crypto::PBKDF2Traits>::Run(v8::Functi…ue> const&)"],
    [63, "node::crypto::DeriveBitsJob<node::crypto::PBKDF2Traits>::Run(…)"],
    [53, "node::crypto::DeriveBitsJob<node::cry…DF2Traits>::Run"],
    [35, "node::crypto::DeriveBitsJob<…>::Run"],
    [20, "node::cryp…b<…>::Run"],
  ])("loses, in %d columns, first arguments, then template arguments, then its middle", (columns, shown) => {
    expect(fittedSymbol(RUN, columns)).toBe(shown);
  });

  it("loses its version first, and its result type before its template arguments", () => {
    expect(fittedSymbol("_IO_fwrite@@GLIBC_2.2.5", 12)).toBe("_IO_fwrite");
    expect(fittedSymbol("bool f<int, long>(int)", 12)).toBe("f<int, long>");
  });

  it("is never too wide, whatever it is", () => {
    const symbols = [
      RUN,
      "std::__find_if<unsigned short const*, __gnu_cxx::__ops::_Iter_pred<f(g<h>)::{lambda(unsigned short)#1}> >(int)",
      "a::operator< <b>(a const&)",
      "(anonymous namespace)::f(int)",
      "x(",
      "<>>(<)",
      "計算<機>(計)",
    ];
    for (const symbol of symbols) {
      expect(fittedSymbol(symbol, Number.POSITIVE_INFINITY)).toBe(symbol);
      for (let columns = 0; columns < 120; columns++)
        expect(widthOf(fittedSymbol(symbol, columns)), `${symbol} in ${columns}`).toBeLessThanOrEqual(
          columns,
        );
    }
  });
});

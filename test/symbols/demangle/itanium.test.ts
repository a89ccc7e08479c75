import { describe, expect, it } from "vitest";
import { demangleItanium, qualifiedName } from "../../../src/symbols/itanium.ts";

/** Names, each with what c++filt of GNU binutils 2.44 makes of it. */
const NAMES: readonly [mangled: string, readable: string][] = [
  ["_Z1fPFvPKciE", "f(void (*)(char const*, int))"],
  ["_Z1fPVKcRA15_KcPA3_A2_i", "f(char const volatile*, char const (&) [15], int (*) [3][2])"],
  ["_Z1fM1AKFivEMS_i", "f(int (A::*)() const, int A::*)"],
  ["_Z1fIiEPFvvET_", "void (*f<int>(int))()"],
  ["_Z1fIRiEvOT_", "void f<int&>(int&)"],
  ["_Z1fIKA2_iEvRKT_", "void f<int const [2]>(int const (&) [2])"],
  ["_Z1fIJicEEvDpPT_", "void f<int, char>(int*, char*)"],
  ["_Z1fIJEEvDpT_", "void f<>()"],
  ["_Z1fIiIcEEvDpT0_", "void f<int, char>(char)"],
  ["_Z1fILb1ELin5ELj3ELc65ELN1a1bE2EEvv", "void f<true, -5, 3u, (char)65, (a::b)2>()"],
  ["_ZN1aIiS_IiEE1bEv", "a<int, a<int> >::b()"],
  ["_ZNK1a1bcvT_IiEEv", "a::b::operator int<int>() const"],
  ["_ZNKR1aixEi", "a::operator[](int) const &"],
  ["_ZN1alsIiEEvT_", "void a::operator<< <int>(int)"],
  ["_ZN1aD0Ev", "a::~a()"],
  [
    "_ZNSsC1ERKSs",
    "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string(std::string const&)",
  ],
  ["_Z1fB5cxx11v", "f[abi:cxx11]()"],
  ["_ZZN1a1bEiENKUlRT_E0_clIcEEDaS1_", "auto a::b(int)::{lambda(auto:1&)#2}::operator()<char>(char&) const"],
  ["_ZZ1fvE1x_0", "f()::x"],
  ["_ZZ1fiEd_NKUlvE_clEv", "f(int)::{default arg#1}::{lambda()#1}::operator()() const"],
  ["_ZTV1a", "vtable for a"],
  ["_ZThn16_N1a1bEv", "non-virtual thunk to a::b()"],
  ["_ZGVZ1fvE1x", "guard variable for f()::x"],
  ["_Z1fIXadL_ZN1a1bEiEEEvv", "void f<&a::b>()"],
  ["_Z1fDnDsz", "f(decltype(nullptr), char16_t, ...)"],
  ["_ZN1a1bEv.part.0.cold", "a::b() [clone .part.0] [clone .cold]"],
];

describe("a C++ name", () => {
  it.each(NAMES)("%s is read as c++filt does", (mangled, readable) => {
    expect(demangleItanium(mangled)).toBe(readable);
  });

  it("of other compilers, or no compiler, is not read", () => {
    const names = [
      "main",
      "_Z",
      "_ZN1a",
      "_Z1fT_",
      "_Z1fv_rest",
      "_Z9f",
      "_Z1\xe9v",
      "_ZN1a1b17h0123456789abcdefE",
    ];
    for (const name of names) expect(demangleItanium(name), name).toBeUndefined();
  });

  it("that cannot be read to its end has its qualified name", () => {
    expect(qualifiedName("_ZN2ns5ClassC1IXzzEEi")).toBe("ns::Class::Class");
    expect(qualifiedName("_ZNSt6vectorIiE1fEXXi")).toBe("std::vector::f");
    expect(qualifiedName("_ZN2ns5Clas")).toBeUndefined();
  });

  it("made to take long is given up soon", () => {
    const doubled = Array.from(
      { length: 40 },
      (_, i) => `S${i === 0 ? "" : (i - 1).toString(36).toUpperCase()}_`,
    );
    const names = [
      `_Z1f1aI${doubled.map((one) => `1bI${one}${one}E`).join("")}E`,
      `_Z1f${"P".repeat(30_000)}i`,
      `_Z1f${"1aI".repeat(9_000)}`,
      `_Z1f${"FvS_".repeat(7_000)}`,
      "_Z1fIKT_EvT_",
      "_Z1fIRT_EvOT_",
      "_Z1fIDpT_EvDpT_",
      `_Z1fIJ${"i".repeat(9_000)}EEvDpPDpT_`,
      `_Z1f${"St".repeat(10_000)}`,
      `_Z1f.${"a".repeat(30_000)}-`,
    ];
    const start = process.cpuUsage();
    for (const name of names) {
      const text = demangleItanium(name) ?? qualifiedName(name) ?? "";
      expect(text.length, name.slice(0, 20)).toBeLessThanOrEqual(1 << 16);
    }
    expect(process.cpuUsage(start).user).toBeLessThan(20_000_000);
  });
});

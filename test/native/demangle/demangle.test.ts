import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { demangleItanium, qualifiedName } from "../../../src/native/itanium.ts";
import { demangle as demangleAll, readRest } from "../../../src/native/readable-names.ts";
import { testFolder } from "../../helpers/folder.ts";

const demangle = async (...given: Parameters<typeof demangleAll>) => (await demangleAll(...given)).names;
const MISSING = "/nonexistent/c++filt";
const folder = testFolder();

/** A program to run in place of `c++filt`. */
function script(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Names on which binutils and the demangler in this process agree. */
const READABLE: [string, string][] = [
  ["_Z1fv", "f()"],
  ["_ZN4node5StartEiPPc", "node::Start(int, char**)"],
  ["_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back(int const&)"],
  ["_ZNSs6appendEPKc", "std::string::append(char const*)"],
  ["_ZN12_GLOBAL__N_11fEv.isra.0", "(anonymous namespace)::f() [clone .isra.0]"],
  ["_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"],
  ["_RNvCs1234_7mycrate3foo", "mycrate::foo"],
  ["_Z1fv@@V_1", "f()@@V_1"],
  ["_Z1fv@plt", "f()@plt"],
  ["_Z1fILm8EEvv", "void f<8ul>()"],
  ["_ZN1a1bIJPciEEEvDpOT_", "void a::b<char*, int>(char*&&, int&&)"],
  ["._Z1fv", ".f()"],
  ["$_Z1fv", "$f()"],
];

/** Names that stay as they are, whoever is asked. */
const PLAIN = [
  "main",
  "_start",
  "write@@GLIBC_2.2.5",
  "_Z",
  "_ZN4node",
  "_Read",
  "_GLOBAL__sub_I_a.cc",
  "a b",
  "",
];

function expectReadable(program?: string): Promise<void> {
  const names = [...READABLE.map(([name]) => name), ...PLAIN];
  const readable = [...READABLE.map(([, text]) => text), ...PLAIN];
  return expect(demangle(names, { program })).resolves.toEqual(readable);
}

describe("demangle", () => {
  it("makes names readable with what is on this machine", () => expectReadable());
  it("makes names readable without c++filt", async () => {
    await expectReadable(MISSING);
    await expectReadable("");
    await expectReadable(tmpdir());
  });

  it("reads templates of C++20, and of what it cannot read the qualified name, whoever is asked", async () => {
    const names = [
      "_ZN1a3KeyC2INS_6HandleEQsr3stdE9is_same_vIT_iEEEi",
      "_ZN1a3runITkNS_4NodeENS_3AddEEEvPT_",
      "_ZN1a3KeyC2IXzzEEi",
      "_ZN1a3KeyC2I",
    ];
    const readable = ["a::Key::Key<a::Handle>(int)", "void a::run<a::Add>(a::Add*)", "a::Key::Key", names[3]];
    expect(await readRest(await demangle(names, { program: MISSING }))).toEqual(readable);
    expect(await readRest(await demangle(names, { program: script("raw", "cat") }))).toEqual(readable);
    expect(await readRest(["._Z1fv@@V_1", "main", "__Z1fv"])).toEqual([".f()@@V_1", "main", "__Z1fv"]);
  });

  it("keeps the order, and names that come again", async () => {
    const names = ["b", "_Z1fv", "a", "_Z1fv", "_Z1gv"];
    expect(await demangle(names, { program: MISSING })).toEqual(["b", "f()", "a", "f()", "g()"]);
    expect(await demangle([])).toEqual([]);
  });

  it("does not feed c++filt what it would cut in pieces", async () => {
    expect(await demangle(["_Z1f\n_Z1gv", "_Z1fv _Z1gv", `_Z${"1".repeat(40_000)}`])).toEqual([
      "_Z1f\n_Z1gv",
      "_Z1fv _Z1gv",
      `_Z${"1".repeat(40_000)}`,
    ]);
  });

  it("reads the names of macOS without c++filt", async () => {
    expect(await demangle(["__Z1fv"], { program: MISSING })).toEqual(["f()"]);
  });

  it("never rejects names that no compiler made", async () => {
    const names = [
      `_Z1f${"P".repeat(100_000)}i`,
      `_Z1fI${"St4pairI".repeat(5000)}`,
      `_RNvC${"Nv".repeat(10_000)}`,
      "_RMC0INtB_1AB2_E",
      "_Z1fDpT_",
      "_Z1f\0",
    ];
    expect(await demangle(names, { program: MISSING })).toEqual(names);
    expect(await demangle(names)).toEqual(names);
    await expectReadable(MISSING);
  });
});

const version = /^GNU c\+\+filt .* (\d+)\.(\d+)/.exec(
  spawnSync("c++filt", ["--version"]).stdout?.toString() ?? "",
);

describe("the c++filt of this machine", () => {
  it.runIf(version !== null)("says what nm -C says (needs the c++filt of GNU binutils)", async () => {
    // A template has its return type, and a number its suffix: only binutils has both.
    expect(await demangle(["_Z1fILm8EEvv"])).toEqual(["void f<8ul>()"]);
    expect(await demangle(["_GLOBAL__I_x", "__Z1fv"])).toEqual(["global constructors keyed to x", "__Z1fv"]);
  });
});

describe.runIf(process.platform !== "win32")("a program in place of c++filt (needs a shell)", () => {
  it("gets the mangled part of each name once, and not through a shell", async () => {
    const program = script("brackets", "exec sed 's/.*/[&]/'");
    const names = ["_Z1fv@@V", "main", "._Z1fv", "_Z3$(ls)v", "_Z1g$_0v"];
    expect(await demangle(names, { program })).toEqual([
      "[_Z1fv]@@V",
      "main",
      ".[_Z1fv]",
      "_Z3$(ls)v",
      "[_Z1g$_0v]",
    ]);
  });

  it("is asked without the option that LLVM's does not have", async () => {
    const program = script("llvm", `[ "$*" = -n ] || exit 1\nexec sed 's/.*/[&]/'`);
    expect(await demangle(["_Z1fv"], { program })).toEqual(["[_Z1fv]"]);
  });

  const failures: [string, string][] = [
    ["fails", "exit 3"],
    ["fails after its work", "cat\nexit 3"],
    ["ends before it has read all", "exit 0"],
    ["says too little", "head -n 1"],
    ["says too much", "cat\necho"],
    ["is killed", "kill -9 $$"],
  ];
  for (const [name, text] of failures) {
    it(`is done without when it ${name}`, async () => {
      const program = script(name.replaceAll(" ", "-"), text);
      await expectReadable(program);
      // More than a pipe holds, so that writing to it fails.
      const many = Array.from({ length: 20_000 }, (_, i) => `_Z6f${String(i).padStart(5, "0")}v`);
      const readable = await demangle(many, { program });
      expect(readable[7]).toBe("f00007()");
    });
  }

  it("is stopped when it never ends a line", async () => {
    const program = script("endless", "exec cat /dev/zero");
    expect(await demangle(["_Z1fv"], { program })).toEqual(["_Z1fv"]);
  });
});

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

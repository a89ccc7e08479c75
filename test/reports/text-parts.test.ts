import { execFileSync } from "node:child_process";
import Grid from "cli-table3";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { shellWord } from "../../src/base/shown-text.ts";
import { shortSymbol } from "../../src/base/symbols.ts";
import { SourceTexts } from "../../src/facts/source-texts.ts";
import { codeCell, codeSpan, embeddedSources, fenced, markdownTable } from "../../src/render/markdown.ts";
import { fittedSymbol } from "../../src/render/names.ts";
import { table } from "../../src/render/table.ts";
import { cutEnd, cutMiddle, endsOf, isPlain, padEnd, padStart, widthOf } from "../../src/render/width.ts";
import { jsonLines } from "../../src/reports/json.ts";
import { stackLine } from "../../src/reports/stack-text.ts";
import { axisLabels, spanText, timeText } from "../../src/reports/time-axis.ts";
import { blocksOf, shellCommand, sourceLine, textAround } from "../../src/reports/words.ts";

const FAMILY = "👨‍👩‍👧";

describe("columns of a terminal", () => {
  it("are counted as terminals show them", () => {
    expect(["", "abc", "naïve", "e\u0301", "計算", "👍", FAMILY, "\x1b[1mab\x1b[22m"].map(widthOf)).toEqual([
      0, 3, 5, 1, 4, 2, 2, 2,
    ]);
  });

  it("are one for each character of plain text, for the libraries that measure and draw too", () => {
    const plain = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(isPlain);
    expect(plain.length).toBeGreaterThan(200);
    expect(plain.filter((character) => stringWidth(character) !== 1)).toEqual([]);
    const text = plain.join("");
    expect(widthOf(text)).toBe(stringWidth(text));
    const table = new Grid({ style: { head: [], border: [] } });
    table.push([text]);
    const [top, row] = table.toString().split("\n");
    expect([top!.length, row!.length]).toEqual([text.length + 4, text.length + 4]);
  });

  it("are filled on either side", () => {
    expect(padEnd("計", 4)).toBe("計  ");
    expect(padStart("計", 4)).toBe("  計");
    expect(padEnd("long", 2)).toBe("long");
  });
});

describe("cut text", () => {
  it("stays as it is where it fits", () => {
    expect(cutEnd("abc", 3)).toBe("abc");
    expect(cutMiddle("計算", 4)).toBe("計算");
  });

  it("loses its end or its middle", () => {
    expect(cutEnd("abcdef", 4)).toBe("abc…");
    expect(cutMiddle("abcdef", 4)).toBe("ab…f");
    expect(cutMiddle("abcdefg", 5)).toBe("ab…fg");
    expect([cutEnd("abc", 1), cutMiddle("abc", 1), cutMiddle("abc", 2)]).toEqual(["…", "…", "a…"]);
    expect([cutEnd("abc", 0), cutMiddle("abc", 0)]).toEqual(["", ""]);
  });

  it("is not looked at past what has room", () => {
    for (const part of ["a", "計", FAMILY, "e\u0301", "\u0301"]) {
      const text = part.repeat(200_000);
      expect(widthOf(cutEnd(text, 80))).toBeLessThanOrEqual(80);
      expect(widthOf(cutMiddle(text, 80))).toBeLessThanOrEqual(80);
      expect(cutMiddle(endsOf(text, 80), 80)).toBe(cutMiddle(text, 80));
    }
  });

  it("never splits a character, and never is too wide", () => {
    const text = `計算機${FAMILY}e\u0301x👍y機`;
    for (let columns = 0; columns <= widthOf(text) + 1; columns++) {
      for (const cut of [cutEnd(text, columns), cutMiddle(text, columns)]) {
        expect(widthOf(cut)).toBeLessThanOrEqual(columns);
        expect(cut).not.toMatch(/\p{Surrogate}/u);
        expect(cut).not.toMatch(/👨‍(?!👩‍👧)|e(?!\u0301)/u);
      }
    }
    expect(cutEnd(text, 8)).toBe("計算機…");
    expect(cutEnd(text, 9)).toBe(`計算機${FAMILY}…`);
    expect(cutMiddle(text, 6)).toBe("計…機");
  });
});

describe("a line of source", () => {
  const bundle = Array.from({ length: 300 }, (_, i) => `f${i}();`).join("");

  it("is whole if it is of usual length", () => {
    expect(sourceLine(`\t${"a".repeat(190)}  `)).toBe(`  ${"a".repeat(190)}`);
  });

  it("of a bundle has 160 characters, also where it is not cut by the width of a terminal", () => {
    expect(sourceLine(bundle)).toBe(`${bundle.slice(0, 160)}…`);
    const around = textAround(bundle, 1001);
    expect(around).toBe(`…${bundle.slice(990, 1150)}…`);
    expect(sourceLine(around)).toBe(around);
  });
});

it("a table aligns its columns and has no lines and no trailing spaces", () => {
  const rows = [
    ["a.log", "1"],
    ["longer.log", "200"],
  ];
  expect(table([{ title: "log" }, { title: "ticks", align: "right" }], rows)).toEqual([
    "log         ticks",
    "a.log           1",
    "longer.log    200",
  ]);
});

it("a stack in a line is cut name by name, then in its middle", () => {
  const names = ["main", "a".repeat(30), "b".repeat(30), "leaf"];
  expect(stackLine(names, 100)).toBe(names.join(" → "));
  expect(stackLine(names, 70)).toBe(
    `main → ${"a".repeat(12)}…${"a".repeat(11)} → ${"b".repeat(12)}…${"b".repeat(11)} → leaf`,
  );
  expect(stackLine(names, 50)).toBe(`main → … → ${"b".repeat(11)}…${"b".repeat(10)} → leaf`);
  expect(stackLine(["x".repeat(90)], 20)).toBe(`${"x".repeat(10)}…${"x".repeat(9)}`);
  for (let columns = 16; columns < 90; columns++)
    expect(widthOf(stackLine(names, columns))).toBeLessThanOrEqual(columns);
});

it("native names are shown without what makes them long", () => {
  const names: Record<string, string> = {
    main: "main",
    "syscall@@GLIBC_2.2.5": "syscall",
    "malloc@GLIBC_2.2.5": "malloc",
    "node::crypto::Run(int, v8::Local<v8::Value>)": "node::crypto::Run",
    "void v8::internal::Scan<(v8::internal::Mode)1>::Visit(int) const": "v8::internal::Scan<…>::Visit",
    "std::vector<int, std::allocator<int> >::push_back(int&&)": "std::vector<…>::push_back",
    "bool v8::internal::(anonymous namespace)::Go<int>(int)": "v8::internal::(anonymous)::Go<…>",
    "operator new(unsigned long)": "operator new",
    "bool std::operator<(A const&, B const&)": "std::operator<",
    "A& A::operator<< <int>(int)": "A::operator<< <int>",
    "f(int) [clone .cold]": "f",
    "f(void (*)(int))": "f",
    "(anonymous namespace)::f()": "(anonymous)::f",
    "std::map<int>::~map": "std::map<int>::~map",
    "<alloc::vec::Vec<T> as core::Drop>::drop": "<alloc::vec::Vec<T> as core::Drop>::drop",
    "()": "()",
    "f(": "f(",
    "": "",
  };
  expect(Object.fromEntries(Object.keys(names).map((name) => [name, shortSymbol(name)]))).toEqual(names);
});

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

it("words for a shell are those that it reads", () => {
  const words = [
    "plain",
    "a b",
    "it's",
    "$(x)",
    "`x`",
    'a"b',
    "a\\b",
    "<anonymous>",
    "a*?[b]",
    "é",
    "",
    "~a",
    "a=b",
    "!x",
  ];
  for (const word of words) {
    expect(execFileSync("/bin/sh", ["-c", `printf %s ${shellWord(word)}`], { encoding: "utf8" })).toBe(word);
  }
  expect(shellCommand("ticks function", ["a.log", "f"])).toBe("ticks function a.log f");
  expect(shellCommand("ticks function", ["a.log", "-x y"])).toBe("ticks function -- a.log '-x y'");
  expect(shellCommand("ticks function", ["-", "f"])).toBe("ticks function - f");
  expect(shellCommand("ticks lines", ["a.log"], "--source-root .")).toBe("ticks lines a.log --source-root .");
  expect(shellCommand("ticks lines", ["-x"], "--min 1")).toBe("ticks lines --min 1 -- -x");
  expect(shellCommand("ticks record --", ["node", "--expose-gc"])).toBe("ticks record -- node --expose-gc");
});

describe("times", () => {
  it("have the unit that suits them", () => {
    expect([0, 800, 25_000, 9_999_000, 12_500_000].map((time) => timeText(time))).toEqual([
      "0 ms",
      "0.8 ms",
      "25 ms",
      "9999 ms",
      "12.5 s",
    ]);
    expect(timeText(336_638, 0)).toBe("337 ms");
    expect(spanText({ from: 9_500_000, to: 10_500_000 }, 500_000)).toBe("9.5-10.5 s");
    expect(spanText({ from: 99_027, to: 138_597 }, 39_570)).toBe("99-139 ms");
    expect(spanText({ from: 2_500, to: 5_000 }, 2_500)).toBe("2.5-5 ms");
  });

  it("stand over every tenth slice, at round numbers", () => {
    expect(axisLabels({ start: 75_000, width: 25_000, count: 20 })).toEqual({
      unit: "ms",
      labels: "       250       500",
    });
    expect(axisLabels({ start: 10_000_000, width: 500_000, count: 12 })).toEqual({
      unit: "s",
      labels: "10        15",
    });
    expect(axisLabels({ start: 59_457, width: 121_752, count: 12 })).toEqual({
      unit: "ms",
      labels: "59        1277",
    });
  });
});

describe("blocks", () => {
  it("show the least tick, and nothing for none", () => {
    expect(blocksOf([0, 0.01, 1, 4, 8, 9], 8)).toBe(" ▁▁▄██");
    expect(blocksOf([0], 0)).toBe(" ");
  });
});

it.each([
  [[]],
  [{}],
  [[[], {}, [[1, "two", null, true]]]],
  [{ a: undefined, b: [undefined, -0, 1e21], c: { d: { e: [] } } }],
  ["text"],
  [5],
])("the lines of %j are those of JSON.stringify", (document) => {
  expect(Array.from(jsonLines(document, { pretty: true })).join("\n")).toBe(
    JSON.stringify(document, null, 2),
  );
  expect(Array.from(jsonLines(document))).toEqual([JSON.stringify(document)]);
});

it("a document can be of any depth", () => {
  let document: unknown = [];
  for (let i = 0; i < 20_000; i++) document = [document];
  let lines = 0;
  for (const _ of jsonLines(document, { pretty: true })) lines++;
  expect(lines).toBe(2 * 20_000 + 1);
});

it("a large compact document has no line much longer than 64 KiB", () => {
  const document = { rows: Array.from({ length: 20_000 }, (_, i) => ({ name: `function ${i}`, ticks: i })) };
  const lines = Array.from(jsonLines(document));
  expect(lines.length).toBeGreaterThan(5);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(66_000);
  expect(lines.join("")).toBe(JSON.stringify(document));
  expect(JSON.parse(lines.join("\n"))).toEqual(document);
});

it("a long text is written the same each time", () => {
  const long = `${"é\ud800".repeat(1000)}"`;
  const shown = long.replaceAll("\ud800", "\ufffd");
  expect(JSON.parse(Array.from(jsonLines([long, { long }, long])).join(""))).toEqual([
    shown,
    { long: shown },
    shown,
  ]);
});

describe("codeSpan", () => {
  it.each([
    ["plain", "`plain`"],
    ["a`b", "``a`b``"],
    ["`a``", "``` `a`` ```"],
    ["a|b", "`a|b`"],
    ["\n\x1b", "`\\n\\x1b`"],
    ["", ""],
  ])("%j", (text, markdown) => {
    expect(codeSpan(text)).toBe(markdown);
  });
});

describe("codeCell", () => {
  it("has no pipe that ends it, whatever stands before", () => {
    expect(codeCell("a|b")).toBe("`a\\|b`");
    expect(codeCell("a\\|b\\\\|")).toBe("`a\\x5c\\|b\\\\x5c\\|`");
  });
});

describe("markdownTable", () => {
  it("has cells that no text ends", () => {
    expect(
      Array.from(markdownTable([{ title: "n", align: "right" }, { title: "f" }], [["1", codeCell("a|`b")]])),
    ).toEqual(["| n | f |", "| ---: | --- |", "| 1 | ``a\\|`b`` |"]);
  });
});

describe("fenced", () => {
  it("is longer than the fences in it", () => {
    expect(fenced(["a"])).toEqual(["```", "a", "```"]);
    expect(fenced(["````"])).toEqual(["`````", "````", "`````"]);
  });
});

const sources = new SourceTexts(
  [
    { file: "/a.ts", text: "a" },
    ...[1, 2, 3, 4].map((i) => ({ file: `/${i}.ts`, text: "b", mapFile: `/${i}.map` })),
  ],
  (file) => (file === "/disk.js" ? "c" : undefined),
);

const note = (...files: string[]) => Array.from(embeddedSources(files, sources)).at(-1);

describe("what a Markdown report says of its sources", () => {
  it("is nothing where it has none", () => {
    expect(note()).toBeUndefined();
    expect(note("/no.js")).toBeUndefined();
  });

  it("is where they are from, each script once", () => {
    expect(note("/a.ts", "/a.ts", "/no.js")).toBe("Contains source lines of 1 script: from the log.");
    expect(note("/disk.js")).toBe("Contains source lines of 1 script: from files on disk.");
    expect(note("/1.ts", "/a.ts", "/disk.js")).toBe(
      "Contains source lines of 3 scripts: 1 from the log, 1 from source maps on disk (`/1.map`), 1 from files on disk.",
    );
    expect(note("/1.ts", "/2.ts", "/3.ts", "/4.ts")).toBe(
      "Contains source lines of 4 scripts: from source maps on disk (`/1.map`, `/2.map`, `/3.map`, and 1 more).",
    );
  });
});

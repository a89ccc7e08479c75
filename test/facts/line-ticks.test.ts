import { describe, expect, it } from "vitest";
import { type LineTicks, lineTicks } from "../../src/facts/line-ticks.ts";
import { SourceTexts } from "../../src/facts/source-texts.ts";
import type { SourceText } from "../../src/profile/profile.ts";
import { jsonLine } from "../../src/reports/json.ts";
import { listing } from "../../src/reports/listing.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const F = "f·/a.js:1:2";
const G = "g·/a.js:5:2";

function linesOf(...stacks: readonly string[]) {
  const profile = profileFromStacks(...stacks);
  return lineTicks(profile);
}

const texts = (lines: ReturnType<typeof linesOf>) =>
  lines.map((line) => `${line.file}:${line.line} ${line.function.title} ${line.self}/${line.total}`);

describe("lineTicks", () => {
  it("counts the line that runs as self, those that call in total, a stack once", () => {
    const lines = linesOf(
      `js:${F}@2 js:${G}@6`,
      `js:${F}@2 js:${F}@2 js:${G}@6`,
      `js:~${F}@2`,
      `js:${F}@3 inlined:${G}@6 builtin:Add`,
    );
    expect(texts(lines)).toEqual(["/a.js:6 g 2/3", "/a.js:2 f 1/3", "/a.js:3 f 0/1"]);
  });

  it("keeps what has no line at its function", () => {
    const lines = linesOf(
      `js:${F} js:${G}@6`,
      `js:${F}`,
      `js:${G}`,
      `js:${G}`,
      "js:nowhere@7",
      "js:f·/b.js:1:2",
    );
    expect(texts(lines)).toEqual([
      "/a.js:0 g 2/2",
      "/a.js:0 f 1/2",
      "undefined:0 nowhere 1/1",
      "/a.js:6 g 1/1",
      "/b.js:0 f 1/1",
    ]);
  });

  it("keeps unknown lines in loops apart, and counts inferred ones", () => {
    const lines = linesOf(
      `js:+${F}@2+ js:${G}@6`,
      `js:+${F}@2+`,
      `js:${F}@2`,
      `js:^${F}@3≈ js:${G}@6`,
      `js:${F}@3`,
    );
    expect(lines.map(({ line, loop, self, total, inferred }) => [line, loop, self, total, inferred])).toEqual(
      [
        [6, undefined, 2, 2, 0],
        [0, 2, 1, 2, 0],
        [3, undefined, 1, 2, 1],
        [2, undefined, 1, 1, 0],
      ],
    );
  });

  it("names of several functions on a line the one with the most ticks", () => {
    expect(texts(linesOf(`js:${F}@5`, `js:${F}@5 js:${G}@5`, `js:${G}@5`))).toEqual(["/a.js:5 g 3/3"]);
  });

  it("looks at one function alone where asked to", () => {
    const profile = profileFromStacks(`js:${F}@2 js:${G}@6`, `js:${F}@2`);
    expect(texts(lineTicks(profile, { isInScope: (id) => id === 0 }))).toEqual(["/a.js:2 f 1/2"]);
  });
});

describe("listing", () => {
  const script = {
    lines: Array.from({ length: 30 }, (_, i) => `text ${i + 1}`),
    origin: "log",
  } as const;
  const about = {
    sources: new SourceTexts([], () => undefined),
    scale: { whole: 1, tickTime: undefined },
    places: () => [],
  };
  const told = (lines: readonly LineTicks[]) => lines.map((line) => jsonLine(line, about));
  const rowsOf = (
    lines: readonly LineTicks[],
    text: typeof script | undefined,
    options: Parameters<typeof listing>[2],
  ) =>
    listing(told(lines), text, options).rows.map((row) => {
      if (row.kind === "gap") return `⋯ ${row.lines}`;
      if (row.kind === "unknown-line" && row.isInLoop) return `${row.line}+ ${row.self}/${row.total}`;
      if (row.kind === "unknown-line") return `${row.line}? ${row.title} ${row.self}/${row.total}`;
      return `${row.line} ${row.self}/${row.total}${row.text === undefined ? " -" : ""}`;
    });

  it("shows what is near ticks, and says how much is between", () => {
    const lines = linesOf(`js:${F}@10 js:${G}@20`, `js:${G}@21`);
    expect(rowsOf(lines, script, { context: 1 })).toEqual([
      "⋯ 8",
      "9 0/0",
      "10 0/1",
      "11 0/0",
      "⋯ 7",
      "19 0/0",
      "20 1/1",
      "21 1/1",
      "22 0/0",
      "⋯ 8",
    ]);
    const all = rowsOf(lines, script, { context: Number.POSITIVE_INFINITY });
    expect(all).toHaveLength(30);
    expect(all[9]).toBe("10 0/1");
  });

  it("puts ticks without a line below the line that their function begins at", () => {
    const lines = linesOf(`js:${G}`, "js:nowhere", `js:${G}@6`);
    expect(rowsOf(lines, script, { context: 0 })).toEqual([
      "0? nowhere 1/1",
      "⋯ 4",
      "5 0/0",
      "5? g 1/1",
      "6 1/1",
      "⋯ 24",
    ]);
    expect(rowsOf(lines, undefined, { context: 2 })).toEqual(["0? nowhere 1/1", "5? g 1/1", "6 1/1 -"]);
  });

  it("puts ticks in a loop below the line that it begins at", () => {
    const lines = linesOf(`js:+${G}@7+`, `js:${G}@7`);
    expect(rowsOf(lines, script, { context: 0 })).toEqual(["⋯ 6", "7 1/1", "7+ 1/1", "⋯ 23"]);
  });

  it("begins at the function that is looked at", () => {
    const lines = linesOf(`js:${G}@9`);
    expect(rowsOf(lines, script, { context: 2, from: 5, to: 11 })).toEqual([
      "5 0/0",
      "6 0/0", // As short as what says that a line is left out.
      "7 0/0",
      "8 0/0",
      "9 1/1",
      "10 0/0",
      "11 0/0",
    ]);
  });

  it("says when ticks lie past the end", () => {
    expect(listing(told(linesOf(`js:${F}@31`)), script, { context: 1 })).toMatchObject({ isPastEnd: true });
    expect(listing(told(linesOf(`js:${F}@30`)), script, { context: 1 })).toMatchObject({ isPastEnd: false });
    expect(rowsOf(linesOf(`js:${F}@31`), script, { context: 1 })).toEqual(["⋯ 29", "30 0/0", "31 1/1 -"]);
  });
});

describe("SourceTexts", () => {
  it("takes the text of the log first, and asks for that of others once", () => {
    const asked: string[] = [];
    const sources = new SourceTexts([{ file: "/a.js", text: "one\r\ntwo\u2028three\n" }], (file) => {
      asked.push(file);
      return file === "/b.js" ? "text" : undefined;
    });
    expect(sources.linesOf("/a.js")).toEqual({ lines: ["one", "two", "three"], origin: "log" });
    expect(sources.linesOf("/b.js")).toEqual({ lines: ["text"], origin: "disk" });
    expect([sources.lineOf("/a.js", 2), sources.lineOf("/b.js", 2)]).toEqual(["two", undefined]);
    expect([sources.lineOf("/c.js", 1), sources.lineOf("/c.js", 2), sources.lineOf(undefined, 1)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(asked).toEqual(["/b.js", "/c.js"]);
  });
});

describe("SourceTexts", () => {
  it("asks once for each line, and for no whole text until all lines are asked for", () => {
    const asked: (number | "all")[] = [];
    const source: SourceText = {
      file: "a.js",
      get text() {
        asked.push("all");
        return "one\ntwo\n";
      },
      line(line) {
        asked.push(line);
        return ["one", "two"][line - 1];
      },
    };
    const texts = new SourceTexts([source], () => undefined);
    for (const _ of [1, 2, 3]) {
      expect([1, 2, 3].map((line) => texts.lineOf("a.js", line))).toEqual(["one", "two", undefined]);
    }
    expect(asked).toEqual([1, 2, 3]);
    expect(texts.linesOf("a.js")).toEqual({ lines: ["one", "two"], origin: "log", mapFile: undefined });
    expect(texts.lineOf("a.js", 2)).toBe("two");
    expect(asked).toEqual([1, 2, 3, "all"]);
  });

  it("splits texts that cannot tell one line, and those of files", () => {
    const sources = [{ file: "a.ts", text: "one\r\ntwo", mapFile: "a.js.map" }];
    const texts = new SourceTexts(sources, (file) => (file === "b.js" ? "three" : undefined));
    expect(texts.lineOf("a.ts", 2)).toBe("two");
    expect(texts.linesOf("a.ts")?.origin).toBe("map");
    expect(texts.lineOf("b.js", 1)).toBe("three");
    expect([texts.lineOf("c.js", 1), texts.lineOf(undefined, 1)]).toEqual([undefined, undefined]);
  });
});

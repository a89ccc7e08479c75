import { describe, expect, it } from "vitest";
import type { SourceText } from "../../src/profile/profile.ts";
import { SourceTexts } from "../../src/views/source-texts.ts";

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

import { describe, expect, it } from "vitest";
import { embeddedSources } from "../../src/reports/markdown.ts";
import { SourceTexts } from "../../src/views/source-texts.ts";

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

import { describe, expect, it } from "vitest";
import { sourcesNote } from "../../src/flame-page/sources-note.ts";

const source = (file: number, mapFile?: string) => ({ file, ranges: [], mapFile });

describe("what a page says of its sources", () => {
  it.each([
    ["nothing where it has none", [], []],
    ["that they are from the log", [source(0)], ["This page has source lines of 1 script: from the log."]],
    [
      "which source maps they are from",
      [source(0, "/a.map"), source(1, "/a.map")],
      ["This page has source lines of 2 scripts: from source maps on disk (/a.map)."],
    ],
    [
      "how many are from where",
      [source(0), ...[1, 2, 3, 4].map((i) => source(i, `/${i}.map`))],
      [
        "This page has source lines of 5 scripts: 1 from the log, 4 from source maps on disk (/1.map, /2.map, /3.map, and 1 more).",
      ],
    ],
  ])("is %s", (_, sources, notes) => {
    expect(sourcesNote(sources)).toEqual(notes);
  });
});

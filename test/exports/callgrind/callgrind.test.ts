import { describe, expect, it } from "vitest";
import { callgrind } from "../../../src/exports/callgrind.ts";
import { profileFromStacks } from "../../helpers/stacks.ts";
import { readCallgrind } from "./read-callgrind.ts";

/** What is written of each function: its lines, compressed names in full again. */
function functions(...stacks: readonly string[]): Record<string, string[]> {
  const [, ...blocks] = Array.from(callgrind(profileFromStacks(...stacks)))
    .join("")
    .replace(/\ntotals: \d+\n$/, "")
    .split("\n\n");
  const names = new Map<string, string>();
  const all: Record<string, string[]> = {};
  for (const block of blocks) {
    const lines = block
      .trimEnd()
      .split("\n")
      .map((line) =>
        line.replace(
          /^c?(ob|fl|fn)=(\(\d+\))(?: (.*))?$/,
          (_, kind: string, number: string, name?: string) => {
            if (name !== undefined) names.set(kind + number, name);
            return names.get(kind + number)!;
          },
        ),
      );
    all[lines.slice(0, 3).join(" | ")] = lines.slice(3);
  }
  return all;
}

describe("callgrind", () => {
  it("says what it counts", () => {
    const [head] = Array.from(callgrind(profileFromStacks("js:a", "js:a js:b")))
      .join("")
      .split("\n\n");
    expect(head?.split("\n")).toEqual([
      "# callgrind format",
      "version: 1",
      "creator: ticks",
      "cmd: log",
      "desc: Unit: ticks of the sampler",
      "desc: Call counts: ticks, as a sampler does not count calls",
      "positions: line",
      "events: Ticks",
      "summary: 2",
    ]);
  });

  it("has own ticks by line, and calls by line with all that they lead to", () => {
    const all = functions(
      "js:a·/a.js:1:1@3 js:b·/b.js:5:1@7",
      "js:a·/a.js:1:1@3 js:b·/b.js:5:1@8",
      "js:a·/a.js:1:1@4",
      "cpp:main",
    );
    expect(all).toEqual({
      "JavaScript | /a.js | a": ["4 1", "JavaScript", "/b.js", "b", "calls=2 5", "3 2"],
      "JavaScript | /b.js | b": ["7 1", "8 1"],
      "/bin/node | ??? | main": ["0 1"],
      "??? | ??? | (root)": [
        ...["JavaScript", "/a.js", "a", "calls=3 1", "0 3"],
        ...["/bin/node", "???", "main", "calls=1 0", "0 1"],
      ],
    });
  });

  it("counts a recursive call once a stack", () => {
    const all = functions("js:f js:f js:f js:f");
    expect(all["JavaScript | ??? | f"]).toEqual(["0 1", "JavaScript", "???", "f", "calls=1 0", "0 1"]);
  });

  it("counts a recursive call from several lines once a stack, at the outermost", () => {
    const all = functions(
      "js:f·/a.js:1:1@2 js:f·/a.js:1:1@3 js:f·/a.js:1:1@4",
      "js:f·/a.js:1:1@3 js:f·/a.js:1:1@2",
    );
    expect(all["JavaScript | /a.js | f"]).toEqual([
      ...["2 1", "4 1"],
      ...["JavaScript", "/a.js", "f", "calls=1 1", "2 1"],
      ...["JavaScript", "/a.js", "f", "calls=1 1", "3 1"],
    ]);
    const nested = functions("js:f·/a.js:1:1@2 js:f·/a.js:1:1@3 js:f·/a.js:1:1@4");
    expect(nested["JavaScript | /a.js | f"]).toEqual(["4 1", "JavaScript", "/a.js", "f", "calls=1 1", "2 1"]);
  });

  it("tells functions of one name by their places", () => {
    const all = functions("js:·/a.js:1:1", "js:·/a.js:2:2", "js:·/b.js:3:3");
    expect(Object.keys(all)).toEqual([
      "JavaScript | /a.js | <anonymous>:1:1",
      "JavaScript | /a.js | <anonymous>:2:2",
      "JavaScript | /b.js | <anonymous>",
      "??? | ??? | (root)",
    ]);
  });

  it("has a number and a name for each function that no other has as KCachegrind and callgrind_annotate read them", () => {
    const profile = profileFromStacks(
      ...["js:·/a/x.js:1:1", "js:·/b/x.js:1:1", "js:·/c/x.js:1:1", "js:f·/a/x.js:3:1", "js:f·y.js:3:1"],
      ...[
        "cpp:malloc",
        "libc:malloc",
        "builtin:malloc",
        "js:·(root)",
        "js:fx.js",
        "lib:",
        "lib:·",
        "js:x·",
        "js:xv8",
      ],
      ...["js:x·#2", "js:x", "js:x·/v8:1:1"],
    );
    const text = Array.from(callgrind(profile)).join("");
    const read = readCallgrind(text);
    expect(read.numbers).toBe(profile.frames.length + 1);
    expect(read.self.size).toBe(read.numbers);
    expect(read.annotated).toBe(read.numbers);
    expect(Array.from(read.self.keys())).toContain("malloc [libc.so.6]libc.so.6");
  });

  it("lets no name break a line", () => {
    expect(Object.keys(functions("js:a\nfn=(9)·evil"))[0]).toBe("JavaScript | ??? | a\\nfn=(9) evil");
  });
});

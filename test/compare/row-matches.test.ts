import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { compareRuns } from "../../src/compare/diff.ts";
import { matchRows } from "../../src/compare/row-matches.ts";
import type { RowName } from "../../src/compare/run-groups.ts";
import { runSummary } from "../../src/compare/run-summary.ts";
import { openLog } from "../../src/io/input.ts";
import { analyze } from "../../src/load/analyze.ts";
import { shownStacks } from "../../src/profile/shown-stacks.ts";

/** A function: `file name#2`, and its source after a `=`. */
function fn(text: string): RowName {
  const [key = "", sourceHash] = text.split("=");
  const [family = "", number = "1"] = key.split("#");
  const [file = "", title = ""] = family.split(" ");
  return {
    key,
    family,
    ordinal: Number(number),
    sourceHash,
    title,
    file,
    line: 1,
    column: 1,
    origin: "app",
    package: "app",
  };
}

/** The pairs as `before > after`. */
function pairs(before: readonly string[], after: readonly string[]): string[] {
  return matchRows(before.map(fn), after.map(fn)).map(
    ({ before: old, after: now, by }) => `${old?.key ?? "-"} > ${now?.key ?? "-"}${by ? ` (${by})` : ""}`,
  );
}

describe("matchRows", () => {
  it("matches members of objects that have another name", () => {
    expect(pairs(["a.js pp.next", "a.js pp.skip"], ["a.js B.skip", "a.js B.next", "b.js B.next"])).toEqual([
      "a.js pp.next > a.js B.next (member)",
      "a.js pp.skip > a.js B.skip (member)",
      "- > b.js B.next",
    ]);
    expect(pairs(["a.js price"], ["a.js di.price"])).toEqual(["a.js price > a.js di.price (member)"]);
    expect(pairs(["a.js f", "a.js pp.next"], ["src/a.js f", "src/a.js B.next"])).toEqual([
      "a.js f > src/a.js f (file)",
      "a.js pp.next > src/a.js B.next (member)",
    ]);
    // Two on each side, on one line each: which is which is not known.
    expect(pairs(["a.js pp.next", "a.js qq.next"], ["a.js B.next", "a.js C.next"])).toEqual([
      "a.js pp.next > -",
      "a.js qq.next > -",
      "- > a.js B.next",
      "- > a.js C.next",
    ]);
    const at = (text: string, line: number) => ({ ...fn(text), line });
    const found = matchRows(
      [at("a.js pp.next", 3), at("a.js qq.next", 9)],
      [at("a.js B.next", 9), at("a.js C.next", 3)],
    );
    expect(found.map(({ before, after }) => `${before?.title} ${after?.title}`)).toEqual([
      "pp.next C.next",
      "qq.next B.next",
    ]);
    // Rows of lines and files are no members of anything.
    const line = {
      ...fn("a.js f"),
      key: "a.js f\npp.next()",
      family: "a.js f\npp.next()",
      title: "pp.next()",
    };
    const other = { ...line, key: "a.js f\nB.next()", family: "a.js f\nB.next()", title: "B.next()" };
    expect(matchRows([line], [other])).toHaveLength(2);
  });

  it("tells functions without a name apart by what they are given to", () => {
    const given = (ordinal: number, role: string) => ({
      ...fn(`a.js <anonymous>${ordinal > 1 ? `#${ordinal}` : ""}`),
      role,
    });
    const found = matchRows(
      [given(1, "createServer callback")],
      [given(1, "new Promise callback"), given(2, "createServer callback")],
    );
    expect(found.map(({ before, after }) => `${before?.role} > ${after?.role}`)).toEqual([
      "createServer callback > createServer callback",
      "undefined > new Promise callback",
    ]);
    // Of three and two of one role it is not known which is new: they keep their order.
    const more = [1, 2, 3].map((ordinal) => given(ordinal, "map callback"));
    expect(matchRows(more.slice(0, 2), more).map(({ after }) => after?.ordinal)).toEqual([1, 2, 3]);
  });

  it("does not take a file of Node for another one of its base name", () => {
    const node = (key: string) => ({ ...fn(key), origin: "node" as const });
    const [before, after] = ["node:internal/util", "node:internal/crypto/util"].map((file) => `${file} f`);
    expect(matchRows([node(before!)], [node(after!)])).toHaveLength(2);
    expect(matchRows([fn(before!)], [fn(after!)])).toHaveLength(1);
  });

  it("matches by file and name, whatever the source", () => {
    expect(pairs(["a.js f=1", "a.js g=2"], ["a.js g=2", "a.js f=3", "a.js h=4"])).toEqual([
      "a.js f > a.js f (key)",
      "a.js g > a.js g (key)",
      "- > a.js h",
    ]);
  });

  it("matches functions of one name by their sources, then by their order", () => {
    expect(pairs(["a.js f#1=1", "a.js f#2=2"], ["a.js f#1=9", "a.js f#2=1", "a.js f#3=2"])).toEqual([
      "a.js f#1 > a.js f#2 (key)",
      "a.js f#2 > a.js f#3 (key)",
      "- > a.js f#1",
    ]);
    expect(pairs(["a.js f#1", "a.js f#2"], ["a.js f#2", "a.js f#1"])).toEqual([
      "a.js f#1 > a.js f#1 (key)",
      "a.js f#2 > a.js f#2 (key)",
    ]);
    // The same text twice: in order.
    expect(pairs(["a.js f#1=1", "a.js f#3=1"], ["a.js f#2=1", "a.js f#4=1"])).toEqual([
      "a.js f#1 > a.js f#2 (key)",
      "a.js f#3 > a.js f#4 (key)",
    ]);
  });

  it("matches moved and renamed functions by their source, if no other has it", () => {
    expect(pairs(["a.js old=1", "a.js f=2"], ["b.js f=2", "a.js renamed=1"])).toEqual([
      "a.js old > a.js renamed (source)",
      "a.js f > b.js f (source)",
    ]);
    expect(pairs(["a.js f=1"], ["b.js g=1", "b.js h=1"])).toEqual(["a.js f > -", "- > b.js g", "- > b.js h"]);
    expect(pairs(["a.js f=1", "a.js g=1"], ["b.js g=1", "b.js f=1"])).toEqual([
      "a.js f > b.js f (source)",
      "a.js g > b.js g (source)",
    ]);
  });

  it("matches edited functions of a file that was renamed or moved", () => {
    expect(pairs(["a.js f=1", "a.js g=2"], ["b.js f=1", "b.js g=3"])).toEqual([
      "a.js f > b.js f (source)",
      "a.js g > b.js g (file)",
    ]);
    expect(pairs(["src/a.js f"], ["lib/a.js f", "x.js f"])).toEqual([
      "src/a.js f > lib/a.js f (file)",
      "- > x.js f",
    ]);
    // One function of three moved to another file: the others are in the file of the same name.
    const left = ["v1/a.js f=1", "v1/a.js g=2", "v1/a.js h=3"];
    expect(pairs(left, ["v2/u.js f=1", "v2/a.js g=4", "v2/a.js h=5"])).toEqual([
      "v1/a.js f > v2/u.js f (source)",
      "v1/a.js g > v2/a.js g (file)",
      "v1/a.js h > v2/a.js h (file)",
    ]);
    // It is not known which one.
    expect(pairs(["src/a.js f"], ["lib/a.js f", "x/a.js f"])[0]).toBe("src/a.js f > -");
  });

  it("matches a file that was renamed by the names of most of its functions, without sources", () => {
    expect(
      pairs(["app.js f", "app.js g", "app.js h"], ["server.js f", "server.js g", "server.js k"]),
    ).toEqual([
      "app.js f > server.js f (file)",
      "app.js g > server.js g (file)",
      "app.js h > -",
      "- > server.js k",
    ]);
    // One name in common of many, and the names of a file that is still there, say nothing.
    expect(pairs(["a.js f", "a.js g", "a.js h"], ["b.js f", "b.js x", "b.js y"])[0]).toBe("a.js f > -");
    expect(pairs(["a.js f", "a.js g"], ["a.js f", "b.js f", "b.js g"])).toContain("a.js g > -");
    // Functions without a name are no names.
    const nameless = ["a.js <anonymous>", "a.js <anonymous>#2"];
    expect(pairs(nameless, ["b.js <anonymous>", "b.js <anonymous>#2"])[0]).toBe("a.js <anonymous> > -");
  });

  it("matches a function that is alone in its file only if it takes about as much", () => {
    const found = (share: number) =>
      matchRows([fn("a.js f")], [fn("b.js f")], { shareOf: ({ file }) => (file === "a.js" ? 0.2 : share) });
    expect(found(0.3)).toHaveLength(1);
    expect(found(0.5)).toHaveLength(2);
  });

  it("matches functions of one name by their places where their order is not sure", () => {
    const at = (name: string, line: number, column = 1) => ({ ...fn(name), line, column });
    const found = (before: readonly RowName[], after: readonly RowName[]) =>
      matchRows(before, after, { isOrderUnsure: true }).map(
        ({ before: old, after: now }) => `${old?.line ?? "-"} > ${now?.line ?? "-"}`,
      );
    // The first has no ticks after, another one has none before.
    const [one, two] = ["a.js <anonymous>", "a.js <anonymous>#2"] as const;
    expect(found([at(one, 10), at(two, 50)], [at(one, 50), at(two, 200)])).toEqual([
      "10 > -",
      "50 > 50",
      "- > 200",
    ]);
    // Forty lines were added above all, as a function with a name tells.
    const f = "a.js f";
    expect(found([at(f, 5), at(one, 10), at(two, 50)], [at(f, 45), at(one, 50), at(two, 90)])).toEqual([
      "5 > 45",
      "10 > 50",
      "50 > 90",
    ]);
    // Two on one line are told apart by their columns.
    const columns = matchRows([at(one, 1, 9), at(two, 1, 70)], [at(one, 1, 70)], { isOrderUnsure: true });
    expect(columns.map(({ before, after }) => `${before?.column} > ${after?.column}`)).toEqual([
      "9 > undefined",
      "70 > 70",
    ]);
  });

  it("is the same the other way round", () => {
    const [before, after] = [
      ["a.js f=1", "a.js g=2", "a.js h#2=3"],
      ["b.js f=1", "b.js g=5", "a.js h#3=3"],
    ];
    const turned = pairs(after, before).map((pair) => {
      const [, now, old, by] = /^(.+) > (\S+ \S+|-)(.*)$/.exec(pair)!;
      return `${old} > ${now}${by}`;
    });
    expect(turned.sort()).toEqual(pairs(before, after).sort());
  });
});

/**
 * Logs of test/programs/words.js, as it is and as `esbuild --bundle --minify --sourcemap=inline` makes it, without
 * the rows of Node's own code.
 */
async function run(name: string) {
  const path = fileURLToPath(new URL(`minified/${name}.log.gz`, import.meta.url));
  const options = { inlines: true, identities: true, readSourceMap: async () => undefined };
  return runSummary(shownStacks(await analyze(openLog(path), options)), "function");
}

describe("a program and its minified form with a source map", () => {
  it.each([20, 26])("have the same functions for 98 %% of the ticks, on Node %d", async (node) => {
    const [source, minified] = [await run(`node-${node}-source`), await run(`node-${node}-minified`)];
    const own = ({ origin }: { readonly origin: string | undefined }) => origin === "app";
    const [before, after] = [source, minified].map((side) => {
      const rows = side.rows.filter(own);
      return { ...side, rows: rows.map((row) => ({ ...row, callers: [] })) };
    });
    const { rows, matched } = compareRuns([before!], [after!], { scale: { name: "share" } })!;
    expect(matched).toBeGreaterThan(0.98);
    const pairs = rows
      .filter(({ matchedBy }) => matchedBy !== undefined)
      .map(({ name, nameBefore, matchedBy }) => `${nameBefore!.key} > ${name.key}: ${matchedBy}`);
    expect(pairs).toEqual(
      expect.arrayContaining([
        "words.js sorted > src/words.js sorted: file",
        "words.js count > src/words.js count: file",
        "words.js reading.peek > src/words.js h.peek: member",
      ]),
    );
  });
});

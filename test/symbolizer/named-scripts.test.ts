import { describe, expect, it } from "vitest";
import { lineTicks } from "../../src/views/line-ticks.ts";
import { logOf, profileOf } from "../helpers/logs.ts";

const V8 = ["v8-version,12,4,254,21,-node.57,0", "profiler,begin,1000"];

/** A script with a function of one line at `address`, and a tick in it. */
function script(id: number, url: string, name: string, source: string): string[] {
  const address = `0x${(id * 0x1000).toString(16)}`;
  return [
    `code-creation,JS,10,${id},${address},64,${name} ${url === "<unknown>" ? "" : url}:1:1,0xf${id},*`,
    `script-source,${id},${url},${source}`,
    `code-source-info,${address},${id},0,4,C0O0,,`,
    `tick,${address},${id},0,0x0,0`,
  ];
}

async function rowsOf(...rows: string[][]): Promise<string[]> {
  const profile = await profileOf(logOf(...V8, ...rows.flat()), { inlines: true });
  const texts = new Map(profile.sources.map(({ file, text }) => [file, text]));
  return lineTicks(profile)
    .map((row) => `${row.file}:${row.line} ${row.function.name} ${row.self} ${texts.get(row.file ?? "")}`)
    .sort();
}

describe("scripts without a name of their own", () => {
  it("are told apart by their text, and named by their number", async () => {
    const rows = await rowsOf(
      script(1, "<unknown>", "a", "a()"),
      script(2, "<unknown>", "a", "b()"),
      script(3, "<unknown>", "a", "a()"),
    );
    expect(rows).toEqual(["<eval #1>:1 a 2 a()", "<eval #2>:1 a 1 b()"]);
  });

  it("are named by their comment", async () => {
    const [row] = await rowsOf(script(1, "<unknown>", "a", "a()\\n//# sourceURL=/srv/made.js\\n}"));
    expect(row).toBe("/srv/made.js:1 a 1 a()\n//# sourceURL=/srv/made.js\n}");
  });
});

describe("scripts of one name", () => {
  it("are several if their texts differ", async () => {
    const rows = await rowsOf(
      script(1, "/srv/a.js", "a", "a()"),
      script(2, "/srv/a.js", "a", "b()"),
      script(3, "/srv/a.js", "a", "a()"),
    );
    expect(rows).toEqual(["/srv/a.js:1 a 2 a()", "/srv/a.js<2>:1 a 1 b()"]);
  });
});

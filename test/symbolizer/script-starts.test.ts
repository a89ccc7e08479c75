import { describe, expect, it } from "vitest";
import { Scripts } from "../../src/recorder/scripts.ts";
import { FunctionTable } from "../../src/views/function-table.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

/** The functions of a log whose scripts have a text, as `name | file`. */
async function functionsOf(scripts: readonly string[], names: readonly string[]): Promise<string[]> {
  const rows = [
    ...scripts.map((url, i) => `script-source,${i + 1},${url},text`),
    ...names.map((name, i) => `code-creation,JS,10,1,0x${i + 1}000,256,${name},0xf${i},~`),
    ...names.map((_, i) => `tick,0x${i + 1}010,${i + 1},0,0x0,0`),
  ];
  const { frames } = await profileOf(logOf(...NODE_26, ...rows), { inlines: true });
  return new FunctionTable(frames).functions.map(({ name, file }) => `${name} | ${file}`);
}

describe("a function with spaces in its name", () => {
  it("is split by the script that the log knows", async () => {
    const scripts = ["app.js", "my script.js", "D:\\srv\\a b.js", "http://x/a /b.js"];
    const names = [
      "GET /users app.js:10:5",
      "run my script.js:1:1",
      " my script.js:2:1",
      "C:\\x D:\\srv\\a b.js:1:1",
      "get http://y http://x/a /b.js:1:1",
      "other /srv/c.js:1:1",
    ];
    expect((await functionsOf(scripts, names)).sort()).toEqual([
      " | my script.js",
      "C:\\x | D:\\srv\\a b.js",
      "GET /users | app.js",
      "get http://y | http://x/a /b.js",
      "other | /srv/c.js",
      "run | my script.js",
    ]);
  });

  it("is found in time that does not grow with the number of scripts", () => {
    const scripts = new Scripts();
    for (let i = 1; i < 5000; i++)
      scripts.add({ type: "script-source", id: i, url: "x".repeat(i), source: new Uint8Array() }, i);
    const start = process.cpuUsage().user;
    for (let i = 0; i < 1000; i++) expect(scripts.startIn(" ".repeat(5000))).toBe(-1);
    expect(process.cpuUsage().user - start).toBeLessThan(2_000_000);
    expect(scripts.startIn(`a ${"x".repeat(4000)}`)).toBe(2);
    expect(scripts.startIn("xx")).toBe(0);
    expect(scripts.startIn("yxx")).toBe(-1);
  });
});

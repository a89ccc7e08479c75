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

  it.each([
    ["positions", "C0O1C8O2", true],
    ["positions, without lines", "C0O1C8O2", false],
    ["no positions", "", true],
    ["no positions, without lines", "", false],
  ])("is split so whatever the log has of its code: %s", async (_, positions, lines) => {
    const rows = [
      "script-source,1,my script.js,text",
      "code-creation,JS,10,1,0x1000,256,inner my script.js:1:3,0xf1,~",
      "code-creation,JS,10,1,0x2000,256,run my script.js:1:1,0xf2,*",
      `code-source-info,0x2000,1,0,4,${positions},F0O2,S0xf1`,
      "tick,0x2004,1,0,0x0,0",
      "tick,0x200c,2,0,0x0,0",
    ];
    const { frames } = await profileOf(logOf(...NODE_26, ...rows), { inlines: true, lines });
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) expect(frame).toMatchObject({ kind: "js", scriptAt: 4 });
  });

  it("splits what is inlined, too", async () => {
    const rows = [
      "script-source,1,my script.js,text",
      "code-creation,JS,10,1,0x1000,256,inner my script.js:1:3,0xf1,~",
      "code-creation,JS,10,1,0x2000,256,run my script.js:1:1,0xf2,*",
      "code-source-info,0x2000,1,0,4,C0O1C8O2I0,F0O2,S0xf1",
      "tick,0x200c,2,0,0x0,0",
    ];
    const { frames } = await profileOf(logOf(...NODE_26, ...rows), { inlines: true });
    expect(frames.map((frame) => frame.kind === "js" && [frame.name, frame.scriptAt])).toEqual([
      ["run my script.js:1:1", 4],
      ["inner my script.js:1:3", 6],
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

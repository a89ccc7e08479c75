import { describe, expect, it } from "vitest";
import { stableKeys } from "../../src/facts/stable-key.ts";
import type { AnalyzeOptions } from "../../src/load/analyze.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

/** The rows of a script and its functions: each `NAME(…){…}` of its text, which has no other braces. */
function program(folder: string, text: string, hot: readonly number[] = []): Buffer {
  const file = `${folder}/app.js`;
  const rows = [`script-source,7,${file},${text.replaceAll(",", "\\x2C").replaceAll("\n", "\\n")}`];
  const functions = Array.from(text.matchAll(/(\w*)(\([^)]*\)\s*\{[^}]*\})/g));
  for (const [i, { 1: name = "", 2: body = "", index }] of functions.entries()) {
    const start = index + name.length;
    const line = text.slice(0, start).split("\n").length;
    const column = start - text.lastIndexOf("\n", start - 1);
    const code = 0x1000 * (i + 1);
    rows.push(
      `code-creation,JS,10,1,0x${code.toString(16)},256,${name} ${file}:${line}:${column},0xf${i},~`,
      `code-source-info,0x${code.toString(16)},7,${start},${start + body.length},C0O${start},,`,
    );
  }
  for (const i of hot) rows.push(`tick,0x${(0x1000 * (i + 1)).toString(16)},1,0,0x0,0`);
  return logOf(...NODE_26, ...rows);
}

const OPTIONS: Partial<AnalyzeOptions> = { inlines: true, identities: true };

async function keysOf(log: Buffer, options = OPTIONS) {
  return stableKeys(await profileOf(log, options)).keys;
}

describe("stableKeys", () => {
  const text = "a() {1}\nb() {2}\n(x) {3}\n(y) {4}\nb(z) {5}\n";

  it("are file and name, with a number for the second function of a name", async () => {
    const keys = await keysOf(program("/srv/r1", text, [0, 1, 2, 3, 4]));
    expect(keys.map(({ key }) => key)).toEqual([
      "app.js a",
      "app.js b",
      "app.js <anonymous>",
      "app.js <anonymous>#2",
      "app.js b#2",
    ]);
    expect(keys.at(-1)).toMatchObject({ file: "app.js", name: "b", ordinal: 2 });
  });

  it("count functions without ticks too", async () => {
    const keys = await keysOf(program("/srv/r1", text, [4, 3]));
    expect(keys.map(({ key }) => key)).toEqual(["app.js b#2", "app.js <anonymous>#2"]);
  });

  it("are the same for moved functions in another folder, as are their hashes", async () => {
    const before = await keysOf(program("/srv/r1", text, [0, 1, 2, 3, 4]));
    const moved = text.replace("b() {2}\n", "// A note.\n\n    b()\n{ 2 }\n\n");
    const after = await keysOf(program("/srv/releases/r2", moved, [0, 1, 2, 3, 4]));
    expect(after).toEqual(before);
    expect(new Set(before.map(({ sourceHash }) => sourceHash)).size).toBe(5);
  });

  it("come with the lines of each function, from the start of its first line on", async () => {
    const { identities } = await profileOf(program("/srv/r1", text, [0, 3]), OPTIONS);
    const texts = Array.from(identities!.values(), ({ text }) => text);
    expect(texts.filter((one) => one !== undefined)).toEqual(["a() {1}", "(y) {4}"]);
    const long = `a() {${"1".repeat(30_000)}}\n`;
    const { identities: none } = await profileOf(program("/srv/r1", long, [0]), OPTIONS);
    expect(Array.from(none!.values(), ({ text }) => text)).toEqual([undefined]);
  });

  it("have hashes that a new name leaves and a new text changes", async () => {
    const hash = async (text: string) => (await keysOf(program("/r", text, [0])))[0]!.sourceHash;
    const first = await hash("old(x) {1}");
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(await hash("renamed(x) {1}")).toBe(first);
    expect(await hash("old(x) {2}")).not.toBe(first);
  });

  it("are made from functions with ticks if the profile has no identities", async () => {
    const keys = await keysOf(program("/srv/r1", text, [4, 3]), { inlines: true });
    expect(keys.map(({ key, sourceHash }) => [key, sourceHash])).toEqual([
      ["app.js b", undefined],
      ["app.js <anonymous>", undefined],
    ]);
  });

  it("stay with their functions when profiles of several folders are merged", async () => {
    const logs = [program("/srv/r1", text, [4]), program("/srv/r2", `\n\n${text}`, [4])];
    const merged = mergeProfiles(await Promise.all(logs.map((log) => profileOf(log, OPTIONS))));
    expect(stableKeys(merged).keys.map(({ key }) => key)).toEqual(["app.js b#2", "app.js b#2"]);
  });

  it("have no address, path or build of native code in them", async () => {
    const profile = await profileOf(
      logOf(
        ...NODE_26,
        "shared-library,/lib/x86_64/libc.so.6,0x700000,0x710000,0",
        "code-creation,Builtin,2,1,0x9000,256,ArrayMap",
        "tick,0x700010,1,0,0x0,0",
        "tick,0x9001,1,0,0x0,0",
        "tick,0x1,1,0,0x0,0",
      ),
      OPTIONS,
    );
    expect(stableKeys(profile).keys.map(({ key }) => key)).toEqual([
      "libc.so.6",
      "v8 Builtin: ArrayMap",
      "UNKNOWN",
    ]);
    const native = { kind: "native", library: "/usr/bin/node", symbol: "uv_run" } as const;
    expect(stableKeys({ ...profile, frames: [native] }).keys[0]!.key).toBe("node uv_run");
  });

  it("do not hash one text for each of many functions that claim it", async () => {
    const body = "x".repeat(1000);
    const count = 200;
    const functions = Array.from({ length: count }, (_, i) => {
      const code = `0x${(0x1000 * (i + 1)).toString(16)}`;
      return [
        `code-creation,JS,10,1,${code},256,f${i} /a.js:1:1,0xf${i},~`,
        `code-source-info,${code},7,0,1000,C0O1,,`,
        `tick,${code},1,0,0x0,0`,
      ];
    });
    const keys = await keysOf(logOf(...NODE_26, `script-source,7,/a.js,${body}`, ...functions.flat()));
    expect(keys).toHaveLength(count);
    expect(keys.filter(({ sourceHash }) => sourceHash !== undefined)).toHaveLength(16);
  });
});

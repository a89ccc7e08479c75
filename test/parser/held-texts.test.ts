import { describe, expect, it } from "vitest";
import { unescapeText } from "../../src/parser/escapes.ts";
import { HeldTexts } from "../../src/parser/held-texts.ts";
import type { ScriptSourceRecord } from "../../src/parser/rows/script-source.ts";
import { sourceLines } from "../../src/profile/source-lines.ts";
import { Script } from "../../src/recorder/script.ts";

/** A script of so many lines; from the line `wide` on, they have a letter that takes two bytes. */
function scriptOf(id: number, lines: number, wide = lines): ScriptSourceRecord {
  const line = (number: number) => `call(${number}\\x2C ${number < wide ? "x" : "\\u65e5"});\\n`;
  const text = Array.from({ length: lines }, (_, number) => line(number)).join("");
  return { type: "script-source", id, url: `${id}.js`, source: new Uint8Array(Buffer.from(text)) };
}

const LONG = 60_000;

/** Holds copies of scripts, decodes so many pieces, and returns what is released. */
function released(scripts: readonly ScriptSourceRecord[], pieces: number) {
  const found: ScriptSourceRecord[] = [];
  const lines: number[] = [];
  const held = new HeldTexts((record, line) => {
    found.push(record);
    lines.push(line);
  });
  for (const [i, script] of scripts.entries()) held.take({ ...script, source: script.source.slice() }, 1 + i);
  expect(found).toEqual([]);
  let decoded = 0;
  while (decoded < pieces && held.decodeMore()) decoded++;
  held.end();
  expect(lines).toEqual(scripts.map((_, i) => 1 + i));
  return { found, decoded };
}

describe("HeldTexts", () => {
  const scripts = [scriptOf(7, LONG), scriptOf(8, 3), scriptOf(7, LONG, LONG - 10), scriptOf(9, LONG)];

  it("holds scripts from the first long one on, and gives them in their order", () => {
    const given: number[] = [];
    const held = new HeldTexts(({ id }) => given.push(id));
    for (const [id, lines] of [3, LONG, 3].entries()) held.take(scriptOf(id, lines), 1 + id);
    expect(given).toEqual([0]);
    held.end();
    held.take(scriptOf(3, LONG), 4);
    expect(given).toEqual([0, 1, 2, 3]);
  });

  it("holds no more than a program can have", () => {
    const given: number[] = [];
    const held = new HeldTexts(({ id }) => given.push(id));
    held.take(scriptOf(0, LONG), 1);
    const { source } = scriptOf(0, 1);
    for (let id = 1; id < 10_000; id++) held.take({ type: "script-source", id, url: "", source }, 1 + id);
    expect(given).toEqual(Array.from({ length: 10_000 }, (_, id) => id));
    expect(held.decodeMore()).toBe(false);
  });

  it("decodes them a piece at a time, as far as it is asked to", () => {
    const { found, decoded } = released(scripts, Number.POSITIVE_INFINITY);
    expect(decoded).toBeGreaterThan(scripts.length);
    expect(found.map((script) => script.decoded?.isWide)).toEqual([false, undefined, true, false]);
    const [whole] = found;
    expect(whole!.decoded!.at).toBe(scripts[0]!.source.length);
    expect(whole!.decoded!.lines.count).toBe(LONG + 1);
    expect(released(scripts, 0).found.map((script) => script.decoded)).toEqual(Array(4).fill(undefined));
  });

  it("has scripts that go on from there, with the same text", () => {
    const texts = scripts.map(({ source }) => unescapeText(Buffer.from(source).toString()));
    for (const pieces of [1, 2, 7, Number.POSITIVE_INFINITY]) {
      for (const [i, record] of released(scripts, pieces).found.entries()) {
        const text = texts[i]!;
        const lines = sourceLines(text);
        const script = new Script(record, 1);
        expect(script.endFrom("call")?.endsWith(text.slice(-20))).toBe(true);
        expect(script.position(text.length - 5).line).toBe(lines.length - 1);
        expect(script.line(lines.length - 3)).toBe(lines.at(-4));
        expect(script.source === text).toBe(true);
      }
    }
  });
});

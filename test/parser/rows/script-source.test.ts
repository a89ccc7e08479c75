import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/diagnostics.ts";
import { unescapeBytes } from "../../../src/parser/fields.ts";
import { LogParser } from "../../../src/parser/parser.ts";
import type { ScriptSourceRecord } from "../../../src/parser/rows/row-decoders.ts";
import { recordSink } from "../../../src/parser/rows/row-decoders.ts";
import { logOf } from "../../helpers/logs.ts";
import { recordsOf } from "../../helpers/optional-rows.ts";

const VERSION = "v8-version,14,6,202,34,-node.34,0";

function script(fields: string) {
  const record = recordsOf([VERSION, `script-source,${fields}`]).records[1] as ScriptSourceRecord;
  return { ...record, source: unescapeBytes(record.source) };
}

describe("script-source rows", () => {
  it("have their escapes undone", () => {
    expect(script(String.raw`89,"odd\x2C name\nx,a(1\x2C "\\n")\n// \u65e5\xe4`)).toEqual({
      type: "script-source",
      id: 89,
      url: '"odd, name\nx',
      source: 'a(1, "\\n")\n// 日ä',
    });
  });

  it("may have an empty name, an empty source, and commas in it", () => {
    expect(script("1,,")).toMatchObject({ url: "", source: "" });
    expect(script("1,x.js,a,b,c")).toMatchObject({ source: "a,b,c" });
  });

  it("without an id or a source are malformed", () => {
    const rows = ["x,a.js,1", "-1,a.js,1", "7", "7,a.js"];
    const { records, faults } = recordsOf([VERSION, ...rows.map((row) => `script-source,${row}`)]);
    expect(records).toHaveLength(1);
    expect(faults).toEqual(["malformed-row×4"]);
  });

  it("keep their text in memory of their own, however long they are", () => {
    // Many of the short ones are cut by the end of a chunk.
    const short = Array.from({ length: 30 }, () => 20_000);
    const texts = [2_000_000, 10, ...short, 3_000_000, 20].map((length, i) => `${i % 10}`.repeat(length));
    // Its last line ends it as torn, and the line before is read again while the last one is given away.
    const torn = ["code-creation,JS,10,1000,0x20000,100,torn", "script-source,8,c.js,abc"];
    const long = `code-creation,JS,10,1000,0x20000,100,${"x".repeat(1_500_000)} c.js:1:1,0x99990,*`;
    const rows = texts.map((text, i) => `script-source,${i},a.js,${text}`);
    const log = logOf(VERSION, ...rows, ...torn, long, "script-source,9,b.js,end");
    const sources: Uint8Array<ArrayBuffer>[] = [];
    const sink = recordSink((record) => {
      if (record.type === "script-source") sources.push(record.source);
    });
    const parser = new LogParser(sink, new Diagnostics(), { optionalRows: ["script-source"] });
    for (let at = 0; at < log.length; at += 1 << 16) parser.push(log.subarray(at, at + (1 << 16)));
    parser.end();
    const found = sources.map((source) => Buffer.from(source).toString());
    expect(found.map((text) => text.length)).toEqual([...texts.map(({ length }) => length), 3, 3]);
    expect(texts.every((text, i) => text === found[i])).toBe(true);
    expect(found.slice(texts.length)).toEqual(["abc", "end"]);
    expect(new Set(sources.map(({ buffer }) => buffer)).size).toBe(sources.length);
    // What another thread takes over must not be shared with what this one needs.
    for (const { buffer, length } of sources) if (length < 1_000_000) expect(buffer.byteLength).toBe(length);
  });
});

import { describe, expect, it } from "vitest";
import { unescapeBytes } from "../../../src/parser/escapes.ts";
import type { ScriptSourceRecord } from "../../../src/parser/rows/script-source.ts";
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
});

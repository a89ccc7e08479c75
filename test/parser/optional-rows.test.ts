import { describe, expect, it } from "vitest";
import { recordsOf } from "../helpers/optional-rows.ts";

const ROWS = ["code-deopt,x", "code-source-info,x", "script-source,1,a.js,text"];

describe("optional rows", () => {
  it("that nobody wants are known, and not read", () => {
    expect(recordsOf(ROWS, [])).toEqual({ records: [], faults: [], knownRows: 3 });
  });

  it("that somebody wants are read", () => {
    const { records, faults, knownRows } = recordsOf(ROWS, ["script-source", "code-deopt"]);
    expect(records).toMatchObject([{ type: "script-source", url: "a.js" }]);
    expect(faults).toEqual(["malformed-row×1"]);
    expect(knownRows).toBe(3);
  });
});

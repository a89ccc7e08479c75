import { describe, expect, it } from "vitest";
import { FUNCTION_EVENT_ROWS } from "../../../src/parser/rows/row-decoders.ts";
import { faultsOf, logOf, NODE_26, parse } from "../../helpers/logs.ts";

function records(...rows: string[]) {
  const { records, faults } = parse(logOf(...NODE_26, ...rows), undefined, FUNCTION_EVENT_ROWS);
  return { records: records.slice(NODE_26.length), faults: faults.map(({ code }) => code) };
}

describe("rows of --log-function-events", () => {
  it("have the steps of V8's work, as Node 10 and Node 26 write them", () => {
    expect(
      records(
        "function,preparse-resolution,,8,429,494,0.079,22084,notify",
        "function,parse-eval,94,-1,-1,0.163,255438,",
        "function,full-parse,7,0,10,1e-05,99,a,b",
      ),
    ).toEqual({
      records: [
        {
          type: "function",
          event: "preparse-resolution",
          script: 8,
          start: 429,
          end: 494,
          duration: 0.079,
          timestamp: 22084,
        },
        {
          type: "function",
          event: "parse-eval",
          script: 94,
          start: -1,
          end: -1,
          duration: 0.163,
          timestamp: 255438,
        },
        {
          type: "function",
          event: "full-parse",
          script: 7,
          start: 0,
          end: 10,
          duration: 0.00001,
          timestamp: 99,
        },
      ],
      faults: [],
    });
  });

  it("have scripts and the cache of the isolate", () => {
    expect(
      records(
        "script,create,94,255252",
        "script-details,94,/srv/a\\x2Cb.js,0,0,",
        "compilation-cache,put,script,88,0,2570,405113",
        "compilation-cache,hit",
      ).records,
    ).toEqual([
      { type: "script", event: "create", id: 94, timestamp: 255252 },
      { type: "script-details", id: 94, url: "/srv/a,b.js" },
      { type: "compilation-cache", event: "put", timestamp: 405113 },
      { type: "compilation-cache", event: "hit", timestamp: 0 },
    ]);
  });

  it("are skipped if numbers are missing or absurd", () => {
    const rows = [
      "function",
      "function,full-parse,1,2",
      "function,full-parse,1,2,3,-4,5,",
      "function,full-parse,1,2,3,1e400,5,",
      `function,full-parse,1,2,3,${"9".repeat(400)},5,`,
      "function,full-parse,99999999999,2,3,4,5,",
      "script,create,x,1",
      "script,create",
      "script-details,x,/a.js",
      "script-details,1",
    ];
    const { records: found, faults } = records(...rows);
    expect(found).toEqual([]);
    expect(faults).toEqual(["malformed-row"]);
    // Nobody reads them without being asked.
    expect(faultsOf(...NODE_26, ...rows)).toEqual([]);
  });
});

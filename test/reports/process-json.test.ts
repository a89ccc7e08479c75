import { describe, expect, it } from "vitest";
import { jsonLines } from "../../src/reports/json.ts";
import { type ProcessReport, processData } from "../../src/reports/process.ts";
import { expectValidReport } from "../helpers/schema.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function report(stacks: readonly string[], options: Partial<ProcessReport> = {}) {
  const text = Array.from(jsonLines(processData({ ...options, profile: profileFromStacks(...stacks) }))).join(
    "\n",
  );
  const document = JSON.parse(text);
  expectValidReport(document);
  return document;
}

describe("the JSON report", () => {
  it("takes functions apart and keeps their label", () => {
    const { functions } = report([
      "js:handle·/srv/app.js:10:5",
      "builtin:ArrayMap",
      "cpp:f(int)",
      "lib:/x",
      "?",
    ]);
    expect(functions).toEqual([
      {
        label: "f(int)",
        name: "f(int)",
        kind: "native",
        file: "/bin/node",
        line: null,
        column: null,
        tier: null,
        self: 1,
        selfPercent: 20,
        total: 1,
        totalPercent: 20,
      },
      {
        label: "UNKNOWN",
        name: "UNKNOWN",
        kind: "unknown",
        file: "",
        line: null,
        column: null,
        tier: null,
        self: 1,
        selfPercent: 20,
        total: 1,
        totalPercent: 20,
      },
      {
        label: "JS: *handle /srv/app.js:10:5",
        name: "handle",
        kind: "js",
        file: "/srv/app.js",
        line: 10,
        column: 5,
        tier: "turbofan",
        self: 1,
        selfPercent: 20,
        total: 1,
        totalPercent: 20,
      },
      {
        label: "Builtin: ArrayMap",
        name: "ArrayMap",
        kind: "builtin",
        file: "",
        line: null,
        column: null,
        tier: null,
        self: 1,
        selfPercent: 20,
        total: 1,
        totalPercent: 20,
      },
      {
        label: "/x",
        name: "/x",
        kind: "library",
        file: "/x",
        line: null,
        column: null,
        tier: null,
        self: 1,
        selfPercent: 20,
        total: 1,
        totalPercent: 20,
      },
    ]);
  });

  it("sums up as the text report does", () => {
    const document = report(["js:a", "gc:cpp:f", "lib:/x", "?"]);
    expect(document).toMatchObject({ ticks: 4, excludedTicks: 0, states: { js: 3, gc: 1 } });
    expect(document.summary).toEqual({ js: 1, native: 1, gc: 1, sharedLibraries: 1, unaccounted: 1 });
  });

  it("has the heavy tree and the entry points", () => {
    const { heavy, entryPoints } = report(["js:a cpp:f", "js:a cpp:f", "js:b"]);
    expect(heavy[0]).toEqual({
      label: "f",
      ticks: 2,
      parentPercent: 66.7,
      callers: [{ label: "JS: *a", ticks: 2, parentPercent: 100, callers: [] }],
    });
    expect(entryPoints).toEqual([{ label: "f", ticks: 2, percent: 66.7 }]);
  });

  it("is short with only the summary", () => {
    expect(Object.keys(report(["js:a"], { onlySummary: true }))).toEqual([
      "command",
      "version",
      "schemaVersion",
      "logs",
      "v8",
      "ticks",
      "excludedTicks",
      "threads",
      "summary",
      "states",
      "diagnostics",
    ]);
  });

  it("holds no raw control character", () => {
    const text = Array.from(jsonLines(processData({ profile: profileFromStacks("js:a\x1b\x9b\n") }))).join(
      "",
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(text.replace(/\n/g, "")).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
    expect(JSON.parse(text).functions[0].name).toBe("a\x1b\x9b\n");
  });
});

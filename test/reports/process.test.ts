import { describe, expect, it } from "vitest";
import type { Profile } from "../../src/profile/profile.ts";
import { PLAIN, type Style } from "../../src/render/style.ts";
import { TERMINAL } from "../../src/render/terminal-style.ts";
import { jsonLines } from "../../src/reports/json.ts";
import { type ProcessReport, processData, processText } from "../../src/reports/process.ts";
import { expectValidReport } from "../helpers/schema.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function report(
  profile: Profile,
  { style = PLAIN, ...options }: Partial<ProcessReport> & { readonly style?: Style } = {},
): string {
  return Array.from(processText({ ...options, profile }, { style }), (line) => `${line}\n`).join("");
}

/** The rows of one section. */
function section(text: string, title: string): string[] {
  const lines = text.split("\n");
  const start = lines.indexOf(` [${title}]:`);
  expect(start).toBeGreaterThan(0);
  return lines.slice(start + 2, lines.indexOf("", start));
}

describe("the text report", () => {
  it("leaves unaccounted ticks out of the whole on demand", () => {
    const text = report(profileFromStacks("js:a", "?"), { ignoreUnknown: true });
    expect(section(text, "JavaScript")).toEqual(["      1  100.0%  100.0%  JS: *a"]);
    expect(section(text, "Summary").some((row) => row.includes("Unaccounted"))).toBe(false);
    expect(text).toContain("UNKNOWN");
  });

  it("is only the summary on demand", () => {
    expect(report(profileFromStacks("js:a"), { onlySummary: true }).split("\n")).toHaveLength(9);
  });

  it("shows a share of nothing as a dash", () => {
    expect(section(report(profileFromStacks("lib:/x")), "Summary")[0]).toBe(
      "      0    0.0%      -   JavaScript",
    );
  });

  it("shows control characters as text and nothing else changed", () => {
    const text = report(profileFromStacks("js:a\nb\tc\rd\x1b[31m\x9be"));
    expect(section(text, "JavaScript")).toEqual([
      "      1  100.0%  100.0%  JS: *a\\nb\\tc\\rd\\x1b[31m\\x9be",
    ]);
  });

  it("has no escape byte without colour, and the same text with it", () => {
    const profile = profileFromStacks(...Array.from({ length: 200 }, () => "js:a js:b"), "js:c");
    const plain = report(profile);
    expect(plain).not.toContain("\x1b");
    const colored = report(profile, { style: TERMINAL });
    expect(colored).toContain("\x1b[1m [JavaScript]:\x1b[22m");
    expect(colored).toContain("\x1b[33m    200   99.5%");
    expect(colored).toContain("\x1b[2m      1    0.5%");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences are what is taken out.
    expect(colored.replace(/\x1b\[\d+m/g, "")).toBe(plain);
  });

  it("renames labels on demand", () => {
    const text = report(profileFromStacks("js:a"), { rename: (label) => `${label}!\n` });
    expect(section(text, "JavaScript")).toEqual(["      1  100.0%  100.0%  JS: *a!\\n"]);
  });
});

describe("the JSON report", () => {
  function report(stacks: readonly string[], options: Partial<ProcessReport> = {}) {
    const text = Array.from(
      jsonLines(processData({ ...options, profile: profileFromStacks(...stacks) })),
    ).join("\n");
    const document = JSON.parse(text);
    expectValidReport(document);
    return document;
  }

  it("takes functions apart and keeps their label", () => {
    const { functions } = report([
      "js:handle·/srv/app.js:10:5",
      "builtin:ArrayMap",
      "cpp:f(int)",
      "lib:/x",
      "?",
    ]);
    const shares = { self: 1, selfPercent: 20, total: 1, totalPercent: 20 };
    const rows = [
      ["f(int)", "f(int)", "native", "/bin/node", null, null, null],
      ["UNKNOWN", "UNKNOWN", "unknown", "", null, null, null],
      ["JS: *handle /srv/app.js:10:5", "handle", "js", "/srv/app.js", 10, 5, "turbofan"],
      ["Builtin: ArrayMap", "ArrayMap", "builtin", "", null, null, null],
      ["/x", "/x", "library", "/x", null, null, null],
    ];
    expect(functions).toEqual(
      rows.map(([label, name, kind, file, line, column, tier]) => ({
        label,
        name,
        kind,
        file,
        line,
        column,
        tier,
        ...shares,
      })),
    );
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

  it("holds no raw control character", () => {
    const text = Array.from(jsonLines(processData({ profile: profileFromStacks("js:a\x1b\x9b\n") }))).join(
      "",
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(text.replace(/\n/g, "")).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
    expect(JSON.parse(text).functions[0].name).toBe("a\x1b\x9b\n");
  });
});

import { describe, expect, it } from "vitest";
import type { Profile } from "../../src/profile/profile.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { FUNCTION } from "../../src/reports/function.ts";
import { linesOf } from "../helpers/reports.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const F = "f·/srv/app.js:2:10";

/** Four ticks of f, in Ignition first, and one elsewhere. */
function timed(): Profile {
  const stacks = [`js:~${F}@3`, `js:main js:*${F}@3 builtin:Add`, `js:main inlined:*${F}@4`];
  const profile = profileFromStacks(...stacks, stacks[2]!, "js:main");
  const timeline = new TimelineBuilder();
  for (const [i, sample] of [0, 1, 2, 2, 3].entries()) timeline.add(sample, i * 1e6);
  const text = "// one\nfunction f(a|b) {\n\tcall();\n  return `x`;\n}\n";
  return { ...profile, timeline, sources: [{ file: "/srv/app.js", text }] };
}

const markdown = (profile: Profile, name: string) =>
  linesOf(FUNCTION, profile, { format: "md", options: { name } });

const text = (profile: Profile, name: string, { all = false, minPercent = 1 } = {}) =>
  linesOf(FUNCTION, profile, { width: 80, options: { name, all, minPercent } });

describe("a function in text", () => {
  it("has its place, tiers over time, callers, callees and lines", () => {
    expect(text(timed(), "f")).toEqual([
      "log: 5 ticks",
      "",
      "function f",
      "  from /srv/app.js:2:10",
      "  self 3 (60.0%)   total 4 (80.0%)   inlined 2 (50.0% of total)",
      "",
      " [Tiers]:",
      "  tier        self  total    first     last  0 ms to 4000 ms",
      `  ~ Ignition     1      1     0 ms     0 ms  █`,
      `  * TurboFan     2      3  1000 ms  3000 ms  ${" ".repeat(10)}█${" ".repeat(9)}█${" ".repeat(9)}█`,
      "",
      " [Callers (4 ticks)]:",
      "  ticks  share  caller",
      "      3  75.0%  main [2 inlined]",
      "      1  25.0%  (no caller)",
      "",
      " [Callees (1 tick)]:",
      "  ticks   share  callee",
      "      1  100.0%  Builtin: Add",
      "",
      " [Lines]:",
      "   self  total  line  source",
      "                   2  function f(a|b) {",
      "      1      2     3    call();",
      "      2      2     4    return `x`;",
      "                   5  }",
    ]);
  });

  it("lists the matches where not all are shown, and sums up small callers", () => {
    const profile = profileFromStacks("js:a1 js:fa", "js:a2 js:fa", "js:a2 js:fa", "js:fb");
    expect(text(profile, "f", { minPercent: 50 })).toEqual([
      "log: 4 ticks",
      "",
      " [2 functions match f; --all shows all]:",
      "  self  total  function",
      "     3      3  fa",
      "     1      1  fb",
      "",
      "function fa",
      "  from v8",
      "  self 3 (75.0%)   total 3 (75.0%)",
      "",
      " [Tiers]:",
      "  tier        self  total",
      "  * TurboFan     3      3",
      "",
      " [Callers (3 ticks)]:",
      "  ticks  share  caller",
      "      2  66.7%  a2",
      "      1  33.3%  … 1 more",
      "",
      " [Lines (no source text)]:",
      "   self  total  line  source",
      "      3      3     ?  fa: line unknown",
    ]);
    const all = text(profile, "f", { all: true });
    expect(all.filter((line) => /^function f[ab]$/.test(line))).toEqual(["function fa", "function fb"]);
    expect(all.some((line) => line.includes("--all"))).toBe(false);
  });

  it("stays in its width, and shows no control character", () => {
    const long = "\x1b]0;x\x07".repeat(40);
    const profile = profileFromStacks(`js:${long}a js:${long}b·/srv/\x1b.js:1:1`);
    const lines = text(profile, "/b/");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be shown.
    expect(lines.filter((line) => /[\x00-\x1f\x7f]/.test(line))).toEqual([]);
    expect(lines.slice(6).filter((line) => line.length > 80)).toEqual([]);
  });
});

describe("a function in Markdown", () => {
  it("has what the text has, with pipes and backticks that are no markup", () => {
    const lines = markdown(timed(), "f");
    expect(lines.slice(0, 10)).toEqual([
      "# `log`: 5 ticks",
      "",
      "## function `f`",
      "",
      "from `/srv/app.js:2:10`",
      "",
      "self 3 (60.0%)   total 4 (80.0%)   inlined 2 (50.0% of total)",
      "",
      "## Tiers",
      "",
    ]);
    expect(lines.find((line) => line.includes("Ignition"))).toMatch(
      /^\| `~` Ignition \| 1 \| 1 \| 0 ms \| 0 ms \| ` *█ *` \|$/,
    );
    expect(lines).toContain("| 3 | 75.0% | `main` [2 inlined] |");
    expect(lines.slice(-9)).toEqual([
      "```",
      " self  total  line  source",
      "                 2  function f(a|b) {",
      "    1      2     3    call();",
      "    2      2     4    return `x`;",
      "                 5  }",
      "```",
      "",
      "Contains source lines of 1 script: from the log.",
    ]);
    const odd = profileFromStacks("js:a|b`c js:f|");
    const cells = markdown(odd, "f|");
    expect(cells).toContain("## function `f|`");
    expect(cells).toContain("| 1 | 100.0% | ``a\\|b`c`` |");
  });
});

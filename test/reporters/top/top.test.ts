import { describe, expect, it } from "vitest";
import type { Profile } from "../../../src/profile/profile.ts";
import { PLAIN, type Style } from "../../../src/reporters/layout/style.ts";
import { widthOf } from "../../../src/reporters/layout/width.ts";
import { topJson } from "../../../src/reporters/top/json.ts";
import { topMarkdown } from "../../../src/reporters/top/markdown.ts";
import { topText } from "../../../src/reporters/top/text.ts";
import { topOf } from "../../../src/views/top.ts";
import { expectValid } from "../../helpers/schema.ts";
import { profileFromStacks } from "../../helpers/stacks.ts";

const MAIN = "js:main·/srv/app/main.js:1:1";
const STACKS = [
  ...new Array<string>(60).fill(`${MAIN}@3 js:~hash·/srv/app/lib/hash.js:2:1@7 cpp:node::Run(int)`),
  ...new Array<string>(40).fill(`${MAIN}@4 js:+hash·/srv/app/lib/hash.js:2:1@8`),
  ...new Array<string>(8).fill("gc:cpp:v8::Mark()"),
];

function reportOf(profile: Profile, limit = 10, logs: readonly string[] = profile.info.logs) {
  return { profile, top: topOf(profile, limit), limit, logs };
}

function text(profile: Profile, width = 80, limit = 10, style: Style = PLAIN): string[] {
  return Array.from(topText(reportOf(profile, limit), { style, width }));
}

describe("the text of ticks top", () => {
  it("says where the ticks went, in which stacks, functions, lines and packages", () => {
    expect(text(profileFromStacks(...STACKS)).join("\n")).toMatchInlineSnapshot(`
      "log: 108 ticks

       [Where the ticks went]:
        ticks  share  what
           60  55.6%  C++ and other native code
           40  37.0%  JavaScript and WebAssembly  +40
            8   7.4%  garbage collection

       [Heaviest stacks, outermost first]:
        ticks  share  stack
           60  55.6%  main → hash → node::Run
           40  37.0%  main → hash
            8   7.4%  (garbage collection)

       [Functions by self]:
        self  share  total  tiers  function
          60  55.6%     60         node::Run  node
          40  37.0%    100  +40    hash  hash.js:2
           8   7.4%      8         v8::Mark  node

       [Functions by total]:
        total  share  self  function
          100  92.6%    40  hash  hash.js:2
          100  92.6%     0  main  main.js:1
           60  55.6%    60  node::Run  node
            8   7.4%     8  v8::Mark  node

       [Hot lines, including calls]:
        ticks  share  self  where      source
           60  55.6%     0  hash.js:7
           40  37.0%    40  hash.js:8
        … 8 ticks outside the program

       [Packages]:
        self  share  total  package
          68  63.0%     68  node (native)
          40  37.0%    100  the program

      Next: ticks function log hash"
    `);
  });

  it("is never wider than asked for", () => {
    const long = `js:${"x".repeat(300)}·/srv/${"計算機/".repeat(60)}a.js:1:1@1`;
    const profile: Profile = {
      ...profileFromStacks(
        ...STACKS,
        long,
        `${long} cpp:${"n::".repeat(80)}f(int)`,
        `${long} js:👍·/b.js:1:1`,
      ),
      sources: [{ file: `/srv/${"計算機/".repeat(60)}a.js`, text: "let 計算 = 1;".repeat(30) }],
    };
    for (const width of [80, 100, 140, 200]) {
      for (const line of text(profile, width)) expect(widthOf(line), line).toBeLessThanOrEqual(width);
    }
  });

  it("has the deoptimizations that cost ticks", () => {
    const profile = profileFromStacks(...STACKS);
    const costly = {
      title: "read",
      position: { file: "/srv/a|b.js", line: 7, column: 1 },
      at: [],
      reason: "wrong map",
    };
    const row = { ...costly, function: undefined, kinds: [], tiers: [], isLoop: false, isOpen: false };
    const deopts = [30, 20].map((cost) => ({
      ...row,
      cost,
      count: 2,
      costByTier: [{ tier: "~" as const, ticks: cost }],
    }));
    const report = { ...reportOf(profile, 1), top: { ...topOf(profile, 1), deopts } };
    const lines = Array.from(topText(report, { style: PLAIN, width: 80 }));
    expect(lines).toContain("     30  27.8%      2  read  a|b.js:7  wrong map");
    expect(lines).toContain("  … 20 ticks in 1 more deoptimization");
    expect(Array.from(topMarkdown(report))).toContain(
      "| 27.8% | 30 | 2 | `read` | `a\\|b.js:7` | `wrong map` |",
    );
    const document = JSON.parse(Array.from(topJson(report)).join("\n"));
    expectValid("top", document);
    expect(document.deopts).toEqual([
      {
        title: "read",
        functionPosition: costly.position,
        position: [],
        reason: "wrong map",
        count: 2,
        cost: 30,
        costPercent: 27.8,
        costByTier: [{ tier: "ignition", ticks: 30 }],
        isLoop: false,
      },
    ]);
  });

  it("says how much is not shown", () => {
    const lines = text(profileFromStacks(...STACKS), 80, 1);
    expect(lines).toContain("  … 48 ticks in other stacks");
    expect(lines).toContain("  … 48 ticks in 2 more functions");
    expect(lines).toContain("  … 40 ticks in 1 more line");
    expect(lines).toContain("  … 8 ticks outside the program");
  });

  it("has an answer without ticks", () => {
    expect(text(profileFromStacks())).toEqual(["log: 0 ticks", "No samples. Run longer, or under load."]);
    const profile = profileFromStacks("js:a");
    const filtered = { ...profileFromStacks(), info: { ...profile.info, excluded: 1 } };
    expect(text(filtered)).toEqual(["log: 0 of 1 tick", "No ticks pass the filters."]);
  });

  it("shows control characters of a log, and no raw one", () => {
    const stack = "js:a\x1b[31m\n·/s\x07/b\x9b.js:1:1@1 js:\x1b·/c.js:2:2";
    const profile: Profile = {
      ...profileFromStacks(stack, `${stack} cpp:\x1b]0;x\x07`, "lib:/l\x1b"),
      sources: [{ file: "/s\x07/b\x9b.js", text: "\x1b[2J\tx" }],
    };
    const report = reportOf({ ...profile, info: { ...profile.info, logs: ["\x1b.log"] } });
    const layout = { style: PLAIN, width: 80 };
    for (const lines of [topText(report, layout), topMarkdown(report), topJson(report)]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
      expect(Array.from(lines).join("").replace(/\n/g, "")).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
    }
  });

  it("marks what is hot, and keeps its columns", () => {
    const style: Style = {
      heading: (t) => `\x1b[1m${t}\x1b[22m`,
      hot: (t) => `\x1b[33m${t}\x1b[39m`,
      faint: (t) => `\x1b[2m${t}\x1b[22m`,
    };
    const profile = profileFromStacks(...STACKS);
    const coloured = text(profile, 80, 10, style);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken away.
    expect(coloured.map((line) => line.replace(/\x1b\[\d+m/g, "").trimEnd())).toEqual(text(profile));
    expect(coloured.find((line) => line.includes("garbage"))).not.toContain("\x1b[33m");
    expect(coloured.find((line) => line.includes("main → hash"))).toContain("\x1b[33m");
  });

  it("says what to type next, for a shell", () => {
    const next = (name: string, logs: readonly string[]) => {
      const profile = profileFromStacks(`js:${name}·/srv/a.js:7:1@8`);
      return Array.from(topText(reportOf(profile, 10, logs), { style: PLAIN, width: 80 })).at(-1);
    };
    expect(next("f", ["a.log"])).toBe("Next: ticks function a.log f");
    expect(next("get·it's", ["my log"])).toBe("Next: ticks function 'my log' 'get it'\\''s'");
    expect(next("", ["-"])).toBe("Next: ticks function - a.js:7");
    expect(next("a\nb", ["a.log"])).not.toContain("Next");
    const [nameless = ""] = text(profileFromStacks("js:·:1:1@2")).slice(-1);
    expect(nameless).toBe("Next: ticks function log '<anonymous>'");
    expect(text(profileFromStacks("js:·:1:1@2")).join("\n")).toMatch(/ {2}<no file>:2$/m);
  });
});

describe("the Markdown of ticks top", () => {
  it("has what the text has", () => {
    expect(Array.from(topMarkdown(reportOf(profileFromStacks(...STACKS)))).join("\n")).toMatchInlineSnapshot(`
      "# \`log\`

      108 ticks. Shares are of all ticks.

      ## Where the ticks went

      | share | ticks | what |
      | ---: | ---: | --- |
      | 55.6% | 60 | C++ and other native code |
      | 37.0% | 40 | JavaScript and WebAssembly \`+40\` |
      | 7.4% | 8 | garbage collection |

      ## Heaviest stacks

      | share | ticks | stack, outermost first |
      | ---: | ---: | --- |
      | 55.6% | 60 | \`main\` → \`hash\` → \`node::Run\` |
      | 37.0% | 40 | \`main\` → \`hash\` |
      | 7.4% | 8 | \`(garbage collection)\` |

      ## Functions by self

      | share | self | total | function | where | tiers |
      | ---: | ---: | ---: | --- | --- | --- |
      | 55.6% | 60 | 60 | \`node::Run\` | \`node\` |  |
      | 37.0% | 40 | 100 | \`hash\` | \`hash.js:2\` | \`+40\` |
      | 7.4% | 8 | 8 | \`v8::Mark\` | \`node\` |  |

      ## Functions by total

      | share | total | self | function | where |
      | ---: | ---: | ---: | --- | --- |
      | 92.6% | 100 | 40 | \`hash\` | \`hash.js:2\` |
      | 92.6% | 100 | 0 | \`main\` | \`main.js:1\` |
      | 55.6% | 60 | 60 | \`node::Run\` | \`node\` |
      | 7.4% | 8 | 8 | \`v8::Mark\` | \`node\` |

      ## Hot lines, including calls

      | share | ticks | self | where | source |
      | ---: | ---: | ---: | --- | --- |
      | 55.6% | 60 | 0 | \`hash.js:7\` |  |
      | 37.0% | 40 | 40 | \`hash.js:8\` |  |

      ## Packages

      | share | self | total | package |
      | ---: | ---: | ---: | --- |
      | 63.0% | 68 | 68 | \`node (native)\` |
      | 37.0% | 40 | 100 | \`the program\` |

      Next:

      \`\`\`
      ticks function log hash
      \`\`\`"
    `);
  });

  it("keeps pipes and backticks of names in their cells", () => {
    const stack = "js:a|b`c·/s|x.js:1:1@1";
    const lines = Array.from(topMarkdown(reportOf(profileFromStacks(stack))));
    const rows = lines.filter((line) => line.startsWith("|"));
    const cells = rows.map((row) => row.split(/(?<!\\)\|/).length - 2);
    expect(new Set(cells)).toEqual(new Set([3, 4, 5, 6]));
    expect(lines.join("\n")).toContain("``a\\|b`c``");
  });

  it("has an answer without ticks", () => {
    expect(Array.from(topMarkdown(reportOf(profileFromStacks())))).toEqual([
      "# `log`",
      "",
      "0 ticks.",
      "",
      "No samples. Run longer, or under load.",
    ]);
  });
});

describe("the JSON of ticks top", () => {
  const document = (...stacks: string[]) => {
    const parsed = JSON.parse(Array.from(topJson(reportOf(profileFromStacks(...stacks)))).join("\n"));
    expectValid("top", parsed);
    return parsed;
  };

  it("is by its schema, with and without ticks", () => {
    expect(document()).toMatchObject({
      ticks: 0,
      excludedTicks: 0,
      stacks: [],
      otherStacks: 0,
      next: null,
    });
    expect(document(...STACKS)).toMatchObject({
      ticks: 108,
      lines: [{ file: "/srv/app/lib/hash.js", line: 7, ticks: 60, self: 0, text: null }, { line: 8 }],
      packages: [
        { origin: "native", self: 68, selfPercent: 63 },
        { origin: "app", self: 40 },
      ],
      next: "ticks function log hash",
    });
  });

  it("has the state of V8 in stacks", () => {
    expect(document("gc:js:a cpp:f").stacks).toEqual([
      {
        ticks: 1,
        percent: 100,
        path: [expect.objectContaining({ state: null }), { function: null, state: "gc" }],
      },
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { topOf } from "../../src/facts/top.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { markdownLines } from "../../src/render/markdown.ts";
import type { TextLayout } from "../../src/render/page.ts";
import { PLAIN, type Style } from "../../src/render/style.ts";
import { textLines } from "../../src/render/text.ts";
import { widthOf } from "../../src/render/width.ts";
import { jsonLines } from "../../src/reports/json.ts";
import type { TopSource } from "../../src/reports/top-facts.ts";
import { wrongFindings } from "../helpers/finding-rows.ts";
import { FIXTURE_NAMES, fixtureProfile, WHOLE } from "../helpers/fixtures.ts";
import { expectValid } from "../helpers/schema.ts";
import { profileFromStacks } from "../helpers/stacks.ts";
import { topReport as reportOf, topData, topPage } from "../helpers/top-report.ts";

const MAIN = "js:main·/srv/app/main.js:1:1";
const STACKS = [
  ...new Array<string>(60).fill(`${MAIN}@3 js:~hash·/srv/app/lib/hash.js:2:1@7 cpp:node::Run(int)`),
  ...new Array<string>(40).fill(`${MAIN}@4 js:+hash·/srv/app/lib/hash.js:2:1@8`),
  ...new Array<string>(8).fill("gc:cpp:v8::Mark()"),
];

const topText = (report: TopSource, layout: TextLayout) => textLines(topPage(report), layout);
const topMarkdown = (report: TopSource) => markdownLines(topPage(report), { unit: {} });

function text(profile: Profile, width = 80, limit = 10, style: Style = PLAIN): string[] {
  return Array.from(topText(reportOf(profile, limit), { style, width, unit: {} }));
}

describe("the text of ticks top", () => {
  it("lists many logs once, and stands LOGS for them in commands", () => {
    const logs = Array.from({ length: 12 }, (_, i) => `/srv/my logs/isolate-${i}.log`);
    const profile = profileFromStacks("js:a", "js:a", "?");
    for (const lines of [
      Array.from(
        topText(reportOf(profile, 10, logs), { style: PLAIN, unit: {}, width: Number.POSITIVE_INFINITY }),
      ),
      Array.from(topMarkdown(reportOf(profile, 10, logs))),
    ]) {
      const text = lines.join("\n");
      expect(text.split("isolate-7.log")).toHaveLength(2);
      expect(text).toContain("LOGS in commands: '/srv/my logs/isolate-0.log'");
      expect(text).toContain("ticks function LOGS a");
      expect(text).toContain("ticks doctor LOGS");
    }
    const few = Array.from(
      topText(reportOf(profile, 10, logs.slice(0, 2)), { style: PLAIN, unit: {}, width: 80 }),
    );
    expect(few.join("\n")).not.toContain("LOGS");
  });

  it("says where the ticks went, in which stacks, functions, lines and packages", () => {
    expect(text(profileFromStacks(...STACKS)).join("\n")).toMatchInlineSnapshot(`
      "log: 108 ticks

       [What stands out]:
        hash.js:7 (hash) 55.6%: mostly node::Run.
          called at main.js:3 (main)

       [Your code, each tick at its innermost line]:
        ticks  share  ±    self  total  line       source
           60  55.6%  ±10     0     60  hash.js:7
           40  37.0%  ±10    40     40  hash.js:8
        … 8 ticks outside your code

       [Where the ticks went]:
        ticks  share  ±    what
           60  55.6%  ±10  C++ and other native code
           40  37.0%  ±10  JavaScript and WebAssembly  +40
            8   7.4%  ±7   garbage collection

       [Heaviest stacks, outermost first]:
        ticks  share  stack
          100  92.6%  main → hash
        … 8 ticks in other stacks

       [Functions by self]:
        self  share  ±    total  tiers  function
          40  37.0%  ±10    100  +40    hash  hash.js:2
           8   7.4%  ±7                 v8::Mark  node
        … 60 ticks in C++ your code calls (-n 20)

        ±: 95 % margin in points, if over a tenth of the share
        tiers: + Maglev

       [Next]:
        # callers, callees and lines of hash
        ticks function log hash
        # the source, with the line that has 55.6%
        ticks lines log hash.js --source-root ."
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
      costRange: { low: 20.2, high: 36.9 },
      count: 2,
      costByTier: [{ tier: "~" as const, ticks: cost }],
    }));
    const top = topOf(profile, 1);
    const report = { ...reportOf(profile, 1), top: { ...top, deopts } };
    const lines = Array.from(topText(report, { style: PLAIN, unit: {}, width: 80 }));
    expect(lines).toContain("     30  27.8%  ±10      2  read  a|b.js:7  wrong map");
    expect(lines).toContain("  … 20 ticks in 1 more deoptimization");
    expect(Array.from(topMarkdown(report))).toContain(
      "| 30 | 27.8% | ±10 | 2 | `read` `a\\|b.js:7` | `wrong map` |",
    );
    const document = JSON.parse(Array.from(jsonLines(topData(report))).join("\n"));
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
        costPercentLow: 20.2,
        costPercentHigh: 36.9,
        costByTier: [{ tier: "ignition", ticks: 30 }],
        isLoop: false,
      },
    ]);
  });

  it("says how much is not shown", () => {
    const lines = text(profileFromStacks(...STACKS), 80, 1);
    expect(lines).toContain("  … 8 ticks in other stacks");
    expect(lines).toContain("  … 8 ticks in 1 more function, 60 in C++ your code calls (-n 20)");
    expect(lines).toContain("  … 40 ticks in 1 more line, 8 outside your code");
  });

  it("has an answer without ticks", () => {
    expect(text(profileFromStacks(), 200)).toEqual([
      "log: 0 ticks",
      "This log was recorded without --prof: code, deopts and ICs, no samples. ticks deopts, ticks redact and ticks export --format preprocess read it. For samples, record with: ticks record -- node app.js",
    ]);
    const { info, ...none } = profileFromStacks();
    const asked = { ...none, info: { ...info, sampling: { ...info.sampling, asked: 1000 } } };
    expect(text(asked)).toEqual(["log: 0 ticks", "No samples. Run longer, or under load."]);
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
    const layout = { style: PLAIN, unit: {}, width: 80 };
    for (const lines of [topText(report, layout), topMarkdown(report), jsonLines(topData(report))]) {
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

  it("says what to type next, for a shell, and why", () => {
    const next = (name: string, logs: readonly string[]) => {
      const profile = profileFromStacks(`js:${name}·/srv/a.js:7:1@8`);
      const lines = Array.from(topText(reportOf(profile, 10, logs), { style: PLAIN, unit: {}, width: 80 }));
      const at = lines.indexOf(" [Next]:");
      return at < 0 ? [] : lines.slice(at + 1);
    };
    expect(next("f", ["a.log"])).toEqual([
      "  # callers, callees and lines of f",
      "  ticks function a.log f",
      "  # the source, with the line that has 100.0%",
      "  ticks lines a.log a.js --source-root .",
    ]);
    expect(next("get·it's", ["my log"])).toContain("  ticks function 'my log' 'get it'\\''s'");
    expect(next("", ["-"])).toContain("  ticks function - a.js:7:1");
    expect(next("a\nb", ["a.log"]).join()).not.toContain("function");
    expect(next("f", ["a\x1b.log"]).join()).not.toContain("ticks");
    const nameless = text(profileFromStacks("js:·:1:1@2"));
    expect(nameless).toContain("  ticks function log '<anonymous>'");
    expect(nameless.join("\n")).toMatch(/ {2}<no file>:2$/m);
  });

  it("says how far a share may be off, but of small shares", () => {
    const profile = profileFromStacks(...STACKS, "js:rare");
    expect(text(profile, 80, 20).join("\n")).toContain("\n     1   0.9%              *1     rare");
    expect(Array.from(topMarkdown(reportOf(profile, 20))).join("\n")).toContain("| 1 | 0.9% |  |  |");
    const json = JSON.parse(Array.from(jsonLines(topData(reportOf(profile)))).join("\n"));
    expect(json.functions.bySelf.at(-1)).toMatchObject({
      self: 1,
      selfPercentLow: 0.1,
      selfPercentHigh: 5.1,
    });
  });

  it("says why ticks have no line, and what helps", () => {
    const profile = profileFromStacks("js:^f·/srv/a.js:7:1", "js:^f·/srv/a.js:7:1", "js:wasm-function[1]");
    const v8 = [{ major: 11, minor: 3, build: 0, patch: 0, embedder: "" }];
    const lines = text({ ...profile, info: { ...profile.info, v8 } }, 140);
    expect(lines).toContain("      2  66.7%  ±46     2      2  a.js:?       f                 (no line)");
    expect(lines).toContain(
      "  … 2 ticks (66.7%) without a line: V8 logs no positions of Sparkplug code before Node 26",
    );
    expect(lines).toContain("  … 1 tick (33.3%) without a line: WebAssembly has no lines");
    expect(lines).toContain("  # record again: 66.7% have no line, which Sparkplug hides");
    expect(lines).toContain("  ticks record --no-sparkplug -- node app.js");
  });

  it("has rows of 3 % and more, unless more rows are asked for than usual", () => {
    const rare = Array.from({ length: 5 }, (_, i) => `js:rare${i}·/srv/r.js:${i + 1}:1@${i + 1}`);
    const profile = profileFromStacks(...new Array<string>(600).fill(MAIN), ...rare);
    const page = text(profile).join("\n");
    expect(page).not.toContain("rare4");
    expect(page).toContain("… 5 ticks in 5 more functions");
    expect(text(profile, 80, 20).join("\n")).toContain("rare4");
    const [light, heavy] = [16, 18].map((ticks) => {
      const others = rare.flatMap((stack) => new Array<string>(ticks).fill(stack));
      return text(profileFromStacks(...new Array<string>(600 - others.length).fill(MAIN), ...others));
    });
    expect(light).toContain("  … 48 ticks in 3 more functions");
    expect(heavy!.join("\n")).not.toContain("more functions");
  });

  it("has packages only if there are some, and no row for a state alone in the stacks", () => {
    const page = text(profileFromStacks(...STACKS)).join("\n");
    expect(page).not.toContain("[Packages");
    expect(page).toContain("garbage collection");
    expect(page).not.toContain("(garbage collection)");
    const used = text(
      profileFromStacks(...STACKS, ...new Array<string>(9).fill("js:f·/srv/node_modules/p/i.js:1:2")),
    );
    expect(used.join("\n")).toMatch(/\[Packages.*\n.*\n(?:.*\n)*.* p\n/);
  });

  it("names the callers of a stack once, and leaves out what many functions of Node have between them", () => {
    const own = "js:main·/srv/a.js:1:1@2 js:work·/srv/a.js:5:1@6";
    const node = Array.from({ length: 6 }, (_, i) => `js:step${i}·node:net:${i + 1}:1`).join(" ");
    const page = text(
      profileFromStacks(
        ...new Array<string>(30).fill(own),
        ...new Array<string>(20).fill(`${own} builtin:Run`),
        ...new Array<string>(10).fill(node),
      ),
    ).join("\n");
    expect(page).toMatch(/ main → work\n/);
    expect(page).toMatch(/ … → work → Builtin: Run\n/);
    expect(page).toMatch(/ step0 → step1 → … → step5\n/);
    const twice = text(
      profileFromStacks(
        ...new Array<string>(30).fill("js:a js:work"),
        ...new Array<string>(30).fill("js:b js:work"),
        ...new Array<string>(20).fill("js:b js:work builtin:Run"),
      ),
    ).join("\n");
    expect(twice).toMatch(/ b → work → Builtin: Run\n/);
  });

  it("has the source of a line once, and no function where it is the code of the file", () => {
    const profile = {
      ...profileFromStacks(
        ...new Array<string>(30).fill("js:·/srv/a.js:1:1@1"),
        ...new Array<string>(20).fill("js:·/srv/a.js:1:1@1 js:f·/srv/a.js:1:9@1"),
      ),
      sources: [{ file: "/srv/a.js", text: "const f = () => 1;" }],
    };
    const page = text(profile);
    expect(page.filter((line) => line.includes("const f ="))).toHaveLength(1);
    expect(page.join("\n")).toContain("(above)");
  });

  it("joins functions that own the same ticks", () => {
    const names = Array.from({ length: 9 }, (_, i) => `js:step${i}·/srv/${"deep/".repeat(i)}a.js:${i + 1}:1`);
    const profile = profileFromStacks(...new Array<string>(200).fill(`${names.join(" ")} cpp:Run()`));
    const chain = (width: number) => text(profile, width).find((line) => line.includes("step0 → "))!;
    expect(text(profile).join("\n")).toContain(
      "    200  100.0%  step0 → … → step3 → step4 → step5 → step6 → step7 → step8",
    );
    const whole = Array.from({ length: 9 }, (_, i) => `step${i}`).join(" → ");
    expect(chain(Number.POSITIVE_INFINITY)).toContain(whole);
  });

  it("names a native function in one list: by self, or by total if it is not among the first there", () => {
    const calls = Array.from({ length: 6 }, (_, i) => `js:main cpp:Enter cpp:Leaf${i}`);
    const profile = profileFromStacks("js:main cpp:Own", "js:main cpp:Own", ...calls);
    const lines = text(profile, 100, 3);
    const [byTotal, bySelf] = [" [Functions by total]:", " [Functions by self]:"].map((title) =>
      lines.indexOf(title),
    );
    const found = (name: string) =>
      Array.from(lines.keys()).filter((i) => lines[i]!.endsWith(`  ${name}  node`));
    expect(found("Own").map((i) => i > bySelf!)).toEqual([true]);
    expect(found("Enter").map((i) => i > byTotal! && i < bySelf!)).toEqual([true]);
    const markdown = Array.from(topMarkdown(reportOf(profile))).join("\n");
    expect(markdown.split("`Own` `node`")).toHaveLength(2);
  });

  it("has native names without parameters, and shortens no other name in a file or pipe", () => {
    const symbol = "node::crypto::CryptoJob<node::crypto::PBKDF2Traits>::Run";
    const file = `/srv/${"some/folder/".repeat(20)}main.js`;
    const native = `cpp:${symbol}(v8::FunctionCallbackInfo<v8::Value>·const&)`;
    const profile = profileFromStacks(
      `js:${"long".repeat(40)}·${file}:1:1@3 ${native}`,
      "js:b·/srv/b/main.js:1:1",
    );
    const piped = text(profile, Number.POSITIVE_INFINITY, 20).join("\n");
    expect(piped).toContain(`${symbol}  node\n`);
    expect(piped).not.toContain("FunctionCallbackInfo");
    expect(piped).toContain("long".repeat(40));
    expect(piped).not.toContain("…/");
    const data = JSON.stringify(topData(reportOf(profile)));
    expect(data).toContain(`${symbol}(v8::FunctionCallbackInfo<v8::Value> const&)`);
  });

  it("goes on with the timeline and the function that long turns are in, if these come again and again", () => {
    const evict = "js:evict·/srv/cache.js:9:1@9 js:score·/srv/cache.js:7:1@7";
    const profile = profileFromStacks(
      ...new Array<string>(60).fill("js:serve·/srv/app.js:4:1@5"),
      ...new Array<string>(40).fill(evict),
    );
    const report = reportOf(profile);
    const named = (name: string) => report.top.table.functions.find((one) => one.name === name)!;
    const turn = {
      ...{ start: 0, length: 90_000, least: 88_000, most: 92_000, kind: "timer" as const, ticks: 80, gc: 0 },
      ...{ callback: named("evict"), lines: [{ function: named("score"), line: 7, ticks: 79 }] },
    };
    const commandsWith = (recurrence?: { readonly period: number; readonly times: number }) => {
      const longest = { ...turn, recurrence };
      const holder = { turns: 4, sure: 4, time: 360_000, longest };
      const turns = [{ thread: 0, span: 1e6, counts: [], longest: [], bounds: longest, holder }];
      return topData({ ...report, turns }).nextSteps.map(({ command }) => command);
    };
    expect(commandsWith({ period: 400_000, times: 7 }).slice(0, 2)).toEqual([
      "ticks timeline log",
      "ticks function log score",
    ]);
    expect(commandsWith()[0]).toBe("ticks function log serve");
  });

  it("says first what stands out, with its place, and doubts and legend last", () => {
    const stack = "js:parserOnIncoming·node:_http_server:9:9 js:hash·/srv/app.js:4:1@5";
    const sync = `${stack} js:pbkdf2Sync·node:internal/crypto/pbkdf2:62:1 cpp:node::Run()`;
    const profile = profileFromStacks(...new Array<string>(99).fill(sync), ...STACKS.slice(0, 50));
    const lines = text(profile, Number.POSITIVE_INFINITY);
    expect(lines.slice(2, 4)).toEqual([
      " [What stands out]:",
      "  app.js:5 (hash) 66.4%: crypto.pbkdf2Sync blocks the event loop: no other request is served meanwhile; crypto.pbkdf2 uses the thread pool.",
    ]);
    const order = ["[Functions by self]", "±: 95 % margin", "[Next]"];
    const at = order.map((title) => lines.findIndex((line) => line.includes(title)));
    expect(at.every((line, i) => line > (at[i - 1] ?? 0))).toBe(true);
    const document = JSON.parse(Array.from(jsonLines(topData(reportOf(profile)))).join("\n"));
    expectValid("top", document);
    expect(document.findings).toMatchObject([
      { kind: "crypto-sync", ticks: 99, percent: 66.4, place: { file: "/srv/app.js", line: 5, ticks: 99 } },
    ]);
  });

  it("has one line of doubt before the tables, and only if all else depends on it", () => {
    const lines = text(profileFromStacks("js:a", "js:b"), 140);
    expect(lines).not.toContain(" [Uncertain]:");
    expect(lines.slice(0, 3)).toEqual([
      "log: 2 ticks",
      "Only 2 ticks. Run longer, or sample more often with --prof-sampling-interval=100.",
      "",
    ]);
  });

  it("names the command that was recorded in what to type next", () => {
    const profile = profileFromStacks("js:^f·/srv/a.js:7:1", "js:^f·/srv/a.js:7:1");
    const v8 = [{ major: 11, minor: 3, build: 0, patch: 0, embedder: "" }];
    const report = {
      ...reportOf({ ...profile, info: { ...profile.info, v8 } }),
      command: ["node", "my app.js"],
    };
    const lines = Array.from(topText(report, { style: PLAIN, unit: {}, width: 80 }));
    expect(lines).toContain("  ticks record --no-sparkplug -- node 'my app.js'");
  });

  it("names all versions of V8, and tells thread-time from time", () => {
    const profile = profileFromStacks("js:a");
    const [thread] = profile.info.threads;
    const version = (major: number) => ({ major, minor: 3, build: 1, patch: 2, embedder: "" });
    const info = {
      ...profile.info,
      threads: [
        { ...thread!, span: 2e6 },
        { ...thread!, span: 5e6 },
      ],
      sampling: { ...profile.info.sampling, span: 7e6 },
      v8: [version(11), version(14)],
    };
    expect(text({ ...profile, info }, 100)[1]).toBe(
      "2 threads, 5.00 s from first to last, 7.00 s of thread-time, V8 11.3.1.2 and 14.3.1.2",
    );
    const document = JSON.parse(Array.from(jsonLines(topData(reportOf({ ...profile, info })))).join("\n"));
    expect(document.sampling).toMatchObject({ spanUs: 5e6, threadTimeUs: 7e6 });
    expect(document.v8).toEqual(["11.3.1.2", "14.3.1.2"]);
  });
});

describe("the Markdown of ticks top", () => {
  it("keeps pipes and backticks of names in their cells", () => {
    const stack = "js:a|b`c·/s|x.js:1:1@1";
    const lines = Array.from(topMarkdown(reportOf(profileFromStacks(stack))));
    const rows = lines.filter((line) => line.startsWith("|"));
    const cells = rows.map((row) => row.split(/(?<!\\)\|/).length - 2);
    expect(new Set(cells)).toEqual(new Set([4, 5, 8]));
    expect(lines.join("\n")).toContain("``a\\|b`c``");
  });

  it("has an answer without ticks", () => {
    const { info, ...none } = profileFromStacks();
    const asked = { ...none, info: { ...info, sampling: { ...info.sampling, asked: 1000 } } };
    expect(Array.from(topMarkdown(reportOf(asked)))).toEqual([
      "# `log`: 0 ticks",
      "",
      "No samples. Run longer, or under load.",
    ]);
  });
});

describe("the JSON of ticks top", () => {
  const document = (...stacks: string[]) => {
    const parsed = JSON.parse(
      Array.from(jsonLines(topData(reportOf(profileFromStacks(...stacks))))).join("\n"),
    );
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
      app: { lines: [{ line: 7 }, { line: 8 }], ticksWithoutProgram: 8 },
      lines: [
        { file: "/srv/app/lib/hash.js", line: 7, function: { name: "hash" }, ticks: 60, self: 0, text: null },
        { line: 8 },
      ],
      functionsWithoutLine: [],
      packages: [
        { name: "app", origin: "app", ticks: 100, percent: 92.6, self: 40, throughNative: 60, total: 100 },
        { name: "", origin: null, ticks: 8, throughNative: 8 },
      ],
      next: "ticks function log hash",
      nextSteps: [{ kind: "function", command: "ticks function log hash" }, { kind: "lines" }],
    });
  });

  it("has the interval of each share", () => {
    const { breakdown, packages, functions } = document(...STACKS);
    expect(breakdown[0]).toMatchObject({ percent: 55.6, percentLow: 46.1, percentHigh: 64.6 });
    expect(packages[0]).toMatchObject({ totalPercent: 92.6, totalPercentLow: 86, totalPercentHigh: 96.2 });
    expect(functions.bySelf[0]).toMatchObject({ selfPercentLow: 46.1, selfPercentHigh: 64.6 });
    expect(functions.chains[0]).toMatchObject({
      functions: [{ name: "main" }, { name: "hash" }],
      self: 40,
      total: 100,
      totalPercentLow: 86,
    });
  });

  it("has the state of V8 in stacks", () => {
    expect(document("gc:js:a cpp:f").stacks).toEqual([
      {
        ticks: 1,
        percent: 100,
        percentLow: 20.6,
        percentHigh: 100,
        path: [expect.objectContaining({ state: null }), { function: null, state: "gc" }],
      },
    ]);
  });
});

describe("functions in one long line", () => {
  it("have the column, and the text around it", () => {
    const code = `${"x".repeat(300)}function f(){}${"y".repeat(400)}function g(){}${"z".repeat(300)}`;
    const file = "/srv/all.min.js";
    const profile = {
      ...profileFromStacks(`js:*f·${file}:1:301@1`, `js:*f·${file}:1:301@1`, `js:*g·${file}:1:715@1`),
      sources: [{ file, text: code }],
    };
    const page = text(profile, Number.POSITIVE_INFINITY).join("\n");
    expect(page).toMatch(/all\.min\.js:1:301 +f +…x{10}function f/);
    expect(page).toMatch(/all\.min\.js:1:715 +g +…y{10}function g/);
    const markdown = Array.from(topMarkdown(reportOf(profile))).join("\n");
    expect(markdown).toContain("all.min.js:1:715");
    expect(markdown).toContain("function g(){}");
    const json = JSON.parse(Array.from(jsonLines(topData(reportOf(profile)))).join("\n"));
    expectValid("top", json);
    expect(json.lines.map((line: { column?: number }) => line.column)).toEqual([301, 715]);
    expect(json.lines[1].text).toContain("function g(){}");
  });
});

describe.each(FIXTURE_NAMES)("the lists of %s", (name) => {
  it("sum to all ticks with what the limit leaves out", async () => {
    const profile = await fixtureProfile(name, WHOLE);
    for (const limit of [1, 10, 1000]) {
      const {
        ticks,
        excludedTicks,
        breakdown,
        app,
        packages,
        otherPackages,
        stacks,
        otherStacks,
        functions,
        ...all
      } = topData(reportOf(profile, limit));
      const sum = (rows: readonly { readonly ticks: number }[]) =>
        rows.reduce((total, row) => total + row.ticks, 0);
      const lines = (hot: typeof app) =>
        sum(hot.lines) + sum(hot.functionsWithoutLine) + hot.ticksWithoutProgram + hot.ticksOfOtherRows;
      const self = functions.bySelf.reduce((total, row) => total + row.self, functions.otherSelf);
      const sums = [
        sum(breakdown),
        lines(app),
        lines(all),
        sum(packages) + otherPackages,
        sum(stacks) + otherStacks,
      ];
      expect([...sums, self]).toEqual(new Array(6).fill(ticks - excludedTicks));
    }
  });
});

describe("[Next]", () => {
  const next = (profile: Profile) => topData(reportOf(profile)).nextSteps.map(({ command }) => command);

  it("is ticks startup where V8 parses and compiles for 30 % of the time", () => {
    const stacks = [...new Array<string>(7).fill(MAIN), ...new Array<string>(3).fill(`parser:${MAIN} cpp:x`)];
    expect(next(profileFromStacks(...stacks))).toContain("ticks startup log");
    expect(next(profileFromStacks(...stacks, MAIN))).not.toContain("ticks startup log");
  });

  it("names the folder of sources where none is known", () => {
    expect(next(profileFromStacks(...STACKS))).toContain("ticks lines log hash.js --source-root .");
  });
});

describe("the shares of what stands out", () => {
  const PLANTED = {
    "one line": [
      ["js:f·/srv/a.js:1:1@5 cpp:v8::internal::Builtin_JsonParse(int)", 60],
      [MAIN, 40],
    ],
    "a line that does more": [
      ["js:f·/srv/a.js:1:1@5 cpp:v8::internal::Builtin_JsonParse(int)", 40],
      ["js:f·/srv/a.js:1:1@5", 6],
      [MAIN, 54],
    ],
    "a line that does much more": [
      ["js:f·/srv/a.js:1:1@5 cpp:v8::internal::Builtin_JsonParse(int)", 30],
      ["js:f·/srv/a.js:1:1@5", 30],
      [MAIN, 40],
    ],
    "many lines": [1, 2, 3, 4, 5].map((line) => [
      `${MAIN} js:f·/srv/a.js:1:1@${line} cpp:v8::internal::Builtin_JsonParse(int)`,
      20,
    ]),
    callbacks: [
      [`${MAIN} builtin:ArrayPrototypeSort js:less·/srv/a.js:9:1@9`, 30],
      [`${MAIN} builtin:ArrayTimSort`, 40],
      ["js:f·/srv/a.js:1:1@5", 30],
    ],
    garbage: [
      ["gc:cpp:v8::Mark", 40],
      [MAIN, 60],
    ],
    "a package": [
      [`${MAIN} js:p·/srv/node_modules/p/i.js:1:1@1`, 80],
      [MAIN, 20],
    ],
    "a package, and nearly all of a line": [
      [`${MAIN}@3 js:p·/srv/node_modules/p/i.js:1:1@1`, 75],
      [`${MAIN}@3`, 5],
      ["js:f·/srv/a.js:1:1@5", 20],
    ],
    "promises of no line": [
      ["js:f·/srv/a.js:1:1@5 builtin:AsyncFunctionAwait", 20],
      ["builtin:RunMicrotasks", 20],
      [MAIN, 60],
    ],
    "start-up": [
      [`${MAIN}@3 js:Module._load·node:internal/modules/cjs/loader:1:2`, 10],
      [`${MAIN}@3 js:·/srv/node_modules/p/i.js:1:1@1 js:p·/srv/node_modules/p/i.js:3:1@3`, 50],
      ["js:f·/srv/a.js:1:1@5", 40],
    ],
  } satisfies Record<string, (readonly [string, number] | (string | number)[])[]>;

  /** The page, and the sentences of what stands out: those of idle time and of long turns are no shares of ticks. */
  function sharesOf(profile: Profile) {
    const lines = text(profile, Number.POSITIVE_INFINITY, 1000);
    const from = lines.indexOf(" [What stands out]:");
    const to = lines.findIndex((line, i) => i > from && line.startsWith(" ["));
    const section = from < 0 ? [] : lines.slice(from + 1, to);
    const isSentence = (line: string) =>
      /^ {2}\S/.test(line) && !/event loop (?:was|may)|: idle: /.test(line);
    const sharesIn = (all: readonly string[]) => all.flatMap((line) => line.match(/\d+(?:\.\d)? ?%/g) ?? []);
    const rows = lines.filter((line) => !section.includes(line) || !/^ {2}\S/.test(line));
    return { sentences: section.filter(isSentence), rows: sharesIn(rows), sharesIn, section };
  }

  function expectRows(profile: Profile) {
    const { sentences, rows, sharesIn, section } = sharesOf(profile);
    for (const sentence of sentences) {
      const shares = sharesIn([sentence.replace(/ \d+ %: .*turns without/, "")]);
      expect(shares.length, sentence).toBeLessThanOrEqual(1);
      const below = section.slice(section.indexOf(sentence) + 1);
      const end = below.findIndex((line) => /^ {2}\S/.test(line));
      const parts = sharesIn(end < 0 ? below : below.slice(0, end)).map(Number.parseFloat);
      const sum = parts.reduce((all, part) => all + part, 0);
      const isRow = rows.includes(shares[0]!) || Math.abs(sum - Number.parseFloat(shares[0]!)) < 0.25;
      expect(isRow, `${sentence} ${parts.join(" ")}`).toBe(true);
      expect(sentence.match(/\([^)]*%[^)]*%/)).toBeNull();
    }
    return sentences.length;
  }

  it.each(Object.entries(PLANTED))("are those of rows: %s", (_, stacks) => {
    const all = stacks.flatMap(([stack, ticks]) => new Array<string>(Number(ticks)).fill(String(stack)));
    const profile = profileFromStacks(...all);
    expect(expectRows(profile)).toBeGreaterThan(0);
    expect(wrongFindings(topData(reportOf(profile, 1000)))).toEqual([]);
  });

  it("have no line of a script whose line is not known", () => {
    const stack = "js:·/srv/main.js:1:1 js:p·/srv/node_modules/p/i.js:1:1@1";
    const profile = profileFromStacks(...new Array<string>(60).fill(stack));
    const sources = [{ file: "/srv/main.js", text: 'const { p } = require("p");' }];
    const { section } = sharesOf({ ...profile, sources });
    expect(section.join("\n")).toMatch(/^ +called at main\.js:\? +\(no line\)$/m);
  });

  it("have a row of what is at no line, and none of a package that is called by one", () => {
    const sections = (["promises of no line", "a package"] as const).map((name) => {
      const all = PLANTED[name].flatMap(([stack, ticks]) =>
        new Array<string>(Number(ticks)).fill(String(stack)),
      );
      return sharesOf(profileFromStacks(...all)).section;
    });
    expect(sections[0]).toEqual(
      expect.arrayContaining(["    20.0%  at a.js:5 (f)", "    20.0%  at no known line"]),
    );
    expect(sections[1]!.join("\n")).toMatch(/^ +called at main\.js:1 \(main\)$/m);
    // And its own hottest line.
    expect(sections[1]!.join("\n")).toMatch(/^ +\d+\.\d% +most at /m);
  });

  it.each(FIXTURE_NAMES)("are those of rows in %s", async (name) => {
    const profile = await fixtureProfile(name, { ...WHOLE, lines: "program" });
    expectRows(profile);
    expect(wrongFindings(topData(reportOf(profile, 1000)))).toEqual([]);
  });
});

describe("a long stack", () => {
  it("has its ends in a file, where lines have no end", () => {
    const names = Array.from({ length: 30 }, (_, i) => `js:function${i}·/srv/a.js:${i + 2}:1@${i + 2}`);
    const lines = text(
      profileFromStacks(...new Array<string>(40).fill(names.join(" "))),
      Number.POSITIVE_INFINITY,
    );
    const stack = lines.find((line) => line.includes("→ function29"))!;
    expect(stack).toContain("function0 → … → ");
    expect(stack.length).toBeLessThanOrEqual(200);
  });
});

describe("the main code of a script", () => {
  it("has one name: its position", () => {
    const main = "js:·/srv/app.js:1:1@9";
    const lines = text(
      profileFromStacks(
        ...new Array<string>(40).fill(`${main} js:work·/srv/w.js:1:9@2`),
        ...new Array<string>(40).fill(main),
      ),
    );
    const named = lines.filter((line) => line.includes("app.js:1"));
    const shown = named.map((line) => line.trim().replace(/^.*?(?=app\.js)/, ""));
    expect(shown.slice(-1)).toEqual(["app.js:1:1"]); // What to ask for, in [Next].
    expect(new Set(shown.slice(0, -1))).toEqual(new Set(["app.js:1", "app.js:1 → work"]));
    expect(lines.join("\n")).not.toContain("<anonymous>");
  });
});

describe("functions by total", () => {
  it("are those whose ticks no stack has, unless more rows are asked for", () => {
    const profile = profileFromStacks(
      ...new Array<string>(30).fill("js:main·/srv/a.js:1:9@2 js:hash·/srv/a.js:4:1@5"),
      ...new Array<string>(30).fill("js:main·/srv/a.js:1:9@2 js:sort·/srv/a.js:8:1@9"),
    );
    const totals = (limit: number) => {
      const lines = text(profile, 140, limit);
      const from = lines.indexOf(" [Functions by total]:");
      return lines.slice(from + 2, lines.indexOf("", from)).map((line) => line.trim().split(/\s+/).at(-2));
    };
    expect(totals(10)).toEqual(["main"]);
    expect(totals(20)).toEqual(["main", "hash", "sort"]);
  });

  it("and others have no marks of tiers with few of the ticks", () => {
    const profile = profileFromStacks("js:~hash·/srv/a.js:4:1@5", ...new Array<string>(60).fill(MAIN));
    const marks = (limit: number) =>
      text(profile, 140, limit).find((line) => line.includes("JavaScript and"));
    expect(marks(10)).not.toContain("~1");
    expect(marks(20)).toContain("~1");
  });
});

describe("a finding", () => {
  it("has the ticks of its line, the source around its column, and the line that calls it", () => {
    const stack =
      "js:start·/srv/a.js:20:1@21 js:load·/srv/a.js:4:1@5 cpp:v8::internal::Builtin_JsonParse(int)";
    const profile: Profile = {
      ...profileFromStacks(...new Array<string>(60).fill(stack), ...new Array<string>(40).fill(MAIN)),
      sources: [
        {
          file: "/srv/a.js",
          text: `${"\n".repeat(4)}  return JSON.parse(body);${"\n".repeat(16)}  load(request);`,
        },
      ],
    };
    expect(text(profile, 140).slice(2, 6)).toEqual([
      " [What stands out]:",
      "  a.js:5 (load) 60.0%: JSON.parse blocks the event loop: nothing else runs meanwhile; work on smaller values, or keep the result.",
      "    at a.js:5 (load)           return JSON.parse(body);",
      "    called at a.js:21 (start)  load(request);",
    ]);
    expect(topData(reportOf(profile)).findings[0]).toMatchObject({
      ticks: 60,
      places: [{ line: 5, ticks: 60 }],
      caller: { line: 21 },
      makesGarbage: false,
    });
  });

  it("says where its regular expression is made, and the code that it is in", () => {
    const many = (stack: string, source: string) =>
      text(
        {
          ...profileFromStacks(...new Array<string>(99).fill(stack), "js:load·/srv/a.js:9:1@9"),
          sources: [{ file: "/srv/a.js", text: source }],
        },
        140,
      );
    const test = "js:check·/srv/a.js:4:1@4 regexp:^(a+)+$";
    const made = "const NAME = /^(a+)+$/;\n// word\n\n  NAME.test(name);";
    expect(many(test, made)).toContain("    made at a.js:1     const NAME = /^(a+)+$/;");
    expect(many(test, `${made} /^(a+)+$/`).join("\n")).not.toContain("made at");
    expect(many(test, "\n\n\ncheck(/^(a+)+$/)").join("\n")).not.toContain("made at");
    const evaluated = "js:run·<eval·#2>:1:1@1";
    expect(many(evaluated, "\n// eval(x)\nf = eval(code)")).toContain("  … <eval #2> is made at a.js:3");
    expect(many(evaluated, "eval(medieval(a))")).toContain("  … <eval #2> is made at a.js:1");
    expect(many(evaluated, "eval(a)\neval(b)").join("\n")).not.toContain("made at");
    const other = "js:walk·<eval·#3>:1:1@1";
    const both = `js:load·/srv/a.js:9:1@9 ${evaluated} ${other}`;
    const two = profileFromStacks(...[both, evaluated].flatMap((stack) => new Array<string>(50).fill(stack)));
    expect(text({ ...two, sources: [{ file: "/srv/a.js", text: "\neval(code)" }] }, 140)).toContain(
      "  … code without a file is made at a.js:2",
    );
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  type AnalyzeOptions,
  analyze,
  openLog,
  type Profile,
  REPORTERS,
  readRecordedSymbols,
  TicksError,
  VERSION,
} from "../../src/index.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));
const LOG = "isolate.log.gz";
/** What the commands that look inside functions ask for. */
const INSIDE = { inlines: true };

function read(name: string, options: Partial<AnalyzeOptions>): Promise<Profile> {
  const folder = join(FIXTURES, name);
  const symbols = readFileSync(join(folder, "isolate.log.symbols"), "utf8");
  const recorded = readRecordedSymbols(symbols, "isolate.log.symbols");
  return analyze(openLog(join(folder, LOG)), { name: LOG, recorded, ...options });
}

async function textOf(lines: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const line of lines) text += `${line}\n`;
  return text;
}

/** What the command line prints, and the reporter that has to write the same. */
const CASES: readonly {
  readonly golden: string;
  readonly options?: Partial<AnalyzeOptions>;
  readonly report: (profile: Profile) => AsyncIterable<string>;
}[] = [
  {
    golden: "node-26-guide/expected/process.txt",
    options: { asNm: true },
    report: (profile) => REPORTERS.process.text(profile),
  },
  {
    golden: "node-26-guide/expected/process--format=json--pretty--only-summary.json",
    report: (profile) => REPORTERS.process.json(profile, { pretty: true, onlySummary: true }),
  },
  {
    golden: "node-26-guide/expected/top.txt",
    options: { ...INSIDE, deopts: true, timeline: true },
    report: (profile) => REPORTERS.top.text(profile, { width: Number.POSITIVE_INFINITY }),
  },
  {
    golden: "node-26-guide/expected/tree--min=2.txt",
    options: INSIDE,
    report: (profile) => REPORTERS.tree.text(profile, { minPercent: 2, width: 200 }),
  },
  {
    golden: "node-26-guide/expected/tree--heavy--min=3--depth=3.txt",
    options: INSIDE,
    report: (profile) => REPORTERS.tree.text(profile, { heavy: true, minPercent: 3, depth: 3, width: 200 }),
  },
  {
    golden: "node-26-inlining/expected/function++shade.txt",
    options: { ...INSIDE, timeline: true },
    report: (profile) => REPORTERS.function.text(profile, { name: "shade", width: 200 }),
  },
  {
    golden: "node-26-inlining/expected/function--format=md++shade.md",
    options: { ...INSIDE, timeline: true },
    report: (profile) => REPORTERS.function.md(profile, { name: "shade" }),
  },
  {
    golden: "node-26-inlining/expected/function--format=json--pretty++length.json",
    options: { ...INSIDE, timeline: true },
    report: (profile) => REPORTERS.function.json(profile, { name: "length", pretty: true }),
  },
  {
    golden: "node-26-guide/expected/lines--sort=total--limit=10.txt",
    options: INSIDE,
    report: (profile) => REPORTERS.lines.text(profile, { sort: "total", limit: 10, width: 200 }),
  },
  {
    golden: "node-26-guide/expected/lines++guide-server.js.txt",
    options: INSIDE,
    report: (profile) => REPORTERS.lines.text(profile, { file: "guide-server.js", width: 200 }),
  },
  {
    golden: "node-26-inlining/expected/lines--format=md.md",
    options: INSIDE,
    report: (profile) => REPORTERS.lines.md(profile),
  },
  {
    golden: "node-20-inlining/expected/lines--format=json--pretty++inlining.js.json",
    options: INSIDE,
    report: (profile) => REPORTERS.lines.json(profile, { file: "inlining.js", pretty: true }),
  },
  {
    golden: "node-14-scripts/expected/deopts.txt",
    options: { ...INSIDE, deopts: true },
    report: (profile) => REPORTERS.deopts.text(profile),
  },
  {
    golden: "node-14-scripts/expected/deopts--format=json--pretty.json",
    options: { ...INSIDE, deopts: true },
    report: (profile) => REPORTERS.deopts.json(profile, { pretty: true }),
  },
  {
    golden: "node-14-scripts/expected/deopts--format=md.md",
    options: { ...INSIDE, deopts: true },
    report: (profile) => REPORTERS.deopts.md(profile),
  },
  {
    golden: "node-16-ics/expected/ics.txt",
    options: { ...INSIDE, ics: true, deopts: true },
    report: (profile) => REPORTERS.ics.text(profile, { width: 4000 }),
  },
  {
    golden: "node-26-ics/expected/ics--format=json--pretty--limit=3.json",
    options: { ...INSIDE, ics: true, deopts: true },
    report: (profile) => REPORTERS.ics.json(profile, { limit: 3, pretty: true }),
  },
  {
    golden: "node-26-ics/expected/ics--format=md.md",
    options: { ...INSIDE, ics: true, deopts: true },
    report: (profile) => REPORTERS.ics.md(profile),
  },
  {
    golden: "node-26-ics/expected/deopts.txt",
    options: { ...INSIDE, ics: true, deopts: true },
    report: (profile) => REPORTERS.deopts.text(profile),
  },
  {
    golden: "node-26-guide/expected/timeline.txt",
    options: { ...INSIDE, timeline: true },
    report: (profile) => REPORTERS.timeline.text(profile, { nameWidth: 4000 }),
  },
  {
    golden: "node-26-guide/expected/timeline--slices=12--format=json--pretty.json",
    options: { ...INSIDE, timeline: true },
    report: (profile) => REPORTERS.timeline.json(profile, { slices: 12, pretty: true }),
  },
  {
    golden: "node-26-guide/expected/startup.txt",
    options: { ...INSIDE, timeline: true, startup: true },
    report: (profile) => REPORTERS.startup.text(profile, { width: 4000 }),
  },
];

describe("the reporters of the library", () => {
  it.each(CASES)("write $golden", async ({ golden, options = {}, report }) => {
    const profile = await read(golden.slice(0, golden.indexOf("/")), options);
    const text = (await textOf(report(profile))).replace(`"version": "${VERSION}"`, '"version": "VERSION"');
    expect(text).toBe(readFileSync(join(FIXTURES, golden), "utf8"));
  });

  it.each([
    ["doctor", "text", (profile: Profile) => REPORTERS.doctor.text(profile, { width: 4000 })],
    ["doctor", "json", REPORTERS.doctor.json],
    ["threads", "text", REPORTERS.threads.text],
    ["threads", "json", REPORTERS.threads.json],
    ["threads", "md", REPORTERS.threads.md],
    ["top", "md", REPORTERS.top.md],
    ["top", "json", REPORTERS.top.json],
    ["tree", "md", REPORTERS.tree.md],
    ["tree", "json", REPORTERS.tree.json],
    ["timeline", "md", REPORTERS.timeline.md],
  ] as const)("write what `ticks %s --format %s` prints", async (command, format, report) => {
    const profile = await read("node-26-inlining", { inlines: true, deopts: true, timeline: true });
    const run = await warmTicks([command, LOG, "--format", format], {
      cwd: join(FIXTURES, "node-26-inlining"),
    });
    expect(run.stdout).toContain("ticks");
    expect(await textOf(report(profile))).toBe(run.stdout);
  });

  it("write colours and wide lines if asked to", async () => {
    const profile = await read("node-26-inlining", INSIDE);
    const plain = await textOf(REPORTERS.top.text(profile));
    const colored = await textOf(REPORTERS.top.text(profile, { color: true }));
    expect(plain).not.toContain("\x1b");
    expect(colored).toContain("\x1b[1m");
    expect(Math.max(...plain.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    const wide = await textOf(REPORTERS.top.text(profile, { width: 200 }));
    expect(Math.max(...wide.split("\n").map((line) => line.length))).toBeGreaterThan(80);
  });

  it("find no script and no function without ticks", async () => {
    const profile = await read("node-26-inlining", INSIDE);
    await expect(textOf(REPORTERS.lines.text(profile, { file: "none.js" }))).rejects.toThrow(TicksError);
    const document = await textOf(REPORTERS.function.json(profile, { name: "noSuchFunction" }));
    expect(JSON.parse(document)).toMatchObject({ command: "function", matches: [] });
  });
});

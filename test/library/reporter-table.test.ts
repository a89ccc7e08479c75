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
const TIMED = { ...INSIDE, timeline: true };
const DEOPTS = { ...INSIDE, deopts: true };
const ICS = { ...DEOPTS, ics: true };

const profiles = new Map<string, Promise<Profile>>();

/** Reads the log of a fixture, once for the same options. */
function read(name: string, options: Partial<AnalyzeOptions>): Promise<Profile> {
  const key = JSON.stringify([name, Object.entries(options).sort()]);
  const profile = profiles.get(key) ?? readNow(name, options);
  profiles.set(key, profile);
  return profile;
}

function readNow(name: string, options: Partial<AnalyzeOptions>): Promise<Profile> {
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

type Report = (profile: Profile) => AsyncIterable<string>;

/** What the command line prints, what is read for it, and the reporter that has to write the same. */
const CASES: readonly (readonly [golden: string, options: Partial<AnalyzeOptions>, report: Report])[] = [
  ["node-26-guide/process.txt", { asNm: true }, (profile) => REPORTERS.process.text(profile)],
  [
    "node-26-guide/process--format=json--pretty--only-summary.json",
    {},
    (profile) => REPORTERS.process.json(profile, { pretty: true, onlySummary: true }),
  ],
  [
    "node-26-guide/top.txt",
    { ...INSIDE, deopts: true, timeline: true },
    (profile) => REPORTERS.top.text(profile, { width: Number.POSITIVE_INFINITY }),
  ],
  [
    "node-26-guide/tree--min=2.txt",
    INSIDE,
    (profile) => REPORTERS.tree.text(profile, { minPercent: 2, width: 200 }),
  ],
  [
    "node-26-guide/tree--heavy--min=3--depth=3.txt",
    INSIDE,
    (profile) => REPORTERS.tree.text(profile, { heavy: true, minPercent: 3, depth: 3, width: 200 }),
  ],
  [
    "node-26-guide/lines--sort=total--limit=10.txt",
    INSIDE,
    (profile) => REPORTERS.lines.text(profile, { sort: "total", limit: 10, width: 200 }),
  ],
  [
    "node-26-guide/lines++guide-server.js.txt",
    INSIDE,
    (profile) => REPORTERS.lines.text(profile, { file: "guide-server.js", width: 200 }),
  ],
  ["node-26-inlining/lines--format=md.md", INSIDE, (profile) => REPORTERS.lines.md(profile)],
  [
    "node-20-inlining/lines--format=json--pretty++inlining.js.json",
    INSIDE,
    (profile) => REPORTERS.lines.json(profile, { file: "inlining.js", pretty: true }),
  ],
  [
    "node-26-inlining/function++shade.txt",
    TIMED,
    (profile) => REPORTERS.function.text(profile, { name: "shade", width: 200 }),
  ],
  [
    "node-26-inlining/function--format=md++shade.md",
    TIMED,
    (profile) => REPORTERS.function.md(profile, { name: "shade" }),
  ],
  [
    "node-26-inlining/function--format=json--pretty++length.json",
    TIMED,
    (profile) => REPORTERS.function.json(profile, { name: "length", pretty: true }),
  ],
  ["node-14-scripts/deopts.txt", DEOPTS, (profile) => REPORTERS.deopts.text(profile)],
  [
    "node-14-scripts/deopts--format=json--pretty.json",
    DEOPTS,
    (profile) => REPORTERS.deopts.json(profile, { pretty: true }),
  ],
  ["node-14-scripts/deopts--format=md.md", DEOPTS, (profile) => REPORTERS.deopts.md(profile)],
  ["node-16-ics/ics.txt", ICS, (profile) => REPORTERS.ics.text(profile, { width: 4000 })],
  [
    "node-26-ics/ics--format=json--pretty--limit=3.json",
    ICS,
    (profile) => REPORTERS.ics.json(profile, { limit: 3, pretty: true }),
  ],
  ["node-26-ics/ics--format=md.md", ICS, (profile) => REPORTERS.ics.md(profile)],
  ["node-26-ics/deopts.txt", ICS, (profile) => REPORTERS.deopts.text(profile)],
  ["node-26-guide/timeline.txt", TIMED, (profile) => REPORTERS.timeline.text(profile, { nameWidth: 4000 })],
  [
    "node-26-guide/timeline--slices=12--format=json--pretty.json",
    TIMED,
    (profile) => REPORTERS.timeline.json(profile, { slices: 12, pretty: true }),
  ],
  [
    "node-26-guide/startup.txt",
    { ...INSIDE, timeline: true, startup: true },
    (profile) => REPORTERS.startup.text(profile, { width: 4000 }),
  ],
];

describe("the reporters of the library", () => {
  it.each(CASES)("write %s", async (golden, options, report) => {
    const [name = "", file = ""] = golden.split("/");
    const text = (await textOf(report(await read(name, options)))).replace(
      `"version": "${VERSION}"`,
      '"version": "VERSION"',
    );
    expect(text).toBe(readFileSync(join(FIXTURES, name, "expected", file), "utf8"));
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

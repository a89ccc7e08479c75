import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ticks } from "../helpers/cli.ts";
import { OUT } from "./fixture.ts";
import { changedRow, changesOf, expectChanges } from "./fleet-changes.ts";
import { byDuckDb, type Row } from "./fleet-engines.ts";
import { goPeer } from "./peer.ts";

/** The runs of each version. */
const RUNS = [1, 2, 3, 4];
/** Percent of all ticks by which shares of the same code differ at most in a few runs on a busy machine. */
const NOISE = 8;

/** The functions of a program, each with about a sixth of its time. */
const PARTS = {
  // The text of `digest` is that of `hash`: only its name is another one.
  hash: hashNamed("hash"),
  digest: hashNamed("digest"),
  parse: `function parse(text) {
  let sum = 0;
  for (let i = 0; i < 9000; i++) sum += Number.parseInt(text.slice(i % 7, (i % 7) + 4), 10);
  return sum;
}`,
  render: `function render(rows) {
  let page = "";
  for (let i = 0; i < 9000; i++) page = \`<td>\${rows[i & 15]}</td>\${page.length}\`;
  return page.length;
}`,
  weigh: `function weigh(rows) {
  let sum = 0;
  for (let i = 0; i < 130000; i++) sum += Math.sqrt(rows[i & 15] + i) / (1 + (i & 3));
  return sum;
}`,
};

function hashNamed(name: string): string {
  return `const ${name} = (text) => {
  let sum = 7;
  for (let i = 0; i < 240000; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i & 7)) | 0;
  return sum;
};`;
}

/** Functions without a name: only their order tells their keys apart. */
const JOBS = [
  `function (rows) {
    let sum = 0;
    for (let i = 0; i < 180000; i++) sum = (sum ^ (rows[i & 15] << (i & 7))) >>> 0;
    return sum;
  }`,
  `function (rows) {
    const copy = [];
    for (let i = 0; i < 6000; i++) copy.push((rows[i & 15] * 7919 * i) % 1009);
    return copy.sort((a, b) => a - b)[0];
  }`,
];

/** The text of a program that has these functions in this order. */
function program(parts: readonly (keyof typeof PARTS)[], jobs: readonly string[], comment = ""): string {
  const hash = parts.includes("digest") ? "digest" : "hash";
  return `${comment}"use strict";
${parts.map((part) => PARTS[part]).join("\n\n")}

const rows = Array.from({ length: 16 }, (_, i) => i * 37 + 5);
let kept = 0;
for (let round = 0; round < 160; round++) {
  kept += parse("1234567890123") + ${hash}("12345678") + render(rows) + weigh(rows);
  for (const job of [${jobs.join(", ")}]) kept += job(rows);
}
console.log(kept);
`;
}

const COMMENT = "// This release says what it is,\n// in three lines,\n// and does nothing else.\n";
const VERSIONS = {
  v1: program(["parse", "hash", "render", "weigh"], JOBS),
  // A comment, and two functions moved.
  v2: program(["render", "parse", "weigh", "hash"], JOBS, COMMENT),
  // A renamed function, and the functions without a name in another order.
  v3: program(["render", "parse", "weigh", "digest"], [JOBS[1]!, JOBS[0]!], COMMENT),
};
type Version = keyof typeof VERSIONS;

function logOf(version: Version, run: number): string {
  return join(OUT, version, `run-${run}.log`);
}

function logsOf(version: Version): string[] {
  return RUNS.map((run) => logOf(version, run));
}

function profileOf(version: Version, run: number): string {
  return join(OUT, `${version}-${run}.pb.gz`);
}

/** Records all versions in turns, so that a busy machine hits all of them alike, and exports each run as one of a host. */
async function recordAndExport(): Promise<void> {
  for (const [version, text] of Object.entries(VERSIONS)) {
    mkdirSync(join(OUT, version));
    writeFileSync(join(OUT, version, "app.js"), text);
  }
  for (const run of RUNS) {
    const folder = join(OUT, "fleet", `host=web-${run}`);
    mkdirSync(folder, { recursive: true });
    for (const version of Object.keys(VERSIONS) as Version[]) {
      const log = logOf(version, run);
      const options = ["--prof", "--no-logfile-per-isolate", `--logfile=${log}`];
      execFileSync(process.execPath, [...options, join(OUT, version, "app.js")], { stdio: "ignore" });
      for (const file of [join(folder, `${version}.parquet`), profileOf(version, run)]) {
        const { status, stderr } = await ticks(["export", log, "--label", `deploy=${version}`, "-o", file]);
        if (status !== 0) throw new Error(stderr);
      }
    }
  }
}

function isOfProgram({ key }: Row): boolean {
  return `${key}`.startsWith("app.js ");
}

describe("the deploys of a program", () => {
  const files = join(OUT, "fleet", "*", "*.parquet");

  beforeAll(recordAndExport);

  it.each([
    ["v1", "v2"],
    ["v1", "v3"],
    ["v3", "v2"],
  ] as const)("have the changes of ticks diff from %s to %s", async (before, after) => {
    const query = `FROM changes WHERE deploy_before = '${before}' AND deploy_after = '${after}'`;
    const [rows] = await byDuckDb(files, [query]);
    expect(rows!.length).toBeGreaterThan(100);
    expectChanges(rows!.map(changedRow), await changesOf(logsOf(before), logsOf(after), ["--idle"]));
  });

  it("show nothing but noise in SQL after a comment and two moves", async () => {
    const [changes, shares, places] = await byDuckDb(files, [
      "FROM changes WHERE deploy_before = 'v1' AND deploy_after = 'v2'",
      `SELECT key, a.self_percent - b.self_percent AS change FROM deploys a JOIN deploys b USING (key)
       WHERE b.deploy = 'v1' AND a.deploy = 'v2'`,
      `SELECT deploy, function, function_line, sum(ticks) AS ticks FROM fleet WHERE self AND key = 'app.js render' GROUP BY ALL`,
    ]);
    const own = changes!.filter(isOfProgram);
    expect(own.length).toBeGreaterThan(10);
    for (const row of own)
      expect(row, `${row.key}`).toMatchObject({ matched_by: "key", key_before: row.key });
    const far = (rows: readonly Row[]) => rows.filter(({ change }) => Math.abs(Number(change)) > NOISE);
    expect(far(own)).toEqual([]);
    expect(far(shares!)).toEqual([]);
    // By its line, it would be gone and new.
    expect(new Set(places!.map(({ function_line }) => function_line)).size).toBeGreaterThan(1);
  });

  it("find a function under its new name, and those without one by their texts", async () => {
    const [rows] = await byDuckDb(files, [
      "FROM changes WHERE deploy_before = 'v1' AND deploy_after = 'v3' AND measure = 'self' AND share_before > 4",
    ]);
    const own = rows!.filter(isOfProgram);
    const pairs = new Map(own.map((row) => [`${row.key_before}`, `${row.key_after}`]));
    expect(pairs.get("app.js hash")).toBe("app.js digest");
    const swapped = [...pairs].filter(
      ([before, after]) => before.includes("<anonymous>") && before !== after,
    );
    expect(swapped.length).toBeGreaterThan(0);
    expect(own.filter(({ change }) => Math.abs(Number(change)) > NOISE)).toEqual([]);
  });

  it("show nothing but noise in go tool pprof -diff_base", () => {
    const bases = RUNS.map((run) => `-diff_base=${profileOf("v1", run)}`);
    const all = ["-symbolize=none", "-nodecount=1000", "-nodefraction=0", "-normalize", "-top"];
    const text = execFileSync(
      goPeer(),
      ["tool", "pprof", ...all, ...bases, ...RUNS.map((run) => profileOf("v2", run))],
      {
        stdio: ["ignore", "pipe", "ignore"],
      },
    ).toString();
    const rows = Array.from(
      text.matchAll(/^ *-?[\d.]+ +(-?[\d.]+)% +-?[\d.]+% +-?[\d.]+ +(-?[\d.]+)% {2}(.*)$/gm),
    );
    const own = rows.filter(([, , , name]) => name!.startsWith("app.js::"));
    expect(own.length).toBeGreaterThan(4);
    expect(own.filter(([, flat]) => Math.abs(Number(flat)) > NOISE).map(([row]) => row)).toEqual([]);
  });
});

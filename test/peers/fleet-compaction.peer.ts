import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ticks } from "../helpers/cli.ts";
import { CASES, FIXTURES, OUT } from "./fixture.ts";
import { byDuckDb, linesOf } from "./fleet-engines.ts";

const FLEET = join(OUT, "fleet");
const COMPACT = join(OUT, "compact");
const VIEWS = ["breakdown", "functions", "deploys", "lines", "packages", "calls", "compiled", "runs"];

/** The statement that docs/fleet.md has to make few files of many. */
function compaction(): string {
  const text = readFileSync(new URL("../../docs/fleet.md", import.meta.url), "utf8");
  const [, statement] = /duckdb\.execute\("""\n( {2}COPY [^"]*)"""\)/.exec(text)!;
  return statement!
    .replace("'fleet/date=2026-11-21/**/*.parquet'", `'${FLEET}/date=2026-11-21/**/*.parquet'`)
    .replace("'compact'", `'${COMPACT}'`);
}

describe("the compaction of a day", () => {
  it("makes one file of each service, with the same rows in all views", async () => {
    for (const [i, name] of CASES.entries()) {
      const service = `service=${i % 2 === 0 ? "shade" : "guide"}`;
      const folder = join(FLEET, "date=2026-11-21", service, `host=web-${i % 5}`);
      mkdirSync(folder, { recursive: true });
      const log = join(FIXTURES, name, "isolate.log.gz");
      const labels = ["--label", `deploy=v${i % 3}`, ...(i % 2 === 0 ? [] : ["--label", "region=north"])];
      const { status, stderr } = await ticks([
        "export",
        log,
        ...labels,
        "-o",
        join(folder, `${name}.parquet`),
      ]);
      expect(stderr).not.toContain("error");
      expect(status).toBe(0);
    }
    const statement = compaction();
    expect(statement).toContain(FLEET);
    expect(statement).toContain(COMPACT);
    const queries = VIEWS.map((view) => `SELECT * FROM ${view}`);
    const [, ...before] = await byDuckDb(`${FLEET}/**/*.parquet`, [statement, ...queries]);
    const after = await byDuckDb(`${COMPACT}/**/*.parquet`, queries);
    for (const [i, view] of VIEWS.entries()) {
      expect(before[i]!.length, view).toBeGreaterThan(5);
      expect(linesOf(after[i]!), view).toEqual(linesOf(before[i]!));
    }
    const files = readdirSync(COMPACT, { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => file.endsWith(".parquet"))).toHaveLength(2);
  });
});

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { TICKS } from "../helpers/cli.ts";
import { CASES, FIXTURES, OUT, ticksOf } from "./fixture.ts";
import { byDuckDb, sparkPython } from "./fleet-engines.ts";

const LOGS = join(OUT, "logs");
const FLEET = join(OUT, "fleet");
const COUNT = 50;

/** The job that docs/fleet.md has for raw logs. */
function jobOf(document: string): string {
  const blocks = Array.from(document.matchAll(/```python\n([\s\S]*?)```/g), ([, code]) => code!);
  return blocks.find((code) => code.includes("binaryFile"))!;
}

/** Fifty logs with their symbols, of five hosts and two services, and one that is none. Returns how many of each fixture. */
function writeLogs(): Map<string, number> {
  const copies = new Map<string, number>();
  for (let i = 0; i < COUNT; i++) {
    const name = CASES[i % CASES.length]!;
    const folder = join(LOGS, `2026-11-2${i % 2}`, i % 3 === 0 ? "shade" : "guide", `web-${i % 5}`);
    mkdirSync(folder, { recursive: true });
    for (const file of ["log.gz", "log.symbols"])
      copyFileSync(join(FIXTURES, name, `isolate.${file}`), join(folder, `isolate-${i}.${file}`));
    copies.set(name, (copies.get(name) ?? 0) + 1);
  }
  const broken = join(LOGS, "2026-11-20", "shade", "web-0", "isolate-broken.log");
  mkdirSync(dirname(broken), { recursive: true });
  writeFileSync(broken, "no log\n");
  return copies;
}

describe("the job for raw logs, in PySpark", () => {
  it(`exports ${COUNT} logs with all their ticks, and leaves out one that is broken`, async () => {
    const copies = writeLogs();
    const bin = join(OUT, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "ticks"), `#!/bin/sh\nexec '${process.execPath}' '${TICKS}' "$@"\n`, {
      mode: 0o755,
    });
    const text = readFileSync(new URL("../../docs/fleet.md", import.meta.url), "utf8");
    const job = jobOf(text)
      .replace('"/mnt/logs"', JSON.stringify(LOGS))
      .replace('"/mnt/fleet"', JSON.stringify(FLEET));
    expect(job).toContain(LOGS);
    const script = join(OUT, "job.py");
    writeFileSync(script, job);
    const path = `${bin}:${dirname(sparkPython)}:${process.env.PATH}`;
    execFileSync(sparkPython, [script], {
      env: { ...process.env, PATH: path, PYSPARK_PYTHON: sparkPython, XDG_CACHE_HOME: join(OUT, "cache") },
      stdio: "ignore",
    });
    const [states, hosts] = await byDuckDb(`${FLEET}/**/*.parquet`, [
      "SELECT log, sum(ticks) AS ticks FROM breakdown GROUP BY log",
      "SELECT DISTINCT date, service, host FROM fleet",
    ]);
    let wanted = 0;
    for (const [name, count] of copies) wanted += count * (await ticksOf(name));
    expect(states).toHaveLength(COUNT);
    expect(states!.reduce((sum, row) => sum + Number(row.ticks), 0)).toBe(wanted);
    expect(states!.map(({ log }) => basename(`${log}`))).toContain("isolate-0.log.gz");
    const folders = new Set(
      Array.from(
        { length: COUNT },
        (_, i) => `2026-11-2${i % 2} ${i % 3 === 0 ? "shade" : "guide"} web-${i % 5}`,
      ),
    );
    const dates = hosts!.map(({ date, service, host }) => `${date} ${service} ${host}`);
    expect(dates.sort()).toEqual([...folders].sort());
  });
});

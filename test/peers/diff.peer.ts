import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ticks } from "../helpers/cli.ts";
import { simulatedLog } from "../helpers/simulated-run.ts";
import { OUT } from "./fixture.ts";
import { cargoPeer, goPeer } from "./peer.ts";

const go = goPeer();

/** Three runs a side of a program of four functions, of which the third takes twice as long after. */
function record(): readonly [string, string] {
  const sides = ["before", "after"].map((side) => {
    mkdirSync(join(OUT, side), { recursive: true });
    const functions = Array.from({ length: 4 }, (_, i) => ({
      name: `part${i}`,
      weight: i === 2 && side === "after" ? 2 : 1,
    }));
    for (let run = 0; run < 3; run++) {
      const seed = side.length * 10 + run;
      const log = simulatedLog({ file: `/srv/${side}/app.js`, functions, ticks: 1000, seed });
      writeFileSync(join(OUT, side, `isolate-0x1-${10 + run}-v8.log`), log);
    }
    return join(OUT, side);
  });
  return [sides[0]!, sides[1]!];
}

const [before, after] = record();

interface Row {
  readonly name: string;
  readonly self: { readonly before: number; readonly after: number; readonly change: number };
}

/** Compares the runs, and writes their difference into a file. */
async function difference(name: string): Promise<{ readonly file: string; readonly rows: readonly Row[] }> {
  const file = join(OUT, name);
  const { stdout, status } = await ticks(["diff", before, "--", after, "--json", "-o", file]);
  expect(status).toBe(0);
  return { file, rows: JSON.parse(stdout).rows };
}

function pprof(...args: readonly string[]): string {
  const all = ["-symbolize=none", "-nodecount=1000000", "-nodefraction=0", "-edgefraction=0"];
  return execFileSync(go, ["tool", "pprof", ...all, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  }).toString();
}

const TOP_ROW = /^ *(-?\d+)(?:ppm)? +-?[\d.]+% +-?[\d.]+% +-?\d+(?:ppm)? +-?[\d.]+% {2}(.*)$/gm;

describe("the difference, read by go tool pprof", () => {
  it("has the changes of the table, and the whole of the base", async () => {
    const { file, rows } = await difference("change.pb.gz");
    const text = pprof("-top", file);
    expect(text).toContain("Total samples = 1000000ppm");
    const found = new Map(Array.from(text.matchAll(TOP_ROW), ([, self, name]) => [name, Number(self)]));
    expect(found.size).toBe(rows.length);
    for (const { name, self } of rows)
      expect(Math.abs(found.get(`app.js::${name}`)! - self.change * 1e4)).toBeLessThan(2);
  });

  it("marks the samples before as pprof itself does", async () => {
    const { file } = await difference("marks.pb.gz");
    const own = pprof("-raw", file);
    const sides = [before, after].map(
      (side) => [side, join(OUT, `${side.slice(OUT.length + 1)}.pb.gz`)] as const,
    );
    for (const [side, exported] of sides) await ticks(["export", side, "-o", exported]);
    const theirs = join(OUT, "theirs.pb.gz");
    pprof("-proto", `-output=${theirs}`, `-diff_base=${sides[0]![1]}`, sides[1]![1]);
    const marksOf = (raw: string) => {
      const samples = raw.matchAll(/^ *(-?\d+)[ :].*\n +(.*)$/gm);
      const signs = Array.from(samples, ([, value, labels]) => [
        Number(value) < 0,
        labels!.includes("pprof::base:[true]"),
      ]);
      return new Set(signs.map(String));
    };
    expect(marksOf(own)).toEqual(marksOf(pprof("-raw", theirs)));
    expect(marksOf(own)).toEqual(new Set(["false,false", "true,true"]));
  });
});

it("is folded as inferno-diff-folded does it", async () => {
  const { file } = await difference("change.folded");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const sides = [1, 2].map((column) => {
    const path = join(OUT, `side${column}.folded`);
    const folded = lines.map((line) => {
      const [, stack, ...counts] = /^(.*) (\d+) (\d+)$/.exec(line)!;
      return `${stack} ${counts[column - 1]}\n`;
    });
    writeFileSync(path, folded.join(""));
    return path;
  });
  const program = join(cargoPeer("inferno", "0.12.8"), "inferno-diff-folded");
  const theirs = execFileSync(program, sides).toString().trimEnd().split("\n");
  expect(theirs.sort()).toEqual(lines.sort());
});

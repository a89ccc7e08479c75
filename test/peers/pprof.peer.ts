import { execFileSync } from "node:child_process";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { pprofNames } from "../../src/exports/pprof.ts";
import { Analysis } from "../../src/facts/analysis.ts";
import type { ProfiledFunction } from "../../src/facts/function-table.ts";
import { printable } from "../../src/facts/label.ts";
import { stackOf } from "../../src/profile/call-tree.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { shownStacks } from "../../src/profile/shown-stacks.ts";
import { filePath } from "../../src/profile/stable-files.ts";
import { VM_STATES } from "../../src/profile/vm-state.ts";
import { ticks } from "../helpers/cli.ts";
import { FIXTURE_NAMES, fixtureProfile } from "../helpers/fixtures.ts";
import { exported, FIXTURES } from "./fixture.ts";
import { goPeer } from "./peer.ts";

const go = goPeer();

/** What `go tool pprof` prints, of everything that is in a file. */
function pprof(files: string | readonly string[], ...options: readonly string[]): string {
  const all = ["-symbolize=none", "-trim=false", "-nodecount=1000000", "-nodefraction=0", "-edgefraction=0"];
  return execFileSync(go, ["tool", "pprof", ...all, ...options, ...[files].flat()], {
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "ignore"],
  }).toString();
}

/** The file of a recorded log. The profiles that it is compared with are read without source maps. */
function fileOf(name: string): Promise<string> {
  return exported(name, "pb.gz", "--no-source-maps");
}

const TOP_ROW = /^ *(\d+) +[\d.]+% +[\d.]+% +(\d+) +[\d.]+% {2}(.*?)(?: \((?:partial-)?inline\))?$/gm;

/** `-top`: self and total by name, in words that are easy to compare. */
function topOf(file: string, ...options: readonly string[]): string[] {
  const rows = Array.from(pprof(file, "-top", ...options).matchAll(TOP_ROW));
  return rows.map(([, self, total, name]) => `${name}: ${self} ${total}`).sort();
}

/** What ticks counts for the functions of a profile, in the same words. */
function functionsOf(profile: Profile): string[] {
  const { table, names } = pprofNames(profile);
  const { self, total } = Analysis.of(profile).functionTicks;
  return table.functions
    .map((_, i) => ({ name: wellFormed(names[i]!), self: self[i], total: total[i]! }))
    .filter((row) => row.total > 0)
    .map((row) => `${row.name}: ${row.self} ${row.total}`)
    .sort();
}

/** A row of `ticks top`; what V8 made has its kind in front of the name in pprof. */
function rowOfTop(
  row: ProfiledFunction & { kind: string; self: number; total: number },
  names: ReadonlyMap<string, string>,
): string {
  const title = row.name === "" ? "<anonymous>" : row.name;
  const shown = row.kind === "library" ? title.slice(title.lastIndexOf("/") + 1) : title;
  const name = row.kind === "js" ? (names.get(placeOf(row)) ?? title) : printable(shown);
  return `${wellFormed(name)}: ${row.self} ${row.total}`;
}

/** What tells functions of scripts apart in one log. */
function placeOf({
  name,
  file,
  line,
  column,
}: Pick<ProfiledFunction, "name" | "file" | "line" | "column">): string {
  return JSON.stringify([name, file ?? null, line ?? null, column ?? null]);
}

/** Lone surrogates cannot be written. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** Ticks by pairs of a caller and what it called, each pair once a stack; calls of itself are none. */
function callsOf(profile: Profile): string[] {
  const { tree, samples } = profile;
  const { table, names: named } = pprofNames(profile);
  const ticks = new Map<string, number>();
  for (let i = 0; i < samples.length; i++) {
    const names = Array.from(stackOf(tree, samples.node[i]!), (frame) =>
      wellFormed(named[table.ofFrame[frame]!]!),
    );
    const pairs = names.flatMap((callee, at) => (at + 1 < names.length ? [[names[at + 1]!, callee]] : []));
    const calls = pairs.filter(([caller, callee]) => caller !== callee).map((pair) => pair.join(" -> "));
    for (const call of new Set(calls)) ticks.set(call, (ticks.get(call) ?? 0) + samples.ticks[i]!);
  }
  return Array.from(ticks, ([call, sum]) => `${call}: ${sum}`).sort();
}

/** `-peek`: the calls of each function, by its callees. */
function peekedCalls(file: string): string[] {
  const calls: string[] = [];
  for (const block of pprof(file, "-peek=.").split(/^-+\+-+$/m)) {
    let caller: string | undefined;
    for (const line of block.split("\n")) {
      const own = /^ *\d+ +[\d.]+% +[\d.]+% +\d+ +[\d.]+% +\| (.*)$/.exec(line);
      const callee = /^ {30,}(\d+) +[\d.]+% \| {3}(.*?)(?: \((?:partial-)?inline\))?$/.exec(line);
      if (own !== null) caller = own[1]!;
      else if (caller !== undefined && callee !== null) calls.push(`${caller} -> ${callee[2]}: ${callee[1]}`);
    }
  }
  return calls.sort();
}

describe.each(FIXTURE_NAMES)("pprof, read by go tool pprof: %s", (name) => {
  const profileOf = async () => shownStacks(await fixtureProfile(name, { inlines: true, identities: true }));

  it("-top has every function with its self and total", async () => {
    const file = await fileOf(name);
    expect(topOf(file)).toEqual(functionsOf(await profileOf()));
  });

  it("-top -noinlines has what it is without inlined functions", async () => {
    // Callers are inferred for inlined functions too.
    const file = await exported(name, "pb.gz", "--no-source-maps", "--no-inferred");
    const { identities } = await profileOf();
    expect(topOf(file, "-noinlines")).toEqual(
      functionsOf({ ...shownStacks(await fixtureProfile(name)), identities }),
    );
  });

  it("-top has every row of ticks top", async () => {
    const log = join(FIXTURES, name, "isolate.log.gz");
    const options = ["--format", "json", "--limit", "1000", "--no-source-maps"];
    const { functions } = JSON.parse((await ticks(["top", log, ...options])).stdout);
    const rows = topOf(await fileOf(name));
    const { table, names } = pprofNames(await profileOf());
    const byPlace = new Map(table.functions.map((one, i) => [placeOf(one), names[i]!]));
    const told = [...functions.bySelf, ...functions.byTotal].map((row) => rowOfTop(row, byPlace));
    expect(told.length).toBeGreaterThan(40);
    expect(told.filter((row) => !rows.some((own) => own === row || own.endsWith(`: ${row}`)))).toEqual([]);
  });

  it("-peek has every call with its ticks", async () => {
    const file = await fileOf(name);
    expect(peekedCalls(file)).toEqual(callsOf(await profileOf()));
  });

  it("-lines has the self of each line", async () => {
    const profile = await profileOf();
    const { frames, tree, samples } = profile;
    const { table, names } = pprofNames(profile);
    const self = new Map<string, number>();
    for (let i = 0; i < samples.length; i++) {
      const number = tree.frame[samples.node[i]!]!;
      const id = table.ofFrame[number]!;
      const entry = table.functions[id]!;
      const frame = frames[number]!;
      const path = printable(filePath(entry.file ?? ""));
      const place = `${path === "" ? "" : ` ${posix.normalize(path)}`}`;
      const line = frame.kind === "js" && frame.line > 0 ? `${place || " "}:${frame.line}` : place;
      const key = wellFormed(`${names[id]}${line}`);
      self.set(key, (self.get(key) ?? 0) + samples.ticks[i]!);
    }
    const file = await fileOf(name);
    const rows = Array.from(pprof(file, "-top", "-lines").matchAll(TOP_ROW));
    const read = rows.filter(([, ticks]) => ticks !== "0").map(([, ticks, , row]) => `${row}: ${ticks}`);
    expect(read.sort()).toEqual(Array.from(self, ([row, ticks]) => `${row}: ${ticks}`).sort());
  });

  it("-tags has the ticks of each state of the VM", async () => {
    const { info } = await profileOf();
    const [, block = ""] =
      /^ *state: Total.*\n((?: +[\d.]+ \(.*\n)*)/m.exec(pprof(await fileOf(name), "-tags")) ?? [];
    const read = Array.from(
      block.matchAll(/^ +([\d.]+) \( *[\d.]+%\): (.+)$/gm),
      ([, ticks, state]) => `${state}: ${ticks}`,
    );
    const told = VM_STATES.map((state, i) => ({ state, ticks: info.ticksByState[i] ?? 0 }));
    expect(read.sort()).toEqual(
      told
        .filter((one) => one.ticks > 0)
        .map((one) => `${one.state}: ${one.ticks}`)
        .sort(),
    );
  });

  it("-traces has every stack, from the leaf on", async () => {
    const profile = await profileOf();
    const { tree, samples } = profile;
    const { table, names } = pprofNames(profile);
    const stacks = new Map<string, number>();
    for (let i = 0; i < samples.length; i++) {
      const stack = Array.from(stackOf(tree, samples.node[i]!), (frame) =>
        wellFormed(names[table.ofFrame[frame]!]!),
      ).join("\n");
      stacks.set(stack, (stacks.get(stack) ?? 0) + samples.ticks[i]!);
    }
    const read = new Map<string, number>();
    for (const block of pprof(await fileOf(name), "-traces").split(/^-+\+-+$/m)) {
      const rows = Array.from(block.matchAll(/^(?: *(\d+)| {10}) {3}(.*?)(?: \(inline\))?$/gm));
      const ticks = Number(rows[0]?.[1] ?? 0);
      const stack = rows.map(([, , row]) => row).join("\n");
      if (ticks > 0) read.set(stack, (read.get(stack) ?? 0) + ticks);
    }
    expect(read).toEqual(stacks);
  });
});

describe("pprof files of several hosts", () => {
  it("are summed by go tool pprof", async () => {
    const profiles = await Promise.all(FIXTURE_NAMES.map((name) => fixtureProfile(name)));
    const all = [];
    for (const name of FIXTURE_NAMES) all.push(await fileOf(name));
    const total = profiles.reduce((sum, { info }) => sum + info.ticks, 0);
    expect(pprof(all, "-top")).toMatch(new RegExp(`Total samples = ${total} `));
  });
});

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { turnsOf } from "../../src/facts/profile-turns.ts";
import { loadLogs } from "../../src/library/load-logs.ts";
import { TICKS } from "../helpers/cli.ts";

/** A folder with `vX.Y.Z/bin/node` for each version. See test/record/README.md. */
const NODES = process.env.TICKS_NODES ?? join(homedir(), ".cache/ticks-nodes");
const PROGRAM = fileURLToPath(new URL("../programs/turns.js", import.meta.url));
/** How often each program runs with each version. */
const RUNS = Number(process.env.TICKS_RUNS ?? 1);
/** Turns over so many milliseconds are claims. */
const LONG = 50;

/** A callback as the program noted it, or a turn as it was found; in milliseconds. */
interface Span {
  readonly name: string | undefined;
  readonly start: number;
  readonly length: number;
}

interface Callback extends Span {
  /** How long it was to take; 0 for the script itself. */
  readonly planned: number;
}

interface FoundTurn extends Span {
  readonly kind: string;
  readonly least: number;
  readonly most: number;
}

/** A thread: what was true of it by its own clock, and what was found by that of the log. */
interface Thread {
  readonly callbacks: readonly Callback[];
  readonly turns: readonly FoundTurn[];
  readonly interval: number;
}

interface Truth {
  readonly truth: readonly (readonly [name: string, planned: number, from: number, to: number])[];
  readonly load: readonly [from: number, to: number];
}

/** Records the program. `mode` is `blocks` or `quiet`. */
async function recorded(version: string, mode: string): Promise<Thread[]> {
  const folder = mkdtempSync(join(tmpdir(), "ticks-turns-"));
  try {
    const file = join(folder, "truth.json");
    const node = join(NODES, version, "bin/node");
    const words = [TICKS, "record", "-o", join(folder, "log"), "--", node, PROGRAM, mode, file];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", timeout: 120_000 });
    if (status !== 0) throw new Error(stderr);
    const profile = await loadLogs(join(folder, "log"), { timeline: true });
    const found = turnsOf(profile, { least: 1000, most: 5000, lines: 1 }) ?? [];
    return found.map(({ thread, longest }) => {
      const { kind, sampling } = profile.info.threads[thread]!;
      const { truth, load }: Truth = JSON.parse(
        readFileSync(kind === "worker" ? `${file}.worker` : file, "utf8"),
      );
      const noted = [...truth, ["<anonymous>", 0, ...load] as const];
      return {
        interval: Math.max(sampling?.asked ?? 1000, sampling?.usual ?? 0) / 1000,
        callbacks: noted.map(([name, planned, from, to]) => ({
          name,
          planned,
          start: from,
          length: to - from,
        })),
        turns: longest.map((turn) => ({
          name: turn.callback?.title,
          kind: turn.kind,
          start: turn.start / 1000,
          length: turn.length / 1000,
          least: turn.least / 1000,
          most: turn.most / 1000,
        })),
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns how much later the clock of the program began than that of the log: most pairs of alike turns agree on it. */
function offsetOf({ turns, callbacks }: Thread): number {
  const offsets = callbacks
    .flatMap((callback) =>
      turns
        .filter((turn) => turn.name === callback.name && isNear(turn.length, callback.length, 3))
        .map((turn) => callback.start - turn.start),
    )
    .sort((a, b) => a - b);
  let [most, offset] = [0, Number.NaN];
  for (let i = 0, j = 0; i < offsets.length; i++) {
    while (offsets[i]! - offsets[j]! > 2) j++;
    if (i - j >= most) [most, offset] = [i - j, offsets[(i + j) >> 1]!];
  }
  return offset;
}

function isNear(found: number, length: number, margin: number): boolean {
  return Math.abs(found - length) <= margin + 0.1 * length;
}

/** Counts what was found of the callbacks that take long, and the claims of long turns that are false. */
function compared(thread: Thread) {
  const { turns, callbacks, interval } = thread;
  const offset = offsetOf(thread);
  const margin = 2 * interval;
  const planted = callbacks.filter(({ planned }) => planned >= 10);
  const found = planted.filter(({ name, start, length }) =>
    turns.some(
      (turn) =>
        turn.name === name &&
        isNear(turn.length, length, margin) &&
        Math.abs(turn.start + offset - start) <= margin + 0.1 * length + 2,
    ),
  );
  /** The turn of a callback that has most of it. */
  const turnOf = ({ name, start, length }: Callback) => {
    const shared = (turn: FoundTurn) =>
      Math.min(start + length, turn.start + offset + turn.length) - Math.max(start, turn.start + offset);
    return turns
      .filter((turn) => turn.name === name && shared(turn) > -2)
      .sort((a, b) => shared(b) - shared(a))[0];
  };
  const low = callbacks.filter((one) => one.planned > 4 && (turnOf(one)?.most ?? one.length) < one.length);
  const claims = turns.filter(({ least, kind }) => least > LONG && kind !== "load");
  const wrong = claims.filter(({ start, length }) => {
    const inside = callbacks.filter(
      (one) => one.start - offset < start + length && one.start + one.length - offset > start,
    );
    return inside.every((one) => one.length < LONG * 0.9 - margin);
  });
  return {
    planted: planted.filter(({ name }) => name !== "onGarbage").length,
    found: found.filter(({ name }) => name !== "onGarbage").length,
    garbage: planted.filter(({ name }) => name === "onGarbage").length,
    foundGarbage: found.filter(({ name }) => name === "onGarbage").length,
    low: low.length,
    claims: claims.length,
    wrong: wrong.length,
  };
}

/** Runs a mode of the program, and prints and returns the sums. */
async function sums(version: string, mode: string) {
  const total = { planted: 0, found: 0, garbage: 0, foundGarbage: 0, low: 0, claims: 0, wrong: 0 };
  for (let run = 0; run < RUNS; run++)
    for (const thread of await recorded(version, mode))
      for (const [key, count] of Object.entries(compared(thread))) total[key as keyof typeof total] += count;
  console.log(version, mode, JSON.stringify(total));
  return total;
}

/** The newest of each of these releases that is there. */
const versions = [16, 18, 20, 22, 24, 26].flatMap((major) => {
  const found = existsSync(NODES) ? readdirSync(NODES).filter((name) => name.startsWith(`v${major}.`)) : [];
  return found.slice(-1);
});

describe.each(versions)("turns of Node %s", (version) => {
  it("are found with their lengths", async () => {
    const { planted, found, low, wrong } = await sums(version, "blocks");
    // The sampler of a busy machine misses some; without idle ticks, as on Node 26, a gap may be a sleep.
    expect(found).toBeGreaterThan(planted * 0.4);
    expect(low).toBe(0);
    expect(wrong).toBe(0);
  });

  it("are not claimed where all callbacks are short", async () => {
    expect((await sums(version, "quiet")).wrong).toBe(0);
  });
});

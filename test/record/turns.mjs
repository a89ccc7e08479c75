// Records test/programs/turns.js and compares the turns that ticks finds with what the callbacks noted. See README.md.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadLogs } from "../../build/index.js";
import { turnsOf } from "../../build/views/turns.js";

const NODES = process.env.TICKS_NODES ?? join(homedir(), ".cache/ticks-nodes");
const TICKS = fileURLToPath(new URL("../../bin/ticks.js", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../programs/turns.js", import.meta.url));
const LONG = 50;

/** Records a run and returns what was found of each thread, and what was true, all in ms. `mode`: blocks or quiet. */
export async function recordTurns(version, mode, scale = 1) {
  const folder = mkdtempSync(join(tmpdir(), "ticks-turns-"));
  try {
    const file = join(folder, "truth.json");
    const node = join(NODES, version, "bin/node");
    const words = [
      TICKS,
      "record",
      "-o",
      join(folder, "log"),
      "--",
      node,
      PROGRAM,
      mode,
      file,
      String(scale),
    ];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", timeout: 120_000 });
    if (status !== 0) throw new Error(`${version}: ${stderr}`);
    const profile = await loadLogs(join(folder, "log"), { timeline: true, lines: true });
    const found = turnsOf(profile, { least: 3000, most: 5000, lines: 1 });
    return found.map((thread) => {
      const { kind, sampling } = profile.info.threads[thread.thread];
      const { truth, load, delay } = JSON.parse(
        readFileSync(kind === "worker" ? `${file}.worker` : file, "utf8"),
      );
      const interval = Math.max(sampling.asked, sampling.usual ?? 0) / 1000;
      const turns = thread.longest.map((turn) => ({
        name: turn.callback?.title,
        kind: turn.kind,
        start: turn.start / 1000,
        length: turn.length / 1000,
        least: turn.least / 1000,
        most: turn.most / 1000,
      }));
      return { kind, interval, turns, truth: [...truth, ["<anonymous>", 0, ...load]], delay };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns how many planted callbacks of 10 ms and more were found, which not, and the claims of over 50 ms that are false. */
export function compareTurns({ turns, truth, interval }) {
  const offset = offsetOf(turns, truth);
  const margin = (ms) => 2 * interval + 0.1 * ms;
  const true_ = truth.map(([name, ms, from, to]) => ({ name, ms, from: from - offset, to: to - offset }));
  const planted = true_.filter(({ ms }) => ms >= 10);
  const missed = [];
  let sure = 0;
  for (const block of planted) {
    const length = block.to - block.from;
    const near = turns.filter(
      (turn) =>
        (turn.name === block.name || turn.name === "<anonymous>") &&
        Math.abs(turn.start - block.from) <= margin(length) + 2 &&
        Math.abs(turn.length - length) <= margin(length),
    );
    const closest = turns.filter(
      (turn) => turn.start < block.to + 5 && turn.start + turn.length > block.from - 5,
    );
    if (near.length === 0) missed.push({ ...block, closest });
    else if (near.some(({ least }) => least > 0)) sure++;
  }
  const isFalse = ({ start, length, name }) => {
    const inside = true_.filter(({ from, to }) => from < start + length && to > start);
    const longest = Math.max(0, ...inside.map(({ from, to }) => to - from));
    return longest < LONG - margin(LONG) && name !== undefined;
  };
  const claims = turns.filter(({ least, kind }) => least > LONG && kind !== "load");
  return {
    planted: planted.length,
    found: planted.length - missed.length,
    sure,
    missed,
    claims: claims.length,
    wrong: claims.filter(isFalse),
    atMost: turns.filter((turn) => turn.least === 0 && turn.length > LONG && isFalse(turn)).length,
  };
}

/** Returns how much later the clock of the program began than that of the log: most pairs of alike turns agree on it. */
function offsetOf(turns, truth) {
  const offsets = [];
  for (const [name, ms, from, to] of truth)
    for (const turn of turns)
      if (turn.name === name && Math.abs(turn.length - (to - from)) < 3 + 0.1 * ms)
        offsets.push(from - turn.start);
  offsets.sort((a, b) => a - b);
  // The densest millisecond or two.
  let best = [0, Number.NaN];
  for (let i = 0, j = 0; i < offsets.length; i++) {
    while (offsets[i] - offsets[j] > 2) j++;
    if (i - j + 1 > best[0]) best = [i - j + 1, offsets[(i + j) >> 1]];
  }
  return best[1];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [mode = "blocks", runs = "1", ...versions] = process.argv.slice(2);
  for (const version of versions) {
    const total = { threads: 0, planted: 0, found: 0, sure: 0, claims: 0, wrong: 0, atMost: 0 };
    const intervals = [];
    for (let run = 0; run < Number(runs); run++) {
      for (const thread of await recordTurns(version, mode)) {
        const { missed, wrong, ...counts } = compareTurns(thread);
        total.threads++;
        for (const [key, count] of Object.entries(counts)) total[key] += count;
        total.wrong += wrong.length;
        intervals.push(thread.interval.toFixed(2));
        for (const block of missed) console.error(`${version} missed`, JSON.stringify(block));
        if (process.env.KEEP && wrong.length + missed.length > 0) console.error(thread.kind, thread.delay);
        for (const turn of wrong) console.error(`${version} wrong`, JSON.stringify(turn));
      }
    }
    console.log(version, mode, JSON.stringify(total), intervals.slice(0, 4).join(" "));
  }
}

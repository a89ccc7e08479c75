import type { Profile } from "../profile/profile.js";
import { problemWords } from "./problem-words.js";
import type { Trust } from "./trust.js";

/** Below this share of the ticks, in percent, a problem is not worth a line. */
const WORTH_SAYING = 0.5;
/** A sampler that is this much slower than asked for has trouble. */
const SLOW = 1.5;

/** One line for each problem of a profile: what it is, and what to do about it. */
export function adviceFor({ info }: Profile, { ledger, libraries, ticks }: Trust): string[] {
  const share = (part: number) => (ticks === 0 ? 0 : (part * 100) / ticks);
  const inCell = (cell: string) => share(ledger.find((c) => c.cell === cell)?.ticks ?? 0);
  const advice: string[] = [];
  if (ticks === 0) advice.push("There are no ticks: profile a program that works, for longer than a second.");
  for (const { path, unnamed, problem, source } of libraries) {
    if (share(unnamed) < WORTH_SAYING) continue;
    if (problem !== undefined) {
      const { sentence, remedy } = problemWords(problem);
      advice.push(`${path}: ${sentence}. ${remedy}`);
    } else if (source !== undefined) {
      advice.push(
        `${path}: its symbols (${source}) leave gaps. Install its debug symbols, under /usr/lib/debug.`,
      );
    }
  }
  if (inCell("no-pc") >= 5) {
    advice.push(
      "Many ticks have no address: the kernel or the container hides the registers. Record outside of it.",
    );
  }
  if (inCell("unmapped") >= WORTH_SAYING) {
    advice.push(
      "Ticks lie outside all that the log names: native addons and libraries loaded after the start have no row. Load them first.",
    );
  }
  const { asked, got, overflows } = info.sampling;
  if (asked !== undefined && got !== undefined && got > asked * SLOW) {
    advice.push(
      `Ticks came every ${Math.round(got)} µs, not every ${asked}: the machine was busy. Percentages hold, the number of ticks is low.`,
    );
  }
  if (overflows > 0) {
    advice.push(
      "V8's tick buffer overflowed and ticks were lost. Sample less often: --prof-sampling-interval=5000.",
    );
  }
  if (info.diagnostics.length > 0)
    advice.push("The log has faults: see its diagnostics. Record it again if they matter.");
  return advice;
}

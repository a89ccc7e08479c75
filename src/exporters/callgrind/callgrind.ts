import type { Profile } from "../../profile/profile.js";
import type { Ticks } from "../../profile/units.js";
import { printable } from "../../views/label.js";
import { countedCalls } from "./callgrind-calls.js";
import { CallgrindFunctions } from "./callgrind-functions.js";

/**
 * Writes a profile in callgrind's format. The one event is `Ticks`. Lines are those that ran, 0 if unknown. A
 * sampler does not count calls, so the count of a call is its ticks. Inlined functions are ordinary
 * functions; `(root)` calls the outermost ones.
 *
 * Source: Valgrind, "Callgrind Format Specification".
 */
export function* callgrind(profile: Profile): Iterable<string> {
  const { info, frames } = profile;
  const functions = new CallgrindFunctions(frames);
  const { self: own, total, calls } = countedCalls(profile, functions);
  const self = selfByLine(own, functions);
  yield "# callgrind format\nversion: 1\ncreator: ticks\n";
  yield `cmd: ${printable(info.title)}\n`;
  yield "desc: Unit: ticks of the sampler\ndesc: Call counts: ticks, as a sampler does not count calls\n";
  yield `positions: line\nevents: Ticks\nsummary: ${total}\n`;
  for (let id = 0; id <= functions.root; id++) {
    if (self[id] === undefined && calls[id] === undefined) continue;
    yield `\n${functions.nameLines(id, "")}`;
    for (const [line, own] of ascending(self[id])) yield `${line} ${own}\n`;
    for (const { line, callee, ticks: all } of calls[id] ?? []) {
      yield `${functions.nameLines(callee, "c")}calls=${all} ${functions.lineOf(callee)}\n${line} ${all}\n`;
    }
  }
  yield `\ntotals: ${total}\n`;
}

/** Returns the self ticks of each function by line; `own` are those of each frame. */
function selfByLine(own: Float64Array, functions: CallgrindFunctions): Map<number, Ticks>[] {
  const self: Map<number, Ticks>[] = [];
  for (const [frame, ticks] of own.entries()) {
    if (ticks === 0) continue;
    const id = functions.ofFrame(frame);
    const lines = self[id] ?? new Map<number, Ticks>();
    self[id] = lines;
    const line = functions.lineAt(frame);
    lines.set(line, (lines.get(line) ?? 0) + ticks);
  }
  return self;
}

function ascending(lines: Map<number, Ticks> = new Map()): (readonly [number, Ticks])[] {
  return Array.from(lines).sort(([a], [b]) => a - b);
}

import { ROOT } from "../../profile/call-tree.js";
import { columnOf } from "../../profile/columns.js";
import type { LoggedFunction } from "../../recorder/logged-functions.js";
import type { Code, OffsetFrame, RecordedFrame } from "../../recorder/recorded-frame.js";
import type { Recording } from "../../recorder/recording.js";

/** The functions that a call was seen to run. */
export interface Callees {
  /** Those that had a frame. */
  readonly framed: Set<LoggedFunction>;
  /**
   * Those that ticks ended in. Such a function may have been called by another one that had no frame at that
   * time.
   */
  readonly ended: Set<LoggedFunction>;
}

/** Returns for each frame that `isWanted` the functions called there, by frame number. */
export function calleesOf(
  { frames, tree }: Pick<Recording, "frames" | "tree">,
  isWanted: (frame: OffsetFrame) => boolean,
): Map<number, Callees> {
  const callees = new Map<number, Callees>();
  const wanted = columnOf(Uint8Array, frames, (frame) =>
    frame.kind === "offset" && isWanted(frame) ? 1 : 0,
  );
  if (!wanted.includes(1)) return callees;
  const isCaller = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) isCaller[tree.parent[node]!] = 1;
  for (let node = ROOT + 1; node < tree.length; node++) {
    const caller = tree.frame[tree.parent[node]!]!;
    if (tree.parent[node] === ROOT || wanted[caller] === 0) continue;
    const callee = functionOf(frames[tree.frame[node]!]!);
    if (callee === undefined) continue;
    let known = callees.get(caller);
    if (known === undefined) {
      known = { framed: new Set(), ended: new Set() };
      callees.set(caller, known);
    }
    (isCaller[node] === 1 ? known.framed : known.ended).add(callee);
  }
  return callees;
}

function functionOf(frame: RecordedFrame): LoggedFunction | undefined {
  return frame.kind === "offset" ? frame.code.function : undefined;
}

/** Returns the frames that `isWanted`, by their code, in the order of their addresses. */
export function framesByCode(
  frames: readonly RecordedFrame[],
  isWanted: (frame: OffsetFrame) => boolean,
): Map<Code, number[]> {
  const byCode = new Map<Code, number[]>();
  for (let number = 0; number < frames.length; number++) {
    const frame = frames[number]!;
    if (frame.kind !== "offset" || !isWanted(frame)) continue;
    const known = byCode.get(frame.code);
    if (known === undefined) byCode.set(frame.code, [number]);
    else known.push(number);
  }
  const offset = (number: number) => (frames[number] as OffsetFrame).offset;
  for (const numbers of byCode.values()) numbers.sort((a, b) => offset(a) - offset(b) || a - b);
  return byCode;
}

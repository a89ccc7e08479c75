import { stackOf } from "../../src/profile/call-tree.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { VM_STATES } from "../../src/profile/vm-state.ts";

/** Returns the stacks of a profile with the number of their samples, sorted: `js: main a.js:1:1 > work a.js:5:1 @6 2`, with the line of the leaf. */
export function stackLines({ frames, tree, samples }: Profile): string[] {
  const lines: string[] = [];
  for (let i = 0; i < samples.length; i++) {
    const names = Array.from(stackOf(tree, samples.node[i]!), (number) => {
      const frame = frames[number]!;
      if (frame.kind === "unknown") return "UNKNOWN";
      if (frame.kind === "native") return frame.symbol ?? frame.library;
      return frame.kind === "js" && frame.line > 0 ? `${frame.name} @${frame.line}` : frame.name;
    });
    lines.push(
      `${VM_STATES[samples.vmState[i]!]}: ${names.reverse().join(" > ")} ${(samples.count ?? samples.ticks)[i]}`,
    );
  }
  return lines.sort();
}

/** Returns the time of each row of samples, in µs. */
export function timesOf({ samples, info }: Profile): number[] {
  return Array.from(samples.ticks, (ticks) => Math.round(ticks * info.tickTime!));
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

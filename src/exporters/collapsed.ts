import { ROOT } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { labelOf, printable } from "../views/label.js";
import { projectTree } from "./projected-tree.js";

/**
 * Stacks as lines, `root;caller;leaf 12`: frames by their labels, and the ticks of the stack. As inferno and
 * `stackcollapse-perf.pl` have it, a name ends in `_[i]` for a function inside its caller's code, in `_[j]` for other code
 * that V8 made, and `;` in a name is `:`. Stacks with the same labels are one line.
 */
export function* collapsed({ frames, tree, samples }: Profile): Iterable<string> {
  const numbers = new Map<string, number>();
  const ofFrame = Int32Array.from(frames, (frame) => {
    const name = nameOf(frame);
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  });
  const names = Array.from(numbers.keys());
  const leafNames = names.map(withoutCount);
  const { tree: byName, nodeOf } = projectTree(tree, ofFrame);
  const ticks = new Float64Array(byName.length);
  for (let i = 0; i < samples.length; i++) ticks[nodeOf[samples.node[i]!]!]! += samples.ticks[i]!;
  for (let leaf = ROOT + 1; leaf < byName.length; leaf++) {
    if (ticks[leaf] === 0) continue;
    let line = `${leafNames[byName.frame[leaf]!]} ${ticks[leaf]}\n`;
    for (let node = byName.parent[leaf]!; node !== ROOT; node = byName.parent[node]!) {
      line = `${names[byName.frame[node]!]};${line}`;
    }
    yield line;
  }
}

function nameOf(frame: Frame): string {
  return `${printable(labelOf(frame)).replaceAll(";", ":")}${annotationOf(frame)}`;
}

function annotationOf(frame: Frame): string {
  switch (frame.kind) {
    case "js":
      return frame.inlined ? "_[i]" : "_[j]";
    case "code":
      return "_[j]";
    case "native":
    case "unknown":
      return "";
  }
}

/** A number at the end of a line's last name would be read as ticks: two numbers are the two sides of a difference. */
function withoutCount(name: string): string {
  return name.replace(/\s+(?=\d+(?:\.\d*)?$)/, "_");
}

import type { Profile } from "../profile/profile.js";
import { damaged } from "./damaged.js";
import { readJson, type Wanted } from "./json-stream.js";
import type { ReadInputOptions } from "./read-options.js";
import { V8ProfileBuilder } from "./v8-profile.js";

/** Returns whether text is the beginning of a CPU profile, or of the answer of an inspector that has one. */
export function isCpuProfile(head: string): boolean {
  if (!head.trimStart().startsWith("{") || /"(?:traceEvents|selfSize|snapshot)"\s*:/.test(head)) return false;
  return (
    /^\s*\{\s*"nodes"\s*:\s*\[/.test(head) ||
    /"(?:hitCount|callFrame)"\s*:/.test(head) ||
    SAMPLES_FIRST.test(head)
  );
}

/** Its nodes may come after all samples. */
const SAMPLES_FIRST = /"(?:samples|timeDeltas|timestamps)"\s*:\s*\[\s*-?\d/;

/** Reads a `.cpuprofile` of any V8, the `Profile` of the DevTools protocol. */
export async function readCpuProfile(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadInputOptions,
): Promise<readonly Profile[]> {
  const builder = new V8ProfileBuilder();
  const faults = await readJson(chunks, () => cpuProfileFields(builder));
  if (faults.isCut) builder.diagnostics.add("cut-json", 1);
  if (faults.damaged > 0) builder.diagnostics.add("damaged-value", 1, undefined, faults.damaged);
  if (builder.nodes === 0) throw damaged(options.name, "a CPU profile", "it has no nodes");
  return [builder.finish("cpuprofile", options)];
}

/** So deep is a profile in the answer of an inspector: `{"id":1,"result":{"profile":{…}}}`. */
const DEEPEST = 2;

/** Returns what to read of an object that is a CPU profile or has one. */
function cpuProfileFields(builder: V8ProfileBuilder, depth = 0): Wanted {
  const numberTo = (set: (number: number) => void): Wanted => ({
    kind: "value",
    take(value) {
      if (typeof value === "number") set(value);
    },
  });
  return {
    kind: "fields",
    of(key) {
      switch (key) {
        case "nodes":
          return { kind: "elements", take: (node) => builder.addNode(node) };
        case "samples":
          return { kind: "numbers", take: (id) => builder.addSample(id) };
        case "timeDeltas":
          return { kind: "numbers", take: (delta) => builder.addDelta(delta) };
        case "timestamps":
          return { kind: "numbers", take: (time) => builder.addTime(time) };
        case "startTime":
          return numberTo((time) => {
            builder.startTime = time;
          });
        case "endTime":
          return numberTo((time) => {
            builder.endTime = time;
          });
        case "head":
          return { kind: "value", take: (node) => builder.addNode(node) };
        case "result":
        case "profile":
          return depth < DEEPEST ? cpuProfileFields(builder, depth + 1) : undefined;
        default:
          return undefined;
      }
    },
  };
}

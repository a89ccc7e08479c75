import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

interface Descriptors {
  inherited(options: { readonly closedOnly: boolean }): readonly number[];
}

/** Returns the descriptors beyond 2 that this process got from the one that started it, in order. */
export function inheritedDescriptors(): readonly number[] {
  if (process.platform === "win32") return [];
  const require = createRequire(import.meta.url);
  const { inherited } = require("../../dist/record/descriptors.cjs") as Descriptors;
  try {
    return inherited({ closedOnly: false });
  } catch {
    return []; // No /dev/fd here.
  }
}

/** The channel for messages between this process and the one that started it. */
interface Channel {
  readonly descriptor: number;
  readonly serialization: "json" | "advanced";
}

/** Returns the channel that this process got; undefined if it got none. */
export function inheritedChannel(): Channel | undefined {
  if (process.send === undefined) return undefined;
  // Node removes both variables as it starts.
  const values = initialVariables();
  return {
    descriptor: Number(values.get("NODE_CHANNEL_FD") ?? 3),
    serialization: values.get("NODE_CHANNEL_SERIALIZATION_MODE") === "advanced" ? "advanced" : "json",
  };
}

function initialVariables(): Map<string, string> {
  try {
    const pairs = readFileSync("/proc/self/environ", "utf8").split("\0");
    return new Map(
      pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
    );
  } catch {
    return new Map(); // Not on Linux.
  }
}

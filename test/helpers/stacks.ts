import { CallTreeBuilder, ROOT } from "../../src/profile/call-tree.ts";
import { type Frame, frameKey, type JsFrame, type Tier } from "../../src/profile/frame.ts";
import { FrameTable } from "../../src/profile/frame-keys.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { VM_STATES, type VmStateName, vmState } from "../../src/profile/vm-state.ts";
import { SamplingClock } from "../../src/replay/sampling-clock.ts";

/**
 * A profile of stacks written as words, root first: `js:name` (TurboFan; `js:~name` for another tier), `inlined:name`, `inferred:name`,
 * both with `@7` behind for line 7, `@7≈` if it is inferred, `@7+` for an unknown line in a loop there, `builtin:name`, `handler:name`, `regexp:source`, `cpp:name`, `libc:name`, `lib:path`, `?` for an unknown
 * address; a `·` is a space; a stack that begins with `gc:`, `external:`, `idle:`, `parser:` or `bytecode-compiler:` is a tick in that state.
 */
export function profileFromStacks(...stacks: readonly string[]): Profile {
  const table = new FrameTable<Frame>(frameKey);
  const tree = new CallTreeBuilder();
  const samples = new SampleTableBuilder();
  const ticksByState = new Array<number>(VM_STATES.length).fill(0);
  for (const stack of stacks) {
    const [prefix, named] = /^(?:(gc|external|idle|parser|bytecode-compiler):)?/.exec(stack)!;
    const state = vmState((named ?? "js") as VmStateName);
    const words = stack.slice(prefix.length).split(" ");
    const node = words.reduce((parent, word) => tree.child(parent, table.intern(frameOf(word))), ROOT);
    samples.add(node, state);
    ticksByState[state]!++;
  }
  const ticks = stacks.length;
  const nothing = {
    v8: [],
    sampling: new SamplingClock().sampling,
    rangeRows: { currentTime: 0, runtimeTimers: 0 },
    libraries: [],
    diagnostics: [],
  };
  return {
    frames: table.frames,
    tree,
    samples,
    sources: [],
    info: {
      ...nothing,
      logs: ["log"],
      title: "log",
      threads: [
        { name: "log", log: "log", pid: undefined, isolate: undefined, kind: undefined, ticks, span: 0 },
      ],
      ticks,
      excluded: 0,
      ticksByState,
    },
  };
}

function frameOf(word: string): Frame {
  const [kind, name = ""] = word.replaceAll("·", " ").split(/:(.*)/s);
  switch (kind) {
    case "js":
    case "inlined":
      return functionOf(name, kind === "inlined");
    case "inferred":
      return { ...functionOf(name, false), inferred: true };
    case "builtin":
      return { kind: "code", type: "Builtin", name, duplicate: 0 };
    case "handler":
      return { kind: "code", type: "BytecodeHandler", name, duplicate: 0 };
    case "regexp":
      return { kind: "code", type: "RegExp", name, duplicate: 0 };
    case "cpp":
      return { kind: "native", library: "/bin/node", symbol: name };
    case "libc":
      return { kind: "native", library: "/lib/libc.so.6", symbol: name };
    case "lib":
      return { kind: "native", library: name, symbol: undefined };
    case "?":
      return { kind: "unknown", reason: "unmapped" };
    default:
      throw new Error(`no such frame: ${word}`);
  }
}

function functionOf(word: string, inlined: boolean): JsFrame {
  const [, tier, name, line, mark] = /^([~^+*]?)(.*?)(?:@(\d+)([≈+]?))?$/s.exec(word)!;
  const number = Number(line ?? 0);
  return {
    kind: "js",
    type: "JS",
    tier: (tier || "*") as Tier,
    name: name!,
    line: mark === "+" ? 0 : number,
    inlined,
    ...(mark === "+" && { loop: number }),
    ...(mark === "≈" && { inferredLine: true }),
  };
}

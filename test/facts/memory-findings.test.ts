import { describe, expect, it } from "vitest";
import { topOf } from "../../src/facts/top.ts";
import { analyze } from "../../src/load/analyze.ts";

const KB = 1024;

interface Node {
  readonly name: string;
  readonly at?: readonly [url: string, line: number];
  readonly size?: number;
  readonly children?: readonly Node[];
}

/** Returns a profile of these stacks with a sample of each KB; `at` is of functions in scripts, all others are builtins. */
async function profileOf(...stacks: readonly Node[]) {
  const samples: object[] = [];
  let id = 0;
  const nodeOf = ({ name, at, size = 0, children = [] }: Node): object => {
    id++;
    for (let i = 0; i < size; i++) samples.push({ size: KB, nodeId: id, ordinal: samples.length + 1 });
    const [url, line] = at ?? ["", -1];
    const callFrame = {
      functionName: name,
      scriptId: at ? "7" : "0",
      url,
      lineNumber: line,
      columnNumber: line,
    };
    return { callFrame, selfSize: size * KB, id, children: children.map(nodeOf) };
  };
  const head = nodeOf({ name: "(root)", children: stacks });
  async function* bytes() {
    yield Buffer.from(JSON.stringify({ head, samples, includesCollected: true }));
  }
  return analyze(bytes(), { name: "a.heapprofile" });
}

const main = (...children: readonly Node[]): Node => ({ name: "main", at: ["/srv/a.js", 0], children });

describe("what stands out in a profile of memory", () => {
  it("is what builtins allocate, at the function that calls them", async () => {
    const profile = await profileOf(
      main(
        { name: "lines", at: ["/srv/a.js", 9], size: 10, children: [{ name: "join", size: 50 }] },
        { name: "copy", at: ["/srv/b.js", 4], children: [{ name: "slice", size: 30 }] },
        { name: "few", at: ["/srv/b.js", 8], children: [{ name: "add", size: 8 }] },
      ),
    );
    const { findings } = topOf(profile, 10);
    expect(
      findings.map(({ kind, percent, place }) => [kind, percent.toFixed(1), place?.function.name]),
    ).toEqual([
      ["strings", "51.0", "lines"],
      ["array-copy", "30.6", "copy"],
    ]);
  });

  it("is of the outermost builtin, and of callbacks only what they allocate themselves", async () => {
    const callback = { name: "one", at: ["/srv/a.js", 20], size: 40 } as const;
    const profile = await profileOf(
      main(
        { name: "all", size: 30, children: [{ name: "set", size: 30 }] },
        { name: "map", children: [callback] },
      ),
    );
    const [first, ...others] = topOf(profile, 10).findings;
    expect([first!.kind, Math.round(first!.ticks), first!.place!.function.name]).toEqual([
      "promises",
      60,
      "main",
    ]);
    expect(others).toEqual([]);
  });

  it("is nothing of functions of the program itself, nor of few samples", async () => {
    const own = await profileOf(main({ name: "join", at: ["/srv/a.js", 3], size: 100 }));
    expect(topOf(own, 10).findings).toEqual([]);
    const few = await profileOf(main({ name: "join", size: 19 }));
    expect(topOf(few, 10).findings).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { CallTreeBuilder, ROOT } from "../../src/profile/call-tree.ts";
import type { Frame } from "../../src/profile/frame.ts";
import type { Profile, SourceText } from "../../src/profile/profile.ts";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { VM_STATES } from "../../src/profile/vm-state.ts";
import { isJson, OUTPUTS } from "./all-outputs.ts";
import { forbiddenLines, textsOf } from "./hostile-texts.ts";
import { foreignMarkup } from "./markdown.ts";

/** A profile of stacks, each of frames from the root on, one tick a millisecond. */
function profileOf(
  frames: readonly Frame[],
  stacks: Iterable<Iterable<number>>,
  { sources = [], timeOf = (tick) => 1000 * tick }: Options = {},
): Profile {
  const tree = new CallTreeBuilder();
  const samples = new SampleTableBuilder();
  const timeline = new TimelineBuilder();
  for (const stack of stacks) {
    let node = ROOT;
    for (const frame of stack) node = tree.child(node, frame);
    timeline.add(samples.add(node, 0), timeOf(timeline.length));
  }
  const ticks = timeline.length;
  const problem = { kind: "not-found" } as const;
  const nothing = { buildId: undefined, source: undefined, symbols: 0, problem };
  const libraries = new Map(
    frames.flatMap((frame) =>
      frame.kind === "native" ? [[frame.library, { path: frame.library, ...nothing }]] : [],
    ),
  );
  return {
    frames,
    tree,
    samples,
    timeline,
    sources,
    deopts: {
      entries: frames.slice(0, 100).flatMap((frame, i) => {
        if (frame.kind !== "js") return [];
        const position = `<${frame.name}:1:1> inlined at <x.js:2:2>`;
        const deopt = { thread: 0, function: frame.name, tier: "*" as const, kind: "eager", reason: "why" };
        return [{ ...deopt, position, count: 1 + i, isOpen: true }];
      }),
      charges: [{ deopt: 0, tier: "~", sample: 0, ticks: 1 }],
      demoted: [],
    },
    info: {
      title: "log",
      logs: ["log"],
      threads: [{ name: "log", log: "log", pid: 1, isolate: undefined, kind: undefined, ticks, span: 0 }],
      v8: [],
      sampling: {
        asked: 1000,
        hasTimes: true,
        usual: undefined,
        got: 1000,
        span: timeOf(ticks),
        longestStep: 10_000,
        gaps: 0,
        gapTime: 0,
        longestGap: 0,
        bunched: 0,
        overflows: 0,
        withoutStack: 0,
      },
      rangeRows: { currentTime: 0, runtimeTimers: 0 },
      ticks,
      excluded: 0,
      ticksByState: VM_STATES.map((_, i) => (i === 0 ? ticks : 0)),
      libraries: Array.from(libraries.values()),
      diagnostics: [],
    },
  };
}

interface Options {
  readonly sources?: readonly SourceText[];
  readonly timeOf?: (tick: number) => number;
}

function functionOf(name: string, line = 1): Frame {
  return { kind: "js", type: "JS", tier: "*", name, line, inlined: false };
}

/** Makes all of an output; the result is its text where it is wanted, and how long the longest piece is. */
async function consume(name: string, profile: Profile, isWanted: boolean) {
  const pieces: string[] = [];
  let longest = 0;
  for await (const piece of OUTPUTS[name]!(profile)) {
    longest = Math.max(longest, piece.length);
    if (isWanted && typeof piece === "string") pieces.push(piece);
  }
  const isExport = isJson(name) && !name.endsWith("json");
  return { text: pieces.join(isExport ? "" : "\n"), longest };
}

const NAMES = Object.keys(OUTPUTS);
/** What takes quadratic time takes minutes for the profiles here. */
const SECONDS = 60;

function expectQuick(title: string, make: () => Profile, names: readonly string[] = NAMES): void {
  describe(title, () => {
    let profile: Profile | undefined;
    it.each(names)(
      "%s",
      async (name) => {
        profile ??= make();
        await consume(name, profile, false);
      },
      SECONDS * 1000,
    );
  });
}

const MANY = Number(process.env.TICKS_MANY ?? 10_000);
const DEEP = Number(process.env.TICKS_DEEP ?? 10_000);

expectQuick("many names", () => {
  const frames = Array.from({ length: MANY }, (_, i): Frame => {
    if (i % 8 === 0) return { kind: "native", library: `/lib/${i}.so`, symbol: i % 16 ? `s${i}` : undefined };
    return functionOf(`f${i} /srv/d${i % 1000}/n${i}.js:${i}:1`, i);
  });
  return profileOf(
    frames,
    frames.map((_, i) => [i % 7, i]),
  );
});

expectQuick("a deep stack of other functions, with ticks along it", () => {
  const frames = Array.from({ length: DEEP }, (_, i) =>
    functionOf(`f${i} ${i % 3 ? "/srv/a.js" : "node:fs"}:${i}:1`),
  );
  const depths = [DEEP, DEEP - 1, DEEP >> 1, DEEP >> 2, 3];
  return profileOf(
    frames,
    depths.map((depth) => Array.from({ length: depth }, (_, i) => i)),
  );
});

expectQuick("functions that call each other deep down, beside many leaves", () => {
  const frames = Array.from({ length: 1000 }, (_, i) =>
    functionOf(`f${i % 500} ${i % 500 === 7 ? "node:fs" : "/srv/a.js"}:1:1`, 1 + i),
  );
  const spine = Array.from({ length: DEEP }, (_, i) => i % 11);
  return profileOf(
    frames,
    frames.map((_, i) => (i < 990 ? [...spine.slice(0, 50), i] : [...spine, i])),
  );
});

const MEGABYTE = 2 ** 20;
const LONG: Record<string, string> = {
  letters: "x".repeat(MEGABYTE),
  emoji: "😀".repeat(MEGABYTE / 2),
  families: "👨‍👩‍👧‍👦".repeat(MEGABYTE / 11),
  marks: `e${"\u0301".repeat(MEGABYTE)}`,
  backticks: "` ".repeat(MEGABYTE / 2),
  controls: "\x1b[2J".repeat(MEGABYTE / 4),
  halves: "\ud83d".repeat(MEGABYTE),
  colons: ":1".repeat(MEGABYTE / 2),
  folders: `/${"node_modules/a/".repeat(MEGABYTE / 15)}x.js:1:1`,
  brackets: `a${"<(".repeat(MEGABYTE / 4)}${")>".repeat(MEGABYTE / 4)}()`,
};

for (const [kind, name] of Object.entries(LONG)) {
  expectQuick(`a name of a megabyte of ${kind} on 1,000 lines`, () => {
    const named = `${name} /srv/a.js:1:1`;
    const frames = Array.from({ length: 1000 }, (_, i) => functionOf(named, i + 1));
    frames.push({ kind: "native", library: "/bin/node", symbol: name });
    frames.push({ kind: "native", library: name, symbol: undefined });
    frames.push({ kind: "code", type: "RegExp", name, duplicate: 0 }, functionOf(`f ${name}/x.js:1:1`));
    return profileOf(
      frames,
      frames.map((_, i) => [i]),
    );
  }, [
    "top text",
    "top md",
    "top json",
    "tree text",
    "function text",
    "function md",
    "lines text",
    "lines json",
    "deopts text",
    "doctor text",
    "timeline md",
    "threads md",
    "flame",
    "pprof",
    "parquet",
  ]);
}

describe("names that are longer than what is shown", () => {
  const name = `${"x".repeat(80_000)}\ud83d\ude00`;
  const profile = profileOf(
    [
      functionOf(`${name}a /srv/a.js:1:1`),
      functionOf(`${name}b /srv/a.js:2:1`),
      functionOf("g /srv/b.js:1:1"),
    ],
    [[0], [1], [2]],
  );

  it.each(NAMES)("are cut with a mark, and stay two functions: %s", async (output) => {
    const { text } = await consume(output, profile, true);
    for (const [run] of text.matchAll(/x+/g)) expect(run.length).toBeLessThan(66_000);
    if (isJson(output)) {
      for (const part of textsOf(JSON.parse(text))) expect(part.length).toBeLessThanOrEqual(66_000);
    }
  });

  it("say how much is left out", async () => {
    const { text } = await consume("process json", profile, true);
    const labels = JSON.parse(text).functions.map(({ label }: { label: string }) => label);
    expect(labels).toHaveLength(3);
    for (const label of labels.filter((one: string) => one.length > 100)) {
      expect(label).toMatch(/^JS: \*x+… \(14,\d{3} more characters\)$/);
    }
    const callgrind = await consume("callgrind", profile, true);
    // And `(root)`.
    expect(new Set(callgrind.text.match(/^fn=\(\d+\) .*/gm)).size).toBe(4);
  });
});

describe("times that no clock has", () => {
  const times = [
    0,
    1e15,
    Number.MAX_SAFE_INTEGER,
    1e20,
    1e300,
    Number.POSITIVE_INFINITY,
    Number.NaN,
    -1e300,
    5,
  ];
  const stacks = times.map((_, i) => [i % 2]);
  const frames = [functionOf("f /srv/a.js:1:1"), functionOf("g /srv/a.js:99999999999999999999:1", 1e20)];
  for (const asked of [1000, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY, Number.NaN, -1, undefined]) {
    const { info, ...profile } = profileOf(frames, stacks, { timeOf: (tick) => times[tick] ?? 0 });
    const sampling = { ...info.sampling, asked, got: asked, span: Number.POSITIVE_INFINITY };
    it.each(NAMES)(`are numbers in all that is written, with ${asked} µs asked for: %s`, async (name) => {
      const { text } = await consume(name, { ...profile, info: { ...info, sampling } }, true);
      expect(text).not.toMatch(/Infinity|NaN/);
      if (!isJson(name)) return;
      JSON.parse(text);
      expect(text).not.toMatch(
        /"(?:ts|dur|start|end|from|to|startTime|endTime|interval|time|timeDeltas|width)": ?(?:null|\[[^\]]*null)/,
      );
    });
  }
});

describe("a source of one long line", () => {
  const text = `\t${"a();\u202e".repeat(2 ** 21)}`;
  const profile = profileOf([functionOf("f /srv/a.js:1:1")], [[0]], {
    sources: [{ file: "/srv/a.js", text }],
  });
  it.each(NAMES)("is shown in part: %s", async (name) => {
    const { longest, text: shown } = await consume(name, profile, true);
    expect(longest).toBeLessThan(1e6);
    if (!isJson(name)) expect(forbiddenLines(shown)).toEqual([]);
    if (name.endsWith(" md")) expect(foreignMarkup(shown)).toEqual([]);
  });
});

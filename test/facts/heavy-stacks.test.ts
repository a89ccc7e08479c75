import { describe, expect, it } from "vitest";
import { heavyStacks } from "../../src/facts/heavy-stacks.ts";
import { createRandom } from "../helpers/random.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function heavy(stacks: readonly string[], limit = 10): string[] {
  const profile = profileFromStacks(...stacks);
  const { stacks: rows, rest } = heavyStacks(profile, { limit });
  const names = rows.map(({ ticks, path }) => {
    const words = path.map((item) => (item.kind === "state" ? `(${item.state})` : item.function.title));
    return `${ticks} ${words.join(" > ")}`;
  });
  return rest === 0 ? names : [...names, `${rest} rest`];
}

const times = (count: number, stack: string) => new Array<string>(count).fill(stack);
const START = "js:start·node:main:1:1 js:load·node:loader:2:1";
const A = "js:a·/srv/a.js:1:1";
const B = "js:b·/srv/b.js:1:1";

describe("heavy stacks", () => {
  it("begin where the program does, and end with the leaf, or with what called native code", () => {
    expect(heavy([...times(3, `${START} ${A} ${B} cpp:f`), ...times(2, `${A} ${B} cpp:g`)])).toEqual([
      "5 a > b",
    ]);
    expect(heavy([...times(3, `${START} ${A} ${B} builtin:f`), `${A} ${B}`])).toEqual([
      "3 a > b > Builtin: f",
      "1 a > b",
    ]);
  });

  it("have of Node what the program called, and the leaf", () => {
    const read = "js:read·node:fs:1:1 js:inner·node:fs:2:1 builtin:B";
    expect(heavy([`${START} ${A} ${read} cpp:f`, `${START} ${A} ${read} js:own·node:fs:3:1`])).toEqual([
      "1 a > read",
      "1 a > read > own",
    ]);
    expect(heavy([`${A} ${read} ${B}`])).toEqual(["1 a > read > b"]);
  });

  it("are Node's alone where no program is, and native code's where nothing else is", () => {
    expect(heavy([START, "cpp:main cpp:f"])).toEqual(["1 f", "1 start > load"]);
  });

  it("go through recursion once, however it goes round", () => {
    expect(heavy([`${A} ${A} ${A}`, `${A} ${B} ${A} ${B}`, `${A} ${B}`])).toEqual(["2 a > b", "1 a"]);
  });

  it("are one function in all tiers, lines and places of inlining", () => {
    const tiers = ["js:~f·/a.js:1:1@2", "js:f·/a.js:1:1@3", "inlined:f·/a.js:1:1@3"];
    expect(heavy(tiers.map((frame) => `${A} ${frame}`))).toEqual(["3 a > f"]);
  });

  it("end with what V8 did in the place of its native code", () => {
    expect(heavy([`gc:${A} cpp:mark`, `gc:${A} cpp:sweep`, "gc:cpp:mark"])).toEqual(["2 a > (gc)", "1 (gc)"]);
  });

  it("end with logging where the profiler itself was at work", () => {
    const write = "cpp:v8::internal::Runtime_CompileLazy(int) libc:_IO_fwrite";
    expect(
      heavy([`${A} ${write}`, `bytecode-compiler:${A} ${write}`, `bytecode-compiler:${A} cpp:f`]),
    ).toEqual(["2 a > (logging)", "1 a > (bytecode-compiler)"]);
  });

  it("count light stacks at the longest heavy one that they go on from, or in the rest", () => {
    const light = Array.from({ length: 10 }, (_, i) => `${A} ${B} cpp:f${i}`);
    const stacks = [...times(990, `${A} ${B}`), ...light];
    expect(heavy(stacks)).toEqual(["1000 a > b"]);
    expect(heavy([...stacks, "cpp:x", ...times(5, A)])).toEqual(["1000 a > b", "6 rest"]);
    expect(heavy([...times(3, A), ...times(2, B), "cpp:x"], 1)).toEqual(["3 a", "3 rest"]);
  });

  it("are none without ticks", () => {
    expect(heavy([])).toEqual([]);
  });

  it("have an order when they weigh the same", () => {
    const stacks = [`${B}`, `${A} ${B}`, `${A}`, "cpp:z", "gc:cpp:q"];
    expect(heavy(stacks)).toEqual(heavy(stacks.toReversed()));
  });
});

describe("heavy stacks of many light functions", () => {
  const KIND = 150;
  /** So many functions of the program, of Node, and native ones. The first of each are in most stacks. */
  const POOL = [
    (i: number) => ({ text: `js:p${i}·/srv/a.js:${i + 1}:1`, name: `p${i}` }),
    (i: number) => ({ text: `js:n${i}·node:fs:${i + 1}:1`, name: `n${i}` }),
    (i: number) => ({ text: `cpp:c${i}`, name: `c${i}` }),
  ].flatMap((make) => Array.from({ length: KIND }, (_, i) => make(i)));

  function drawn(random: (limit: number) => number): number[] {
    return Array.from({ length: 1 + random(9) }, () => {
      const kind = [0, 0, 0, 1, 1, 2][random(6)]!;
      return kind * KIND + (random(3) > 0 ? random(3) : random(KIND));
    });
  }

  /** Folds one stack as the rules say, function by function. */
  function folded(stack: readonly number[]): string[] {
    const path: number[] = [];
    const isProgram = (number: number) => number < KIND;
    for (const number of stack.filter((one) => one < 2 * KIND)) {
      const isInside = path.length > 0 && isProgram(path[0]!);
      if (isProgram(number) && !isInside) path.splice(0, path.length, number);
      else if (!isProgram(number) && isInside && !isProgram(path.at(-1)!)) continue;
      else if (path.includes(number)) path.length = path.indexOf(number) + 1;
      else path.push(number);
    }
    const leaf = stack.at(-1)!;
    if (path.at(-1) !== leaf) path.push(leaf);
    return path.map((number) => POOL[number]!.name);
  }

  it.each([1, 2, 3, 4])("are those of stacks folded one by one (%i)", (seed) => {
    const random = createRandom(seed);
    const stacks = Array.from({ length: 600 }, () => drawn(random));
    const under = new Map<string, number>([["", 0]]);
    for (const path of stacks.map(folded)) {
      for (let depth = 0; depth <= path.length; depth++) {
        const key = path.slice(0, depth).join(" > ");
        under.set(key, (under.get(key) ?? 0) + 1);
      }
    }
    const isHeavy = (ticks: number) => ticks >= 12;
    const remaining = new Map(under);
    for (const [key, ticks] of under) {
      const parent = key.split(" > ").slice(0, -1).join(" > ");
      if (key !== "" && isHeavy(ticks)) remaining.set(parent, remaining.get(parent)! - ticks);
    }
    const expected = Array.from(remaining, ([key, ticks]) => ({ key, ticks })).filter(
      ({ key, ticks }) => key !== "" && isHeavy(ticks),
    );
    const rest = 600 - expected.reduce((sum, { ticks }) => sum + ticks, 0);
    const found = heavy(
      stacks.map((stack) => stack.map((number) => POOL[number]!.text).join(" ")),
      1000,
    );
    expect(expected.length).toBeGreaterThan(4);
    expect(found.toSorted()).toEqual(
      [...expected.map(({ key, ticks }) => `${ticks} ${key}`), ...(rest > 0 ? [`${rest} rest`] : [])].sort(),
    );
  });
});

import { describe, expect, it } from "vitest";
import { LiveLogs } from "../../src/live/live-logs.ts";
import type { LiveView } from "../../src/live/live-view.ts";
import { PLAIN } from "../../src/render/style.ts";
import { TERMINAL } from "../../src/render/terminal-style.ts";
import { widthOf } from "../../src/render/width.ts";
import { LibraryLoader } from "../../src/replay/libraries.ts";
import { livePage, type PageState } from "../../src/reports/live.ts";
import { logOf, NODE_26 } from "../helpers/logs.ts";

const STATE: PageState = {
  title: "v8.log",
  isPaused: false,
  typing: undefined,
  message: "",
  isHelp: false,
  readPercent: undefined,
  leftLogs: 0,
};

const ROWS = [
  "code-creation,JS,10,1,0x1000,256,handle /srv/app.js:1:10,0xf1,~",
  "code-creation,JS,10,1,0x2000,256,\x1b[2J\u202eparse日本語日本語日本語 /srv/lib/parse.js:20:10,0xf2,*",
  "code-creation,Builtin,2,0,0x3000,256,ArrayPrototypeSort",
  "code-deopt,70000,304,0x2000,-1,25,deopt-eager,</srv/lib/parse.js:22:20>,wrong map",
];
const TICKS = Array.from({ length: 900 }, (_, i) => {
  const address = ["0x2001,", "0x1001,", "0x3001,"][i % 3]!;
  const state = i % 10 === 0 ? 1 : 0;
  return `tick,${address}${i * 10_000},0,0x0,${state}${i % 3 === 2 ? ",0x1003" : ""}`;
});

async function viewOf(logs: number, rows: readonly string[], filter = ""): Promise<LiveView> {
  const live = new LiveLogs();
  for (let i = 0; i < logs; i++) {
    const sources = { openLoader: () => new LibraryLoader({ sources: [] }), readNames: async () => [] };
    const origin = { pid: 100 + i, isolate: `0x${i}` };
    await live.add({ name: `isolate-${i}.log`, origin, sources }).read(logOf(...NODE_26, ...rows));
  }
  return live.view({ sort: "recent-self", filter, limit: 100, thread: undefined }, 0);
}

describe("the live page", () => {
  it("has what happened lately beside all", async () => {
    const view = await viewOf(1, [...ROWS, ...TICKS]);
    expect(livePage(view, STATE, { columns: 80, rows: 24, style: PLAIN })).toEqual([
      "v8.log",
      "900 ticks in 9.0 s, 100/s in the last 10 s",
      "",
      `ticks      100/s  ${" ".repeat(51)}████████`,
      `GC         10.0%  ${" ".repeat(51)}▁▁▁▁▁▁▁▁`,
      "compile     0.0%",
      "",
      " 10 s    all  what",
      "60.0%  60.0%  JavaScript and WebAssembly",
      "30.0%  30.0%  V8's builtins, stubs and regular expressions",
      "",
      "self 10 s    all  total 10 s    all  trend        functions by self, last 10 s",
      "    33.3%  33.3%       33.3%  33.3%   ████████    *\\x1b[2J…語日本語  parse.js:20",
      "    33.3%  33.3%       66.7%  66.7%   ████████    ~handle  app.js:1",
      "    33.3%  33.3%       33.3%  33.3%   ████████    Builtin: ArrayPrototypeSort",
      "",
      "0.1 s  deopt *\\x1b[2J\\u202eparse日本語日本語日本語  parse.js:20 at 22:20  wrong…",
      "",
      "",
      "",
      "",
      "",
      "",
      "q quit  space pause  s sort  / filter  t thread  r reset  f flame  ? help",
    ]);
  });

  it("lists threads, if there are several", async () => {
    const view = await viewOf(3, [...ROWS, ...TICKS]);
    const lines = livePage(view, STATE, { columns: 80, rows: 40, style: PLAIN });
    const at = lines.findIndex((line) => line.startsWith("#"));
    expect(lines.slice(at, at + 4)).toEqual([
      "#  ticks/s   10 s     GC  compile  all  thread",
      "1      100  33.3%  10.0%     0.0%  900  pid 100 0x0",
      "2      100  33.3%  10.0%     0.0%  900  pid 101 0x1",
      "3      100  33.3%  10.0%     0.0%  900  pid 102 0x2",
    ]);
  });

  it("fits terminals of any size, with functions before all else", async () => {
    const views = [
      await viewOf(0, []),
      await viewOf(1, []),
      await viewOf(4, [...ROWS, ...TICKS]),
      await viewOf(1, [...ROWS, ...TICKS], "nowhere"),
    ];
    const states = [STATE, { ...STATE, isHelp: true }, { ...STATE, typing: "é".repeat(90), readPercent: 7 }];
    for (const view of views) {
      for (const state of states) {
        for (const columns of [1, 7, 20, 29, 30, 48, 76, 200]) {
          for (const rows of [1, 2, 9, 10, 15, 19, 23, 60]) {
            const lines = livePage(view, state, { columns, rows, style: TERMINAL });
            expect(lines.length).toBe(rows);
            for (const line of lines)
              expect(widthOf(line), `${columns}x${rows}: ${line}`).toBeLessThanOrEqual(columns);
          }
        }
      }
    }
    const low = livePage(views[2]!, STATE, { columns: 60, rows: 6, style: PLAIN });
    expect(low[2]).toContain("functions");
    expect(low[3]).toMatch(/%/);
  });

  it("tells what it waits for", async () => {
    const page = (view: LiveView, readPercent?: number) =>
      livePage(view, { ...STATE, readPercent }, { columns: 80, rows: 10, style: PLAIN })[3];
    expect(page(await viewOf(0, []), 0)).toBe("Reading.");
    expect(page(await viewOf(0, []))).toBe("No log yet: waiting for one.");
    expect(page(await viewOf(1, []))).toBe("No ticks yet: the program has not worked.");
  });
});

import { describe, expect, it } from "vitest";
import { keepSamples } from "../../src/profile/filter.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { THREADS } from "../../src/reports/threads.ts";
import { jsonOf, linesOf } from "../helpers/reports.ts";
import { expectValid } from "../helpers/schema.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function threadOf(name: string, ...stacks: readonly string[]): Profile {
  const profile = profileFromStacks(...stacks);
  const threads = profile.info.threads.map((thread) => ({ ...thread, log: name, span: 1_234_567 }));
  return { ...profile, info: { ...profile.info, title: name, threads } };
}

const profile = mergeProfiles([
  threadOf("a.log", "js:f·/srv/app.js:3:1", "js:f·/srv/app.js:3:1", "gc:js:f·/srv/app.js:3:1"),
  threadOf("b|`\x1b[31m.log", "builtin:Sort"),
  threadOf("c.log"),
]);

describe("the table of threads", () => {
  it("has a row a thread, and columns for the groups with ticks", () => {
    expect(linesOf(THREADS, profile)).toEqual([
      "a.log, b|`\\x1b[31m.log, c.log: 3 threads, 4 ticks",
      "",
      "  #  thread           ticks   share  hottest function",
      "  1  a.log                3   75.0%  100.0% f app.js:3",
      "  2  b|`\\x1b[31m.log      1   25.0%  100.0% Builtin: Sort",
      "  3  c.log                0    0.0%",
      "     all                  4  100.0%",
      "",
      "    #  JS  builtins  GC    span",
      "    1   2         0   1  1.23 s",
      "    2   0         1   0  1.23 s",
      "    3   0         0   0  1.23 s",
      "  all   2         1   1",
    ]);
    // Where it fits, as on a wider terminal, it is one table.
    expect(linesOf(THREADS, profile, { width: 100, pageWidth: 100 }).slice(2)).toEqual([
      "  #  thread           ticks   share  JS  builtins  GC    span  hottest function",
      "  1  a.log                3   75.0%   2         0   1  1.23 s  100.0% f app.js:3",
      "  2  b|`\\x1b[31m.log      1   25.0%   0         1   0  1.23 s  100.0% Builtin: Sort",
      "  3  c.log                0    0.0%   0         0   0  1.23 s",
      "     all                  4  100.0%   2         1   1",
    ]);
    const byState = linesOf(THREADS, profile, { options: { by: "state" } });
    expect(byState[0]).toBe("a.log, b|`\\x1b[31m.log, c.log: 3 threads, 4 ticks, by VM state");
    expect(byState.at(-1)).toBe("     all                  4  100.0%   3   1");
  });

  it("fits 80 columns, and cuts the name of a function only for a terminal", () => {
    const stack = `js:${"x".repeat(100)}·/srv/app.js:3:1`;
    const workers = Array.from({ length: 12 }, (_, i) =>
      threadOf(
        `pid 12873 worker 0x7f8bf4000db${i}`,
        ...new Array<string>(100 * (i + 1)).fill("js:burn·/srv/threads.js:6:1"),
      ),
    );
    const ordinary = linesOf(THREADS, mergeProfiles(workers)).slice(1);
    expect(ordinary).toHaveLength(30);
    expect(ordinary.filter((line) => line.length > 80)).toEqual([]);
    const long = mergeProfiles([...workers, threadOf("a.log", stack)]);
    expect(linesOf(THREADS, long).join("\n")).toContain(`${"x".repeat(100)} app.js:3`);
    const onTerminal = linesOf(THREADS, long, { width: 80 }).slice(1);
    expect(onTerminal.filter((line) => line.length > 80)).toEqual([]);
    expect(onTerminal.join("\n")).toMatch(/100\.0% x+…x* app\.js:3\n/);
  });

  it("tells what a filter left out, and divides by nothing", () => {
    const none = keepSamples(profile, () => false);
    expect(linesOf(THREADS, none)).toEqual([
      "a.log, b|`\\x1b[31m.log, c.log: 3 threads, 0 ticks, 4 excluded",
      "",
      "  #  thread           ticks  share    span  hottest function",
      "  1  a.log                0      -  1.23 s",
      "  2  b|`\\x1b[31m.log      0      -  1.23 s",
      "  3  c.log                0      -  1.23 s",
      "     all                  0      -",
    ]);
  });

  it("is Markdown that no name of the log breaks", () => {
    const lines = linesOf(THREADS, profile, { format: "md" });
    expect(lines[0]).toBe("# ``a.log, b|`\\x1b[31m.log, c.log``: 3 threads, 4 ticks");
    expect(lines[4]).toMatch(
      /^\| 1 \| `a\.log` \| 3 \| 75\.0% \| 2 \| 0 \| 1 \| 1\.23 s \| `100\.0% f app\.js:3` \|$/,
    );
    expect(lines[5]).toContain("| ``b\\|`\\x1b[31m.log`` |");
    expect(lines.at(-1)).toBe("|  | all | 4 | 100.0% | 2 | 1 | 1 |  |  |");
  });

  it("is JSON by the schema that ships, with the same sums", () => {
    const document = jsonOf(THREADS, profile);
    expectValid("threads", document);
    const { threads, ticks } = document;
    expect(threads.reduce((sum: number, thread: { ticks: number }) => sum + thread.ticks, 0)).toBe(4);
    expect(ticks).toBe(4);
    expect(threads[0]).toMatchObject({
      name: "a.log",
      kind: null,
      spanUs: 1_234_567,
      states: { js: 2, gc: 1, idle: 0 },
      hottest: { name: "f", kind: "js", file: "/srv/app.js", line: 3, column: 1, self: 3, selfPercent: 100 },
    });
    expect(threads[2].hottest).toBeNull();
  });
});

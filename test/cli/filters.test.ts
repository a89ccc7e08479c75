import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26 } from "../helpers/logs.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const folder = testFolder();
beforeAll(() => {
  const rows = [
    ...NODE_26,
    "code-creation,LazyCompile,10,1,0x1000,16,main /srv/main.js:1:1,0x10,*",
    "code-creation,LazyCompile,10,1,0x2000,16,Query /srv/node_modules/pg/query.js:2:1,0x20,*",
    "tick,0x1001,1000,0,0x0,0",
    "tick,0x2001,2000,0,0x0,0,0x1002",
    "tick,0x2001,3000,0,0x0,1,0x1002",
    "tick,0x2001,4000,0,0x0,0",
  ];
  writeFileSync(join(folder, "a.log"), logOf(...rows));
});

const run = (...args: string[]) => warmTicks(["process", ...args, "a.log"], { cwd: folder });
const counts = async (...flags: string[]) => /\((.*)\)/.exec((await run(...flags)).stdout)?.[1];

describe("the filters of ticks process", () => {
  it("leave out what the flags say, and count it", async () => {
    expect(await counts("--focus", "^main$")).toBe("4 ticks, 0 unaccounted, 1 excluded");
    expect(await counts("--focus", "/MAIN/i", "--state", "gc")).toBe("4 ticks, 0 unaccounted, 3 excluded");
    expect(await counts("--ignore", "node_modules")).toBe("4 ticks, 0 unaccounted, 3 excluded");
    expect(await counts("--only", "deps,app")).toBe("4 ticks, 0 unaccounted, 0 excluded");
    expect(await counts("--state", "gc,idle")).toBe("4 ticks, 0 unaccounted, 3 excluded");
    expect(await counts("--state", "gc", "--state", "js")).toBe("4 ticks, 0 unaccounted, 0 excluded");
    expect(await counts("-g", "--state", "js")).toBe("4 ticks, 0 unaccounted, 0 excluded");
    expect(await counts("--state", "idle", "--no-idle")).toBe("4 ticks, 0 unaccounted, 4 excluded");
    expect(await counts("--from", "1.5", "--to", "3")).toBe("2 ticks, 0 unaccounted, 0 excluded");
  });

  it("give ticks to callers", async () => {
    const { stdout } = await run("--only", "app", "-e", "--state", "js,gc");
    expect(stdout).toContain("(4 ticks, 0 unaccounted, 1 excluded)");
    expect(stdout).toMatch(/^ +3 +75\.0% +75\.0% {2}LazyCompile: \*main/m);
  });

  it("are refused in plain words where they make no sense", async () => {
    const error = async (...flags: string[]) => {
      const { stdout, stderr, status } = await run(...flags);
      expect([stdout, status]).toEqual(["", 2]);
      return stderr;
    };
    expect(await error("--focus", "f(")).toMatch(/^ticks: --focus: invalid regular expression: .*\n.*\\/);
    expect(await error("--state", "compilr")).toContain("did you mean compiler?");
    expect(await error("--state", "xyzzy")).toContain("no state xyzzy: expected js, gc, parser,");
    expect(await error("--only", "rust")).toContain("no kind rust: expected js, native, app, deps or node");
    expect(await error("--from", "soon")).toContain("expected a time such as 10s, 500ms or 2min");
    expect(await error("--from", "3", "--to", "2")).toBe("ticks: --from 3 ms is after --to 2 ms\n");
    expect(await error("--preprocess", "--hide", "x")).toContain("does not support --hide");
  });
});

describe("a range of time without ticks", () => {
  const reports = ["top", "lines", "tree", "function", "timeline", "deopts", "ics", "startup", "threads"];
  it.each([...reports, "process", "flame", "export"])(
    "is refused by %s, with when the log has some",
    async (report) => {
      const more = { function: ["main"], export: ["--format", "collapsed"] }[report] ?? [];
      const words = [report, "a.log", ...more];
      const said = async (...flags: string[]) => {
        const { status, stdout, stderr } = await warmTicks([...words, ...flags], { cwd: folder });
        expect([status, stdout]).toEqual([2, ""]);
        return stderr;
      };
      expect(await said("--from", "9")).toBe(
        "ticks: --from 9 ms is after the end of the log: its last tick is at 4.0 ms\na.log has ticks from 1.0 ms to 4.0 ms.\n",
      );
      expect(await said("--to", "0.5")).toContain(
        "--to 0.5 ms is before the start of the log: its first tick is at 1.0 ms",
      );
      expect(await said("--from", "1.5", "--to", "1.6")).toContain(
        "no tick is between --from 1.5 ms and --to 1.6 ms\n",
      );
    },
  );
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26 } from "../helpers/logs.ts";
import { hasTerminal, MARK, runOnTerminal } from "../helpers/terminal.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));
const LOG = "short.log";
const folder = testFolder();
const onTerminal = (args: readonly string[], env: Record<string, string> = {}) =>
  runOnTerminal(args, { cwd: folder, env });

beforeAll(() => {
  const f = "code-creation,JS,10,1,0x1000,256,f /srv/x.js:1:1,0xf1,*";
  const places = [...new Array<string>(9).fill("0x1001"), "0x0"];
  const rows = places.map((pc, i) => `tick,${pc},${(i + 1) * 1000},0,0x0,0`);
  writeFileSync(join(folder, LOG), logOf(...NODE_26, f, ...rows));
});

describe.skipIf(!hasTerminal)("a report on a terminal", () => {
  it.each([["process"], ["tree"], ["threads"], ["top", "--json"], ["process", "--preprocess"]])(
    "goes through the pager: %s %s",
    (...args) => {
      const { output, status } = onTerminal([...args, LOG], MARK);
      expect(output).toMatch(/^> /);
      expect(status).toBe(0);
    },
  );

  it("does not where that is not wanted", () => {
    const plain = onTerminal(["top", LOG, "--no-pager"], MARK).output;
    expect(plain).toMatch(/^short\.log, Node 26: 10 ticks\n/);
    expect(onTerminal(["--no-pager", "top", LOG], MARK).output).toBe(plain);
    expect(onTerminal(["top", LOG], { ...MARK, TICKS_PAGER: "" }).output).toBe(plain);
    expect(onTerminal(["top", LOG], { PAGER: "cat" }).output).toBe(plain);
    expect(onTerminal(["top", LOG], { PAGER: "nonesuch" }).output).toBe(plain);
    expect(onTerminal(["export", "--format", "collapsed", "-o", "-", LOG], MARK).output).not.toMatch(/^> /m);
  });

  it("keeps the exit status, also of a pager that is closed early", () => {
    expect(onTerminal(["doctor", "--max-unknown", "0", LOG], { PAGER: "head -n 1" })).toEqual({
      output: expect.stringMatching(/^short\.log, Node 26: 10 ticks\n/),
      status: 1,
    });
    expect(
      onTerminal(["tree", "--min", "0", join(FIXTURES, "node-26-guide/isolate.log.gz")], { PAGER: "false" }),
    ).toEqual({
      output: "",
      status: 0,
    });
  });

  it("hints at --inlines where scripts have source maps", () => {
    const hint = /^ticks: scripts of this log have source maps: --inlines /m;
    const bundle = join(FIXTURES, "node-26-bundle/isolate.log.gz");
    expect(onTerminal(["process", bundle], MARK).output).toMatch(hint);
    expect(onTerminal(["process", "--inlines", bundle], MARK).output).not.toMatch(hint);
    expect(onTerminal(["process", LOG], MARK).output).not.toMatch(hint);
  });
});

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { TICKS, ticks } from "../helpers/cli.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));

/** Whether there is a `script` that runs a command on a terminal of its own: that of util-linux. */
const hasScript = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a terminal gets.
const PROGRESS = /\r\x1b\[K(?:[^\r\n]* MB\/s {2}\d+ ticks)?/g;

/** Runs a command on a terminal. */
function onTerminal(args: readonly string[], env: Record<string, string> = {}) {
  const words = [process.execPath, TICKS, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const { PAGER: _, LESS: __, TICKS_PAGER: ___, ...inherited } = process.env;
  const { stdout, status } = spawnSync("script", ["-qec", words.join(" "), "/dev/null"], {
    cwd: FIXTURES,
    encoding: "utf8",
    input: "",
    env: { ...inherited, NO_COLOR: "1", TERM: "xterm", ...env },
  });
  // On a busy machine a log takes long enough for a line of progress.
  return { output: stdout.replaceAll(PROGRESS, "").replaceAll("\r\n", "\n"), status };
}

const LOG = "node-26-inlining/isolate.log.gz";
/** A pager that shows that it ran. */
const MARK = { TICKS_PAGER: "sed 's/^/> /'" };

describe.skipIf(!hasScript)("a report on a terminal", () => {
  it.each([["process"], ["top"], ["tree"], ["threads"], ["top", "--json"], ["process", "--preprocess"]])(
    "goes through the pager: %s %s",
    (...args) => {
      const { output, status } = onTerminal([...args, LOG], MARK);
      expect(output).toMatch(/^> /);
      expect(status).toBe(0);
    },
  );

  it("does not where that is not wanted", () => {
    const plain = onTerminal(["top", LOG, "--no-pager"], MARK).output;
    expect(plain).toMatch(/^isolate\.log\.gz, Node 26: \d+ ticks\n/);
    expect(onTerminal(["--no-pager", "top", LOG], MARK).output).toBe(plain);
    expect(onTerminal(["top", LOG], { ...MARK, TICKS_PAGER: "" }).output).toBe(plain);
    expect(onTerminal(["top", LOG], { PAGER: "cat" }).output).toBe(plain);
    expect(onTerminal(["top", LOG], { PAGER: "nonesuch" }).output).toBe(plain);
    expect(onTerminal(["export", "--format", "collapsed", "-o", "-", LOG], MARK).output).not.toMatch(/^> /m);
  });

  it("keeps the exit status, also of a pager that is closed early", () => {
    expect(onTerminal(["doctor", "--max-unknown", "0", LOG], { PAGER: "head -n 1" })).toEqual({
      output: expect.stringMatching(/^isolate\.log\.gz, Node 26: \d+ ticks\n/),
      status: 1,
    });
    expect(onTerminal(["tree", "--min", "0", "node-26-guide/isolate.log.gz"], { PAGER: "false" })).toEqual({
      output: "",
      status: 0,
    });
  });

  it("has its warnings after it", () => {
    const { output } = onTerminal(["top", LOG, "--hide", "zzzzz"], MARK);
    expect(output.trimEnd().split("\n").at(-1)).toBe("ticks: --hide zzzzz matches nothing");
  });

  it("hints at --inlines where scripts have source maps", () => {
    const hint = /^ticks: scripts of this log have source maps: --inlines /m;
    const bundle = "node-26-bundle/isolate.log.gz";
    expect(onTerminal(["process", bundle], MARK).output).toMatch(hint);
    expect(onTerminal(["process", "--inlines", bundle], MARK).output).not.toMatch(hint);
    expect(onTerminal(["process", LOG], MARK).output).not.toMatch(hint);
  });
});

it("a report in a pipe goes through no pager, and has no hint", async () => {
  const run = await ticks(["process", "node-26-bundle/isolate.log.gz"], { cwd: FIXTURES, env: MARK });
  expect(run.stdout).not.toMatch(/^> /);
  expect(run.stderr).not.toContain("--inlines");
});

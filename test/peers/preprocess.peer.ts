import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ticks } from "../helpers/cli.ts";
import { CASES, exported, OUT, ticksOf } from "./fixture.ts";
import { npmPeer } from "./peer.ts";

interface Code {
  readonly name: string;
  readonly type: string;
  readonly kind?: string;
  readonly func?: number;
  readonly tm?: number;
  readonly deopt?: unknown;
}

interface Preprocessed {
  readonly code: readonly Code[];
  readonly functions: readonly { readonly name: string; readonly codes: readonly number[] }[];
  readonly ticks: readonly { readonly tm: number; readonly vm: number; readonly s: readonly number[] }[];
  readonly scripts: readonly ({
    readonly id: number;
    readonly url: string;
    readonly source: string;
  } | null)[];
}

/** The stacks without what they have of the binary, whose functions Node loses: JavaScript code by name, kind and offset. */
function scriptStacks({ code, ticks: all }: Preprocessed): string[] {
  return all.map(({ tm, vm, s }) => {
    const frames: string[] = [];
    for (let i = 0; i < s.length; i += 2) {
      const at = code[s[i]!];
      if (at?.type === "JS") frames.push(`${at.kind} ${at.name}+${s[i + 1]}`);
    }
    return `${tm} ${vm} ${frames.join(" < ")}`;
  });
}

describe("preprocessed JSON", () => {
  const PROGRAMS = ["classes.js", "deopts.js", "garbage.js"];
  it.each(PROGRAMS)("is Node's own in all but the names of C++ for %s", async (program) => {
    const log = join(OUT, `${program}.log`);
    const script = join(import.meta.dirname, "../programs", program);
    execFileSync(process.execPath, ["--prof", "--no-logfile-per-isolate", `--logfile=${log}`, script], {
      stdio: "ignore",
    });
    const options = {
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "ignore"] as ["ignore", "pipe", "ignore"],
    };
    const theirs: Preprocessed = JSON.parse(
      execFileSync(process.execPath, ["--prof-process", "--preprocess", log], options).toString(),
    );
    const file = join(OUT, `${program}.preprocess.json`);
    expect((await ticks(["export", log, "-o", file])).status).toBe(0);
    const ours: Preprocessed = JSON.parse(readFileSync(file, "utf8"));
    const scripts = ({ code }: Preprocessed) =>
      code
        .filter(({ type }) => type === "JS")
        .map(({ name, kind, func, tm, deopt }) => ({ name, kind, func, tm, deopt }));
    expect(ours.ticks.length).toBeGreaterThan(100);
    expect(scripts(ours)).toEqual(scripts(theirs));
    expect(ours.functions.map(({ name, codes }) => [name, codes.length])).toEqual(
      theirs.functions.map(({ name, codes }) => [name, codes.length]),
    );
    expect(scriptStacks(ours)).toEqual(scriptStacks(theirs));
    const texts = ({ scripts: all }: Preprocessed) => all.map((of) => of && [of.id, of.url, of.source]);
    expect(texts(ours)).toEqual(texts(theirs));
  });

  const zero = npmPeer("0x@6.0.0");
  it.each(CASES)("%s: 0x reads its ticks", async (name) => {
    const file = await exported(name, "preprocess.json");
    const node = join(OUT, "node");
    // 0x asks Node for this JSON: what is written here answers.
    writeFileSync(node, `#!/bin/sh\ncat '${file}'\n`, { mode: 0o755 });
    const log = join(OUT, `${name}.log`);
    writeFileSync(log, "");
    const read = zero.require("0x/lib/v8-log-to-ticks.js");
    const stacks: readonly (readonly Code[])[] = await read(log, { pathToNodeBinary: node, collectDelay: 0 });
    // It begins past the time of the first tick.
    const { ticks: all }: Preprocessed = JSON.parse(readFileSync(file, "utf8"));
    expect(all).toHaveLength(await ticksOf(name));
    expect(stacks).toHaveLength(all.filter(({ tm }) => tm > all[0]!.tm).length);
    expect(stacks.every((stack) => stack.every((code) => typeof code.name === "string"))).toBe(true);
  });
});

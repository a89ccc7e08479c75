import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMAND_LINES, LOG } from "../helpers/command-lines.mjs";
import { testFolder } from "../helpers/folder.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const FOLDER = testFolder();

/** A log in which every name and text is a command to a CI. */
function commandsLog(): string {
  const ticks = Array.from({ length: 90 }, (_, i) => {
    const stacks = ["0,0x20010,0x10020", "0,0x20010", "4,0x10010", "4"];
    return `tick,${["0x10010", "0x30010", "0x400010"][i % 3]},${1000 * (i + 2)},0,0x0,${stacks[i % 4]}`;
  });
  return `${[
    "v8-version,14,6,202,34,-::warning **bold** <b>,0",
    "v8-platform,linux,linux",
    "shared-library,::error title=lib::it,0x400000,0x500000,0",
    "profiler,begin,1000",
    "code-creation,JS,10,5,0x10000,64,::error title=one::it ::error app.js:1:1,0x10,*",
    "code-creation,JS,10,5,0x20000,64,##[error]two ::error app.js:2:1,0x20,~",
    "code-creation,Builtin,2,5,0x30000,64,::debug builtin",
    "script-source,5,::error app.js,::error text\\n::error more\\n",
    "code-source-info,0x10000,5,0,22,C0O0C4O12,,",
    ...ticks,
    "code-deopt,95000,64,0x10000,-1,3,bailout,<::error app.js:1:3>,::error reason",
  ].join("\n")}\n`;
}

describe("the lines of what is printed for people", () => {
  const log = join(FOLDER, "app.log");
  writeFileSync(log, commandsLog());
  const lines = COMMAND_LINES.filter(
    ({ args, form }) =>
      args.includes(LOG) && (form === "text" || form === "markdown") && !args.includes("github"),
  );

  it.each(lines.map(({ args }) => args))("begin with no text of a log: %s", async (...args) => {
    const words = args.map((word) =>
      word === LOG ? log : word === "FUNCTION" ? "/./" : word === "a.js" ? "::error app.js" : word,
    );
    const { stdout, stderr } = await warmTicks(words);
    // GitHub reads the former where a line begins, the latter anywhere in it.
    expect(`${stdout}${stderr}`.split("\n").filter((line) => /^\s*::|##\[/.test(line))).toEqual([]);
  });

  it("have no text after the version that cannot be part of one", async () => {
    const { stdout } = await warmTicks(["diff", log, "--", log, "--format", "md"]);
    expect(stdout).toMatch(/V8 `?14\.6\.202\.34/);
    expect(stdout).not.toContain("bold");
  });
});

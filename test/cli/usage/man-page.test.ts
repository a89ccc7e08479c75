import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { wholeProgram } from "../../../src/cli/program.ts";
import { manPage } from "../../../src/cli/usage/man-page.ts";
import { VERSION } from "../../../src/version.ts";

const PAGE = fileURLToPath(new URL("../../../dist/man/ticks.1", import.meta.url));
const page = manPage(await wholeProgram(VERSION), VERSION);

it("the manual that is shipped is that of the program", () => {
  expect(readFileSync(PAGE, "utf8")).toBe(page);
  expect(page).toContain(`"ticks ${VERSION}"`);
});

it("the manual has every command and every option", async () => {
  const { commands } = await wholeProgram(VERSION);
  expect(commands.length).toBeGreaterThan(12);
  for (const command of commands) {
    expect(page).toContain(`.SS ticks ${command.name()} `);
    for (const { flags, hidden } of command.options) {
      if (!hidden) expect(page).toContain(`\n.B ${flags.replaceAll("-", "\\-")}\n`);
    }
  }
});

it("the manual is plain roff", () => {
  expect(page).toMatch(/^[\n -~]*$/);
  const requests = page.match(/^[.'].*/gm)!.map((line) => /^\.[A-Za-z]*/.exec(line)?.[0]);
  expect(Array.from(new Set(requests)).sort()).toEqual(
    [".B", ".BR", ".PP", ".SH", ".SS", ".TH", ".TP", ".fi", ".nf"].sort(),
  );
  // What is said for all of several commands is said once.
  expect(page.split("\n.B \\-\\-focus <re>\n")).toHaveLength(2);
});

const hasGroff = spawnSync("groff", ["--version"]).status === 0;
it.skipIf(!hasGroff)("groff has no complaints about the manual", () => {
  const { stderr, stdout, status } = spawnSync("groff", ["-ww", "-man", "-Tutf8"], {
    input: page,
    encoding: "utf8",
  });
  expect([stderr, status]).toEqual(["", 0]);
  expect(stdout.length).toBeGreaterThan(page.length);
});

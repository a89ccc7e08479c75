import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { VERSION } from "../../../src/base/version.ts";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { COMMON, ownOptions, TOPICS } from "../../../src/cli/options.ts";
import { manPage } from "../../../src/cli/usage/man-page.ts";

const PAGE = fileURLToPath(new URL("../../../dist/man/ticks.1", import.meta.url));
const page = await manPage(VERSION);

it("the manual that is shipped is that of the program", () => {
  expect(readFileSync(PAGE, "utf8")).toBe(page);
  expect(page).toContain(`"ticks ${VERSION}"`);
});

it("the manual has every command, the first ones first, every option and every example", () => {
  const escaped = (text: string) => text.replaceAll("-", "\\-");
  for (const row of COMMANDS) {
    expect(page.includes(`.SS ticks ${row.name} `)).toBe(row.group !== undefined);
    if (row.group === undefined) continue;
    for (const { flags, isHidden } of ownOptions(row)) {
      if (!isHidden) expect(page).toContain(`\n.B ${escaped(flags)}\n`);
    }
    for (const example of row.examples) expect(page).toContain(`  ticks ${escaped(example)}\n`);
  }
  for (const { flags, isHidden } of [...TOPICS.flatMap(({ options }) => options), ...COMMON]) {
    if (!isHidden) expect(page).toContain(`\n.B ${escaped(flags)}\n`);
  }
  const places = ["record", "top", "tree", "process"].map((name) => page.indexOf(`.SS ticks ${name} `));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(page).toContain(".SH EXAMPLES\n.TP\n.B ticks record \\-\\- node app.js\n");
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

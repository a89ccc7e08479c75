import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { analyze } from "../../src/analyze.ts";
import { compareRuns } from "../../src/compare/diff.ts";
import { runSummary } from "../../src/compare/run-summary.ts";
import { openLog } from "../../src/io/input.ts";
import { shownStacks } from "../../src/profile/shown-stacks.ts";

/**
 * Logs of test/programs/words.js, as it is and as `esbuild --bundle --minify --sourcemap=inline` makes it, without
 * the rows of Node's own code.
 */
async function run(name: string) {
  const path = fileURLToPath(new URL(`minified/${name}.log.gz`, import.meta.url));
  const options = { inlines: true, identities: true, readSourceMap: async () => undefined };
  return runSummary(shownStacks(await analyze(openLog(path), options)), "function");
}

describe("a program and its minified form with a source map", () => {
  it.each([20, 26])("have the same functions for 98 %% of the ticks, on Node %d", async (node) => {
    const [source, minified] = [await run(`node-${node}-source`), await run(`node-${node}-minified`)];
    const own = ({ origin }: { readonly origin: string | undefined }) => origin === "app";
    const [before, after] = [source, minified].map((side) => {
      const rows = side.rows.filter(own);
      return { ...side, rows: rows.map((row) => ({ ...row, callers: [] })) };
    });
    const { rows, matched } = compareRuns([before!], [after!], { scale: { name: "share" } })!;
    expect(matched).toBeGreaterThan(0.98);
    const pairs = rows
      .filter(({ matchedBy }) => matchedBy !== undefined)
      .map(({ name, nameBefore, matchedBy }) => `${nameBefore!.key} > ${name.key}: ${matchedBy}`);
    expect(pairs).toEqual(
      expect.arrayContaining([
        "words.js sorted > src/words.js sorted: file",
        "words.js count > src/words.js count: file",
        "words.js reading.peek > src/words.js h.peek: member",
      ]),
    );
  });
});

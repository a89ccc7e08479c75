import type { Command } from "commander";
import { REPORTS } from "../../reports/reports.js";
import { icView } from "../../views/ics.js";
import { SourceTexts } from "../../views/source-texts.js";
import { loadView, warnProblems } from "../load-profile.js";
import { addListOptions, type ListFlags, rowLimit } from "../options.js";
import { printReport } from "../print-report.js";

/** The default number of rows, except in JSON. */
const ROWS = 20;

/** Adds the options and the action of `ticks ics`. */
export function configure(command: Command): void {
  command.addHelpText("after", FOOTER);
  addListOptions(command, ROWS);
  command.action(async (logs: string[], flags: ListFlags) => {
    process.exitCode = await runIcs(logs, flags);
  });
}

const FOOTER = `
V8 logs inline caches only with --log-ic (Node 8 to 14: --trace-ic):
node --prof --log-ic app.js

The ticks of a site are those in V8's code for inline caches (LoadIC,
KeyedLoadIC_Megamorphic, …) that worked for it. All ticks in such code are
either the price of one site, or belong to one of several sites, or are not
placed. The interpreter and optimized code handle caches with few shapes
themselves: ticks there are those of the function.

V8's sampler often skips the function that called such code. ticks then finds
it by what other ticks show, and marks it with ≈; --no-inferred leaves it out.`;

/** Runs `ticks ics`. Returns the exit status. */
async function runIcs(args: readonly string[], flags: ListFlags): Promise<number> {
  const loaded = await loadView(args, flags, { ics: true, deopts: true, mayLackTicks: true });
  const { profile } = loaded;
  const limit = rowLimit(flags, ROWS);
  const sources = new SourceTexts(profile.sources, loaded.files.readSource);
  await printReport(REPORTS.ics, { profile, view: icView(profile), sources, limit }, flags);
  warnProblems(loaded);
  return 0;
}

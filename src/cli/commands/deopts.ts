import type { Command } from "commander";
import { REPORTS } from "../../reports/reports.js";
import { deoptView } from "../../views/deopts.js";
import { sitesByPosition } from "../../views/ics.js";
import { loadView, warnProblems } from "../load-profile.js";
import { addListOptions, type ListFlags, rowLimit } from "../options.js";
import { printReport } from "../print-report.js";

/** The default number of rows, except in JSON. */
const ROWS = 20;

/** Adds the options and the action of `ticks deopts`. */
export function configure(command: Command): void {
  command.addHelpText("after", FOOTER);
  addListOptions(command, ROWS);
  command.action(async (logs: string[], flags: ListFlags) => {
    process.exitCode = await runDeopts(logs, flags);
  });
}

const FOOTER = `
From Node 16 on, V8 logs deoptimizations only with --log-deopt:
node --prof --log-deopt app.js

The cost of a deoptimization is the number of ticks that the function then spent
in lower tiers than that of the lost code, until it was optimized again: until
V8 logged new code of that tier or a higher one, or until a tick in such code.
Bytecode handlers, builtins and inline caches that work for the function count,
and so does code inlined into it. C++ and other functions that it calls do not.
If a function was deoptimized several times, the latest one gets the tick: no
tick counts twice. Functions with the same name and position count as one. Ticks
that a filter removes do not count. The cost is an upper bound on the saving:
the work had to be done anyway.`;

/** Runs `ticks deopts`. Returns the exit status. */
async function runDeopts(args: readonly string[], flags: ListFlags): Promise<number> {
  const loaded = await loadView(args, flags, {
    deopts: true,
    ics: "if-logged",
    lines: false,
    mayLackTicks: true,
  });
  const { profile } = loaded;
  const limit = rowLimit(flags, ROWS);
  const caches = sitesByPosition(profile);
  await printReport(REPORTS.deopts, { profile, view: deoptView(profile), limit, caches }, flags);
  warnProblems(loaded);
  return 0;
}

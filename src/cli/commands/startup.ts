import { type Command, InvalidArgumentError } from "commander";
import { TicksError } from "../../errors.js";
import type { Profile } from "../../profile/profile.js";
import { REPORTS } from "../../reports/reports.js";
import { printable } from "../../views/label.js";
import { startupOf } from "../../views/startup.js";
import type { Until } from "../../views/startup-mark.js";
import { loadView, warnProblems } from "../load-profile.js";
import { addListOptions, type ListFlags, rowLimit } from "../options.js";
import { printReport } from "../print-report.js";
import { usualEnd } from "../startup-end.js";
import { warnIdle } from "../warnings.js";

interface StartupFlags extends ListFlags {
  until: Until;
  each?: boolean;
}

/** The default number of rows, except in JSON. */
const ROWS = 15;

/** Adds the options and the action of `ticks startup`. */
export function configure(command: Command): void {
  command
    .option(
      "--until <mark>",
      "end of the start-up: milliseconds since the log began, first-idle, or a function or file, whose first tick ends it (default: where ticks record --until stopped it; else the main module and all that it needs are loaded)",
      until,
    )
    .option(
      "--each",
      "list each module; by default, small ones of one folder that one module loads are one row",
    )
    .addHelpText("after", FOOTER);
  // A start-up also waits, for files and other processes: its time has that in it.
  addListOptions(command, ROWS, { countsIdle: true });
  command.action(async (logs: string[], flags: StartupFlags) => {
    process.exitCode = await runStartup(logs, flags);
  });
}

const FOOTER = `
A tick belongs to the module whose load was innermost: the module's top-level
code and all that this called. Finding, reading and compiling a file counts for
the module in it. Modules of import statements run one after the other: each is
loaded by what started them all, not by the module that imports it. Modules in
bundles are known by the bundle's source map (see --source-root), or by the
comments and wrappers that esbuild, webpack and rolldown write.

ticks record --startup -- node app.js also logs V8's own times, and ends with
this page.`;

/** Reads the end of a start-up. */
function until(text: string): Until {
  if (text === "first-idle") return { kind: "first-idle" };
  if (text.trim() === "") throw new InvalidArgumentError("Expected milliseconds, first-idle or a name.");
  const milliseconds = Number(text);
  if (Number.isNaN(milliseconds)) return { kind: "mark", name: text };
  if (milliseconds < 0 || !Number.isFinite(milliseconds))
    throw new InvalidArgumentError("Expected a number of milliseconds.");
  return { kind: "time", milliseconds };
}

/** Runs `ticks startup`. Returns the exit status. */
async function runStartup(args: readonly string[], flags: StartupFlags): Promise<number> {
  const loaded = await loadView(args, flags, { timeline: true, startup: true });
  const { profile } = loaded;
  const end = flags.until ?? usualEnd(profile);
  const mark = end.kind === "mark" ? end.name : undefined;
  const startup = findStartup(loaded.profile, end);
  const limit = rowLimit(flags, ROWS);
  await printReport(REPORTS.startup, { profile, startup, limit, mark, each: flags.each }, flags);
  warnProblems(loaded);
  warnIdle(loaded.profile);
  return 0;
}

/** Returns a start-up. Throws a {@link TicksError} if no tick has the name that the user gave. */
function findStartup(profile: Profile, end: Until) {
  try {
    const found = startupOf(profile, end);
    if (found !== undefined) return found;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TicksError("BAD_OPTION", `--until: invalid regular expression: ${printable(error.message)}`);
  }
  const name = end.kind === "mark" ? printable(end.name) : "";
  throw new TicksError(
    "BAD_OPTION",
    `--until ${name}: no function or file of this name has ticks`,
    "ticks function LOG NAME finds functions. A start-up can also end at a time: --until 500.",
  );
}

import { REPORTS } from "../../reports/reports.js";
import { icView } from "../../views/ics.js";
import { SourceTexts } from "../../views/source-texts.js";
import { loadView, warnProblems } from "../load-profile.js";
import type { ListFlags } from "../options.js";
import { printReport } from "../print-report.js";

/** Runs `ticks ics`. Returns the exit status. */
export async function runIcs(args: readonly string[], flags: ListFlags): Promise<number> {
  const loaded = await loadView(args, flags, {
    ics: true,
    deopts: true,
    mayLackTicks: true,
    onlyInLogs: { what: "inline caches", record: "ticks record --ics -- node app.js" },
  });
  const { profile } = loaded;
  const { limit } = flags;
  const sources = new SourceTexts(profile.sources, loaded.files.readSource);
  await printReport(REPORTS.ics, { profile, view: icView(profile), sources, limit }, flags);
  warnProblems(loaded);
  return 0;
}

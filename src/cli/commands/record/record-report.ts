import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { TicksError } from "../../../errors.js";
import { flameDocument } from "../../../exporters/flame/flame-document.js";
import { logsIn } from "../../../io/find-logs.js";
import { openInBrowser } from "../../../io/opener.js";
import { writeFile, writeLines } from "../../../io/output.js";
import { readPageParts } from "../../../io/page-parts.js";
import { sizeOf } from "../../../record/stop-rules.js";
import { reportLines } from "../../../reports/report.js";
import { REPORTS } from "../../../reports/reports.js";
import { textLines } from "../../../reports/text.js";
import { topPage } from "../../../reports/top.js";
import { counted, shellCommand, shellWord } from "../../../reports/words.js";
import { printable } from "../../../views/label.js";
import { startupOf } from "../../../views/startup.js";
import { topOf } from "../../../views/top.js";
import { type LoadedView, loadView, warnProblems } from "../../load-profile.js";
import { openSharedInput } from "../../log-input.js";
import type { ViewFlags } from "../../options.js";
import { saveSymbols } from "../../saving/save-symbols.js";
import { isErrorOfLog, warnSkipped } from "../../skipped-logs.js";
import { usualEnd } from "../../startup-end.js";
import { styleOfErrors, warn } from "../../terminal.js";

/** What a report is of. */
export interface Recorded {
  /** The words of the command. */
  readonly command: readonly string[];
  /** The folders of the runs. */
  readonly folders: readonly string[];
  /** Whether to open the flame graph. */
  readonly open: boolean | undefined;
  /** Whether the logs go after the report: then no command can read them. */
  readonly isDiscarded: boolean;
  /** Whether the report is that of `ticks startup`. */
  readonly startup: boolean | undefined;
}

/** The options of `ticks top`, as nobody gave others. */
export const REPORT_FLAGS: ViewFlags = { color: "auto", sourceMaps: true, inferred: true, cache: true };
/** The rows of each list. */
const LIMIT = 10;

/** The oldest Node whose processes can be recorded. */
const OLDEST = 10;

/** Returns why a program wrote no log: it may be a Node that is too old. */
function reasonForNone(program: string): string {
  const isNode = /^node(?:js)?(?:\.exe)?$/i.test(basename(program));
  const options = { encoding: "utf8", timeout: 5000 } as const;
  const version = isNode
    ? /^v(\d+)\.[\d.]+/.exec(spawnSync(program, ["--version"], options).stdout ?? "")
    : null;
  return version !== null && Number(version[1]) < OLDEST
    ? `${printable(program)} is Node ${version[0]}, and ticks record needs Node ${OLDEST} or later. By hand: ${shellWord(printable(program))} --prof app.js. Then: ticks`
    : "the command started no Node process, or ended before V8 wrote the first bytes";
}

/** Saves the symbols of a recording, and prints its page and the path of the folder to standard error. */
export async function reportRecording(folder: string, recorded: Recorded): Promise<void> {
  const { folders, isDiscarded } = recorded;
  const logs = folders.flatMap(logsIn);
  const name = printable(folder);
  if (logs.length === 0) {
    warn(`no log was written: ${reasonForNone(recorded.command[0] ?? "")}`);
    if (!isDiscarded) warn(`recorded nothing in ${name}`);
    return;
  }
  try {
    await saveAllSymbols(logs);
    if (recorded.startup) await reportStartup(folders);
    if (!recorded.startup || recorded.open) await report(folder, recorded);
  } catch (error) {
    // The end of the command is what counts: a log without ticks must not change the exit status.
    if (!(error instanceof TicksError)) throw error;
    warn(printable(error.message));
  }
  if (isDiscarded) return;
  const size = folders.reduce((sum, one) => sum + sizeOf(one), 0);
  warn(`recorded ${counted(logs.length, "log")} (${(size / 1e6).toFixed(1)} MB) in ${name}`);
  const next = folders.length > 1 ? "diff" : "flame";
  warn(`next: ${next === "diff" ? `ticks diff ${name} -- AFTER` : shellCommand("ticks flame", [folder])}`);
}

async function saveAllSymbols(logs: readonly string[]): Promise<void> {
  const shared = await openSharedInput(REPORT_FLAGS);
  const errors: TicksError[] = [];
  for (const log of logs) {
    try {
      await saveSymbols(log, { path: `${log}.symbols`, isTyped: false }, { flags: REPORT_FLAGS, shared });
    } catch (error) {
      if (!(error instanceof TicksError)) throw error;
      // What cannot be read is told by the report too.
      if (!isErrorOfLog(error)) errors.push(error);
    }
  }
  warnSkipped(errors);
}

async function reportStartup(folders: readonly string[]): Promise<void> {
  const loaded = await loadView(folders, REPORT_FLAGS, { timeline: true, startup: true });
  const { profile } = loaded;
  const startup = startupOf(profile, usualEnd(profile));
  if (startup === undefined) return;
  const page = { profile, startup, limit: LIMIT };
  const layout = { format: "text", style: await styleOfErrors(), width: pageWidth() } as const;
  await writeLines(process.stderr, reportLines(await REPORTS.startup(), page, layout));
  warnProblems(loaded);
}

function pageWidth(): number {
  return process.stderr.isTTY ? Math.max(80, process.stderr.columns) : Number.POSITIVE_INFINITY;
}

async function report(folder: string, { folders, open, startup, isDiscarded }: Recorded): Promise<void> {
  const loaded = await loadView(folders, REPORT_FLAGS, { deopts: true, timeline: true });
  const { profile } = loaded;
  if (!startup) await writeTop(folder, loaded, isDiscarded);
  if (!open) return;
  const path = join(folder, "flame.html");
  await writeFile(path, flameDocument(profile, readPageParts()), { name: printable(path), isTyped: false });
  await openInBrowser(path);
}

async function writeTop(folder: string, loaded: LoadedView, isDiscarded: boolean): Promise<void> {
  const { profile } = loaded;
  const top = topOf(profile, LIMIT);
  const page = { profile, top: isDiscarded ? { ...top, steps: [] } : top, limit: LIMIT, logs: [folder] };
  const style = await styleOfErrors();
  await writeLines(process.stderr, textLines(topPage(page), { style, width: pageWidth() }));
  warnProblems(loaded);
}

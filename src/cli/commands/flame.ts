import { basename, resolve } from "node:path";
import { TicksError } from "../../errors.js";
import { flameDocument } from "../../exporters/flame/flame-document.js";
import { isFolder } from "../../io/find-logs.js";
import { STDIN } from "../../io/input.js";
import { openInBrowser } from "../../io/opener.js";
import { readPageParts } from "../../io/page-parts.js";
import { wordsFor } from "../../reports/units.js";
import { counted, shellWord } from "../../reports/words.js";
import { printable } from "../../views/label.js";
import { packageStacks } from "../../views/package-stacks.js";
import { loadView, warnProblems } from "../load-profile.js";
import { inputFiles } from "../log-input.js";
import { logsOrDefault } from "../log-paths.js";
import { SIDES } from "../options.js";
import { checkOutput } from "../output-file.js";
import { redactedBy, refuseUnusedOptions } from "../redact-options.js";
import { warn } from "../terminal.js";
import { warnMissingCallers } from "../warnings.js";
import { type FlameFlags, refuseUnwritable, writePage } from "./flame/written-page.js";

/** Runs `ticks flame`. Returns the exit status. */
export async function runFlame(args: readonly string[], flags: FlameFlags): Promise<number> {
  refuseUnwritable(flags);
  refuseUnusedOptions(flags);
  if (args.includes(SIDES)) {
    if (flags.by === "package") {
      const hint = "To compare packages: ticks diff --by package";
      throw new TicksError("BAD_OPTION", "--by package draws one side only", hint);
    }
    const { runComparison } = await import("./flame/comparison.js"); // Most pages have one side.
    return runComparison(args, flags);
  }
  if (flags.rename !== undefined) {
    throw new TicksError("BAD_OPTION", "--rename needs two sides", "Such as: ticks flame before/ -- after/");
  }
  if (args.length === 2 && args.every(isFolder)) {
    const [before, after] = args.map((arg) => shellWord(printable(arg)));
    const comparison = `ticks flame ${before} -- ${after}`;
    warn(`both folders are in one picture. To compare them: ${comparison}`);
  }
  const logs = await logsOrDefault(args);
  const isTyped = flags.output !== undefined;
  const output = flags.output ?? defaultOutput(args, logs);
  if (output !== STDIN) checkOutput({ path: output, isTyped }, inputFiles(logs, flags));
  const view = { ...flags, sourceMaps: flags.sourceMaps && !flags.redact };
  const loaded = await loadView(args, view, { timeline: true, columns: "long-lines" });
  const { info } = loaded.profile;
  const stacks = flags.by === "package" ? packageStacks(loaded.profile) : loaded.profile;
  const shown = flags.source === false ? { ...stacks, sources: [] } : stacks;
  const page = flameDocument(await redactedBy(shown, flags), readPageParts());
  await writePage(page, {
    output,
    isTyped,
    what: wordsFor(info, counted(info.ticks - info.excluded, "tick")),
  });
  warnProblems(loaded);
  if (process.stderr.isTTY) warnMissingCallers(loaded.profile);
  if (flags.open) await openInBrowser(resolve(output));
  return 0;
}

/**
 * Returns a file name in the current folder, made from that of the log unless there are several or it is
 * standard input.
 */
export function defaultOutput(args: readonly string[], logs: readonly string[]): string {
  const names = args.length > 0 ? args : logs;
  const name = names.length === 1 && names[0] !== STDIN ? basename(names[0]!) : "";
  const stem = name.replace(/\.(?:gz|zst|br)$/, "").replace(/\.log$/, "");
  return `${stem === "" ? "ticks" : stem}.flame.html`;
}

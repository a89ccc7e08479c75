import { basename } from "node:path";
import { type Command, Option } from "commander";
import { TicksError } from "../../errors.js";
import { flameDocument } from "../../exporters/flame/flame-document.js";
import { STDIN } from "../../io/input.js";
import { openInBrowser } from "../../io/opener.js";
import { writeChunks, writeFile } from "../../io/output.js";
import { readPageParts } from "../../io/page-parts.js";
import { counted } from "../../reporters/layout/numbers.js";
import { printable } from "../../views/label.js";
import { packageStacks } from "../../views/package-stacks.js";
import { loadView, warnProblems } from "../load-profile.js";
import { inputFiles } from "../log-input.js";
import { logsOrDefault } from "../log-paths.js";
import { addViewOptions, type ViewFlags } from "../options.js";
import { checkOutput } from "../output-file.js";
import { addRedactOptions, type RedactFlags, redactedBy, refuseUnusedOptions } from "../redact-options.js";
import { warn } from "../terminal.js";
import { warnMissingCallers } from "../warnings.js";

interface FlameFlags extends ViewFlags, RedactFlags {
  output?: string;
  open?: boolean;
  source?: boolean;
  by: "function" | "package";
}

/** Adds the options and the action of `ticks flame`. */
export function configure(command: Command): void {
  command
    .option(
      "-o, --output <file>",
      "write to this file, - for standard output (default: LOG.flame.html in the current folder)",
    )
    .option("--open", "open the page in the browser")
    .addOption(
      new Option("--by <group>", "one frame for each function, or for each package that calls another")
        .choices(["function", "package"])
        .default("function"),
    )
    .option("--no-source", "do not embed source text");
  addViewOptions(command);
  addRedactOptions(command);
  command.action(async (logs: string[], flags: FlameFlags) => {
    process.exitCode = await runFlame(logs, flags);
  });
}

/** Runs `ticks flame`. Returns the exit status. */
async function runFlame(args: readonly string[], flags: FlameFlags): Promise<number> {
  if (flags.open && flags.output === STDIN) {
    throw new TicksError("BAD_OPTION", "--open does not work with -o -", "Leave one of them out.");
  }
  refuseUnusedOptions(flags);
  const logs = await logsOrDefault(args);
  const isTyped = flags.output !== undefined;
  const output = flags.output ?? defaultOutput(args, logs);
  if (output !== STDIN) checkOutput({ path: output, isTyped }, inputFiles(logs, flags));
  const view = { ...flags, sourceMaps: flags.sourceMaps && !flags.redact };
  const loaded = await loadView(args, view, { timeline: true });
  const { info } = loaded.profile;
  const stacks = flags.by === "package" ? packageStacks(loaded.profile) : loaded.profile;
  const shown = flags.source === false ? { ...stacks, sources: [] } : stacks;
  const html = flameDocument(await redactedBy(shown, flags), readPageParts());
  if (output === STDIN) await writeChunks(process.stdout, [html]);
  else {
    const name = printable(output);
    await writeFile(output, [html], { name, isTyped });
    const size = Math.max(1, Math.round(Buffer.byteLength(html) / 1000));
    warn(`wrote ${counted(info.ticks - info.excluded, "tick")} to ${name} (${size} KB)`);
  }
  warnProblems(loaded);
  if (process.stderr.isTTY) warnMissingCallers(loaded.profile);
  if (flags.open) await openInBrowser(output);
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

import { basename } from "node:path";
import { TicksError } from "../../errors.js";
import { flameDocument } from "../../exporters/flame/flame-document.js";
import { STDIN } from "../../io/input.js";
import { openInBrowser } from "../../io/opener.js";
import { writeChunks, writeFile } from "../../io/output.js";
import { readPageParts } from "../../io/page-parts.js";
import { printable } from "../../views/label.js";
import { loadView, tellProblems } from "../load-profile.js";
import { inputFiles, logsOrDefault } from "../log-input.js";
import { checkOutput } from "../output-file.js";
import { type RedactFlags, redactedBy, refuseIdleOptions } from "../redact-options.js";
import { warn } from "../terminal.js";
import type { ViewFlags } from "../view-options.js";

export interface FlameFlags extends ViewFlags, RedactFlags {
  output?: string;
  open?: boolean;
  source?: boolean;
}

/** Runs `ticks flame`; the result is the exit status. */
export async function runFlame(args: readonly string[], flags: FlameFlags): Promise<number> {
  if (flags.open && flags.output === STDIN) {
    throw new TicksError("BAD_OPTION", "--open needs a file", "Leave out -o -, or --open.");
  }
  refuseIdleOptions(flags);
  const logs = await logsOrDefault(args);
  const isTyped = flags.output !== undefined;
  const output = flags.output ?? defaultOutput(args, logs);
  if (output !== STDIN) checkOutput({ path: output, isTyped }, inputFiles(logs, flags));
  const view = { ...flags, sourceMaps: flags.sourceMaps && !flags.redact };
  // Those of the command line, not of its folders: they say what the logs are called together.
  const loaded = await loadView(args.length > 0 ? args : logs, view, { timeline: true });
  const { info } = loaded.profile;
  const shown = flags.source === false ? { ...loaded.profile, sources: [] } : loaded.profile;
  const html = flameDocument(await redactedBy(shown, flags), readPageParts());
  if (output === STDIN) await writeChunks(process.stdout, [html]);
  else {
    const name = printable(output);
    await writeFile(output, [html], { name, isTyped });
    const size = Math.max(1, Math.round(Buffer.byteLength(html) / 1000));
    warn(`${info.ticks - info.excluded} ticks written to ${name} (${size} KB)`);
  }
  tellProblems(loaded);
  if (flags.open) await openInBrowser(output);
  return 0;
}

/** In the current folder, after the log; after none where there are several, or standard input. */
export function defaultOutput(args: readonly string[], logs: readonly string[]): string {
  const names = args.length > 0 ? args : logs;
  const name = names.length === 1 && names[0] !== STDIN ? basename(names[0]!) : "";
  const stem = name.replace(/\.(?:gz|zst)$/, "").replace(/\.log$/, "");
  return `${stem === "" ? "ticks" : stem}.flame.html`;
}

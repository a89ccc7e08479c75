import { basename } from "node:path";
import { TicksError } from "../errors.js";
import { flameDocument } from "../exporters/flame/flame-document.js";
import { STDIN } from "../io/input.js";
import { openInBrowser } from "../io/opener.js";
import { writeChunks, writeFile } from "../io/output.js";
import { readPageParts } from "../io/page-parts.js";
import { printable } from "../views/label.js";
import { loadView, tellProblems } from "./load-profile.js";
import { refuseLog } from "./output-file.js";
import { warn } from "./terminal.js";
import type { ViewFlags } from "./view-options.js";

export interface FlameFlags extends ViewFlags {
  output?: string;
  open?: boolean;
}

/** Runs `ticks flame`; the result is the exit status. */
export async function runFlame(args: readonly string[], flags: FlameFlags): Promise<number> {
  if (flags.open && flags.output === STDIN) {
    throw new TicksError("BAD_OPTION", "--open needs a file", "Leave out -o -, or --open.");
  }
  const loaded = await loadView(args, flags, { timeline: true });
  const { info } = loaded.profile;
  const html = flameDocument(loaded.profile, readPageParts());
  const output = flags.output ?? defaultOutput(args, info.logs);
  if (output === STDIN) await writeChunks(process.stdout, [html]);
  else {
    refuseLog(output, [...args, ...info.logs]);
    await writeFile(output, [html]);
    const size = Math.max(1, Math.round(Buffer.byteLength(html) / 1000));
    warn(`${info.ticks - info.excluded} ticks written to ${printable(output)} (${size} KB)`);
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

import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { named, sized, type Text, text } from "../base/text.js";
import { flameDocument } from "../exports/flame/flame-document.js";
import { printable } from "../facts/label.js";
import { packageStacks } from "../facts/package-stacks.js";
import { openInBrowser } from "../io/child-program.js";
import { readFlamePageParts } from "../io/flame-page-parts.js";
import { STDIN } from "../io/input.js";
import { writeChunks, writeFile } from "../io/output.js";
import type { Unit } from "../render/spoken.js";
import { sampleCount } from "../reports/words.js";
import { loadView, warnProblems } from "./load-profile.js";
import type { ViewFlags } from "./options.js";
import { type RedactFlags, redactedBy } from "./redact-options.js";
import { warn } from "./terminal.js";
import { warnDoubts } from "./warnings.js";

/** The options of `ticks flame`. */
export interface FlameFlags extends ViewFlags, RedactFlags {
  output?: string;
  open?: boolean;
  source?: boolean;
  rename?: string[];
  by: "function" | "package";
}

/** Writes the flame page of one side, and opens it if asked to. */
export async function writeFlame(
  args: readonly string[],
  flags: FlameFlags,
  { output, isTyped }: Pick<FlamePageTarget, "output" | "isTyped">,
): Promise<void> {
  const view = { ...flags, sourceMaps: flags.sourceMaps && !flags.redact };
  const loaded = await loadView(args, view, { timeline: true, deopts: "events", columns: "long-lines" });
  const stacks = flags.by === "package" ? packageStacks(loaded.profile) : loaded.profile;
  const shown = flags.source === false ? { ...stacks, sources: [] } : stacks;
  // Both need the same key, or a callback would not be found among the functions.
  const redaction = { ...flags, ...(flags.redact && { key: flags.key ?? randomBytes(32).toString("hex") }) };
  const page = flameDocument(await redactedBy(shown, redaction), readFlamePageParts(), {
    whole: loaded.whole === loaded.profile ? undefined : await redactedBy(loaded.whole, redaction),
  });
  await writeFlamePage(page, {
    output,
    isTyped,
    what: sampleCount(loaded.profile),
    unit: loaded.profile.info,
  });
  warnProblems(loaded);
  if (process.stderr.isTTY) warnDoubts(loaded.profile, "missing-callers");
  if (flags.open) await openInBrowser(resolve(output));
}

/** Where a page goes. */
export interface FlamePageTarget {
  /** A path, or `-` for standard output. */
  readonly output: string;
  /** Whether the user typed the path. */
  readonly isTyped: boolean;
  /** What the page has, for the message: `1,234 ticks`. */
  readonly what: Text;
  /** What the page counts. Default: ticks. */
  readonly unit?: Unit;
}

/** Writes a page, given in parts, and says so unless it goes to standard output. */
export async function writeFlamePage(
  parts: Iterable<string>,
  { output, isTyped, what, unit }: FlamePageTarget,
): Promise<void> {
  if (output === STDIN) {
    await writeChunks(process.stdout, parts);
    return;
  }
  const name = printable(output);
  let bytes = 0;
  const counted = function* () {
    for (const part of parts) {
      bytes += Buffer.byteLength(part);
      yield part;
    }
  };
  await writeFile(output, counted(), { name, isTyped });
  warn(text`wrote ${what} to ${named(name)} (${sized(bytes)})`, unit);
}

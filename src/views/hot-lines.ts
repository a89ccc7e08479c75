import { ROOT } from "../profile/call-tree.js";
import { parseLoggedName } from "../profile/logged-name.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import type { FunctionTable } from "./function-table.js";
import { innermostProgram } from "./program-frames.js";
import { SourceTexts } from "./source-texts.js";

/** A line of a script. */
export interface HotLine {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Ticks in the line, and in the Node, V8 and native code that it called. */
  readonly ticks: Ticks;
  /** Ticks in the line's own code. */
  readonly self: Ticks;
  /** The source text, trimmed; undefined if the log has none. */
  readonly text: string | undefined;
}

/**
 * The hot lines of the program. `lines`, `withoutLine` and `withoutProgram` sum to the ticks of the profile.
 */
export interface HotLines {
  /** Most ticks first, then by self ticks, file and line. */
  readonly lines: readonly HotLine[];
  /** Ticks of the program at an unknown line. */
  readonly withoutLine: Ticks;
  /** Ticks of stacks without a function of the program or of a package. */
  readonly withoutProgram: Ticks;
}

/** Counts each tick at the current line of the innermost function of the program or of a package. */
export function hotLines(profile: Profile, table: FunctionTable): HotLines {
  const { frames, tree, samples, sources } = profile;
  const innermost = innermostProgram(profile, table);
  const lines = new LineCounts();
  let withoutLine = 0;
  let withoutProgram = 0;
  for (let i = 0; i < samples.length; i++) {
    const leaf = samples.node[i]!;
    const node = innermost[leaf]!;
    const ticks = samples.ticks[i]!;
    const frame = node === ROOT ? undefined : frames[tree.frame[node]!]!;
    if (frame?.kind !== "js") withoutProgram += ticks;
    else if (frame.line === 0) withoutLine += ticks;
    else lines.add(frame.name, frame.line, ticks, node === leaf ? ticks : 0);
  }
  const texts = new SourceTexts(sources, () => undefined);
  return {
    lines: lines.rows().map((row) => ({ ...row, text: texts.lineOf(row.file, row.line)?.trim() })),
    withoutLine,
    withoutProgram,
  };
}

type Count = { file: string; line: number; ticks: Ticks; self: Ticks };

/** Ticks by file and line. */
class LineCounts {
  readonly #byFile = new Map<string, Map<number, Count>>();
  readonly #fileOf = new Map<string, string>();

  /** Adds ticks at a line of the file in a function's logged name. */
  add(name: string, line: number, ticks: Ticks, self: Ticks): void {
    const file = this.#fileOf.get(name) ?? parseLoggedName(name).file ?? "";
    this.#fileOf.set(name, file);
    const lines = this.#byFile.get(file) ?? new Map<number, Count>();
    this.#byFile.set(file, lines);
    const count = lines.get(line) ?? { file, line, ticks: 0, self: 0 };
    lines.set(line, count);
    count.ticks += ticks;
    count.self += self;
  }

  rows(): Count[] {
    const rows = Array.from(this.#byFile.values(), (lines) => Array.from(lines.values())).flat();
    return rows.sort(
      (a, b) => b.ticks - a.ticks || b.self - a.self || compareTexts(a.file, b.file) || a.line - b.line,
    );
  }
}

/** Compares by UTF-16 units, independent of the locale. */
function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

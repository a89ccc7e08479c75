import { badOption } from "../../base/errors.js";
import { named, text } from "../../base/text.js";
import { printable } from "../../facts/label.js";
import { problemWords } from "../../facts/problem-words.js";
import { STDIN } from "../../io/input.js";
import { isOtherFile } from "../../native/load-library.js";
import type { LibraryInfo } from "../../profile/profile.js";
import { spoken } from "../../render/spoken.js";
import { givenSymbolFiles, type LogFlags, openSharedInput } from "../log-input.js";
import { givenLogs } from "../log-paths.js";
import { checkOutput, type OutputFile } from "../output-file.js";
import { type SaveSymbolsOptions, saveSymbols } from "../saving/save-symbols.js";
import { readEach, warnSkipped } from "../skipped-logs.js";
import { warn } from "../terminal.js";

interface SymbolsFlags extends LogFlags {
  output?: string;
  all?: boolean;
}

/** Runs `ticks symbols`. Each log of a folder gets its own file. Returns the exit status. */
export async function runSymbols([arg = ""]: readonly string[], flags: SymbolsFlags): Promise<number> {
  const logs = await givenLogs([arg]);
  if (flags.output !== undefined && logs.length > 1) {
    throw badOption("-o works with one log only", "Leave -o out: each log gets its own LOG.symbols.");
  }
  // The symbols beside a log are read too, but this command may overwrite them: it has written them.
  const inputs = { logs: logs.map(({ path }) => path), symbols: givenSymbolFiles(flags) };
  for (const log of inputs.logs) {
    const output = outputOf(log, flags.output);
    if (output.path !== STDIN) checkOutput(output, inputs);
  }
  const shared = await openSharedInput(flags);
  const onProblem = ({ path, problem }: LibraryInfo) => {
    if (problem === undefined || !isOtherFile(problem)) return;
    warn(
      spoken(text`saved nothing of ${named(path)}: ${problemWords(path, problem).sentence}`, printable, {}),
    );
  };
  const options = { flags, shared, all: flags.all, onProblem };
  warnSkipped(await readEach(logs, ({ path }) => save(path, outputOf(path, flags.output), options)));
  return 0;
}

function outputOf(log: string, asked: string | undefined): OutputFile {
  return { path: asked ?? (log === STDIN ? STDIN : `${log}.symbols`), isTyped: asked !== undefined };
}

async function save(log: string, output: OutputFile, options: SaveSymbolsOptions): Promise<void> {
  const { functions, libraries } = await saveSymbols(log, output, options);
  if (output.path === STDIN) return;
  warn(`wrote ${functions} symbols of ${libraries} libraries to ${printable(output.path)}`);
}

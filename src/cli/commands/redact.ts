import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { TicksError } from "../../errors.js";
import { binaryKindOf, KIND_BYTES } from "../../file-kind.js";
import { isFolder } from "../../io/find-logs.js";
import { type OpenLogOptions, openLog, STDIN } from "../../io/input.js";
import { originOfLog } from "../../io/log-origin.js";
import { joinLines, writeFile } from "../../io/output.js";
import { isRegularFile } from "../../io/regular-file.js";
import { readSymbolsBeside, symbolsFileOf } from "../../io/symbols-file.js";
import type { LogChunks } from "../../log-chunks.js";
import { notALog } from "../../log-feeder.js";
import { redactLogName } from "../../redact/log-names.js";
import { NameFinder } from "../../redact/name-finder.js";
import { LogRedactor } from "../../redact/redact-log.js";
import { redactMap } from "../../redact/redact-map.js";
import { redactRecord } from "../../redact/redact-record.js";
import { redactSymbols } from "../../redact/redact-symbols.js";
import type { Redactor } from "../../redact/redactor.js";
import { mappedBeside, PROCESS_MAP, parseProcessMap, readProcessMap } from "../../symbols/process-map.js";
import { readRecordedSymbols, writeRecordedSymbols } from "../../symbols/recorded-symbols.js";
import { printable } from "../../views/label.js";
import { inputFiles } from "../log-input.js";
import { givenLogs } from "../log-paths.js";
import { checkOutput, type OutputFile } from "../output-file.js";
import { printReport } from "../print-report.js";
import { type RedactCommandFlags, redactorOf } from "../redact-options.js";
import { readEach, warnSkipped } from "../skipped-logs.js";
import { warn } from "../terminal.js";
import { refuseMissing } from "../usage/missing-log.js";
import { RECORD, readRecord } from "./redact/record-file.js";

/** A file without a row of V8 in its first bytes, this many, is not a log. */
const PROOF_BYTES = 1 << 20;

/** Runs `ticks redact`. Returns the exit status. */
export async function runRedact(
  [log = "", redacted]: readonly string[],
  flags: RedactCommandFlags,
): Promise<number> {
  if (flags.check) return (await import("./redact/redact-check.js")).runRedactCheck(log, redacted, flags);
  if (redacted !== undefined) {
    throw new TicksError("BAD_OPTION", "expected only one log or folder", "To compare two, add --check.");
  }
  const { output } = flags;
  if (output === undefined || output === STDIN) {
    throw new TicksError(
      "BAD_OPTION",
      "missing -o: which file to write",
      "Standard output gets the list of strings that are left.",
    );
  }
  const redactor = await redactorOf(flags);
  const files = isFolder(log)
    ? await redactFolder(log, output, redactor)
    : await redactFile(log, { path: output, isTyped: true }, redactor);
  const report = {
    files,
    hasOwnKey: flags.key !== undefined,
    kept: redactor.kept,
    droppedRows: redactor.droppedRows,
  };
  await printReport((await import("../../reports/redact.js")).REDACT, report, flags);
  return 0;
}

/** Redacts a log and its symbols. Returns the names of the files that it wrote. */
async function redactFile(
  log: string,
  { path: output, isTyped }: OutputFile,
  redactor: Redactor,
  options: OpenLogOptions = {},
): Promise<string[]> {
  if (isFolder(output)) {
    throw new TicksError("IS_DIRECTORY", `--output ${printable(output)} is a folder`, "Name a file.");
  }
  refuseMissing(log);
  if (!options.isFound && mappedBeside(log, originOfLog(log).pid).length > 0) {
    warn(
      `${printable(output)} has no map of its process, by which native addons get names: to keep the map, redact the folder`,
    );
  }
  const symbols = symbolsFileOf(log);
  const inputs = inputFiles([log], {});
  checkOutput({ path: output, isTyped }, inputs);
  checkOutput({ path: `${output}.symbols`, isTyped: false }, inputs);
  // The standard input can be read only once.
  if (isRegularFile(log)) {
    const names = new NameFinder(redactor);
    for await (const chunk of openLog(log, options)) names.push(chunk);
    names.end();
  }
  const isCompressed = output.endsWith(".gz");
  await writeFile(output, redactedChunks(openLog(log, options), log, redactor), {
    isTyped,
    isCompressed,
    name: printable(output),
  });
  if (symbols !== undefined) return [output, await writeSymbols(symbols, output, redactor)];
  if (log !== STDIN) {
    warn(
      `native code has no names in ${printable(output)}: no ${printable(log)}.symbols found; run ticks symbols, then redact again`,
    );
  }
  return [output];
}

/** Redacts the logs of a folder, the maps of their processes and their record file into a new folder. */
async function redactFolder(folder: string, output: string, redactor: Redactor): Promise<string[]> {
  const logs = await givenLogs([folder]);
  makeFolder(output);
  const files: string[] = [];
  const errors = await readEach(logs, async ({ path }) => {
    const name = join(output, redactLogName(path, redactor));
    const written = await redactFile(path, { path: name, isTyped: false }, redactor, { isFound: true });
    for (const file of written) files.push(file);
  });
  warnSkipped(errors);
  for (const name of readdirSync(folder).filter((name) => PROCESS_MAP.test(name))) {
    const map = redactMap(parseProcessMap(readProcessMap(join(folder, name))), redactor);
    if (map === "") continue;
    await writeFile(join(output, name), [map]);
    files.push(join(output, name));
  }
  const record = join(folder, RECORD);
  if (existsSync(record)) {
    const shown = redactRecord(await readRecord(record));
    await writeFile(join(output, RECORD), [`${JSON.stringify(shown, null, 2)}\n`]);
    files.push(join(output, RECORD));
  }
  return files;
}

/** Creates the output folder. It must be empty, because users send all of it. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    if (readdirSync(folder).length === 0) return;
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new TicksError("NOT_WRITABLE", `--output ${printable(folder)}: cannot create the folder (${code})`);
  }
  throw new TicksError(
    "NOT_WRITABLE",
    `--output ${printable(folder)}: the folder is not empty`,
    "Name a new folder, so that you send no other files.",
  );
}

async function* redactedChunks(
  file: Required<LogChunks>,
  log: string,
  redactor: Redactor,
): AsyncGenerator<Uint8Array> {
  const rows = new LogRedactor(redactor);
  let bytes = 0;
  let head: Uint8Array = new Uint8Array();
  for await (const chunk of file) {
    if (bytes === 0) head = chunk.slice(0, KIND_BYTES);
    bytes += chunk.length;
    if (binaryKindOf(head) !== undefined) break;
    yield rows.push(chunk);
    if (bytes > PROOF_BYTES && rows.knownRows === 0) break;
  }
  const diagnostic = file.diagnostic();
  yield rows.end(diagnostic);
  if (diagnostic !== undefined) warn(`${log}: the compressed data is damaged or cut: the rest is lost`);
  if (bytes === 0) throw new TicksError("EMPTY", `${printable(log)} is empty`);
  if (binaryKindOf(head) !== undefined || rows.knownRows === 0) {
    throw notALog(printable(log), head, { diagnostic, isPlain: !file.isCompressed() });
  }
}

async function writeSymbols(symbols: string, log: string, redactor: Redactor): Promise<string> {
  const libraries = readRecordedSymbols(
    await readSymbolsBeside(symbols, printable(symbols)),
    printable(symbols),
  );
  const output = `${log}.symbols`;
  await writeFile(output, joinLines(writeRecordedSymbols(redactSymbols(libraries.values(), redactor))));
  return output;
}

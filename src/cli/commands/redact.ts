import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { badOption, TicksError, tried } from "../../base/errors.js";
import { shellWord } from "../../base/shown-text.js";
import { printable } from "../../facts/label.js";
import { INPUT_NAMES, inputIn } from "../../inputs/inputs.js";
import { binaryKindOf, KIND_BYTES } from "../../io/file-kind.js";
import { isFolder } from "../../io/find-logs.js";
import { type OpenLogOptions, openLog, STDIN } from "../../io/input.js";
import type { LogChunks } from "../../io/log-chunks.js";
import { originOfLog } from "../../io/log-origin.js";
import { joinLines, writeFile } from "../../io/output.js";
import { isRegularFile, readRegularFile } from "../../io/regular-file.js";
import { readSymbolsBeside, symbolsFileOf } from "../../io/symbols-file.js";
import { type AnalyzeOptions, analyze } from "../../load/analyze.js";
import { notALog } from "../../load/log-feeder.js";
import { mappedBeside, PROCESS_MAP, parseProcessMap, readProcessMap } from "../../native/process-map.js";
import { readRecordedSymbols, writeRecordedSymbols } from "../../native/recorded-symbols.js";
import type { InputKind } from "../../profile/profile.js";
import { MOST_RECORD_BYTES } from "../../record/recording-file.js";
import { LogCheck, numberDifferences } from "../../redact/check.js";
import { HashCheck } from "../../redact/name-hash.js";
import {
  redactLogName,
  redactMap,
  redactRecord,
  redactSymbols,
  v8LogName,
} from "../../redact/redact-files.js";
import { LogRedactor, NameFinder } from "../../redact/redact-log.js";
import { Redactor } from "../../redact/redactor.js";
import { inputFiles } from "../log-input.js";
import { givenLogs } from "../log-paths.js";
import { checkOutput, type OutputFile } from "../output-file.js";
import { printReport } from "../print-report.js";
import { type RedactCommandFlags, redactorOf } from "../redact-options.js";
import { readEach, warnSkipped } from "../skipped-logs.js";
import { warn } from "../terminal.js";
import { refuseMissing } from "../usage/missing-log.js";

/** A file without a row of V8 in its first bytes, this many, is not a log. */
const PROOF_BYTES = 1 << 20;

/** Runs `ticks redact`. Returns the exit status. */
export async function runRedact(
  [log = "", redacted]: readonly string[],
  flags: RedactCommandFlags,
): Promise<number> {
  if (flags.check) return runRedactCheck(log, redacted, flags);
  if (redacted !== undefined) {
    throw badOption("expected only one log or folder", "To compare two, add --check.");
  }
  const { output } = flags;
  if (output === undefined || output === STDIN) {
    throw badOption(
      "missing -o: which file to write",
      "Such as: ticks redact LOG -o FILE. Standard output gets the list of strings that are left.",
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

/** Redacts the logs of a folder, the maps of their processes and their record file into a new folder: all of it, or nothing if that fails. */
async function redactFolder(folder: string, output: string, redactor: Redactor): Promise<string[]> {
  const logs = await givenLogs([folder]);
  const isNew = makeFolder(output);
  const files: string[] = [];
  try {
    const errors = await readEach(logs, async ({ path }) => {
      const name = join(output, redactLogName(path, redactor));
      try {
        const written = await redactFile(path, { path: name, isTyped: false }, redactor, { isFound: true });
        for (const file of written) files.push(file);
      } catch (error) {
        removeAll([name, `${name}.symbols`]);
        throw error;
      }
    });
    warnSkipped(errors);
    await redactBeside(folder, { output, redactor, files });
  } catch (error) {
    removeAll(files);
    if (isNew) tried(() => rmdirSync(output));
    throw error;
  }
  return files;
}

function removeAll(files: readonly string[]): void {
  for (const file of files) tried(() => rmSync(file, { force: true }));
}

/** Redacts what a folder has beside its logs. Adds the names of the files that it wrote to `files`. */
async function redactBeside(
  folder: string,
  {
    output,
    redactor,
    files,
  }: { readonly output: string; readonly redactor: Redactor; readonly files: string[] },
): Promise<void> {
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
}

/** Creates the output folder. It must be empty, because users send all of it. Returns whether it is new. */
function makeFolder(folder: string): boolean {
  try {
    const made = mkdirSync(folder, { recursive: true });
    if (readdirSync(folder).length === 0) return made !== undefined;
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
    if (bytes === 0) head = Uint8Array.from(chunk.subarray(0, KIND_BYTES)); // The memory of a chunk is used again.
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
    refuseProfile(log, head);
    throw notALog(printable(log), head, { diagnostic, isPlain: !file.isCompressed() });
  }
}

/** Which export of a profile keeps most of what it has. */
const REDACTED_AS: Readonly<Record<InputKind, string>> = {
  cpuprofile: "cpuprofile",
  trace: "cpuprofile",
  heapprofile: "pprof",
  pprof: "pprof",
};

/** Throws a {@link TicksError} for a profile that is no log: only its exports can be redacted. */
function refuseProfile(log: string, head: Uint8Array): void {
  const kind = inputIn(head)?.kind;
  if (kind === undefined) return;
  const hint = `Redact an export of it: ticks export ${shellWord(printable(log))} --format ${REDACTED_AS[kind]} --redact`;
  throw new TicksError(
    "NOT_A_LOG",
    `${printable(log)} is ${INPUT_NAMES[kind]}: ticks redact reads logs`,
    hint,
  );
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

/**
 * Runs `ticks redact --check`. Returns the exit status: 1 if a private string is left, or if a number
 * differs.
 */
async function runRedactCheck(
  original: string,
  redacted: string | undefined,
  flags: RedactCommandFlags,
): Promise<number> {
  const { keep = [], output, key } = flags;
  if (redacted === undefined || output !== undefined || key !== undefined) {
    throw badOption(
      redacted === undefined ? "--check needs two logs or folders" : "--check does not support -o and --key",
      "Usage: ticks redact --check ORIGINAL REDACTED, with the same --keep options as for REDACTED",
    );
  }
  const problems = isFolder(redacted) ? await checkNames(redacted, keep) : [];
  let pairs = 0;
  let droppedRows = 0;
  for (const [log, other] of await pairsOf(original, redacted)) {
    pairs++;
    if (other === undefined) {
      problems.push(`${printable(log)}: no redacted log has the same numbers`);
      continue;
    }
    const checked = await checkStrings(other, keep);
    droppedRows += checked.droppedRows;
    for (const problem of checked.problems) problems.push(`${printable(other)}: ${problem}`);
    const differences = await differencesOf(log, other);
    if (differences.length > 0) problems.push(`${printable(other)}: different ${differences.join(", ")}`);
  }
  await printReport(
    (await import("../../reports/redact.js")).REDACT_CHECK,
    { logs: pairs, problems, droppedRows },
    flags,
  );
  return problems.length === 0 ? 0 : 1;
}

/** Returns each original log with its redacted copy. */
async function pairsOf(original: string, redacted: string): Promise<[string, string | undefined][]> {
  if (!isFolder(original) && !isFolder(redacted)) return [[original, redacted]];
  const logs = await givenLogs([original]);
  const left = new Set((await givenLogs([redacted])).map(({ path }) => path));
  const pairs: [string, string | undefined][] = [];
  for (const { path } of logs) {
    const alike = Array.from(left).filter((other) => v8LogName(other) === v8LogName(path));
    let pair = alike.length === 1 ? alike[0] : undefined;
    for (const other of pair === undefined ? alike : []) {
      if ((await differencesOf(path, other)).length > 0) continue;
      pair = other;
      break;
    }
    if (pair !== undefined) left.delete(pair);
    pairs.push([path, pair]);
  }
  if (left.size > 0) {
    throw badOption(`${printable(Array.from(left)[0]!)} matches no log in ${printable(original)}`);
  }
  return pairs;
}

/** Returns the problems with the strings of a log and of its symbols, and how many rows have no strings because they cannot be read. */
async function checkStrings(
  log: string,
  keep: readonly string[],
): Promise<{ readonly problems: readonly string[]; readonly droppedRows: number }> {
  const check = new LogCheck(keep);
  for await (const chunk of openLog(log)) check.push(chunk);
  const { strings, count, otherByte } = check.end();
  const problems = stringProblems(strings, count);
  if (otherByte >= 0) problems.push(`byte ${otherByte} is not as redaction writes it`);
  const symbols = symbolsFileOf(log);
  const { droppedRows } = check.redactor;
  if (symbols === undefined) return { problems, droppedRows };
  const hash = new HashCheck();
  const text = await readSymbolsBeside(symbols, printable(symbols));
  const libraries = readRecordedSymbols(text, printable(symbols)).values();
  const again = joinLines(writeRecordedSymbols(redactSymbols(libraries, new Redactor(hash, keep))));
  const isSame = Array.from(again).join("") === text;
  for (const problem of stringProblems(hash.found, hash.count)) problems.push(`in its symbols: ${problem}`);
  if (!isSame) problems.push("its symbols are not as redaction writes them");
  return { problems, droppedRows };
}

function stringProblems(strings: readonly string[], count: number): string[] {
  if (count === 0) return [];
  const shown = strings.slice(0, 5).map((text) => printable(text.slice(0, 100)));
  return [
    `${count} strings that are neither hashes nor public: ${shown.join(", ")}${count > 5 ? ", …" : ""}`,
  ];
}

/** Returns the problems with the files of a redacted folder: their names, and files that are not checked. */
async function checkNames(folder: string, keep: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  const logs = new Set((await givenLogs([folder])).map(({ path }) => basename(path)));
  for (const name of readdirSync(folder)) {
    const log = name.replace(/\.symbols$/, "");
    if (PROCESS_MAP.test(name)) {
      const text = readProcessMap(join(folder, name));
      const hash = new HashCheck();
      const isSame = redactMap(parseProcessMap(text), new Redactor(hash, keep)) === text;
      for (const problem of stringProblems(hash.found, hash.count)) problems.push(`${name}: ${problem}`);
      if (!isSame) problems.push(`${name} is not as redaction writes it`);
      continue;
    }
    if (name === RECORD) {
      const record = await readRecord(join(folder, name));
      if (JSON.stringify(redactRecord(record)) !== JSON.stringify(record)) {
        problems.push(`${RECORD} has fields that redaction removes`);
      }
    } else if (!logs.has(log)) {
      problems.push(`${printable(name)} is not a log and was not checked`);
    } else {
      const hash = new HashCheck();
      redactLogName(log, new Redactor(hash, keep));
      if (hash.count > 0) problems.push(`${printable(name)}: the file name is not a hash`);
    }
  }
  return problems;
}

/** Returns where the numbers of two logs differ, with and without inlined functions. */
async function differencesOf(log: string, other: string): Promise<string[]> {
  const differences = new Set<string>();
  for (const inlines of [false, true]) {
    const [one, second] = [await profileOf(log, inlines), await profileOf(other, inlines)];
    for (const difference of numberDifferences(one, second)) differences.add(difference);
  }
  return Array.from(differences);
}

/** Reads a log with the native names saved beside it; binaries of this machine do not count. */
async function profileOf(log: string, inlines: boolean) {
  const symbols = symbolsFileOf(log);
  const options: Partial<AnalyzeOptions> = {
    name: "log",
    sources: [],
    recorded:
      symbols === undefined
        ? undefined
        : readRecordedSymbols(await readSymbolsBeside(symbols, printable(symbols)), printable(symbols)),
    timeline: true,
    deopts: true,
    ics: inlines,
    inlines,
  };
  return analyze(openLog(log), options);
}

/** The file that says how the logs of a folder were recorded. */
const RECORD = "record.json";

/** Reads such a file. Throws a {@link TicksError} if it is not JSON. */
async function readRecord(file: string): Promise<unknown> {
  const name = printable(file);
  try {
    return JSON.parse(readRegularFile(file, MOST_RECORD_BYTES, name).toString("utf8"));
  } catch (error) {
    if (error instanceof TicksError) throw error;
    const problem = error instanceof SyntaxError ? "is not JSON" : "cannot be read";
    throw new TicksError("NOT_READABLE", `${name} ${problem}`, "Move it to another folder.");
  }
}

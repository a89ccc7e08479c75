import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type AnalyzeOptions, analyze } from "../../../analyze.js";
import { TicksError } from "../../../errors.js";
import { isFolder } from "../../../io/find-logs.js";
import { openLog } from "../../../io/input.js";
import { joinLines } from "../../../io/output.js";
import { readSymbolsBeside, symbolsFileOf } from "../../../io/symbols-file.js";
import { LogCheck } from "../../../redact/check-log.js";
import { redactLogName, v8LogName } from "../../../redact/log-names.js";
import { HashCheck } from "../../../redact/name-hash.js";
import { redactMap } from "../../../redact/redact-map.js";
import { redactRecord } from "../../../redact/redact-record.js";
import { redactSymbols } from "../../../redact/redact-symbols.js";
import { Redactor } from "../../../redact/redactor.js";
import { numberDifferences } from "../../../redact/same-numbers.js";
import { PROCESS_MAP, parseProcessMap, readProcessMap } from "../../../symbols/process-map.js";
import { readRecordedSymbols, writeRecordedSymbols } from "../../../symbols/recorded-symbols.js";
import { printable } from "../../../views/label.js";
import { givenLogs } from "../../log-paths.js";
import { printReport } from "../../print-report.js";
import type { RedactCommandFlags } from "../../redact-options.js";
import { RECORD, readRecord } from "./record-file.js";

/**
 * Runs `ticks redact --check`. Returns the exit status: 1 if a private string is left, or if a number
 * differs.
 */
export async function runRedactCheck(
  original: string,
  redacted: string | undefined,
  flags: RedactCommandFlags,
): Promise<number> {
  const { keep = [], output, key } = flags;
  if (redacted === undefined || output !== undefined || key !== undefined) {
    throw new TicksError(
      "BAD_OPTION",
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
    (await import("../../../reports/redact.js")).REDACT_CHECK,
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
    throw new TicksError(
      "BAD_OPTION",
      `${printable(Array.from(left)[0]!)} matches no log in ${printable(original)}`,
    );
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

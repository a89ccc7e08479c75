import { Diagnostics } from "../diagnostics.js";
import { writeLines } from "../io/output.js";
import { feedLog } from "../log-feeder.js";
import { LogParser } from "../parser/parser.js";
import type { RecordSink } from "../parser/record-sink.js";
import { nameLibraries } from "../preprocess/named-libraries.js";
import { vmSymbolLines } from "../preprocess/vm-symbol-lines.js";
import { LibraryMap } from "../recorder/library-map.js";
import { readableNames } from "../symbols/readable-names.js";
import type { DumpFaults } from "./log-dumps.js";
import { type LogFlags, openLogInput } from "./log-input.js";

/** Runs `ticks process --serialize-vm-symbols`: writes the C++ symbols of a log's libraries to standard output. */
export async function runVmSymbols(log: string, flags: LogFlags): Promise<DumpFaults> {
  const { chunks, ...input } = await openLogInput(log, flags);
  const { name } = input;
  const diagnostics = new Diagnostics();
  const map = new LibraryMap();
  const sink: RecordSink = {
    takeTicks() {},
    takeRecord(record) {
      if (record.type === "shared-library") map.add(record);
    },
  };
  const parser = new LogParser(sink, diagnostics);
  await feedLog(chunks, parser, name);
  const libraries = await nameLibraries(map.libraries, { ...input, readNames: readableNames });
  await writeLines(process.stdout, vmSymbolLines(libraries));
  return { name, diagnostics: diagnostics.list(), libraries: libraries.map(({ info }) => info) };
}

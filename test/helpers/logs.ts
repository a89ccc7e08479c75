import { labelOf } from "../../src/facts/label.ts";
import { type AnalyzeOptions, analyze } from "../../src/load/analyze.ts";
import { LogParser } from "../../src/log/parser.ts";
import type { LogRecord, OptionalRow } from "../../src/log/rows/row-decoders.ts";
import { recordSink } from "../../src/log/rows/row-decoders.ts";
import { Diagnostics } from "../../src/profile/diagnostics.ts";
import type { Diagnostic, Profile } from "../../src/profile/profile.ts";

/** A log of Node 26 in as few rows as can be; rows are added after it. */
export const NODE_26 = ["v8-version,14,6,202,34,-node.34,0", "profiler,begin,1000"];

/** The text of a log of these rows. */
export function logOf(...rows: readonly string[]): Buffer {
  return Buffer.from(rows.map((row) => `${row}\n`).join(""));
}

/** Bytes as a stream of chunks of `size` bytes. */
export async function* chunksOf(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What a log says. */
export function profileOf(log: Uint8Array, options: Partial<AnalyzeOptions> = {}): Promise<Profile> {
  return analyze(chunksOf(log), options);
}

/** The labels of the code that ticks are in, with the ticks of each, in the order of their first ticks. */
export function leavesOf({ frames, tree, samples }: Profile): Record<string, number> {
  const leaves: Record<string, number> = {};
  for (let i = 0; i < samples.length; i++) {
    const label = labelOf(frames[tree.frame[samples.node[i]!]!]!);
    leaves[label] = (leaves[label] ?? 0) + samples.ticks[i]!;
  }
  return leaves;
}

/** A row of a tick in JavaScript with nothing but an address. */
export function tickAt(address: number): string {
  return `tick,0x${address.toString(16)},1,0,0x0,0`;
}

/** Every record of a log, or of its pieces, ticks copied, and the faults found. */
export function parse(
  log: Uint8Array | readonly Uint8Array[],
  chunkSize?: number,
  optionalRows: readonly OptionalRow[] = [],
): { records: LogRecord[]; faults: Diagnostic[] } {
  const records: LogRecord[] = [];
  const diagnostics = new Diagnostics();
  const sink = recordSink((record) => {
    records.push(
      record.type === "tick" ? { ...record, frames: record.frames.slice(0, record.depth) } : record,
    );
  });
  const parser = new LogParser(sink, diagnostics, { optionalRows });
  for (const piece of log instanceof Uint8Array ? [log] : log) {
    const size = chunkSize ?? piece.length;
    for (let at = 0; at < piece.length; at += size) parser.push(piece.subarray(at, at + size));
  }
  parser.end();
  return { records, faults: diagnostics.list() };
}

/** The faults of a log as `code×count@line`. */
export function faultsOf(...rows: readonly string[]): string[] {
  return parse(logOf(...rows)).faults.map(({ code, count, line }) => `${code}×${count}@${line}`);
}

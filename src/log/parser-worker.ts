import { closeSync, readSync } from "node:fs";
import { receiveMessageOnPort, workerData } from "node:worker_threads";
import type { CompressionDiagnostic, LogRest } from "../io/log-chunks.js";
import { openRegular } from "../io/regular-file.js";
import { LogParser, type ParserOptions } from "./parser.js";
import {
  DIAGNOSTIC_MARK,
  INPUT_BYTES,
  INPUT_MARK,
  inputQueue,
  OUTPUT_FLAG,
  outputQueue,
  type ParserThreadData,
} from "./parser-thread.js";
import { extraBuffers, RecordWriter } from "./record-batch.js";

/** Diagnostics by their marks. */
const DIAGNOSTICS = new Map(
  Object.entries(DIAGNOSTIC_MARK).map(([diagnostic, mark]) => [mark, diagnostic as CompressionDiagnostic]),
);
/** Milliseconds to wait before reading again from a descriptor that had no data. */
const EAGAIN_MILLISECONDS = 1;

// The thread of a ParserThread. It blocks while it waits, since messages through the event loop would arrive
// later.
const { input, output, port } = workerData as ParserThreadData;
const bytes = inputQueue(input);
const batches = outputQueue(output);
let isLast = true;
const writer: RecordWriter = new RecordWriter(
  () => batches.claim(),
  (length, extras) => {
    const hasExtras = extras.length > 0;
    if (hasExtras) port.postMessage(extras, extraBuffers(extras));
    const flags = (isLast ? OUTPUT_FLAG.isLast : 0) | (hasExtras ? OUTPUT_FLAG.hasExtras : 0);
    batches.publish((length << OUTPUT_FLAG.bits) | flags);
  },
);

function openParser(options: ParserOptions): LogParser {
  return new LogParser(writer, writer, options);
}

/** Reads the rest of a log, a file from offset `position` on, and publishes after each read. */
function readRest(parser: LogParser, rest: LogRest & { readonly position: number }): void {
  const buffer = Buffer.allocUnsafeSlow(INPUT_BYTES);
  if ("descriptor" in rest) {
    for (let read = 1; read > 0; ) read = take(fill(rest.descriptor, buffer));
    return;
  }
  const file = openRegular(rest.path);
  let at = rest.position;
  for (let read = 1; read > 0; at += read) read = take(readSync(file, buffer, 0, INPUT_BYTES, at));
  closeSync(file);

  function take(read: number): number {
    parser.push(buffer.subarray(0, read));
    writer.flush();
    return read;
  }
}

/** Fills a buffer from a descriptor until the input ends. A pipe returns only a few bytes per read. */
function fill(descriptor: number, buffer: Buffer): number {
  let length = 0;
  for (let read = 1; read > 0 && length < buffer.length; length += read) {
    read = readWaiting(descriptor, buffer, length);
  }
  return length;
}

/** Reads from a descriptor into a buffer at `offset`. Also waits for data on a non-blocking descriptor. */
function readWaiting(descriptor: number, buffer: Buffer, offset: number): number {
  for (;;) {
    try {
      return readSync(descriptor, buffer, offset, buffer.length - offset, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return 0; // Windows reports the end of a pipe like this.
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EAGAIN_MILLISECONDS);
    }
  }
}

writer.flush(); // Shows that the thread runs.
// The first item is the start.
bytes.next(Number.POSITIVE_INFINITY);
const parser = openParser(receiveMessageOnPort(port)?.message as ParserOptions);
release();
for (let hasEnded = false; !hasEnded; ) {
  isLast = false;
  const { item, length } = bytes.next(Number.POSITIVE_INFINITY)!;
  hasEnded = length === INPUT_MARK.end || DIAGNOSTICS.has(length);
  if (hasEnded) parser.end(DIAGNOSTICS.get(length));
  else if (length === INPUT_MARK.rest)
    readRest(parser, receiveMessageOnPort(port)?.message as LogRest & { position: number });
  else parser.push(item.subarray(0, length));
  release();
}

/** Frees the input item that is done, and publishes what was found in it. */
function release(): void {
  bytes.release();
  isLast = true;
  writer.flush();
}

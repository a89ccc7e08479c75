import { closeSync, openSync, readSync } from "node:fs";
import { receiveMessageOnPort, workerData } from "node:worker_threads";
import { LogParser, type ParserState } from "./parser.js";
import {
  type FileRest,
  INPUT_BYTES,
  INPUT_MARK,
  inputQueue,
  OUTPUT_FLAG,
  outputQueue,
  type ParserThreadData,
} from "./parser-thread.js";
import { RecordWriter } from "./record-batch.js";

// The thread of a ParserThread. It waits without turning its event loop, which would take messages later.
const { input, output, port, options } = workerData as ParserThreadData;
const bytes = inputQueue(input);
const batches = outputQueue(output);
let isLast = true;
const writer = new RecordWriter(
  () => batches.claim(),
  (length, extras) => {
    const hasExtras = extras.length > 0;
    if (hasExtras) port.postMessage(extras);
    const flags = (isLast ? OUTPUT_FLAG.isLast : 0) | (hasExtras ? OUTPUT_FLAG.hasExtras : 0);
    batches.publish((length << OUTPUT_FLAG.bits) | flags);
  },
);
const parser = new LogParser(
  {
    takeTicks: (cells, count) => writer.addTicks(cells, count),
    takeRecord: (record) => writer.addRecord(record, parser.line),
  },
  { add: (code, line) => writer.addFault(code, line) },
  options,
);

/** Reads a file from a position on, and publishes after each read. */
function readFile({ path, position }: FileRest): void {
  const buffer = Buffer.allocUnsafeSlow(INPUT_BYTES);
  const file = openSync(path, "r");
  let at = position;
  for (let read = 1; read > 0; at += read) {
    read = readSync(file, buffer, 0, INPUT_BYTES, at);
    parser.push(buffer.subarray(0, read));
    writer.flush();
  }
  closeSync(file);
}

writer.flush(); // Tells that the thread runs.
for (let length = 0; length !== INPUT_MARK.end; ) {
  const next = bytes.next(Number.POSITIVE_INFINITY)!;
  length = next.length;
  isLast = false;
  if (length === INPUT_MARK.start) parser.resume(receiveMessageOnPort(port)?.message as ParserState);
  else if (length === INPUT_MARK.end) parser.end();
  else if (length === INPUT_MARK.file) readFile(receiveMessageOnPort(port)?.message as FileRest);
  else parser.push(next.item.subarray(0, length));
  bytes.release();
  isLast = true;
  writer.flush();
}

import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CompressionDiagnostic } from "../../src/io/log-chunks.ts";
import type { LogParser as Parser, ParserOptions } from "../../src/log/parser.ts";
import type { startThreadAhead as startAhead, ParserThread as Thread } from "../../src/log/parser-thread.ts";
import type { LogRecord } from "../../src/log/rows/row-decoders.ts";
import { recordSink } from "../../src/log/rows/row-decoders.ts";
import { TickReader } from "../../src/log/rows/tick.ts";
import { fixtureLog, SOME_FIXTURES } from "../helpers/fixtures.ts";
import { testFolder } from "../helpers/folder.ts";

// A thread runs what is built.
const { LogParser } = (await import("../../build/log/parser.js" as string)) as {
  LogParser: typeof Parser;
};
const { ParserThread, startThreadAhead } = (await import("../../build/log/parser-thread.js" as string)) as {
  ParserThread: typeof Thread;
  startThreadAhead: typeof startAhead;
};

const OPTIONS: ParserOptions = { optionalRows: ["code-source-info", "script-source", "code-deopt"] };

function entry(record: LogRecord, line: number): string {
  if (record.type !== "tick") return JSON.stringify({ ...record, line });
  const { frames, depth, ...tick } = record;
  return JSON.stringify({ ...tick, frames: Array.from(frames.subarray(0, depth)) });
}

function parseHere(log: Buffer): string[] {
  const found: string[] = [];
  const parser = new LogParser(
    recordSink((record) => found.push(entry(record, parser.line))),
    { add: (code, line) => found.push(`${code} ${line}`) },
    OPTIONS,
  );
  parser.push(log);
  parser.end();
  return found;
}

/** Parses a log in a thread: cut into pieces, or read from a file after the first bytes. */
async function parseThere(
  log: Buffer,
  how: { piece: number; fault?: CompressionDiagnostic } | { file: string; first: number },
) {
  const found: string[] = [];
  const ticks = new TickReader((tick) => found.push(entry(tick, 0)));
  const opened = await ParserThread.open(
    {
      takeTicks: (cells) => ticks.read(cells),
      takeRecord: (record, line) => found.push(entry(record, line)),
      add: (code, line) => found.push(`${code} ${line}`),
    },
    OPTIONS,
  );
  const thread = opened!;
  if ("file" in how) {
    await thread.push(log.subarray(0, how.first));
    await thread.pushRest({ path: how.file, position: how.first }, async () => {});
  } else
    for (let at = 0; at < log.length; at += how.piece) await thread.push(log.subarray(at, at + how.piece));
  await thread.end("file" in how ? undefined : how.fault);
  await thread.close();
  return found;
}

describe.skipIf(availableParallelism() < 2)("ParserThread", () => {
  it("finds what a parser finds, in its order", async () => {
    for (const [i, name] of SOME_FIXTURES.entries()) {
      const log = fixtureLog(name);
      const found = await parseThere(log, { piece: [1 << 20, 77_777, 999][i % 3]! });
      expect(found, name).toEqual(parseHere(log));
    }
  });

  it("reads a file itself", async () => {
    const folder = testFolder();
    const file = join(folder, "isolate.log");
    const log = fixtureLog("node-24-inlining");
    writeFileSync(file, log);
    expect(await parseThere(log, { file, first: 300_000 })).toEqual(parseHere(log));
  });

  it("uses a thread that was started ahead, once", async () => {
    const log = fixtureLog(SOME_FIXTURES[0]!);
    startThreadAhead();
    startThreadAhead();
    for (let run = 0; run < 2; run++)
      expect(await parseThere(log, { piece: 99_999 })).toEqual(parseHere(log));
  });

  it("tells what cut the log short", async () => {
    const log = Buffer.from("v8-version,14,6,202,34,-node.34,0\nprofiler,begin,1000\ntick,0x1");
    for (const fault of ["damaged-compression", "cut-compression"] as const) {
      expect((await parseThere(log, { piece: 7, fault })).at(-1)).toBe(`${fault} 3`);
    }
  });

  it("tells what went wrong in it", async () => {
    await expect(parseThere(Buffer.from("x\n"), { file: "/no/such/file", first: 2 })).rejects.toThrow(
      /ENOENT/,
    );
  });
});

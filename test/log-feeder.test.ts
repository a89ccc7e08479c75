import { describe, expect, it } from "vitest";
import type { LogChunks, LogRest } from "../src/io/log-chunks.ts";
import { type FeedOptions, feedLog, type OtherParser } from "../src/load/log-feeder.ts";
import { LogParser } from "../src/log/parser.ts";
import { recordSink } from "../src/log/rows/row-decoders.ts";
import { Diagnostics } from "../src/profile/diagnostics.ts";

const MIB = 2 ** 20;
const LOG = Buffer.from("v8-version,14,6,202,34,-node.34,0\n");

/** A log of chunks; what was read of it, and whether that came to an end, is told. */
function logOf(chunks: readonly Uint8Array[], more: Pick<LogChunks, "rest" | "size"> = {}) {
  const told = { read: 0, isClosed: false };
  async function* read() {
    try {
      for (const chunk of chunks) {
        told.read++;
        yield chunk;
      }
    } finally {
      told.isClosed = true;
    }
  }
  return { log: { [Symbol.asyncIterator]: read, ...more } satisfies LogChunks, told };
}

/** Chunks of a MiB, the first of which begins as a log does. */
function mebibytes(count: number): Uint8Array[] {
  const chunk = Buffer.alloc(MIB, "\n");
  return Array.from({ length: count }, (_, i) => (i === 0 ? Buffer.concat([LOG, chunk], MIB) : chunk));
}

/** A thread that tells what it was given. */
function tellingThread() {
  const given: string[] = [];
  const thread: OtherParser = {
    ticks: 7,
    push: async (chunk) => void given.push(`${chunk.length / MIB} MiB`),
    pushRest: async ({ position, ...rest }, afterRead) => {
      given.push(`${JSON.stringify(rest)} from ${position / MIB} MiB`);
      await afterRead(5 * MIB);
    },
    end: async () => void given.push("end"),
    close: async () => void given.push("close"),
  };
  return { thread, given };
}

/** Feeds a log; what the parser here was given, and how far it was after each chunk. */
async function feed(log: LogChunks, options: FeedOptions = {}) {
  const given: string[] = [];
  const parser = new LogParser(
    recordSink(() => {}),
    new Diagnostics(),
  );
  const [push, end] = [parser.push.bind(parser), parser.end.bind(parser)];
  parser.push = (bytes) => {
    given.push(`${bytes.length / MIB} MiB`);
    push(bytes);
  };
  parser.end = () => {
    given.push("end");
    end();
  };
  const progress: string[] = [];
  await feedLog(log, parser, "x.log", {
    afterChunk: async ({ bytes, ticks }) => void progress.push(`${bytes / MIB} MiB, ${ticks} ticks`),
    ...options,
  });
  return { given, progress };
}

/** Options that open a thread; how often they were asked to. */
function opening(thread: OtherParser | undefined) {
  const told = { times: 0 };
  const openThread = async () => {
    told.times++;
    return thread;
  };
  return { openThread, told };
}

describe("feedLog", () => {
  it("feeds all of a log, and ends it", async () => {
    const { openThread, told } = opening(undefined);
    const { log } = logOf(mebibytes(3));
    expect(await feed(log, { openThread })).toEqual({
      given: ["1 MiB", "1 MiB", "1 MiB", "end"],
      // What was held until the end is told when it is there, and when it is read.
      progress: ["1 MiB", "2 MiB", ...Array.from({ length: 4 }, () => "3 MiB")].map(
        (bytes) => `${bytes}, 0 ticks`,
      ),
    });
    expect(told.times).toBe(0);
  });

  it("gives a log that is large to a thread, from its first byte on", async () => {
    const { thread, given } = tellingThread();
    const { openThread, told } = opening(thread);
    const { log } = logOf(mebibytes(3), { size: 16 * MIB });
    const here = await feed(log, { openThread });
    expect(here.given).toEqual([]);
    expect(given).toEqual(["1 MiB", "1 MiB", "1 MiB", "end", "close"]);
    expect(here.progress.slice(-2)).toEqual(["3 MiB, 7 ticks", "3 MiB, 7 ticks"]);
    expect(told.times).toBe(1);
  });

  it("holds a log of unknown size until it proves large, and opens no thread for one that is small", async () => {
    for (const [size, chunks, there] of [
      [undefined, 6, [...Array.from({ length: 6 }, () => "1 MiB"), "end", "close"]],
      [undefined, 3, []],
      [15 * MIB, 6, []],
    ] as const) {
      const { thread, given } = tellingThread();
      const { openThread, told } = opening(thread);
      const { log } = logOf(mebibytes(chunks), { size });
      const here = await feed(log, { openThread });
      expect(given, `${size}`).toEqual(there);
      const all = [...Array.from({ length: chunks }, () => "1 MiB"), "end"];
      expect(here.given, `${size}`).toEqual(there.length > 0 ? [] : all);
      expect(told.times, `${size}`).toBe(there.length > 0 ? 1 : 0);
    }
  });

  it("asks once for a thread, and does without", async () => {
    const { openThread, told } = opening(undefined);
    const { log } = logOf(mebibytes(7), { size: 16 * MIB });
    expect((await feed(log, { openThread })).given).toHaveLength(8);
    expect(told.times).toBe(1);
  });

  it("has the thread read the rest where that stands as it is, and reads no more", async () => {
    const { thread, given } = tellingThread();
    const rests: LogRest[] = [];
    const rest = () => {
      const found = { path: `/x.log.${rests.length}` };
      rests.push(found);
      return found;
    };
    const { log, told } = logOf(mebibytes(6), { size: 16 * MIB, rest });
    const here = await feed(log, opening(thread));
    expect(here.given).toEqual([]);
    expect(given).toEqual(["1 MiB", '{"path":"/x.log.0"} from 1 MiB', "end", "close"]);
    expect(here.progress.slice(-2)).toEqual(["6 MiB, 7 ticks", "6 MiB, 7 ticks"]);
    expect(told).toEqual({ read: 1, isClosed: true });
  });

  it("gives a thread only what is a log", async () => {
    const { thread, given } = tellingThread();
    const { log } = logOf(
      Array.from({ length: 4 }, () => Buffer.alloc(MIB, "x\n")),
      { size: 16 * MIB },
    );
    await expect(feed(log, opening(thread))).rejects.toMatchObject({ code: "NOT_A_LOG" });
    expect(given).toEqual([]);
  });

  it("stops the thread when reading fails", async () => {
    const { thread, given } = tellingThread();
    const log = {
      size: 16 * MIB,
      async *[Symbol.asyncIterator]() {
        yield Buffer.concat([LOG, Buffer.alloc(MIB, "\n")]);
        throw new Error("torn");
      },
    };
    await expect(feed(log, opening(thread))).rejects.toThrow("torn");
    expect(given.at(-1)).toBe("close");
  });

  it("says what is no log, after as much as proves that", async () => {
    await expect(feed(logOf([]).log)).rejects.toMatchObject({ code: "EMPTY", message: "x.log is empty" });
    await expect(feed(logOf([new Uint8Array()]).log)).rejects.toMatchObject({ code: "EMPTY" });
    const text = logOf(Array.from({ length: 9 }, () => Buffer.alloc(MIB / 2, "x\n")));
    await expect(feed(text.log)).rejects.toMatchObject({
      code: "NOT_A_LOG",
      message: "x.log is not a V8 log",
    });
    expect(text.told).toEqual({ read: 3, isClosed: true });
    for (const chunks of [["{}"], ["", "[1]"]]) {
      const json = logOf(chunks.map((chunk) => Buffer.from(chunk)));
      await expect(feed(json.log)).rejects.toThrow("x.log is JSON, not a V8 log");
    }
  });
});

import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { Progress } from "../../src/cli/progress.ts";

function setup(total: number | undefined) {
  let time = 0;
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  });
  const progress = new Progress(stream, total, () => time);
  return { progress, written, at: (ms: number) => (time = ms) };
}

describe("Progress", () => {
  it("says nothing of work under a second", () => {
    const { progress, written, at } = setup(1e6);
    at(999);
    progress.update({ bytes: 5e5, ticks: 7 });
    progress.done();
    expect(written).toEqual([]);
  });

  it("tells the share, the speed and the ticks, ten times a second, and goes away", () => {
    const { progress, written, at } = setup(400e6);
    for (const ms of [1000, 1050, 2000]) {
      at(ms);
      progress.update({ bytes: ms * 1e5, ticks: ms });
    }
    progress.done();
    expect(written).toEqual([
      "\r\x1b[K25 %  100 MB  100 MB/s  1000 ticks",
      "\r\x1b[K50 %  200 MB  100 MB/s  2000 ticks",
      "\r\x1b[K",
    ]);
  });

  it("adds up several logs", () => {
    const { progress, written, at } = setup(400e6);
    const first = progress.forNextLog();
    first({ bytes: 50e6, ticks: 10 });
    first({ bytes: 100e6, ticks: 20 });
    const second = progress.forNextLog();
    at(1000);
    second({ bytes: 200e6, ticks: 3 });
    expect(written).toEqual(["\r\x1b[K75 %  300 MB  300 MB/s  23 ticks"]);
  });

  it.each([undefined, 0])("tells no share of what has no known size: %s", (total) => {
    const { progress, written, at } = setup(total);
    at(1000);
    progress.update({ bytes: 1e6, ticks: 1 });
    expect(written).toEqual(["\r\x1b[K1 MB  1 MB/s  1 ticks"]);
  });
});

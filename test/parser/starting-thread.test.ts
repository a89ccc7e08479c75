import { afterEach, describe, expect, it } from "vitest";
import { createQueueMemory, SharedQueue } from "../../src/parser/shared-queue.js";
import { isThreadStarting, noteEnd, noteStart } from "../../src/parser/starting-thread.js";

const opened = () => new SharedQueue(createQueueMemory(1, 8), () => undefined);

describe("a thread", () => {
  let output = opened();
  afterEach(() => noteEnd(output));

  it("starts until it has written something", () => {
    expect(isThreadStarting()).toBe(false);
    output = opened();
    noteStart(output);
    expect(isThreadStarting()).toBe(true);
    output.claim();
    output.publish(0);
    expect(isThreadStarting()).toBe(false);
    output.next(0);
    output.release();
    expect(isThreadStarting()).toBe(false);
  });

  it("starts until it ends, but not for the end of another one", () => {
    output = opened();
    noteStart(output);
    noteEnd(opened());
    expect(isThreadStarting()).toBe(true);
    noteEnd(output);
    expect(isThreadStarting()).toBe(false);
  });
});

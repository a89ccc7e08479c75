import { describe, expect, it } from "vitest";
import type { Frame } from "../../src/profile/frame.ts";
import type { V8Version } from "../../src/profile/v8-version.ts";
import { callerCounts } from "../../src/symbolizer/symbolize.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function counted(major: number, ...stacks: readonly string[]) {
  const { frames, tree, samples } = profileFromStacks(...stacks);
  const v8: V8Version = { major, minor: 4, build: 0, patch: 0, embedder: "-node.1" };
  return callerCounts(
    { tree, samples, v8 },
    frames.map((frame) => [frame]),
    () => false,
  ).missing;
}

function nameOf(frame: Frame): string {
  return frame.kind === "js" ? frame.name : "";
}

describe("callerCounts", () => {
  it("counts the ticks of stacks with a lost position", () => {
    const { frames, tree, samples } = profileFromStacks(
      "js:a js:b",
      "js:b js:a js:b",
      "js:a",
      "js:c ?",
      "js:c",
    );
    const { lost } = callerCounts(
      { tree, samples, v8: undefined },
      frames.map((frame) => [frame]),
      (number) => nameOf(frames[number]!) === "b",
    );
    expect(lost).toBe(2);
  });

  it("counts callers and ticks, each as often as ticks passed them", () => {
    expect(counted(13, "js:a ? ? js:b", "js:a ? ? js:b", "js:a js:b", "?", "js:a ?")).toEqual({
      callers: 8,
      missing: 4,
      ticks: 2,
      belowProgram: 2,
      interpreted: 0,
    });
  });

  it("counts the ticks of handlers whose function is missing", () => {
    expect(counted(13, "js:~a ? handler:Add", "js:~a handler:Add", "handler:Add", "?")).toEqual({
      callers: 3,
      missing: 1,
      ticks: 1,
      belowProgram: 1,
      interpreted: 1,
    });
  });

  it("tells those below a function of the program from those above", () => {
    const [main, start] = ["js:~main·/srv/main.js:1:1", "js:~start·node:internal/main:1:1"];
    const above = [
      `? ? ${main} builtin:Add`,
      `${start} ? ${main} ${main}`,
      `${start} ? js:~read·node:fs:2:3`,
    ];
    expect(counted(13, ...above)).toMatchObject({ missing: 4, ticks: 3, belowProgram: 0 });
    // An address that runs itself is no caller.
    expect(counted(13, `${main} ?`, `? ${main} ${start} ?`)).toMatchObject({ missing: 1, belowProgram: 0 });
    const below = [`${main} ? builtin:Add`, `? ${main} ${start} ? ${main}`];
    expect(counted(13, ...above, ...below)).toMatchObject({ missing: 7, ticks: 5, belowProgram: 2 });
  });

  it("does not count what native code has for a caller before V8 12", () => {
    const stacks = ["js:a ? libc:read", "js:a ? builtin:Call", "js:a ? js:b libc:read", "js:a ? ? libc:read"];
    expect(counted(11, ...stacks)).toMatchObject({ callers: 10, missing: 3, ticks: 3 });
    expect(counted(12, ...stacks)).toMatchObject({ callers: 10, missing: 5, ticks: 4 });
  });
});

import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { fileTimes, logSize, openLog } from "../../src/io/input.ts";

const FILE = fileURLToPath(import.meta.url);

it("has the size and the times of files only, and no error for any path", () => {
  expect(logSize(FILE)).toBeGreaterThan(300);
  expect(fileTimes(FILE)?.changed).toBeGreaterThan(Date.UTC(2020, 0));
  const others = ["-", ".", "nowhere", `${FILE}/x`, "x".repeat(5000), "nul\0"];
  expect(others.flatMap((path) => [logSize(path), fileTimes(path)])).toEqual(
    others.flatMap(() => [undefined, undefined]),
  );
});

it("finds no file of a name with a zero byte", async () => {
  const read = async () => {
    for await (const _ of openLog("nul\0")) break;
  };
  await expect(read()).rejects.toMatchObject({ code: "NOT_FOUND" });
});

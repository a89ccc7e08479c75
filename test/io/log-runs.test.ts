import { expect, it } from "vitest";
import { runsOf } from "../../src/io/log-origin.ts";

it("logs whose names differ in the isolate alone are of one run, if they have a PID", () => {
  const runs = [
    ["d/isolate-0x2-7-v8.log", "d/isolate-0x1-7-v8.log.gz", "d/isolate-0x3-7-v8-7.log.zst"],
    ["isolate-0x1-8-v8.log"],
    ["isolate-0x1-7-app.log", "isolate-00000209B99A60A0-7-app.log"],
    ["host.isolate-0x1-7-v8.log"],
    ["isolate-0x1-v8.log"],
    ["isolate-0x2-v8.log"],
    ["v8.log"],
  ] as const;
  const [first, ...others] = runs;
  const paths = [first[0], ...others.flat(), first[1]];
  expect(runsOf(paths).map(({ pid, logs }) => [pid, ...logs])).toEqual([
    [7, first[0], first[1]],
    [8, "isolate-0x1-8-v8.log"],
    [7, "isolate-0x1-7-app.log", "isolate-00000209B99A60A0-7-app.log"],
    [7, "host.isolate-0x1-7-v8.log"],
    [undefined, "isolate-0x1-v8.log"],
    [undefined, "isolate-0x2-v8.log"],
    [undefined, "v8.log"],
  ]);
  expect(runsOf([first[0], first[2]])).toHaveLength(2);
});

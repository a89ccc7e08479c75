import { expect, it } from "vitest";
import { normalAddress, originOfLog } from "../../src/io/log-origin.ts";

it.each([
  ["isolate-0x2e477fc0-v8.log", undefined, "0x2e477fc0"],
  ["isolate-0x38db74c0-16691-v8.log", 16691, "0x38db74c0"],
  ["isolate-0x19b94fd0-v8-15731.log", 15731, "0x19b94fd0"],
  ["isolate-0x2bf9f570-16587-v8-16587.log.gz", 16587, "0x2bf9f570"],
  ["isolate-00000209B99A60A0-v8.log", undefined, "0x209b99a60a0"],
  ["isolate-00000209B99A60A0-1234-v8.log.zst", 1234, "0x209b99a60a0"],
  ["isolate-0x7f00-77-app.log", 77, "0x7f00"],
  ["host-3.isolate-0x7f00-77-v8.log", 77, "0x7f00"],
  ["v8.log", undefined, undefined],
  ["v8-4711.log", 4711, undefined],
  ["isolate.log.gz", undefined, undefined],
  ["-", undefined, undefined],
])("reads %s", (name, pid, isolate) => {
  expect(originOfLog(name)).toEqual({ pid, isolate });
  expect(originOfLog(`logs/isolate-0x1-9-v8/${name}`)).toEqual({ pid, isolate });
  expect(originOfLog(`C:\\logs\\${name}`)).toEqual({ pid, isolate });
});

it("writes one address one way", () => {
  expect(normalAddress("00000209B99A60A0")).toBe("0x209b99a60a0");
});

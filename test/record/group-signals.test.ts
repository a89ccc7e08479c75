import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TICKS } from "../helpers/cli.ts";
import { testFolder } from "../helpers/folder.ts";

const folder = testFolder();
/** Says each signal that it gets, and ends a while after the first. */
const PROGRAM = `process.on("SIGINT", () => { console.log("heard"); setTimeout(() => process.exit(), 300); });
  setInterval(() => {}, 5); console.log("ready");`;

/** Returns how often the command of a recording gets a signal that is sent to the recorder alone, or to its group. */
function heard(target: "one" | "group"): Promise<number> {
  const out = ["-o", join(folder, target), "--discard"];
  const words = [TICKS, "record", ...out, "--", process.execPath, "-e", PROGRAM];
  const ticks = spawn(process.execPath, words, { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  return new Promise((done) => {
    ticks.stdout.on("data", (chunk) => {
      const isReady = output.includes("ready");
      output += chunk;
      if (!isReady && output.includes("ready"))
        process.kill(target === "one" ? ticks.pid! : -ticks.pid!, "SIGINT");
    });
    ticks.on("close", () => done(output.split("heard").length - 1));
  });
}

it.skipIf(process.platform === "win32")(
  "passes a signal on once, also one that its whole group gets",
  async () => {
    expect(await heard("one")).toBe(1);
    expect(await heard("group")).toBe(1);
  },
);

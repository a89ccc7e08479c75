import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse } from "acorn";
import { describe, expect, it } from "vitest";
import { TICKS } from "../helpers/cli.ts";

/** Runs the command as Node of another version would, as far as it asks. */
function runAs(version: string) {
  const pretend = `Object.defineProperty(process, "version", { value: "v${version}" });
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });
    process.argv.splice(1, 0, ${JSON.stringify(TICKS)});
    require(${JSON.stringify(TICKS)});`;
  return spawnSync(process.execPath, ["-e", pretend, "--", "--version"], { encoding: "utf8" });
}

describe("the command in an old Node", () => {
  it("says what it needs, and how to record with that Node", () => {
    const { stderr, stdout, status } = runAs("18.20.8");
    expect({ stdout, status }).toEqual({ stdout: "", status: 2 });
    expect(stderr.split("\n")[0]).toBe("ticks needs Node 20 or later, this is v18.20.8.");
    expect(stderr).toContain(`ticks record -- ${process.execPath} app.js`);
  });

  it("runs in the oldest that will do", () => {
    expect(runAs("20.0.0")).toMatchObject({ stderr: "", status: 0 });
  });

  it("is a script that Node 4 can read", () => {
    const text = readFileSync(TICKS, "utf8");
    expect(() => parse(text, { ecmaVersion: 5, sourceType: "script", allowHashBang: true })).not.toThrow();
  });
});

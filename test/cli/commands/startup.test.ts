import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../helpers/folder.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

describe("ticks startup", () => {
  const folder = testFolder();
  beforeAll(() => {
    const fixture = new URL("../../../fixtures/startup/commonjs-16.log.gz", import.meta.url);
    copyFileSync(fileURLToPath(fixture), join(folder, "v8.log.gz"));
  });
  const run = (...args: string[]) => warmTicks(["startup", "v8.log.gz", ...args], { cwd: folder });

  it("prints the cost of each package and module, and what may help", async () => {
    const { stdout, status } = await run();
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^v8\.log\.gz, Node 16:\n\d+ ticks \(\d+ ms\) until main\.cjs and all that it needs were loaded, \d+ ms after/,
    );
    const lines = stdout.split("\n");
    const below = (title: string) => lines[lines.indexOf(` [${title}]:`) + 2];
    expect(below("Packages")).toMatch(/ slowpkg$/);
    expect(below("Modules")).toMatch(/ slowpkg\/index\.js$/);
    expect(below("Who loads whom")).toMatch(/ main\.cjs$/);
    expect(stdout).toMatch(/scripts of the program: 5 compiled from source/);
    expect(stdout).toMatch(/% {2}load quickpkg where it is first used/);
  });

  it("says of a profile without samples that nothing was sampled", async () => {
    const nodes = [
      { id: 1, callFrame: { functionName: "(root)", url: "", lineNumber: -1, columnNumber: -1 } },
    ];
    writeFileSync(join(folder, "empty.cpuprofile"), JSON.stringify({ nodes }));
    for (const until of [[], ["--until", "first-idle"], ["--until", "500"]]) {
      const { status, stderr } = await warmTicks(["startup", "empty.cpuprofile", ...until], { cwd: folder });
      expect([status, stderr]).toEqual([0, expect.not.stringContaining("bug")]);
    }
  });

  it("ends where the user says", async () => {
    const ends = async (mark: string) => JSON.parse((await run("--json", "--until", mark)).stdout).ends[0];
    expect(await ends("100")).toMatchObject({ by: "time", untilUs: 100_000 });
    expect(await ends("busy")).toMatchObject({ by: "mark" });
    expect(await ends("slowpkg/index.js")).toMatchObject({ by: "mark" });
  });

  it("refuses a mark that has no ticks, and a time that is none", async () => {
    expect(await run("--until", "nothing")).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringMatching(/--until nothing: no function or file of this name has ticks/),
    });
    expect(await run("--until", "/(/")).toMatchObject({ status: 2 });
    expect(await run("--until", "-1")).toMatchObject({ status: 2 });
  });
});

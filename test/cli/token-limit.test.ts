import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26 } from "../helpers/logs.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));
/** Run in this folder: a page names its logs, so a long path of the checkout would count as tokens. */
const run = (args: readonly string[]) => warmTicks(args, { cwd: FIXTURES });
const LOG = "node-26-inlining/isolate.log.gz";

const TOP = ["top", LOG];
const TREE = ["tree", LOG, "--min", "0"];

describe("--limit-tokens", () => {
  it.each([
    ["top", 550],
    ["lines -n 100", 250],
    ["function main --min 0", 250],
  ])("drops the program's own code last: %s", async (command, most) => {
    const address = (i: number) => `0x${(0x1000 * (i + 2)).toString(16)}`;
    const ofPackages = Array.from({ length: 15 }, (_, i) => [
      `code-creation,JS,10,1,${address(i)},16,work${i} /srv/node_modules/pg/${i}.js:1:1,0x1${i + 10},*`,
      ...Array.from({ length: 2 }, () => `tick,${address(i)},1,0,0x0,0,0x1001`),
    ]);
    const log = logOf(
      ...NODE_26,
      "code-creation,JS,10,1,0x1000,16,main /srv/main.js:1:1,0x10,*",
      "code-creation,JS,10,1,0x100000,16,mine /srv/main.js:9:1,0x11,*",
      ...ofPackages.flat(),
      "tick,0x100001,1,0,0x0,0,0x1001",
    );
    const folder = testFolder();
    writeFileSync(join(folder, "a.log"), log);
    const [name = "", ...words] = command.split(" ");
    const page = await warmTicks([name, "a.log", ...words, "--md", "--limit-tokens", String(most)], {
      cwd: folder,
    });
    expect(page.stdout).toContain(`dropped to fit ${most} tokens`);
    expect(page.stdout).toMatch(/\bwork\d+/);
    expect(page.stdout).toMatch(/\bmine\b/);
  });

  it("keeps the place of a finding, whose source the rows below refer to", async () => {
    const page = await run(["top", "node-26-guide/isolate.log.gz", "--md", "--limit-tokens", "500"]);
    expect(page.stdout).toContain("dropped to fit 500 tokens");
    expect(page.stdout).toMatch(/at `guide-server\.js:9 \(hash\)` \| `return crypto\.pbkdf2Sync/);
    expect(page.stdout).toMatch(/`guide-server\.js:9` \| `hash` \| `\(above\)`/);
  });

  it("is refused where not even the head fits, with the least that does", async () => {
    const page = await run([...TREE, "--format", "md", "--limit-tokens", "3"]);
    expect(page).toMatchObject({ stdout: "", status: 2 });
    const least = /--limit-tokens (\d+)\n$/.exec(page.stderr)?.[1] ?? "";
    const enough = await run([...TREE, "--format", "md", "--limit-tokens", least]);
    expect(enough.status).toBe(0);
    expect(Math.ceil(enough.stdout.length / 4)).toBe(Number(least));
  });

  it("is an error in another format", async () => {
    const page = await run([...TOP, "--limit-tokens", "500"]);
    expect(page).toMatchObject({ stdout: "", status: 2 });
    expect(page.stderr).toBe(
      "ticks: --limit-tokens needs --format md\nTry: --format md --limit-tokens 500\n",
    );
  });
});

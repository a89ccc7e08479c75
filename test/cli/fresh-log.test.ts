import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { ticks } from "../helpers/cli.ts";
import { testFolder } from "../helpers/folder.ts";

const PROGRAM = fileURLToPath(new URL("../programs/passwords.js", import.meta.url));

/** What Node's own and OpenSSL's functions of hashing are called, and the copying that they do. */
const CRYPTO = /pbkdf2|sha512|hmac|EVP_|crypto|md_|_md|mem(?:cpy|set|move)|kdf|OSSL|digest/i;

describe("a log recorded just now, by the Node that runs the tests", () => {
  const folder = testFolder();
  beforeAll(() => {
    execFileSync(process.execPath, ["--prof", PROGRAM, "60"], { cwd: folder });
  });

  it("of hashed passwords has at least 95 % of its ticks in crypto functions", async () => {
    const { stdout, status } = await ticks(["process", "--format=json"], { cwd: folder });
    expect(status).toBe(0);
    const { functions, ticks: all } = JSON.parse(stdout);
    const own = functions
      .filter(({ kind, name }: { kind: string; name: string }) => kind === "native" && CRYPTO.test(name))
      .reduce((sum: number, { self }: { self: number }) => sum + self, 0);
    expect(all).toBeGreaterThan(100);
    expect(own / all).toBeGreaterThanOrEqual(0.95);
  });

  it("gives the same report from saved symbols as from the binaries", async () => {
    const direct = await ticks(["process"], { cwd: folder });
    const saved = await ticks(["symbols", "-o", "saved.symbols", direct.stderr.split(" ").at(-1)!.trim()], {
      cwd: folder,
    });
    expect(saved.stderr).toMatch(/wrote \d+ symbols of \d+ libraries to saved\.symbols/);
    const again = await ticks(["process", "--symbols", "saved.symbols", "--target", "/nowhere"], {
      cwd: folder,
    });
    expect(again.stdout).toBe(direct.stdout);
  });
});

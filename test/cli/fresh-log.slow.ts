import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/folder.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const PROGRAM = fileURLToPath(new URL("../programs/passwords.js", import.meta.url));

/** What Node's own and OpenSSL's functions of hashing are called, and the copying that they do. */
const CRYPTO = /pbkdf2|sha512|hmac|EVP_|crypto|md_|_md|mem(?:cpy|set|move)|kdf|OSSL|digest/i;

describe("a log recorded just now, by the Node that runs the tests", () => {
  const folder = testFolder();
  beforeAll(() => {
    execFileSync(process.execPath, ["--prof", PROGRAM, "60"], { cwd: folder });
  });

  it("of hashed passwords has at least 95 % of its ticks in crypto functions", async () => {
    const { stdout, status } = await warmTicks(["process", "--format=json"], { cwd: folder });
    expect(status).toBe(0);
    const { functions, ticks: all } = JSON.parse(stdout);
    const own = functions
      .filter(({ kind, name }: { kind: string; name: string }) => kind === "native" && CRYPTO.test(name))
      .reduce((sum: number, { self }: { self: number }) => sum + self, 0);
    expect(all).toBeGreaterThan(100);
    expect(own / all).toBeGreaterThanOrEqual(0.95);
  });

  it("gives the same report from saved symbols as from the binaries", async () => {
    const direct = await warmTicks(["process"], { cwd: folder });
    const saved = await warmTicks(
      ["symbols", "-o", "saved.symbols", readdirSync(folder).find((name) => name.endsWith(".log"))!],
      {
        cwd: folder,
      },
    );
    expect(saved.stderr).toMatch(/wrote \d+ symbols of \d+ libraries to saved\.symbols/);
    const again = await warmTicks(["process", "--symbols", "saved.symbols", "--target", "/nowhere"], {
      cwd: folder,
    });
    expect(again.stdout).toBe(direct.stdout);
  });
});

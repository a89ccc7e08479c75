import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { warmTicks } from "../helpers/warm-cli.ts";

const CASE = fileURLToPath(new URL("../../fixtures/node-26-guide", import.meta.url));
const run = (...args: string[]) => warmTicks(["process", ...args], { cwd: CASE });

describe("ticks process --preprocess", () => {
  it("prints code, functions, ticks and scripts of one log as JSON", async () => {
    const { stdout, status } = await run("--preprocess", "isolate.log.gz");
    const { code, functions, ticks: samples, scripts } = JSON.parse(stdout);
    expect(samples).toHaveLength(1341);
    expect(functions.length).toBeGreaterThan(50);
    expect(code.some((c: { name: string; type: string }) => c.type === "CPP" && /sha512/.test(c.name))).toBe(
      true,
    );
    expect(scripts.length).toBeGreaterThan(0);
    expect(status).toBe(0);
  });

  it("takes one log", async () => {
    expect(await run("--preprocess", "isolate.log.gz", "../node-26-inlining/isolate.log.gz")).toMatchObject({
      stdout: "",
      status: 2,
    });
  });
});

describe("ticks process --serialize-vm-symbols", () => {
  it("prints functions by ascending address, then the libraries", async () => {
    const { stdout, status } = await run("--serialize-vm-symbols", "isolate.log.gz");
    const rows: [string, number, number][] = JSON.parse(stdout);
    const libraries = rows.filter(([name]) => name.startsWith("/"));
    expect(libraries.some(([name]) => name === "/opt/node/bin/node")).toBe(true);
    const starts = rows
      .slice(
        0,
        rows.findIndex(([name]) => name.startsWith("/")),
      )
      .map(([, start]) => start);
    expect(starts.length).toBeGreaterThan(50);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(status).toBe(0);
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ticks } from "../helpers/cli.ts";
import { type SimulatedFunction, simulatedLog } from "../helpers/simulated-run.ts";
import { PageOpener } from "./open-page.ts";

const CANVAS = "#charts canvas";
const SAME: readonly SimulatedFunction[] = Array.from({ length: 8 }, (_, i) => ({
  name: `same${i}`,
  weight: 1,
}));
const SIDES: Readonly<Record<string, readonly SimulatedFunction[]>> = {
  before: [...SAME, { name: "grows", weight: 1 }, { name: "goes", weight: 1 }],
  after: [...SAME, { name: "grows", body: "x * x", weight: 1.6 }, { name: "comes", weight: 0.4 }],
};

/** The tests of the page that compares two sides, in the Chromium at a path. */
export function describeSidePage(executable: string): void {
  describe("the page of two sides in a browser", { timeout: 60_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), "ticks-sides-"));
    let opener: PageOpener;
    let html = "";
    let single = "";
    beforeAll(async () => {
      for (const [i, [side, functions]] of Object.entries(SIDES).entries()) {
        mkdirSync(join(folder, side));
        for (let run = 0; run < 5; run++) {
          const log = simulatedLog({ file: "/srv/app.js", functions, ticks: 3000, seed: 100 * i + run });
          writeFileSync(join(folder, side, `isolate-0x1-${run + 1}-v8.log`), log);
        }
      }
      const page = async (...words: string[]) =>
        (await ticks(["flame", ...words, "-o", "-"], { cwd: folder })).stdout;
      html = await page("before", "--", "after");
      single = await page("before/isolate-0x1-1-v8.log", "--", "after/isolate-0x1-1-v8.log");
      opener = await PageOpener.start(executable);
    }, 60_000);
    afterAll(async () => {
      await opener?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it("says what changed, and shows it in colours with signs", async () => {
      const { page, text, find, settle, faults } = await opener.open(html);
      expect(await text("#title")).toBe("before (5 logs) → after (5 logs)");
      expect(await text("#subtitle")).toMatch(/^5 runs, 15,000 ticks → 5 runs, 15,000 ticks/);
      expect(await text("#details")).toMatch(
        /^A run takes about as much CPU .*\. The source of 1 function of the program changed: grows .*\. 1 function is new: comes .*\. 1 function is gone: goes /,
      );
      expect(await text("#legend")).toMatch(/▲ slower or \+ new by 5 points or more/);
      expect(await text("#legend")).toMatch(/may be chance\s*\d+\.\d %/);
      await find("^grows$");
      expect(await text("#matches")).toMatch(/^\d+\.\d\d % → \d+\.\d\d % in 1 function$/);
      expect(await text("#details")).toMatch(/Self\n.* → .*, \+\d\.\d\d \(95 %: \+.* to \+.*\), ▲ slower\n/);
      expect(await text("#details")).toMatch(/Changed with it\nits source changed/);
      await find("^same0$");
      expect(await text("#details")).toMatch(/Self\n.*, ~ may be chance\n/);
      await page.fill("#search", "");
      const box = (await page.locator(CANVAS).boundingBox())!;
      await page.mouse.move(box.x + 10, box.y + 30);
      await settle();
      expect(await text("#tooltip")).toMatch(/^grows\n.*app\.js:9:.*\n(?:.*\n)*self .*▲ slower/);
      expect(faults).toEqual([]);
    });

    it("shows what is gone in before and both, and what is new in after and both", async () => {
      const { page, text, choose } = await opener.open(html);
      const reached = async () => {
        const found = new Set<string>();
        await page.focus(CANVAS);
        await page.keyboard.press("Home");
        await page.keyboard.press("ArrowDown");
        for (let i = 0; i < 12; i++) {
          found.add(await text("#details strong"));
          await page.keyboard.press("ArrowRight");
        }
        return [found.has("goes"), found.has("comes")];
      };
      expect(await reached()).toEqual([true, true]);
      expect(await text("#notes")).toContain("Width: the mean of before and after.");
      await choose("before");
      expect(await reached()).toEqual([true, false]);
      await choose("after");
      expect(await reached()).toEqual([false, true]);
      expect(await text("#notes")).toContain("Width: after.");
    });

    it("lists functions by their change, and shows their callers", async () => {
      const { page, text, choose, faults } = await opener.open(html);
      await choose("sandwich");
      const shown = await page.locator("#table tbody tr").allInnerTexts();
      const rows = shown.map((row) => row.replace(/ app\.js:\d+$/, ""));
      const named = rows.slice(0, 3).map((row) => row.split(/\s+/).filter((cell) => cell !== "%"));
      expect(named.map((cells) => cells.at(-1)).sort()).toEqual(["comes", "goes", "grows"]);
      expect(rows.find((row) => row.endsWith("goes"))).toMatch(/^gone −\d+\.\d\d/);
      expect(rows.find((row) => row.endsWith("comes"))).toMatch(/^new \+\d+\.\d\d/);
      expect(rows.find((row) => row.endsWith("grows"))).toMatch(/^▲ \+\d+\.\d\d/);
      await page.click('button[data-sort="before"]');
      expect(await page.locator("#table tbody tr").first().innerText()).not.toMatch(/comes/);
      await page.click('#table tbody .name:text-is("goes")');
      expect(await text("#callers-title")).toBe("Callers of goes");
      await choose("total");
      await choose("after");
      expect(await text("#callers-title")).toBe("Callers of goes");
      expect(faults).toEqual([]);
    });

    it("has the source of both sides beside each other where the text changed", async () => {
      const { page, text, find, settle, faults } = await opener.open(html);
      await find("^grows$");
      await page.click('#details button:text-is("Source")');
      await settle();
      expect(await text("#source-note")).toMatch(/^The text changed\. Self: 100\.00 % → 100\.00 %/);
      const row = page.locator("#source tr.begins");
      expect((await row.innerText()).replace(/\s+/g, " ")).toMatch(
        /^\d+\.\d % 9 function grows\(x\) { return grows; } \d+\.\d % 9 function grows\(x\) { return x \* x; }$/,
      );
      expect(await row.locator("td.changed").count()).toBe(2);
      await page.keyboard.press("Escape");
      expect(await page.isVisible("#source")).toBe(false);
      await find("^goes$");
      await page.focus(CANVAS);
      await page.keyboard.press("s");
      expect(await page.locator("#source tr.begins").innerText()).toContain("function goes");
      expect(faults).toEqual([]);
    });

    it("leaves out no tick of the sources, with or without a line", async () => {
      const log = fileURLToPath(new URL("../../fixtures/node-16-deopts/isolate.log.gz", import.meta.url));
      const { stdout } = await ticks(["flame", log, "--", log, "-o", "-"], { cwd: folder });
      const { page, find, choose, settle, faults } = await opener.open(stdout);
      await choose("total");
      await find("^sum$");
      await page.click('#details button:text-is("Source")');
      await settle();
      const unknown = await page.locator("#source tr.unknown").allInnerTexts();
      expect(unknown.map((row) => row.replace(/\s+/g, " "))).toEqual([
        "3.6 % 3.6 % 1? deopts.js:1: line unknown",
        "0.08 % 0.08 % 9? sum: line unknown",
      ]);
      expect(faults).toEqual([]);
    });

    it("has no verdict with one run a side", async () => {
      const { text, find } = await opener.open(single);
      expect(await text("#subtitle")).toMatch(/^One run a side: no verdict · 1 run, /);
      expect(await text("#details")).toMatch(
        /^A run takes about as much CPU .*\. One run a side: no verdict\./,
      );
      expect(await text("#legend")).toContain("▲ more or + new (no verdict)");
      await find("^grows$");
      expect(await text("#details")).not.toContain("slower");
    });

    it.each([400, 1300])("has room for everything at %d pixels, in dark and light", async (width) => {
      const { page, choose, find, settle, faults } = await opener.open(html, {
        viewport: { width, height: 800 },
      });
      await find("^grows$");
      for (const state of ["heavy", "sandwich", "heavy"]) {
        await choose(state);
        await page.click("#theme");
        await settle();
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      }
      await page.focus(CANVAS);
      await page.keyboard.press("s");
      await settle();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect((await page.locator("#source").boundingBox())!.height).toBeGreaterThan(150);
      expect(faults).toEqual([]);
    });
  });
}

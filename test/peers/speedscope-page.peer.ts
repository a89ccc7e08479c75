import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "../browser/open-page.ts";
import { ticks } from "../helpers/cli.ts";
import { CASES, exported, FIXTURES, FOLDERS, ticksOf } from "./fixture.ts";
import { debianPeer } from "./peer.ts";
import { SPEEDSCOPE } from "./speedscope-importer.ts";

const executablePath = findChromium() ?? debianPeer("chromium", "chromium");
/** The page draws with WebGL, here without a graphics card. */
const args = ["--no-sandbox", "--no-first-run", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
/** Its table has rows of this height, in pixels, or lower ones. */
const ROW = 25;
/** A log of an old version, of new ones, and one with names that pages get wrong. */
const SHOWN = CASES.filter((name) => /04-regexps|12-builtins|20-inlining|26-guide|odd-names/.test(name));

/** A name as pages show text: white space and control characters are one blank. */
function shown(name: string): string {
  return name.replace(/[\s\p{Cc}\p{Cf}\p{Cs}\ufffd]+/gu, " ").trim();
}

describe("speedscope's page, in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(async () => {
    await browser.close();
  });

  /** Opens a file as a person does, and hands over the page when it shows the chart. */
  async function withPage(file: string, look: (page: Page) => Promise<void>): Promise<void> {
    const page = await browser.newPage({ viewport: { width: 1000, height: 600 } });
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("dialog", (dialog) => {
      faults.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(pathToFileURL(join(SPEEDSCOPE, "index.html")).href);
    await page.setInputFiles("input[type=file]", file);
    await page.getByText("Left Heavy").waitFor();
    await look(page);
    expect(faults).toEqual([]);
    await page.close();
  }

  /** The rows of the table of functions. The page has only those that can be seen: the window becomes as high as the table. */
  async function tableOf(page: Page, rows: number): Promise<string[]> {
    await page.getByText("Sandwich").click();
    await page.setViewportSize({ width: 1000, height: 2000 + ROW * rows });
    await page.waitForFunction(`document.querySelectorAll("td").length >= ${3 * rows}`);
    const cells: string[][] = await page.evaluate(
      `Array.from(document.querySelectorAll("tr"), (row) => Array.from(row.querySelectorAll("td"), (cell) => cell.innerText.trim()))`,
    );
    const number = (text: string) => Number(text.replace(/ \(.*/, "").replaceAll(",", ""));
    return cells
      .filter(({ length }) => length === 3)
      .map(([total, self, name]) => `${shown(name!)}: ${number(self!)} ${number(total!)}`)
      .sort();
  }

  it.each(SHOWN)("%s: has every function with its self and total, and all ticks", async (name) => {
    const log = join(FIXTURES, name, "isolate.log.gz");
    const { stdout } = await ticks(["top", log, "--format", "json", "--limit", "1000", "--no-inferred"]);
    const functions: { name: string; kind: string; self: number; total: number }[] =
      JSON.parse(stdout).functions.byTotal;
    const scripts = functions.filter(({ kind }) => kind === "js");
    const own = scripts.map(
      (row) => `${shown(row.name === "" ? "<anonymous>" : row.name)}: ${row.self} ${row.total}`,
    );
    expect(own.length).toBeGreaterThan(5);
    await withPage(await exported(name, "speedscope.json", "--no-inferred"), async (page) => {
      const rows = await tableOf(page, functions.length);
      expect(own.filter((row) => !rows.includes(row))).toEqual([]);
      expect(rows.reduce((sum, row) => sum + Number(/: (\d+) \d+$/.exec(row)?.[1]), 0)).toBe(
        await ticksOf(name),
      );
    });
  });

  it.each(FOLDERS)("%s: has a profile a thread to choose from", async (name) => {
    const { stdout } = await ticks(["threads", join(FIXTURES, name), "--format", "json"]);
    const { threads }: { threads: unknown[] } = JSON.parse(stdout);
    await withPage(await exported(name, "speedscope.json"), async (page) => {
      await page.getByText(`(1/${threads.length})`).waitFor();
    });
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countOf } from "../../src/flame-page/number-text.ts";
import { ticks } from "../helpers/cli.ts";
import { type OpenedPage, PageOpener } from "./open-page.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));
const AXE = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const THREADS = ["0x348814c0-12873-v8", "0x7f8bf4000db0-12873-v8", "0xd67f5a0-12885-v8-12885"];
const CANVAS = "#charts canvas";

async function json<T>(name: string, ...words: readonly string[]): Promise<T> {
  const { stdout } = await ticks([...words, "--json"], { cwd: join(FIXTURES, name) });
  return JSON.parse(stdout) as T;
}

async function pageOf(name: string, logs: readonly string[] = ["isolate.log.gz"]): Promise<string> {
  const { stdout } = await ticks(["flame", "-o", "-", ...logs], { cwd: join(FIXTURES, name) });
  return stdout;
}

/** The tests of time, links, tables and what is saved, in the Chromium at a path. */
export function describePageTime(executable: string): void {
  describe("the page of ticks flame over time", { timeout: 120_000 }, () => {
    let opener: PageOpener;
    let guide = "";
    let threads = "";
    beforeAll(async () => {
      opener = await PageOpener.start(executable);
      [guide, threads] = await Promise.all([
        pageOf("node-26-guide"),
        pageOf(
          "node-12-threads",
          THREADS.map((log) => `isolate-${log}.log.gz`),
        ),
      ]);
    }, 60_000);
    afterAll(() => opener?.stop());

    const hash = ({ page }: OpenedPage) => page.evaluate<string>("location.hash");
    const count = async ({ text }: OpenedPage) =>
      Number(/total ([\d,]+) tick/.exec(await text("#announcer"))?.[1]?.replace(",", ""));
    const root = async (opened: OpenedPage) => {
      await opened.page.focus(CANVAS);
      await opened.page.keyboard.press("0");
      await opened.page.keyboard.press("Home");
      return count(opened);
    };

    it("shows a range in all views, which the keyboard picks and clears", async () => {
      const opened = await opener.open(guide);
      const { page, text, choose, faults } = opened;
      expect(await root(opened)).toBe(1341);
      await page.focus("#overview canvas");
      await page.keyboard.press("ArrowRight");
      expect(await text("#range-text")).toMatch(/ \(163\.\d ms\) shown in all views$/);
      for (let i = 0; i < 3; i++) await page.keyboard.press("Shift+ArrowRight");
      const some = await root(opened);
      expect(some).toBeGreaterThan(50);
      expect(some).toBeLessThan(300);
      await choose("sandwich");
      const [self = ""] = await page.locator("#table tbody tr td").allInnerTexts();
      expect(self).not.toBe("62.9 %");
      await choose("heavy");
      await page.click("#ranges button");
      expect(await root(opened)).toBe(1341);
      await page.focus("#overview canvas");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Escape");
      expect(await root(opened)).toBe(1341);
      expect(faults).toEqual([]);
    });

    it("goes into ranges in ranges, and out again one by one", async () => {
      const opened = await opener.open(guide);
      const { page, text, settle, faults } = opened;
      const all = await root(opened);
      const drag = async (from: number, to: number) => {
        const box = (await page.locator("#overview canvas").boundingBox())!;
        await page.mouse.move(box.x + box.width * from, box.y + 10);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * to, box.y + 10);
        await page.mouse.up();
        await settle();
      };
      const levels = () => page.locator("#ranges button").allInnerTexts();
      await drag(0.5, 0.75);
      await page.click("#range-enter");
      expect(await levels()).toEqual(["All the time"]);
      const half = await root(opened);
      await drag(0, 0.5);
      expect(await text("#range-text")).toMatch(/\(20\d\.\d ms\) shown in all views$/);
      await page.focus("#overview canvas");
      await page.keyboard.press("Enter");
      expect(await levels()).toEqual(["All the time", expect.stringMatching(/^40\d\.\d ms$/)]);
      const quarter = await root(opened);
      expect([quarter < half, half < all]).toEqual([true, true]);
      await page.focus("#overview canvas");
      await page.keyboard.press("ArrowLeft");
      expect(await hash(opened)).toMatch(/range=\d+-\d+\.\d+-\d+\.\d+-\d+(?:&|$)/);
      // A link leads to the same ranges.
      const other = await opener.open(guide);
      await other.page.goto(await page.evaluate<string>("location.href"));
      await other.page.reload();
      await other.settle();
      expect(await other.text("#range-text")).toBe(await text("#range-text"));
      expect(await other.page.locator("#ranges button").count()).toBe(3);
      for (const ticks of [quarter, half, all]) {
        await page.keyboard.press("Shift+Z");
        expect(await root(opened)).toBe(ticks);
      }
      await page.goBack();
      expect(await root(opened)).toBe(half);
      // What is outside of the range is picked in one that has it.
      await page.keyboard.press("t");
      await page.check('#tabs input[value="turns"]');
      await page.check('input[value="time"]');
      await page.keyboard.press("+");
      await page.keyboard.press("z");
      expect(await levels()).toEqual(["All the time", expect.stringMatching(/ms$/)]);
      expect(faults).toEqual([]);
    });

    it("picks a range by a drag, and the visible part or a turn by a key and a click", async () => {
      const opened = await opener.open(guide);
      const { page, text, choose, settle, faults } = opened;
      const box = (await page.locator("#overview canvas").boundingBox())!;
      await page.mouse.move(box.x + box.width / 2, box.y + 10);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.75, box.y + 10);
      await page.mouse.up();
      await settle();
      expect(await text("#range-text")).toMatch(/^8\d\d\.\d ms to 1\.2\d s \(40\d\.\d ms\)/);
      await choose("time");
      for (let i = 0; i < 3; i++) await page.keyboard.press("+");
      await page.keyboard.press("r");
      expect(await text("#range-text")).toMatch(/\(12\d\.\d ms\) shown in all views$/);
      await page.keyboard.press("r");
      expect(await text("#range-text")).toMatch(/^All the time/);
      await page.keyboard.press("t");
      await page.check('#tabs input[value="turns"]');
      await page.locator("#table tbody button").first().click();
      const [length = ""] = await page.locator("#table tbody tr td").allInnerTexts();
      expect(await text("#range-text")).toContain(`(${length.replace(/ ±.*|≤ /g, "")})`);
      expect(faults).toEqual([]);
    });

    it("leads from mark to mark", async () => {
      const { page, text, choose, faults } = await opener.open(guide);
      await choose("time");
      await page.focus(CANVAS);
      const times: number[] = [];
      for (let i = 0; i < 3; i++) {
        await page.keyboard.press("m");
        times.push(Number.parseFloat((await text("#announcer")).replace(/ ms.*/, "e-3")));
        expect(await text("#details")).toMatch(/: first tick in \w+ after \w+, .*:\d+$/);
      }
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      const last = await text("#announcer");
      await page.keyboard.press("m");
      await page.keyboard.press("Shift+M");
      expect(await text("#announcer")).toBe(last);
      expect(faults).toEqual([]);
    });

    it("has threads below each other, whose frames a key shows", async () => {
      const opened = await opener.open(threads);
      const { page, text, choose, faults } = opened;
      await choose("time");
      await page.focus(CANVAS);
      for (const key of ["Home", "ArrowDown"]) await page.keyboard.press(key);
      expect(await text("#details strong")).toMatch(/^pid 12873 main/);
      await page.keyboard.press("ArrowRight");
      expect(await text("#details strong")).toMatch(/^pid 12873 worker/);
      await page.keyboard.press("Enter");
      expect(await hash(opened)).toContain("open=.");
      await page.keyboard.press("ArrowDown");
      expect(await text("#details strong")).toMatch(/^pid 12873 worker/);
      await page.keyboard.press("Enter");
      await page.keyboard.press("ArrowDown");
      expect(await text("#details strong")).not.toMatch(/^pid/);
      expect(await text("#details")).toMatch(/In this span\n\d+ ticks?, .* to .* \(/);
      expect(faults).toEqual([]);
    });

    it("goes back and forward, and a link leads to what was shown", async () => {
      const opened = await opener.open(guide);
      const { page, text, find, choose, settle, faults } = opened;
      expect(await hash(opened)).toBe("");
      await choose("time");
      await find("^pbkdf2Sync$");
      await page.focus(CANVAS);
      await page.keyboard.press("Enter");
      await settle();
      await choose("package");
      const link = await page.evaluate<string>("location.href");
      const shown = async (of: OpenedPage) => [
        await of.text("#crumbs"),
        await of.text("#details strong"),
        await of.text("#matches"),
        await of.page.isChecked('input[value="package"]'),
      ];
      const expected = await shown(opened);
      expect(expected[1]).toBe("pbkdf2Sync");
      await page.goBack();
      expect(await page.isChecked('input[value="kind"]')).toBe(true);
      await page.goBack();
      expect(await text("#crumbs [aria-current]")).toBe("all ticks");
      await page.goBack();
      expect(await page.isChecked('input[value="heavy"]')).toBe(true);
      await page.goForward();
      expect(await page.isChecked('input[value="time"]')).toBe(true);
      const other = await opener.open(guide);
      await other.page.goto(link);
      await other.page.reload();
      await other.settle();
      expect(await shown(other)).toEqual(expected);
      // A link can say anything.
      await other.page.goto(
        `${link.replace(/#.*/, "")}#range=9-1&at=x.y&zoom=0.0.99999&of=77777777&table=no&q=%28&view=none`,
      );
      await other.page.reload();
      expect(await other.text("#matches")).toBe("invalid regular expression");
      const requests = other.faults.filter((fault) => !fault.startsWith("request: file:"));
      expect([...faults.filter((fault) => !fault.startsWith("request: file:")), ...requests]).toEqual([]);
    });

    it("saves a drawing and a picture, and copies a text", async () => {
      const opened = await opener.open(guide, {
        acceptDownloads: true,
        permissions: ["clipboard-read", "clipboard-write"],
      });
      const { page, find, faults } = opened;
      await find("^pbkdf2Sync$");
      const saved = async (id: string) => {
        await page.click("#share summary");
        const [download] = await Promise.all([page.waitForEvent("download"), page.click(id)]);
        return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
      };
      const svg = await saved("#save-svg");
      expect(svg.name).toBe("isolate.log.gz-Node-26-heavy.svg");
      const drawing = svg.content.toString();
      expect(drawing).toContain("<title>pbkdf2Sync pbkdf2:");
      const errors = await page.evaluate(
        `new DOMParser().parseFromString(${JSON.stringify(drawing)}, "image/svg+xml").querySelectorAll("parsererror, script").length`,
      );
      expect(errors).toBe(0);
      await opened.choose("time");
      const overTime = (await saved("#save-svg")).content.toString();
      expect(overTime).toContain("<title>Garbage collection</title>");
      expect(overTime).toMatch(/<title>handle[^<]*: ≤? ?[\d.]+ ms/);
      const png = await saved("#save-png");
      expect(png.content.subarray(1, 4).toString()).toBe("PNG");
      await page.click("#share summary");
      await page.click("#copy-markdown");
      const copied = await page.evaluate<string>("navigator.clipboard.readText()");
      expect(copied).toContain("| Self | Total | Function |\n| --: | --: | --- |\n| ");
      expect(copied).toContain("- Total: 1,097 ticks, 81.8 %");
      expect(faults.filter((fault) => !fault.startsWith("request: blob:"))).toEqual([]);
    });

    it("has tables with the numbers of the commands", async () => {
      const { page, text, faults } = await opener.open(guide);
      await page.click("#table-open");
      const rows = async (tab: string) => {
        await page.check(`#tabs input[value="${tab}"]`);
        return page.locator("#table tbody tr").allInnerTexts();
      };
      const [, heaviest = ""] = await rows("functions");
      expect(heaviest).toMatch(/^\d+\.\d %\s+\d+\.\d %\s+\S/);
      const top = await json<{ packages: { name: string; ticks: number; total: number }[] }>(
        "node-26-guide",
        "top",
      );
      await rows("packages");
      const packages = await page.evaluate<string[]>(
        `Array.from(document.querySelectorAll("#table tbody tr"), (row) => [row.querySelector(".name").textContent, row.cells[0].title, row.cells[2].title].join())`,
      );
      for (const { name, ticks: own, total } of top.packages.filter(
        (one) => one.ticks > 0 && one.name !== "",
      ))
        expect(packages).toContain(`${name},${countOf(own, "tick")},${countOf(total, "tick")}`);
      expect((await rows("lines")).length).toBeGreaterThan(1);
      await rows("functions");
      await page.click('#table button[data-sort="title"]');
      expect(await page.getAttribute('#table th:has(button[data-sort="title"])', "aria-sort")).toBe(
        "descending",
      );
      await page.click('#table button[data-sort="title"]');
      const sorted = await page.locator("#table tbody .name").allInnerTexts();
      expect(sorted).toEqual(sorted.toSorted());
      expect(await text("#table-note")).toMatch(/^\d+ functions$/);
      expect(faults).toEqual([]);
    });

    it("says times of other tools’ profiles, and never ticks", async () => {
      const profile = {
        nodes: [
          {
            id: 1,
            callFrame: { functionName: "(root)", scriptId: "0", url: "", lineNumber: -1, columnNumber: -1 },
            children: [2],
          },
          {
            id: 2,
            callFrame: {
              functionName: "work",
              scriptId: "1",
              url: "file:///srv/app.js",
              lineNumber: 4,
              columnNumber: 2,
            },
          },
        ],
        ...{ startTime: 0, endTime: 80_000, samples: Array.from({ length: 40 }, () => 2) },
        timeDeltas: Array.from({ length: 40 }, () => 2000),
      };
      const { stdout } = await ticks(["flame", "-o", "-", "-"], {
        input: Buffer.from(JSON.stringify(profile)),
      });
      const { page, text, choose, faults } = await opener.open(stdout);
      expect(await text("#subtitle")).toMatch(/^78\.0 ms\b/);
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowDown");
      expect(await text("#details")).toContain("78.0 ms, 100.0 %");
      await page.keyboard.press("?");
      const all = [await text("body")];
      await page.keyboard.press("Escape");
      for (const state of ["time", "sandwich"]) {
        await choose(state);
        all.push(await text("body"));
      }
      expect(all.join("\n").replace("ticks flame", "")).not.toMatch(/\bticks?\b/i);
      expect(faults).toEqual([]);
    });

    it.each([
      [390, "dark"],
      [1440, "light"],
    ] as const)("has nothing that axe-core finds, at %d pixels, in %s", async (width, colorScheme) => {
      const { page, choose, find, settle } = await opener.open(width === 390 ? threads : guide, {
        ...{ viewport: { width, height: 900 }, colorScheme },
      });
      await page.evaluate(AXE);
      const clean = async (state: string) => {
        await settle();
        const found = await page.evaluate<string[]>(
          `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
              violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 160) + " " + failureSummary)))`,
        );
        expect(found, state).toEqual([]);
      };
      await clean("at the start");
      await find("hash|burn");
      await page.focus(CANVAS);
      await page.keyboard.press("Enter");
      await clean("zoomed");
      await choose("time");
      await page.focus("#overview canvas");
      await page.keyboard.press("ArrowRight");
      await clean("over time");
      await page.fill("#search", "");
      await page.click("#table-open");
      for (const tab of ["packages", "lines", "turns"]) {
        if ((await page.locator(`#tabs input[value="${tab}"]`).count()) === 0) continue;
        await page.check(`#tabs input[value="${tab}"]`);
        await clean(tab);
      }
      await page.fill("#search", "hash|burn"); // Hundreds of rows have no other faults than a few.
      await choose("sandwich");
      await clean("callers and callees");
      await page.focus("#callees canvas");
      await page.keyboard.press("s");
      await clean("with a source");
      await page.click("#share summary");
      await clean("with a menu");
      await page.keyboard.press("Escape");
      await page.click("#help-open");
      await clean("with the help");
    });
  });
}

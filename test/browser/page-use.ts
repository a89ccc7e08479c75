import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ticks } from "../helpers/cli.ts";
import { type OpenedPage, PageOpener } from "./open-page.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));
const THREADS = ["0x348814c0-12873-v8", "0x7f8bf4000db0-12873-v8", "0xd67f5a0-12885-v8-12885"];

async function pageOf(name: string, logs: readonly string[] = ["isolate.log.gz"]): Promise<string> {
  const { stdout } = await ticks(["flame", "-o", "-", ...logs], { cwd: join(FIXTURES, name) });
  return stdout;
}

/** The colours of a chart, except those of letters, lines and marks: all of enough pixels in a row. */
const PAINTED = `(() => {
  const canvas = document.querySelector("#charts canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(data.buffer);
  const found = new Set();
  for (let y = 3; y < canvas.height; y += 20)
    for (let x = 0, run = 0; x < canvas.width; x++) {
      run = x > 0 && pixels[y * canvas.width + x] === pixels[y * canvas.width + x - 1] ? run + 1 : 1;
      const at = (y * canvas.width + x) * 4;
      if (run === 8) found.add("rgb(" + [data[at], data[at + 1], data[at + 2]].join(", ") + ")");
    }
  return Array.from(found).sort();
})()`;

const SWATCHES = `Array.from(document.querySelectorAll(".swatch"), (own) => getComputedStyle(own).backgroundColor)`;

/** The parts of the page that overlap another one, or stick out of the window, or whose text is cut without an ellipsis. */
const CROOKED = `(() => {
  const shown = (own) => own.checkVisibility() && own.getClientRects().length > 0;
  const faults = [];
  const parts = Array.from(document.querySelectorAll(
    "#title, #subtitle, #search, #matches, .buttons button, .tools > *, #crumbs, main, #details, footer",
  )).filter((own) => shown(own) && own.textContent + own.tagName !== "OUTPUT");
  const name = (own) => own.id || own.className || own.tagName;
  for (const [i, a] of parts.entries()) {
    const p = a.getBoundingClientRect();
    if (p.left < -0.5 || p.right > innerWidth + 0.5) faults.push(name(a) + " sticks out");
    for (const b of parts.slice(i + 1)) {
      const q = b.getBoundingClientRect();
      const width = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const height = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (width > 0.5 && height > 0.5) faults.push(name(a) + " overlaps " + name(b));
    }
  }
  for (const own of document.querySelectorAll("main > *")) {
    const outer = document.querySelector("main").getBoundingClientRect();
    if (shown(own) && own.getBoundingClientRect().bottom > outer.bottom + 0.5) faults.push(name(own) + " leaves main");
  }
  for (const own of document.querySelectorAll("button, summary, .segments span, #thread-list .share, dd, dt, #matches"))
    if (shown(own) && getComputedStyle(own).textOverflow !== "ellipsis" && own.clientWidth > 0 && own.scrollWidth > own.clientWidth + 1)
      faults.push(name(own) + " is cut: " + own.textContent);
  for (const own of document.querySelectorAll("#thread-list .share"))
    if (shown(own) && own.clientHeight > 26) faults.push("a count is broken: " + own.textContent);
  const search = document.querySelector("#search");
  if (search.scrollWidth > search.clientWidth) faults.push("the search is cut");
  for (const own of document.querySelectorAll("#charts, .half, .functions"))
    if (shown(own) && own.clientHeight < 80) faults.push(name(own) + " is " + own.clientHeight + " pixels high");
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  return faults;
})()`;

/** The tests of the use of the page: keys, colours, words and small screens; in the Chromium at a path. */
export function describePageUse(executable: string): void {
  describe("the use of the page of ticks flame", { timeout: 60_000 }, () => {
    let opener: PageOpener;
    let guide = "";
    let recursion = "";
    let threads = "";
    beforeAll(async () => {
      opener = await PageOpener.start(executable);
      [guide, recursion, threads] = await Promise.all([
        pageOf("node-26-guide"),
        pageOf("node-06-recursion"),
        pageOf(
          "node-12-threads",
          THREADS.map((log) => `isolate-${log}.log.gz`),
        ),
      ]);
    }, 60_000);
    afterAll(() => opener?.stop());

    const focus = ({ page }: OpenedPage) =>
      page.evaluate("document.activeElement.id || document.activeElement.tagName");

    it("responds to keys from the first moment", async () => {
      const opened = await opener.open(guide);
      const { page, text, faults } = opened;
      expect(await focus(opened)).toBe("BODY");
      await page.keyboard.press("?");
      expect(await page.isVisible("#help")).toBe(true);
      await page.keyboard.press("Escape");
      expect(await page.isVisible("#help")).toBe(false);
      await page.keyboard.press("/");
      expect(await focus(opened)).toBe("search");
      // A search is typed, not run.
      await page.keyboard.type("?c/");
      expect(await page.inputValue("#search")).toBe("?c/");
      const fresh = await opener.open(guide);
      await fresh.page.keyboard.press("ArrowDown");
      await fresh.page.keyboard.press("ArrowDown");
      expect(await fresh.text("#details strong")).toBe("parserOnHeadersComplete");
      expect(await focus(fresh)).toBe("CANVAS");
      await fresh.page.keyboard.press("Enter");
      expect(await fresh.text("#crumbs [aria-current]")).toBe("parserOnHeadersComplete");
      // The path goes on to the frame that is selected.
      await fresh.page.keyboard.press("ArrowDown");
      expect(await fresh.text("#crumbs li:last-child")).toBe("parserOnIncoming");
      expect(await fresh.text("#crumbs [aria-current]")).toBe("parserOnHeadersComplete");
      expect(await text("#details")).toMatch(/^Click a frame or use the arrow keys/);
      expect([...faults, ...fresh.faults]).toEqual([]);
    });

    it("responds to keys after a click elsewhere, and leaves controls their own keys", async () => {
      const opened = await opener.open(guide);
      const { page, text, settle } = opened;
      await page.click("#theme");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      expect(await text("#details strong")).toBe("parserOnHeadersComplete");
      expect(await focus(opened)).toBe("theme");
      await page.keyboard.press("Enter");
      expect(await text("#crumbs [aria-current]")).toBe("all ticks");
      await page.focus('input[value="heavy"]');
      await page.keyboard.press("ArrowRight");
      expect(await page.isChecked('input[value="time"]')).toBe(true);
      await page.click("footer", { position: { x: 1, y: 1 } });
      // As Caps Lock would have it.
      await page.keyboard.press("C");
      await settle();
      expect(await text("#callees-title")).toBe("Callees of parserOnHeadersComplete");
      // The chart that had the focus is gone, the keys are not.
      await page.keyboard.press("ArrowDown");
      expect(await text("#details strong")).toBe("parserOnIncoming");
      await page.click("#show summary");
      await page.keyboard.press("Escape");
      expect(await page.isVisible("#show fieldset")).toBe(false);
      expect(await text("#details strong")).toBe("parserOnIncoming");
    });

    it("steps through the functions that match", async () => {
      const { page, text, choose, settle } = await opener.open(guide);
      await choose("sandwich");
      await page.fill("#search", "pbkdf2");
      await page.press("#search", "Enter");
      await settle();
      const first = await text("#callers-title");
      await page.press("#search", "Enter");
      expect(await text("#callers-title")).not.toBe(first);
      await page.press("#search", "Shift+Enter");
      expect(await text("#callers-title")).toBe(first);
      await page.fill("#search", "no such function");
      expect(await text("#table-note")).toBe("No function matches the search.");
      expect(await text("#callers-title")).toBe(first);
    });

    it("has every colour in the legend", async () => {
      for (const html of [guide, recursion, threads]) {
        const { page, choose, settle } = await opener.open(html);
        const expectListed = async (state: string) => {
          const listed = await page.evaluate<string[]>(SWATCHES);
          const painted = await page.evaluate<string[]>(PAINTED);
          const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
          expect(painted.length, state).toBeGreaterThan(2);
          expect(
            painted.filter((color) => color !== background && !listed.includes(color)),
            state,
          ).toEqual([]);
        };
        for (const theme of ["dark", "light"]) {
          await page.click("#theme");
          for (const view of ["heavy", "time"]) {
            for (const colour of ["kind", "package"]) {
              await choose(view);
              await choose(colour);
              await settle();
              await expectListed(`${view}, by ${colour}, ${theme}`);
              const titles = await page.locator("#legend .entry").allInnerTexts();
              expect(titles.length, view).toBe(new Set(titles).size);
            }
          }
        }
        await page.close();
      }
    });

    it("says of a recursive function what the list says", async () => {
      const { page, text, choose, settle } = await opener.open(recursion);
      await choose("sandwich");
      const row = page.locator("#table tbody tr", { has: page.locator(".name:text-is('forever')") });
      const [self, total] = (await row.innerText()).split(/\s{2,}|\t|\n/);
      expect([self, total]).toEqual(["7.5 %", "81.8 %"]);
      const expected = new RegExp(`Total\\n1,010 ticks, ${total}\\nSelf\\n92 ticks, ${self}`);
      await row.locator("button").click();
      await settle();
      expect(await text("#details strong")).toBe("forever");
      expect(await text("#details")).toMatch(expected);
      await choose("heavy");
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowDown");
      expect(await text("#details strong")).toBe("forever");
      expect(await text("#details")).toMatch(expected);
      expect(await text("#details")).toMatch(/On this path\n1,0\d\d ticks, 81.\d %; self 0 ticks, 0 %/);
    });

    it("names its numbers in English", async () => {
      const { page, text, choose } = await opener.open(threads);
      expect(await text("#subtitle")).toBe("584 ticks · 3 threads");
      await page.click("#threads summary");
      const labels = await page.locator("#thread-list label").allInnerTexts();
      expect(labels.map((label) => label.replace(/\s+/g, " ").trim())[0]).toMatch(
        /^pid 12873 main, .* 218 ticks$/,
      );
      await choose("time");
      await page.keyboard.press("Home");
      for (let i = 0; i < 2; i++) await page.keyboard.press("ArrowDown");
      expect((await page.locator("#details dt").allInnerTexts()).slice(0, 3)).toEqual([
        "Total",
        "Self",
        "In this span",
      ]);
      for (const thread of ["0", "1", "2"])
        await page.evaluate(`document.querySelector('input[name="thread"][value="${thread}"]').click()`);
      expect(await text("#details")).toBe("No ticks to show. Choose a thread under Threads.");
    });

    it.each([390, 800, 1440])("has room for everything at %d pixels", async (width) => {
      // The page of threads has the most controls.
      for (const html of width === 390 ? [guide, recursion, threads] : [threads]) {
        const { page, choose, find, settle, faults } = await opener.open(html, {
          viewport: { width, height: 760 },
        });
        const straight = async (state: string) => {
          await settle();
          expect(await page.evaluate(CROOKED), state).toEqual([]);
        };
        await straight("at the start");
        await find("parserOnIncoming|burn|forever");
        await page.keyboard.press("Escape");
        await straight("with a search");
        await page.focus("#charts canvas");
        await page.keyboard.press("Enter");
        await straight("zoomed");
        await choose("time");
        await straight("over time");
        await choose("sandwich");
        await straight("callers and callees");
        await page.fill("#search", "no such function");
        await straight("without a match");
        await choose("heavy");
        await page.click("#show summary");
        await straight("with a menu");
        if (await page.isVisible("#threads summary")) await page.click("#threads summary");
        await straight("with the threads");
        expect(faults).toEqual([]);
        await page.close();
      }
    });
  });
}

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { flameDocument } from "../../src/exports/flame/flame-document.ts";
import { PAGE_LIMITS, type PageLimits } from "../../src/exports/flame/page-data.ts";
import { readFlamePageParts } from "../../src/io/flame-page-parts.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { ticks } from "../helpers/cli.ts";
import { timedProfile } from "../helpers/flame.ts";
import { PageOpener } from "./open-page.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));
const CANVAS = "#charts canvas";
const HOSTILE = "</script><img·src=x·onerror=\"document.title='hacked'\">";

/** Returns the page of a profile. */
function documentOf(profile: Profile, limits: PageLimits = PAGE_LIMITS): string {
  return Array.from(flameDocument(profile, readFlamePageParts(), { limits })).join("");
}

/** What `ticks flame` writes for a fixture. */
async function pageOf(name: string): Promise<string> {
  const { stdout } = await ticks(["flame", "-o", "-", "isolate.log.gz"], { cwd: join(FIXTURES, name) });
  return stdout;
}

/** The tests of the page, in the Chromium at a path. */
export function describeFlamePage(executable: string): void {
  describe("the page of ticks flame in a browser", { timeout: 60_000 }, () => {
    let opener: PageOpener;
    let guide = "";
    let inlining = "";
    beforeAll(async () => {
      opener = await PageOpener.start(executable);
      [guide, inlining] = await Promise.all([pageOf("node-26-guide"), pageOf("node-26-inlining")]);
    }, 60_000);
    afterAll(() => opener?.stop());

    it("shows pbkdf2Sync over the code of OpenSSL's SHA-512 in the guide's program", async () => {
      const { page, find, text, settle, faults } = await opener.open(guide);
      await find("^sha512_block_data_order_avx2$");
      expect(await text("#matches")).toBe("62.9 % · 843 ticks in 1 function");
      await page.focus(CANVAS);
      await page.keyboard.press("Enter");
      await settle();
      const crumbs = (await text("#crumbs")).split("\n").filter((crumb) => crumb !== "");
      expect(crumbs.slice(-2)).toEqual(["pbkdf2Sync", "sha512_block_data_order_avx2"]);
      expect(await text("#details")).toContain("/opt/node/bin/node");
      expect(faults).toEqual([]);
    });

    it("does not search for a pattern of a link that may take for ever until the reader says so", async () => {
      const { page, text, find, settle, faults } = await opener.open(
        documentOf(timedProfile("js:aaaaaaaaaaaaaaaaaaaaaaaa")),
      );
      const goTo = async (typed: string) => {
        await page.evaluate(`location.hash = "q=" + ${JSON.stringify(encodeURIComponent(typed))}`);
        await settle();
      };
      await goTo("^a*$");
      expect(await text("#matches")).toContain("in 1 function");
      await goTo(`(${"a?".repeat(60)})${"a".repeat(60)}`);
      expect(await text("#matches")).toBe("Enter searches: this pattern may take long");
      await goTo("^(?:a{3}){8}$");
      expect(await text("#matches")).toBe("Enter searches: this pattern may take long");
      await page.press("#search", "Enter");
      expect(await text("#matches")).toContain("in 1 function");
      await find("x");
      expect(await text("#matches")).toContain("in 0 functions");
      expect(faults).toEqual([]);
    });

    it("zooms by click, breadcrumb, wheel and keys", async () => {
      const { page, text, settle } = await opener.open(guide);
      const crumbs = async () => (await text("#crumbs")).split("\n").filter((crumb) => crumb !== "");
      const hovered = async (x: number, y: number) => {
        await page.mouse.move(x, y);
        await settle();
        return text("#tooltip strong");
      };
      const box = (await page.locator(CANVAS).boundingBox())!;
      const [left, row] = [box.x + 10, box.y + 30];
      const last = box.x + box.width - 30;
      expect(await hovered(left, row)).toBe("parserOnHeadersComplete");
      const right = await hovered(last, row);
      expect(right).not.toBe("parserOnHeadersComplete");
      await page.mouse.click(left, row);
      await settle();
      expect(await crumbs()).toEqual(["all ticks", "parserOnHeadersComplete"]);
      expect(await hovered(last, row)).toBe("parserOnHeadersComplete");
      await page.click("#crumbs button >> nth=0");
      await settle();
      expect(await hovered(last, row)).toBe(right);
      await page.mouse.move(left, row);
      await page.mouse.wheel(0, -400);
      await settle();
      expect(await hovered(last, row)).toBe("parserOnHeadersComplete");
      await page.focus(CANVAS);
      await page.keyboard.press("Escape");
      await settle();
      expect(await hovered(last, row)).toBe(right);
      for (let i = 0; i < 9; i++) await page.keyboard.press("+");
      for (let i = 0; i < 40; i++) await page.keyboard.press("Shift+ArrowLeft");
      await settle();
      expect(await hovered(last, row)).toBe("parserOnHeadersComplete");
    });

    it("is moved through by keys, and says where one is", async () => {
      const { page, text, faults } = await opener.open(guide);
      // From the top of the page on, with nothing but the keyboard.
      for (let i = 0; i < 30; i++) {
        await page.keyboard.press("Tab");
        if (await page.evaluate("document.activeElement.matches('#charts canvas')")) break;
      }
      const said = async (key: string) => {
        await page.keyboard.press(key);
        return text("#announcer");
      };
      expect(await said("ArrowDown")).toBe(
        "all ticks, total 1,341 ticks, 100.0 %, self 0 ticks, 0 %, depth 0",
      );
      expect(await said("ArrowDown")).toMatch(/^parserOnHeadersComplete, total [\d,]+ ticks, .*, depth 1$/);
      expect(await said("ArrowRight")).not.toContain("parserOnHeadersComplete");
      expect(await said("ArrowUp")).toContain("all ticks");
      expect(await said("/")).toContain("all ticks");
      expect(await page.evaluate("document.activeElement.id")).toBe("search");
      const named = "document.querySelector('#charts canvas').getAttribute('aria-label')";
      expect(await page.evaluate(named)).toMatch(/Flame graph/);
      const nameless = `Array.from(document.querySelectorAll("button, input, canvas"))
        .filter((e) => !(e.innerText || e.ariaLabel || e.labels?.[0]?.textContent || e.textContent.trim())).length`;
      expect(await page.evaluate(nameless)).toBe(0);
      expect(faults).toEqual([]);
    });

    it("says what a search found, and when it is no pattern", async () => {
      const { page, text, find } = await opener.open(guide);
      await find("pbkdf2|scavenge");
      expect(await text("#matches")).toMatch(/^\d+\.\d % · [\d,]+ ticks in \d+ functions$/);
      const first = await text("#announcer");
      await page.press("#search", "Enter");
      expect(await text("#announcer")).not.toBe(first);
      await page.press("#search", "Shift+Enter");
      expect(await text("#announcer")).toBe(first);
      await page.fill("#search", "(");
      expect(await text("#matches")).toBe("invalid regular expression");
      expect(await page.getAttribute("#search", "aria-invalid")).toBe("true");
    });

    it("shows callers and callees, and functions by their ticks", async () => {
      const { page, text, find, settle, faults } = await opener.open(guide);
      await find("^pbkdf2Sync$");
      await page.focus(CANVAS);
      await page.keyboard.press("c");
      await settle();
      expect(await text("#callers-title")).toBe("Callers of pbkdf2Sync");
      expect(await text("#details strong")).toBe("pbkdf2Sync");
      await page.focus("#callees canvas");
      await page.keyboard.press("ArrowDown");
      expect(await text("#announcer")).toMatch(/^sha512_block_data_order_avx2, total 843 ticks/);
      await page.focus("#callers canvas");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      expect(await text("#announcer")).toMatch(/^hash, /);
      await page.fill("#search", "");
      await settle();
      const rows = await page.locator("#table tbody tr").allInnerTexts();
      expect(rows[0]).toMatch(/62\.9 %\s+62\.9 %\s+sha512_block_data_order_avx2/);
      await page.click('button[data-sort="total"]');
      const byTotal = page.locator("#table tbody tr").first();
      expect(await byTotal.innerText()).not.toBe(rows[0]);
      const name = await byTotal.locator(".name").innerText();
      await byTotal.locator("button").click();
      expect(await text("#callers-title")).toBe(`Callers of ${name}`);
      expect(faults).toEqual([]);
    });

    it("shows the source with the ticks of its lines", async () => {
      const { page, text, find, settle, faults } = await opener.open(inlining);
      await find("^normalize$");
      expect(await text("#announcer")).toContain("inlined");
      await page.click("#details >> text=Source");
      await settle();
      expect(await text("#source-title")).toBe("/srv/app/inlining.js");
      const line = page.locator("#source tr", { has: page.locator("td.line", { hasText: /^4$/ }) });
      expect(await line.innerText()).toMatch(/^111\s+111\s+4\s+return a\.x \* b\.x/);
      await page.keyboard.press("Escape");
      expect(await page.isVisible("#source")).toBe(false);
      await find("memset|(garbage collection)");
      await page.focus(CANVAS);
      await page.keyboard.press("s");
      expect(await text("#announcer")).toContain("source of this frame is not available");
      expect(faults).toEqual([]);
    });

    it("leaves out no tick of a source: those without a line are below where their function begins", async () => {
      const { page, text, find, settle, faults } = await opener.open(inlining);
      await find("^frame$");
      await page.click("#details >> text=Source");
      await settle();
      const rows = await page.locator("#source tbody tr").allInnerTexts();
      const cells = rows.map((row) => row.split("\t").map((cell) => cell.trim()));
      const own = cells.reduce((sum, [self = ""]) => sum + Number(self.replaceAll(",", "")), 0);
      expect(await text("#source-note")).toContain(`Self: ${own} ticks`);
      const unknown = cells.filter(([, , line = ""]) => line.endsWith("?"));
      expect(unknown.map(([, , line, code]) => `${line} ${code}`)).toEqual(["15? shade: line unknown"]);
      expect(faults).toEqual([]);
    });

    it("gives the ticks of frames that are not shown to their callers", async () => {
      const { page, text, choose, find } = await opener.open(guide);
      expect(await text("#legend")).toContain("C++");
      await choose("cpp");
      expect(await text("#legend")).not.toContain("C++");
      await find("sha512");
      expect(await text("#matches")).toBe("0 % · 0 ticks in 0 functions");
      await find("^pbkdf2Sync$");
      expect(await text("#details")).toMatch(
        /Total\n1,097 ticks.*\nSelf\n1,087 ticks.*\nOn this path\n547 ticks, 40.8 %; self 543 ticks/,
      );
      await page.focus(CANVAS);
      await page.keyboard.press("Home");
      expect(await text("#announcer")).toContain("total 1,341 ticks, 100.0 %");
      const other = await opener.open(inlining);
      await other.choose("inlined");
      await other.find("^normalize$");
      expect(await other.text("#matches")).toBe("0 % · 0 ticks in 0 functions");
    });

    it("shows ticks over time, colours by package, and flames", async () => {
      const { page, text, choose, settle, faults } = await opener.open(guide);
      await choose("time");
      await choose("package");
      await choose("flame");
      expect(await text("#legend")).toMatch(/node \(native\)\s+84\.3 %/);
      await page.focus(CANVAS);
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowUp");
      expect(await text("#announcer")).toMatch(/depth 1$/);
      // The root is at the bottom, above what the thread did and its turns.
      await page.evaluate("document.querySelector('#charts .chart').scrollTop = 1e6");
      await settle();
      const box = (await page.locator(CANVAS).boundingBox())!;
      await page.mouse.move(box.x + 20, box.y + box.height - 48);
      await settle();
      expect(await text("#tooltip")).toMatch(/^all ticks/);
      expect(faults).toEqual([]);
    });

    it("has the threads of several logs to pick from", async () => {
      const two = mergeProfiles([timedProfile("js:a js:b", "js:a"), timedProfile("js:c", "js:c", "js:c")]);
      const { page, text } = await opener.open(documentOf(two));
      expect(await text("#subtitle")).toBe("5 ticks · 2 threads");
      await page.focus(CANVAS);
      await page.keyboard.press("Home");
      expect(await text("#announcer")).toContain("all ticks, total 5 ticks, 100.0 %");
      await page.click("#threads summary");
      await page.click("#thread-list label >> nth=1");
      await page.focus(CANVAS);
      await page.keyboard.press("Home");
      expect(await text("#announcer")).toContain("all ticks, total 2 ticks, 100.0 %");
    });

    it("fits 400 pixels", async () => {
      const { page, find, faults } = await opener.open(guide, { viewport: { width: 400, height: 800 } });
      await find("^pbkdf2Sync$");
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(400);
      expect((await page.locator(CANVAS).boundingBox())!.height).toBeGreaterThan(150);
      expect(faults).toEqual([]);
    });

    it("is as sharp as a screen of 4K, in dark and light", async () => {
      const { page, settle } = await opener.open(guide, {
        viewport: { width: 1920, height: 1080 },
        deviceScaleFactor: 2,
        colorScheme: "dark",
      });
      expect(await page.evaluate("document.querySelector('#charts canvas').width")).toBe(3840);
      const corner = `(() => { const c = document.querySelector('#charts canvas');
        return Array.from(c.getContext('2d').getImageData(5, c.height - 5, 1, 1).data).join() })()`;
      expect(await page.evaluate(corner)).toBe("20,24,29,255");
      await page.click("#theme");
      await settle();
      expect(await page.evaluate(corner)).toBe("255,255,255,255");
      expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("light");
    });

    it("shows a hostile name as the text that it is", async () => {
      const hostile = timedProfile(`js:${HOSTILE}·${HOSTILE}.js:1:1@1`);
      const { page, text, settle, faults } = await opener.open(documentOf(hostile));
      await page.focus(CANVAS);
      for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
      await settle();
      const name = HOSTILE.replaceAll("·", " ");
      expect(await text("#details strong")).toContain(name);
      expect(await text("#crumbs li >> nth=1")).toContain(name);
      await page.keyboard.press("c");
      await settle();
      expect(await text("#table tbody tr")).toContain(name);
      expect(await page.evaluate("document.images.length")).toBe(0);
      expect(await page.title()).not.toBe("hacked");
      expect(faults).toEqual([]);
      // Nothing but the script of the page runs, even if something brought it in.
      await page.evaluate(`{
        const script = document.createElement("script");
        script.textContent = "document.title = 'hacked'";
        document.body.append(script);
      }`);
      expect(await page.title()).not.toBe("hacked");
      expect(faults.join()).toContain("Content Security Policy");
    });

    it("says what was merged", async () => {
      const stacks = Array.from({ length: 60 }, (_, i) =>
        i < 40 ? "js:hot" : `js:cold·x.js:${i}:1 cpp:leaf`,
      );
      const limits = { ...PAGE_LIMITS, frames: 2, rows: 1 };
      const { text, choose } = await opener.open(documentOf(timedProfile(...stacks), limits));
      expect(await text("#notes")).toBe(
        "40 frames with at most 1 tick each (1.7 %) are merged into their callers’ “small frames”: 20 ticks (33.3 %) in total.",
      );
      await choose("time");
      expect(await text("#notes")).toMatch(/what is within \d+\.\d ms is sorted by stack/);
    });
  });
}

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";

const USUAL_PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where Chromium is; undefined where it is not. `CHROMIUM` names another one. */
export function findChromium(): string | undefined {
  const { CHROMIUM } = process.env;
  return (CHROMIUM === undefined ? USUAL_PLACES : [CHROMIUM]).find((path) => existsSync(path));
}

/** A page in a browser, and what went wrong in it. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors, messages on the console, and requests for anything but the file itself. */
  readonly faults: string[];
  /** The text of an element; spaces as they are seen. */
  text(selector: string): Promise<string>;
  /** Chooses a value of a group of radio buttons, or switches a box. */
  choose(value: string): Promise<void>;
  /** Searches, and goes to the first match. */
  find(pattern: string): Promise<void>;
  /** Waits until what moves has come to rest. */
  settle(): Promise<void>;
}

/** A browser and the files that it opened. */
export class PageOpener {
  readonly #browser: Browser;
  readonly #folder = mkdtempSync(join(tmpdir(), "ticks-page-"));
  /** By their options: pages of one context share a process, whose start takes longer than that of the page. */
  readonly #contexts = new Map<string, BrowserContext>();

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(executablePath: string): Promise<PageOpener> {
    const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
    const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", ...quiet];
    return new PageOpener(await chromium.launch({ executablePath, args }));
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Opens a document from disk. */
  async open(html: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
    const file = join(this.#folder, "page.html");
    writeFileSync(file, html);
    const url = pathToFileURL(file).href;
    const all = { viewport: { width: 1200, height: 800 }, reducedMotion: "reduce", ...options } as const;
    const key = JSON.stringify(all);
    const context = this.#contexts.get(key) ?? (await this.#browser.newContext(all));
    this.#contexts.set(key, context);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("console", (message) => faults.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("dialog", (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (request.url() !== url) faults.push(`request: ${request.url()}`);
    });
    await page.goto(url);
    const settle = async () => {
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    };
    await settle();
    return {
      page,
      faults,
      text: (selector) => page.locator(selector).innerText(),
      settle,
      choose: async (value) => {
        await page.evaluate(`document.querySelector('input[value="${value}"]').click()`);
        await settle();
      },
      find: async (pattern) => {
        await page.fill("#search", pattern);
        await page.press("#search", "Enter");
        await settle();
      },
    };
  }
}

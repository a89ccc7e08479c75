import { describe, it } from "vitest";
import { describeFlamePage } from "./flame-page.ts";
import { findChromium } from "./open-page.ts";

const chromium = findChromium();
if (chromium !== undefined) describeFlamePage(chromium);
else {
  describe("the page of ticks flame in a browser", () => {
    it.skip("needs Chromium: apt-get install chromium, or CHROMIUM=PATH; npm run test:peers requires it");
  });
}

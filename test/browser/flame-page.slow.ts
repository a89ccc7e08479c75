import { describe, it } from "vitest";
import { describeFlamePage } from "./flame-page.ts";
import { findChromium } from "./open-page.ts";
import { describePageTime } from "./page-time.ts";
import { describePageUse } from "./page-use.ts";
import { describeSidePage } from "./side-page.ts";

const NEEDED =
  "no Chromium, so the page is not tested in a browser: apt-get install chromium, or CHROMIUM=PATH; npm run test:peers requires it";

const chromium = findChromium();
if (chromium !== undefined) {
  describeFlamePage(chromium);
  describePageUse(chromium);
  describePageTime(chromium);
  describeSidePage(chromium);
} else {
  console.warn(NEEDED);
  describe("the page of ticks flame in a browser", () => {
    it.skip(NEEDED);
  });
}

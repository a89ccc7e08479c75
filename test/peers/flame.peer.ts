import { describeFlamePage } from "../browser/flame-page.ts";
import { findChromium } from "../browser/open-page.ts";
import { describePageUse } from "../browser/page-use.ts";
import { debianPeer } from "./peer.ts";

const chromium = findChromium() ?? debianPeer("chromium", "chromium");
describeFlamePage(chromium);
describePageUse(chromium);

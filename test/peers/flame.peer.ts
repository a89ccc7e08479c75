import { describeFlamePage } from "../browser/flame-page.ts";
import { findChromium } from "../browser/open-page.ts";
import { debianPeer } from "./peer.ts";

describeFlamePage(findChromium() ?? debianPeer("chromium", "chromium"));

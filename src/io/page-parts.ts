import { readFileSync } from "node:fs";

/** Reads the parts of the page of `ticks flame` that ship with this package. */
export function readPageParts(): { readonly html: string; readonly style: string; readonly script: string } {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  return {
    html: read("src/flame-page/page.html"),
    style: read("src/flame-page/page.css"),
    script: read("dist/flame-page.js"),
  };
}

import { readFileSync } from "node:fs";

/** Reads the parts of the page of `ticks flame` that ship with this package. */
export function readPageParts(): { readonly html: string; readonly style: string; readonly script: string } {
  const read = (name: string) =>
    readFileSync(new URL(`../../dist/flame-page/${name}`, import.meta.url), "utf8");
  return { html: read("page.html"), style: read("page.css"), script: read("page.js") };
}

import { readFileSync } from "node:fs";

/** The parts of the page of `ticks flame`, as they came with this package. */
export function readPageParts(): { readonly html: string; readonly style: string; readonly script: string } {
  const read = (name: string) =>
    readFileSync(new URL(`../../dist/flame-page/${name}`, import.meta.url), "utf8");
  return { html: read("page.html"), style: read("page.css"), script: read("page.js") };
}

import { readFileSync } from "node:fs";

/** The parts of the page of `ticks flame` that ship with this package. */
interface ShippedParts {
  readonly html: string;
  readonly style: string;
  readonly script: string;
}

/** Reads the parts of the page of `ticks flame`. `hasSides` adds the style of a page that compares two sides. */
export function readFlamePageParts({ hasSides = false }: { readonly hasSides?: boolean } = {}): ShippedParts {
  const read = (name: string) =>
    readFileSync(new URL(`../../dist/flame-page/${name}`, import.meta.url), "utf8");
  const style = read("page.css") + (hasSides ? read("sides.css") : "");
  return { html: read("page.html"), style, script: read("page.js") };
}

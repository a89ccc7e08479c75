import type { Ticks } from "../../profile/units.js";
import { type Listing, withoutRows } from "../../views/listing.js";
import { fenced } from "./markdown.js";
import type { RowBlock } from "./markdown-page.js";

/** Returns a code block with a listing, made of the text that `write` yields for its rows. */
export function listingBlock(listing: Listing, write: (listing: Listing) => Iterable<string>): RowBlock {
  /** By row of the listing: its row in the block. Gaps are none. */
  const index = new Int32Array(listing.rows.length);
  const ticks: Ticks[] = [];
  const own: Ticks[] = [];
  for (const [i, row] of listing.rows.entries()) {
    if (row.kind === "gap") continue;
    index[i] = own.length;
    own.push(row.self);
    ticks.push(Math.max(row.self, row.total));
  }
  return {
    ticks,
    own,
    *lines(isShown) {
      const shown = withoutRows(listing, (row) => !isShown(index[row]!));
      yield* fenced(Array.from(write(shown)));
    },
  };
}

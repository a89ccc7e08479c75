import { expect, it } from "vitest";
import { Pages } from "../../../src/exporters/parquet-pages.ts";

it("gives rows the numbers of their frames and of their stacks", () => {
  const pages = new Pages(8);
  pages.few.set([5, -1, 7]);
  pages.ofRow.set([0, 2, 2, 1]);
  pages.gather(4);
  expect(Array.from(pages.ids.subarray(0, 4))).toEqual([5, 7, 7, -1]);
  pages.ends.set([1, 4, 5]);
  pages.spread(3);
  expect(Array.from(pages.ids.subarray(0, 5))).toEqual([5, -1, -1, -1, 7]);
});

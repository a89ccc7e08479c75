import { type ListColumn, tickColumns } from "./function-list.js";
import type { Model } from "./model.js";
import { pointsText, shareText } from "./number-text.js";
import type { Shown } from "./shown-graph.js";
import { type Measure, SIGNS, type SideModel, signOf } from "./side-model.js";

/** What stands before a change with its own sign. */
const MARKS: Readonly<Record<(typeof SIGNS)[number], string>> = {
  "": "",
  "▲": "▲",
  "▼": "▼",
  "+": "new",
  "−": "gone",
};

/** Functions that changed come before all others. */
const CHANGED = 1000;

/** Returns the columns of the list of functions. */
export function listColumns({ sides }: Model, whole: Shown, measure: Measure): ListColumn[] {
  return sides === undefined
    ? tickColumns(whole.sums, whole.graph.total[0]!)
    : changeColumns(sides, whole, measure);
}

function changeColumns(sides: SideModel, { sideSums }: Shown, measure: Measure): ListColumn[] {
  const { unit } = sides.data;
  const [before, after] = [0, 1].map((side) => sideSums![side as 0 | 1][measure]);
  const change = (id: number) => ((after![id]! - before![id]!) * 100) / unit;
  const sign = (id: number) => SIGNS[signOf(sides, measure, id)] ?? "";
  const share = (key: string, title: string, column: Float64Array): ListColumn => ({
    key,
    title,
    value: (id) => column[id]!,
    text: (id) => shareText(column[id]!, unit),
    detail: () => "",
    share: (id) => column[id]! / unit,
  });
  return [
    {
      key: "change",
      title: "Change",
      value: (id) => Math.abs(change(id)) + (sign(id) === "" ? 0 : CHANGED),
      text: (id) => `${MARKS[sign(id)]} ${pointsText(change(id))}`.trim(),
      detail: (id) => (sign(id) === "" ? "may be chance" : ""),
      share: () => 0,
      isUnsure: (id) => sign(id) === "",
    },
    share("before", "Before", before!),
    share("after", "After", after!),
  ];
}

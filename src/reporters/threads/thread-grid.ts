import type { Profile } from "../../profile/profile.js";
import { soundTime } from "../../profile/sound-numbers.js";
import type { Ticks } from "../../profile/units.js";
import { type VmStateName, vmState } from "../../profile/vm-state.js";
import { fileName } from "../../views/origin.js";
import type { HottestFunction, ThreadTotals } from "../../views/thread-totals.js";
import { counted, shareOf } from "../layout/numbers.js";
import type { Column } from "../layout/table.js";

/** Returns the line above the table. */
export function headingOf({ info }: Profile, show: (title: string) => string): string {
  const ticks = info.ticks - info.excluded;
  const counts = [counted(info.threads.length, "thread"), counted(ticks, "tick")];
  if (info.excluded > 0) counts.push(`${info.excluded} excluded`);
  return `${show(info.title)}: ${counts.join(", ")}`;
}

/** The VM states of each column. Each state is in one column. */
const STATE_COLUMNS: readonly (readonly VmStateName[])[] = [
  ["js"],
  ["gc"],
  ["parser", "bytecode-compiler", "compiler"],
  ["other"],
  ["external"],
  ["atomics-wait"],
  ["idle", "idle-external"],
  ["logging"],
  ["unknown"],
];

/**
 * Returns one row per thread and one for all. States without ticks have no column. `show` escapes names of
 * the log.
 */
export function gridOf(threads: readonly ThreadTotals[], show: (text: string) => string) {
  const whole = sumOf(threads);
  const ticksIn = (names: readonly VmStateName[], some: readonly ThreadTotals[]) =>
    some.reduce((sum, { states }) => names.reduce((ticks, name) => ticks + states[vmState(name)]!, sum), 0);
  const states = STATE_COLUMNS.filter((names) => ticksIn(names, threads) > 0);
  const columns: Column[] = [
    { title: "#", align: "right" },
    { title: "thread" },
    { title: "ticks", align: "right" },
    { title: "share", align: "right" },
    ...states.map((names): Column => ({ title: titleOf(names), align: "right" })),
    { title: "span", align: "right" },
    { title: "hottest function" },
  ];
  const rows = threads.map((thread, i) => [
    String(i + 1),
    show(thread.name),
    String(thread.ticks),
    shareOf(thread.ticks, whole),
    ...states.map((names) => String(ticksIn(names, [thread]))),
    `${(soundTime(thread.span) / 1e6).toFixed(2)} s`,
    hottestCell(thread, show),
  ]);
  const all = [
    "",
    "all",
    String(whole),
    shareOf(whole, whole),
    ...states.map((names) => String(ticksIn(names, threads))),
    "",
    "",
  ];
  return { columns, rows: [...rows, all] };
}

function titleOf([first, ...others]: readonly VmStateName[]): string {
  return others.includes("compiler") ? "compile" : first!;
}

function hottestCell({ hottest, ticks }: ThreadTotals, show: (text: string) => string): string {
  return hottest === undefined ? "" : `${shareOf(hottest.self, ticks)} ${show(nameAndPosition(hottest))}`;
}

function nameAndPosition({ function: { title, file, line } }: HottestFunction): string {
  return file === undefined || line === undefined ? title : `${title} ${fileName(file)}:${line}`;
}

/** Returns the ticks of all threads. */
export function sumOf(threads: readonly ThreadTotals[]): Ticks {
  return threads.reduce((sum, { ticks }) => sum + ticks, 0);
}

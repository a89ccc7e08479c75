import type { Profile } from "../../profile/profile.js";
import { soundTime } from "../../profile/sound-numbers.js";
import type { Ticks } from "../../profile/units.js";
import type { ProfiledFunction } from "../../views/function-table.js";
import { type GroupBy, LANES, type Lane } from "../../views/lanes.js";
import { lookAlikes } from "../../views/look-alikes.js";
import { fileName } from "../../views/origin.js";
import type { ThreadTotals } from "../../views/thread-totals.js";
import { counted, shareOf } from "../layout/numbers.js";
import type { Column } from "../layout/table.js";

/** Returns the line above the table. */
export function headingOf(
  { info }: Profile,
  { by, show }: { readonly by?: GroupBy | undefined; readonly show: (title: string) => string },
): string {
  const ticks = info.ticks - info.excluded;
  const counts = [counted(info.threads.length, "thread"), counted(ticks, "tick")];
  if (info.excluded > 0) counts.push(`${info.excluded} excluded`);
  if (by === "state") counts.push("by VM state");
  return `${show(info.title)}: ${counts.join(", ")}`;
}

/** A column of ticks: one group, or several that would not fit side by side. */
interface GroupColumn {
  readonly title: string;
  readonly lanes: readonly Lane[];
}

/** The columns of each grouping. Each group is in one column. */
const COLUMNS: Readonly<Record<GroupBy, readonly GroupColumn[]>> = {
  category: [
    { title: "JS", lanes: ["js"] },
    { title: "builtins", lanes: ["builtins"] },
    { title: "C++", lanes: ["native"] },
    { title: "GC", lanes: ["gc"] },
    { title: "compile", lanes: ["parser", "bytecode-compiler", "compiler"] },
    { title: "profiler", lanes: ["profiler"] },
    { title: "idle", lanes: ["atomics-wait", "idle"] },
    { title: "unknown", lanes: ["unknown"] },
  ],
  state: [
    { title: "js", lanes: ["js"] },
    { title: "gc", lanes: ["gc"] },
    { title: "compile", lanes: ["parser", "bytecode-compiler", "compiler"] },
    { title: "other", lanes: ["other"] },
    { title: "external", lanes: ["external"] },
    { title: "atomics-wait", lanes: ["atomics-wait"] },
    { title: "idle", lanes: ["idle", "idle-external", "idle-inferred"] },
    { title: "logging", lanes: ["logging"] },
    { title: "unknown", lanes: ["unknown"] },
  ],
};

/**
 * Returns one row per thread and one for all. Groups without ticks have no column. `show` escapes names of
 * the log.
 */
export function gridOf(
  threads: readonly ThreadTotals[],
  { by = "category", show }: { readonly by?: GroupBy | undefined; readonly show: (text: string) => string },
) {
  const whole = sumOf(threads);
  const ticksIn = ({ lanes }: GroupColumn, some: readonly ThreadTotals[]) =>
    some.reduce((sum, thread) => lanes.reduce((ticks, lane) => ticks + laneTicks(thread, by, lane), sum), 0);
  const groups = COLUMNS[by].filter((column) => ticksIn(column, threads) > 0);
  const columns: Column[] = [
    { title: "#", align: "right" },
    { title: "thread" },
    { title: "ticks", align: "right" },
    { title: "share", align: "right" },
    ...groups.map(({ title }): Column => ({ title, align: "right" })),
    { title: "span", align: "right" },
    { title: "hottest function" },
  ];
  const alike = hottestAlike(threads);
  const rows = threads.map((thread, i) => [
    String(i + 1),
    show(thread.name),
    String(thread.ticks),
    shareOf(thread.ticks, whole),
    ...groups.map((column) => String(ticksIn(column, [thread]))),
    `${(soundTime(thread.span) / 1e6).toFixed(2)} s`,
    hottestCell(thread, alike, show),
  ]);
  const all = [
    "",
    "all",
    String(whole),
    shareOf(whole, whole),
    ...groups.map((column) => String(ticksIn(column, threads))),
    "",
    "",
  ];
  return { columns, rows: [...rows, all] };
}

/** Returns those of the hottest functions that only their columns tell apart. */
export function hottestAlike(threads: readonly ThreadTotals[]): ReadonlySet<ProfiledFunction> {
  return lookAlikes(threads.flatMap(({ hottest }) => hottest?.function ?? []));
}

function laneTicks({ categories, states }: ThreadTotals, by: GroupBy, lane: Lane): Ticks {
  return (by === "category" ? categories : states)[LANES[by].indexOf(lane)] ?? 0;
}

/** Returns the share and the name of the hottest function of a thread; empty without ticks. */
export function hottestCell(
  { hottest, ticks }: ThreadTotals,
  alike: ReadonlySet<ProfiledFunction>,
  show: (text: string) => string,
): string {
  if (hottest === undefined) return "";
  const name = nameAndPosition(hottest.function, alike.has(hottest.function));
  return `${shareOf(hottest.self, ticks)} ${show(name)}`;
}

function nameAndPosition({ title, file, line, column }: ProfiledFunction, isAlike: boolean): string {
  if (file === undefined || line === undefined) return title;
  return `${title} ${fileName(file)}:${line}${isAlike ? `:${column}` : ""}`;
}

/** Returns the ticks of all threads. */
export function sumOf(threads: readonly ThreadTotals[]): Ticks {
  return threads.reduce((sum, { ticks }) => sum + ticks, 0);
}

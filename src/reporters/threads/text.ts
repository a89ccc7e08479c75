import type { Profile } from "../../profile/profile.js";
import { soundTime } from "../../profile/sound-numbers.js";
import type { Ticks } from "../../profile/units.js";
import { type VmStateName, vmState } from "../../profile/vm-state.js";
import { printable } from "../../views/label.js";
import { fileName } from "../../views/origin.js";
import { type HottestFunction, type ThreadTotals, threadTotals } from "../../views/thread-totals.js";
import { jsonLines } from "../layout/json-lines.js";
import { jsonFunction, jsonHead } from "../layout/json-parts.js";
import { jsonThread } from "../layout/json-thread.js";
import { codeCell, markdownTable, plainOrCode } from "../layout/markdown.js";
import { counted, emphasize, shareOf } from "../layout/numbers.js";
import { PLAIN } from "../layout/style.js";
import { type Column, table } from "../layout/table.js";
import type { Reporter } from "../process/reporter.js";

/** Goes up when a key changes its meaning or goes away; new keys may come at any time. */
export const JSON_THREADS_VERSION = 1;

/** The threads of a profile, for people. */
export const threadsText: Reporter = {
  name: "text",
  title: "a table",
  *report(profile, { style = PLAIN }) {
    const threads = threadTotals(profile);
    yield style.heading(headingOf(profile, printable));
    if (threads.length === 0) return;
    yield "";
    const { columns, rows } = gridOf(threads, printable);
    const whole = sumOf(threads);
    for (const [i, line] of table(columns, rows).entries()) {
      const ticks = i === 0 ? undefined : threads[i - 1]?.ticks;
      yield `  ${ticks === undefined ? line : emphasize(line, { ticks, whole }, style)}`;
    }
  },
};

/** The same, for issues and pull requests. */
export const threadsMarkdown: Reporter = {
  name: "md",
  title: "a Markdown table",
  *report(profile) {
    const threads = threadTotals(profile);
    yield headingOf(profile, (title) => {
      const shown = plainOrCode(title);
      return shown === title ? title.replaceAll("_", "\\_") : shown;
    });
    yield "";
    const { columns, rows } = gridOf(threads, codeCell);
    yield* markdownTable(columns, rows);
  },
};

/** The same, for programs. `threads.schema.json` describes it. */
export const threadsJson: Reporter = {
  name: "json",
  title: "one JSON document",
  *report(profile) {
    yield* jsonLines({
      version: JSON_THREADS_VERSION,
      ...jsonHead(profile),
      threads: threadTotals(profile).map((thread) => ({
        ...jsonThread(thread),
        hottest: hottestOf(thread),
      })),
    });
  },
};

function hottestOf({ hottest }: ThreadTotals) {
  return hottest === undefined ? null : { ...jsonFunction(hottest.function), self: hottest.self };
}

function headingOf({ info }: Profile, show: (title: string) => string): string {
  const ticks = info.ticks - info.excluded;
  const counts = [counted(info.threads.length, "thread"), counted(ticks, "tick")];
  if (info.excluded > 0) counts.push(`${info.excluded} excluded`);
  return `${show(info.title)}: ${counts.join(", ")}`;
}

/** The states that have a column, those of one column together; each state is in one. */
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

/** A row a thread and one for all. States that no thread was in have no column; `show` makes names of the log fit to print. */
function gridOf(threads: readonly ThreadTotals[], show: (text: string) => string) {
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
  return hottest === undefined ? "" : `${shareOf(hottest.self, ticks)} ${show(nameAndPlace(hottest))}`;
}

function nameAndPlace({ function: { title, file, line } }: HottestFunction): string {
  return file === undefined || line === undefined ? title : `${title} ${fileName(file)}:${line}`;
}

function sumOf(threads: readonly ThreadTotals[]): Ticks {
  return threads.reduce((sum, { ticks }) => sum + ticks, 0);
}

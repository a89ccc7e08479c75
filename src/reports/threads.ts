import { shellWord } from "../base/shown-text.js";
import { amount, duration, isEmpty, joined, measured, named, share, type Text, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { Analysis } from "../facts/analysis.js";
import { doubtTexts } from "../facts/doubts.js";
import type { ShownFunction } from "../facts/function-table.js";
import { nameAt } from "../facts/function-table.js";
import { LookAlikes } from "../facts/look-alikes.js";
import { fileName } from "../facts/origin.js";
import { percentOf } from "../facts/shares.js";
import { type ThreadTotals, threadTotals } from "../facts/thread-totals.js";
import { type GroupBy, type GroupRow, TICK_GROUPS } from "../profile/categories.js";
import type { ProfileInfo } from "../profile/profile.js";
import { reportTitle } from "../profile/titles.js";
import { listedSymbol } from "../render/names.js";
import {
  type Block,
  type Column,
  cutMiddleCell,
  GAP,
  note,
  number,
  type Row,
  section,
  type Table,
  ticksColumn,
} from "../render/page.js";
import { plainly } from "../render/spoken.js";
import { factsReport, type Shown } from "./facts-report.js";
import {
  type CategoryTicks,
  type FunctionData,
  type JsonHead,
  jsonFunction,
  jsonHead,
  jsonThread,
  type Percent,
  type StateTicks,
  shownFunction,
  type ThreadData,
} from "./json.js";
import type { NextCommand } from "./next.js";
import type { RecordingData, Surroundings } from "./report.js";
import type { ThreadsReportOptions } from "./report-options.js";
import { counted } from "./words.js";

/** `ticks threads`. */
export const THREADS = factsReport<ThreadsData, ThreadsReportOptions>({
  needs: () => ({ lines: false, callers: false }),
  sharesWork: true,
  facts: threadsFacts,
  page: threadsPage,
  next: nextOf,
});

function threadsPage(facts: ThreadsData, { info, count, options }: Shown<ThreadsReportOptions>): Block[] {
  const { by = "category" } = options;
  const counts: Text[] = [counted(facts.threads.length, "thread"), count];
  if (facts.excludedTicks > 0) counts.push(text`${measured(facts.excludedTicks)} excluded`);
  if (by === "state") counts.push("by VM state");
  const heading: Block = { kind: "heading", name: reportTitle(info), facts: joined(counts, ", ") };
  if (facts.threads.length === 0) return [heading];
  return [
    heading,
    threadTables(facts.threads, by, info),
    ...(facts.recordings ?? []).flatMap(recordingBlocks),
  ];
}

/** Returns the page of the busiest thread. */
function nextOf({ threads }: ThreadsData): NextCommand[] {
  const busy = threads.map((thread) => thread.ticks - waitedOf(thread));
  const most = busy.reduce((best, ticks, i) => (ticks > busy[best]! ? i : best), 0);
  if (!threads[most]?.ticks) return [];
  if (threads.length === 1) return [{ command: "ticks top", why: "what it did" }];
  const options = `--thread ${most + 1}`;
  return [{ command: "ticks top", options, why: text`what ${named(threads[most].name)} did` }];
}

/** Returns the ticks in which a thread waited. */
function waitedOf({ states }: ThreadData): Ticks {
  return ticksIn(
    states,
    TICK_GROUPS.state.filter(({ isWait }) => isWait),
  );
}

function ticksIn(ticks: CategoryTicks | StateTicks, groups: readonly GroupRow[]): Ticks {
  const byName: Readonly<Record<string, Ticks | undefined>> = { ...ticks };
  return groups.reduce((sum, { name }) => sum + (byName[name] ?? 0), 0);
}

/** A column of ticks: one group, or several that would not fit side by side. */
interface GroupColumn {
  readonly title: string;
  readonly groups: readonly GroupRow[];
}

/** Returns the columns of a grouping. Each group is in one. */
function groupColumns(by: GroupBy): GroupColumn[] {
  const titles = new Set(TICK_GROUPS[by].map(({ column }) => column));
  return Array.from(titles, (title) => ({
    title,
    groups: TICK_GROUPS[by].filter(({ column }) => column === title),
  }));
}

/** The columns that say which thread it is, and how much it did. The first is a number, which the other table repeats. */
const NAMES: readonly Column[] = [number("#"), { title: "thread" }];
const HOTTEST: Column = { title: "hottest function" };

/** Returns one row per thread and one for all, in one table or in two. Groups without ticks have no column. */
function threadTables(
  threads: readonly ThreadAndHottest[],
  by: GroupBy,
  { input, sampling }: Pick<ProfileInfo, "input" | "sampling">,
): Block {
  const hasSpans = input === undefined || sampling.hasTimes;
  const waited = threads.reduce((sum, thread) => sum + waitedOf(thread), 0);
  const whole = threads.reduce((sum, { ticks }) => sum + ticks, 0) - waited;
  const inColumn = ({ groups }: GroupColumn, some: readonly ThreadAndHottest[]) =>
    some.reduce((sum, one) => sum + ticksIn(by === "category" ? one.categories : one.states, groups), 0);
  const used = groupColumns(by).filter((column) => inColumn(column, threads) > 0);
  const isOfWaits = ({ groups }: GroupColumn) => groups.every(({ isWait }) => isWait);
  // One way to wait has its ticks in the column of waits already.
  const groups = used.filter(isOfWaits).length === 1 ? used.filter((one) => !isOfWaits(one)) : used;
  const hot = threads.map(hotThread);
  const alike = hottestAlike(hot);
  const busyCells = (of: Pick<HotThread, "ticks" | "waited">) => [
    ...[amount(of.ticks - of.waited), share(of.ticks - of.waited, whole)],
    ...(waited > 0 ? [amount(of.waited)] : []),
  ];
  const rows = threads.map((thread, i) => ({
    names: [String(i + 1), named(thread.name)],
    busy: busyCells(hot[i]!),
    work: [
      ...groups.map((column) => amount(inColumn(column, [thread]))),
      ...(hasSpans ? [duration(thread.spanUs)] : []),
    ],
    hottest: cutMiddleCell(hottestCell(hot[i]!, alike)),
    weight: { ticks: thread.ticks - hot[i]!.waited } as Pick<Row, "ticks" | "tone">,
  }));
  const busy = [ticksColumn(), number("share"), ...(waited > 0 ? [ticksColumn("waited")] : [])];
  const all = {
    names: ["", "all"],
    busy: busyCells({ ticks: whole + waited, waited }),
    work: [...groups.map((column) => amount(inColumn(column, threads))), ...(hasSpans ? [""] : [])],
    hottest: "",
    weight: { tone: "plain" } as const,
  };
  const work = [...groups.map(({ title }) => ticksColumn(title)), ...(hasSpans ? [number("span")] : [])];
  const tableOf = (
    columns: readonly Column[],
    cellsOf: (row: (typeof rows)[number] | typeof all) => Row["cells"],
  ): Table => ({
    kind: "table",
    whole,
    columns,
    rows: [...rows, all].map((row) => ({ cells: cellsOf(row), ...row.weight })),
  });
  return {
    kind: "fitted",
    wide: [
      section(
        undefined,
        tableOf([...NAMES, ...busy, ...work, HOTTEST], (row) => [
          ...[...row.names, ...row.busy, ...row.work, row.hottest],
        ]),
      ),
    ],
    narrow: [
      section(
        undefined,
        tableOf([...NAMES, ...busy, HOTTEST], (row) => [...row.names, ...row.busy, row.hottest]),
      ),
      section(
        undefined,
        tableOf([number("#"), ...work], ({ names: [id, name], work }) => [id || name!, ...work]),
      ),
    ],
  };
}

/** A thread with the function that did most of what it did. */
interface HotThread {
  readonly ticks: Ticks;
  readonly waited: Ticks;
  readonly hottest: { readonly function: ShownFunction; readonly self: Ticks } | null | undefined;
}

/** Returns what the cell of the hottest function of a thread is made of. */
export function hotThread(thread: ThreadAndHottest): HotThread {
  const { hottest: most, ticks } = thread;
  const hottest = most && { function: shownFunction(most), self: most.self };
  return { ticks, waited: waitedOf(thread), hottest };
}

/** Returns those of the hottest functions that only their columns tell apart. */
export function hottestAlike(threads: readonly HotThread[]): LookAlikes {
  return new LookAlikes(threads.flatMap(({ hottest }) => hottest?.function ?? []));
}

/** Returns the share, of what it did, and the name of the hottest function of a thread; empty without ticks. */
export function hottestCell({ hottest, ticks, waited }: HotThread, alike: LookAlikes): string {
  if (!hottest) return "";
  const part = plainly(share(hottest.self, ticks - waited), {});
  return `${part} ${nameAndPosition(hottest.function, alike.has(hottest.function))}`;
}

function nameAndPosition({ title, kind, file, line, column }: ShownFunction, isAlike: boolean): string {
  if (kind === "native") return listedSymbol(title);
  if (file === undefined || line === undefined) return title;
  const named = nameAt(title, `${fileName(file)}:${line}${isAlike ? `:${column}` : ""}`);
  return `${named.title} ${named.position}`.trimEnd();
}

/** More processes than this are counted, not listed. */
const LISTED_LIMIT = 50;

/** Returns a recording: what it is, and its processes with their PIDs, their commands, and why they have no log. */
function recordingBlocks(recording: RecordingData): Block[] {
  const { processes } = recording;
  const rows = processes.slice(0, LISTED_LIMIT).map(
    ({ pid, ppid, command, problem }): Row => ({
      cells: [
        String(pid),
        String(ppid),
        {
          text: commandLine(command),
          cut: "middle",
          ...(problem !== null && { marks: text`(${named(problem)})` }),
        },
      ],
    }),
  );
  const more = processes.length - rows.length;
  const table: Table = {
    kind: "table",
    columns: [number("pid"), number("parent"), { title: "command" }],
    rows: more > 0 ? [...rows, { cells: ["", "", `and ${more} more`] }] : rows,
  };
  return [
    GAP,
    note(recordingTitle(recording), "heading"),
    ...(rows.length === 0 ? [] : [section(undefined, table)]),
  ];
}

function recordingTitle({ folder, command, commit, labels, outcome, processes }: RecordingData): Text {
  const versions = Array.from(new Set(processes.map(({ node }) => node))).filter((version) => version !== "");
  const facts: Text[] = [
    `${processes.length} Node ${processes.length === 1 ? "process" : "processes"}`,
    outcomeOf(outcome),
    versions.length === 0 ? "" : text`Node ${named(versions.slice(0, 3).join(", "))}`,
    commit === null ? "" : text`commit ${named(commit.slice(0, 12))}`,
    ...Object.entries(labels).map(([key, value]) => named(`${key}=${value}`)),
  ].filter((fact) => !isEmpty(fact));
  return text`${named(folder)} is a recording of ${named(commandLine(command))}: ${joined(facts, ", ")}`;
}

function outcomeOf(outcome: RecordingData["outcome"]): Text {
  if (outcome === null) return "cut off";
  const { status, signal, stoppedBy, seconds } = outcome;
  const end =
    stoppedBy !== null ? "stopped" : signal !== null ? "ended by a signal" : `exit status ${status ?? "?"}`;
  return text`${end} after ${duration(seconds * 1e6)}`;
}

/** The program by its name: paths of Node are long and all alike. */
function commandLine([program = "", ...args]: readonly string[]): string {
  const name = program.slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1);
  return [name, ...args].map((word) => shellWord(word)).join(" ");
}

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id threads.schema.json
 * @title ticks threads --format json, schema version 1
 */
export interface ThreadsData extends JsonHead<"threads"> {
  /** One per isolate, by process, main threads first. Their ticks sum to ticks. */
  readonly threads: readonly ThreadAndHottest[];
  /** What the record.json beside the logs says; only for logs of ticks record. */
  readonly recordings?: readonly RecordingData[];
}

export interface ThreadAndHottest extends ThreadData {
  /** The function with most of the ticks in which the thread did not wait. null if it has none. */
  readonly hottest: HottestFunction | null;
}

export interface HottestFunction extends FunctionData {
  readonly self: Ticks;
  /** Of the thread's ticks in which it did not wait. */
  readonly selfPercent: Percent;
}

export function threadAndHottest({ hottest, ...thread }: ThreadTotals): ThreadAndHottest {
  return {
    ...jsonThread({ hottest, ...thread }),
    hottest:
      hottest === undefined
        ? null
        : {
            ...jsonFunction(hottest.function),
            self: hottest.self,
            selfPercent: percentOf(hottest.self, thread.ticks - thread.waited),
          },
  };
}

/** Returns the document of `ticks threads`. Warns of times that are not known. */
function threadsFacts(profile: Analysis, _: unknown, around: Surroundings): ThreadsData {
  if (profile.info.input === undefined)
    for (const words of doubtTexts(profile, "no-times")) around.warn(words);
  const recordings = around.recordings();
  const threads = threadTotals(profile);
  return {
    ...jsonHead("threads", profile, threads),
    threads: threads.map(threadAndHottest),
    ...(recordings.length > 0 && { recordings }),
  };
}

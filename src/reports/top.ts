import {
  amount,
  duration,
  inTicks,
  joined,
  milliseconds,
  named,
  type Text,
  TICK,
  TICKS,
  text,
  WEIGHT,
} from "../base/text.js";
import type { Analysis } from "../facts/analysis.js";
import { isSampled } from "../facts/coverage.js";
import { doubtText, type Warning, type Weight, weightOf } from "../facts/doubts.js";
import { printable } from "../facts/label.js";
import { percentOf } from "../facts/shares.js";
import { topOf } from "../facts/top.js";
import { TURNS } from "../facts/turns.js";
import type { ProfileInfo } from "../profile/profile.js";
import { nodeText, reportTitle } from "../profile/titles.js";
import { versionText } from "../profile/v8-version.js";
import { type Block, type Note, note, section } from "../render/page.js";
import { factsReport, type Shown } from "./facts-report.js";
import { commandLine, logsNote, onPage } from "./next.js";
import type { Surroundings } from "./report.js";
import type { TopReportOptions } from "./report-options.js";
import { allocationsSection } from "./top-allocations.js";
import { cutTop, type TopData, topFacts } from "./top-facts.js";
import { findingRows, findingText, PrintedLines } from "./top-findings.js";
import { rankedLines, TopTables } from "./top-tables.js";
import { longTurnNotes } from "./turns.js";
import { counted, filteredTicks, shellCommand, waitedLines } from "./words.js";

/** `ticks top`. */
export const TOP = factsReport<TopData, TopReportOptions>({
  needs: () => ({ deopts: true, timeline: true, lines: "program", turns: TURNS, memory: true }),
  hasWholeNames: true,
  tellsWaits: true,
  facts: topOfLogs,
  cut: cutTop,
  page: topPage,
});

function topOfLogs(
  profile: Analysis,
  { limit, reading }: Shown<TopReportOptions>,
  { turns, memory, command, isGone }: Surroundings,
): TopData {
  const top = topOf(profile, limit);
  const shown = isGone ? { ...top, steps: [] } : top;
  return topFacts({ profile, top: shown, turns, memory, limit, reading, command: command() });
}

/**
 * Returns the page of `ticks top`: short, ranked, and the same for each run of the command. First comes what it found, then what may
 * be wrong with it: only a doubt that makes all else worthless comes before.
 */
function* topPage(facts: TopData, shown: Shown<TopReportOptions>): Iterable<Block> {
  const { info, names } = shown;
  const { warnings, ticks: whole } = facts;
  const reading = onPage(shown.reading);
  const [ticks = "", ...others] = headOf(facts, shown);
  yield { kind: "heading", name: reportTitle(info), facts: ticks };
  if (others.length > 0) yield note(joined(others, ", "));
  yield* waitedLines(info).map((line) => note(line));
  if (whole > 0 && waitedLines(info).length === 0) yield { ...note(sharesNote(facts)), isMarkdownOnly: true };
  const doctor = named(shellCommand("ticks doctor", reading.logs.map(printable)));
  const words = (doubt: Warning) => doubtText(doubt, info, doctor);
  const weighing = (...weights: readonly Weight[]) =>
    warnings.filter((one) => weights.includes(weightOf(one, whole)));
  const [grave] = weighing("first");
  if (grave !== undefined) yield { ...note(words(grave), "hot"), isWhole: true };
  if (whole === 0) {
    if (warnings.length > 0) yield* logsNote(shown.reading.logs);
    yield note(emptyText(info));
    return;
  }
  const printed = new PrintedLines();
  const tables = new TopTables(facts, shown, printed);
  const [found, idle] = [false, true].map((isIdle) =>
    facts.findings
      .filter(({ kind }) => (kind === "idle") === isIdle)
      .flatMap((one): Block[] => [
        note(findingText(one, names)),
        ...findingRows(one, { whole, names, printed }),
      ]),
  );
  const findings = [
    ...weighing("finding").map((one) => note(words(one))),
    ...found!,
    ...longTurnNotes(facts, names),
    ...idle!,
  ];
  if (findings.length > 0) yield { kind: "section", title: "What stands out", blocks: findings };
  const [own, ofPackages] = [rankedLines(facts.app), rankedLines(facts.packageLines)];
  if (own.length > 0)
    yield isWithoutLines(facts)
      ? { kind: "section", title: YOUR_FUNCTIONS, blocks: tables.ownFunctions(facts.app) }
      : { kind: "section", title: YOUR_LINES, blocks: tables.lines(facts.app, "your code") };
  yield section(text`Where the ${WEIGHT} went`, tables.breakdown());
  if (facts.allocations !== undefined) yield allocationsSection(facts.allocations, shown.limit);
  if (facts.threads.length > 1) yield section("Threads", tables.threads());
  if (tables.hasPackages()) yield section(PACKAGES, tables.packages());
  const stacks = tables.stacks();
  if (stacks.rows.length > 0) yield section("Heaviest stacks, outermost first", stacks);
  const byTotal = tables.byTotal();
  if (byTotal.rows.length > 0) yield section("Functions by total", byTotal);
  yield { kind: "section", title: "Functions by self", blocks: tables.bySelf() };
  const hasPackageLines = percentOf(ofPackages[0]?.ticks ?? 0, whole) >= LIGHT_LINE;
  if (hasPackageLines) {
    const blocks = tables.lines(facts.packageLines, "the lines of packages");
    yield { kind: "section", title: PACKAGE_LINES, blocks };
  }
  const withText = [...own, ...(hasPackageLines ? ofPackages : [])].filter(({ text }) => text !== null);
  const files = Array.from(new Set(withText.map(({ file }) => file)));
  yield { kind: "sources", files, sources: shown.sources };
  if (facts.deopts.length > 0)
    yield section(text`Deoptimizations, by ${TICKS} in slower code until optimized again`, tables.deopts());
  const doubts = [
    ...marginDoubt(facts),
    ...weighing("first", "uncertain")
      .filter((one) => one !== grave)
      .map((one) => ({ ...note(words(one)), isWhole: true })),
  ];
  if (doubts.length > 0) yield { kind: "section", title: "Uncertain", blocks: doubts };
  const legend = tables.legend();
  if (legend.length > 0) yield { kind: "legend", lines: legend };
  const lines = facts.nextSteps.flatMap(({ command, why, reads }) => {
    const shownCommand = reads === undefined ? command : commandLine(reading, reads);
    return shownCommand === undefined ? [] : [{ why, command: shownCommand }];
  });
  if (lines.length > 0) yield section("Next", { kind: "commands", lines });
  if (warnings.length + lines.length > 0) yield* logsNote(shown.reading.logs);
}

const PACKAGES = "Packages, with all that they call of Node and native code";

/** The lines of packages are left out if none has so much of the ticks, in percent: then no line is to blame. */
const LIGHT_LINE = 3;

/** Margins of less points than this change no decision. */
const WIDE_MARGIN = 5;

/** Doubts beside which a margin says nothing: that samples are few was said above, and more of them tell no wait from work. */
const BEYOND_MARGINS: ReadonlySet<Warning["kind"]> = new Set<Warning["kind"]>([
  "few-ticks",
  "possible-waits",
]);

/** Says how far the first share of the page may be off, if that is far. */
function marginDoubt(facts: TopData): Note[] {
  if (facts.warnings.some(({ kind }) => BEYOND_MARGINS.has(kind))) return [];
  const [line] = rankedLines(facts.app);
  const [one] = facts.functions.bySelf;
  const [ticks, low, high] =
    line === undefined
      ? [one?.self ?? 0, one?.selfPercentLow ?? 0, one?.selfPercentHigh ?? 100]
      : [line.ticks, line.percentLow, line.percentHigh];
  const percent = (ticks * 100) / facts.ticks;
  if (low <= 0 && high >= 100) return []; // Nothing is known, and said above.
  const margin = Math.ceil(Math.max(high - percent, percent - low) - 1e-9);
  if (margin < WIDE_MARGIN || margin * 5 < percent) return [];
  return [note(`The first share may be off by ±${margin}: record longer, or several runs.`)];
}

/** Whether a profile of memory knows no line: V8 says only where the functions begin. */
function isWithoutLines({ memory, app }: TopData): boolean {
  return memory !== undefined && app.lines.length === 0;
}

/** Returns what shares are of, for those who cannot ask for the help. */
function sharesNote({ ticks, excludedTicks }: TopData): Text {
  return excludedTicks === 0
    ? text`Shares are of all ${TICKS}.`
    : text`Shares are of the ${inTicks(ticks)} that passed the filters.`;
}

/** Returns the facts of a profile: ticks, threads, span, interval, V8 version. */
function headOf(facts: TopData, { info, tickCount }: Shown<TopReportOptions>): Text[] {
  const { v8, sampling, threads, memory, tickTime } = info;
  const { asked, got, hasTimes } = sampling;
  const span = hasTimes ? sampling.span : 0;
  const filtered = filteredTicks(info);
  const words: Text[] = [
    filtered === 0 || tickTime !== undefined || memory !== undefined
      ? tickCount
      : text`${amount(facts.ticks)} of ${inTicks(facts.ticks + filtered)}`,
  ];
  if (threads.length > 1) words.push(counted(threads.length, "thread"));
  // Samples may weigh their time without telling when that was.
  if (memory?.is === "alive") words.push("what was collected before is not in it");
  else if (!hasTimes && tickTime === undefined && memory === undefined)
    words.push(threads.length > 1 ? "some without times" : "no times");
  const longest = hasTimes ? facts.sampling.spanUs : 0;
  if (threads.length > 1 && longest > 0) words.push(text`${duration(longest)} from first to last`);
  if (span > 0) words.push(threads.length > 1 ? text`${duration(span)} of thread-time` : duration(span));
  if (got !== undefined && !info.isCountUnknown)
    words.push(
      text`a ${TICK} every ${milliseconds(got)}${asked === undefined ? "" : text` (asked: ${milliseconds(asked)})`}`,
    );
  if (v8.length > 0 && nodeText(info) === undefined)
    words.push(
      text`V8 ${joined(
        v8.map((version) => named(versionText(version))),
        " and ",
      )}`,
    );
  return words;
}

/** Returns the text for a profile without ticks. */
function emptyText(info: ProfileInfo): Text {
  const { ticks, waited } = info;
  if (ticks === 0) return doubtText({ kind: "no-samples", isSampled: isSampled(info) }, info);
  return waited?.ticks === ticks
    ? "Nothing else ran: it used no CPU when it was sampled. Run it under load."
    : text`No ${TICKS} pass the filters.`;
}

/**
 * The titles of the tables of lines. Each tick is in one row of each at most, so that the shares add up; `total` is what
 * `ticks lines` says of the line.
 */
const YOUR_LINES = text`Your code, each ${TICK} at its innermost line`;
const YOUR_FUNCTIONS = text`Your code, with what it called of packages, Node and native code`;
const PACKAGE_LINES = text`Lines of packages, each ${TICK} at the innermost line of a package or of your code`;

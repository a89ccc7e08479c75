import type { Profile, ProfileInfo } from "../profile/profile.js";
import type { Micros } from "../profile/units.js";
import type { Block, Cell, Row, Table, Words } from "./page.js";

/** What words of reports about logs are in reports about profiles, whose samples have a time each. */
const SAMPLE_WORDS: readonly (readonly [RegExp, string])[] = [
  // Not the name of this program before that of a command.
  [
    /\b([Tt])icks?\b(?! (?:check|deopts|diff|doctor|export|flame|function|guide|help|ics|lines|live|process|record|redact|startup|symbols|threads|timeline|top|tree)\b)/g,
    "",
  ],
  [/(--)prof-sampling-interval/g, "$1cpu-prof-interval"],
  [/\b(the|this|The|This) log(s?)\b/g, "$1 profile$2"],
];

/** Returns a text of ours in the words of a profile. */
function inSamples(text: string): string {
  return SAMPLE_WORDS.reduce(
    (changed, [pattern, words]) =>
      changed.replace(pattern, (found, first: string, second?: string) => {
        if (words !== "") return words.replace("$1", first).replace("$2", second ?? "");
        return `${first === "T" ? "Sample" : "sample"}${found.endsWith("s") ? "s" : ""}`;
      }),
    text,
  );
}

/** Returns a text of ours in the words of what it is about. */
export function wordsFor({ input }: Pick<ProfileInfo, "input">, text: string): string {
  return input === undefined ? text : inSamples(text);
}

/** Returns the text of a line that is drawn, with names in it: only what follows a number is ours. */
function drawnInSamples(line: string): string {
  return line.replace(/(\d )tick(s?)\b/g, "$1sample$2");
}

/** Names may say anything: they stay as they are. */
function wordsInSamples(words: Words): Words {
  if (typeof words === "string") return inSamples(words);
  return (show) => {
    const names: string[] = [];
    const text = words((name) => `\0${names.push(show(name)) - 1}\0`);
    return inSamples(text).replace(/\0(\d+)\0/g, (_, number: string) => names[Number(number)]!);
  };
}

function isWords(cell: Cell): cell is Words {
  return typeof cell === "string" || typeof cell === "function";
}

/** What a report may be of. */
interface Subject {
  readonly profile?: Pick<Profile, "info"> | undefined;
  readonly info?: ProfileInfo | undefined;
  readonly input?: ProfileInfo["input"];
  readonly diff?: { readonly before: readonly Pick<ProfileInfo, "input">[] } | undefined;
  readonly runs?: readonly Pick<ProfileInfo, "input">[] | undefined;
}

/**
 * Returns the page of a report in the words of what it is of: of a profile with "samples" in place of "ticks", and with their
 * time in tables with shares that know it. A page about logs stays as it is.
 */
export function inUnits(page: Iterable<Block>, of: object): Iterable<Block> {
  const { profile, info = profile?.info, diff, runs } = of as Subject;
  const input = info?.input ?? diff?.before[0]?.input ?? runs?.[0]?.input;
  if (input === undefined) return page;
  return changed(page);
}

function* changed(page: Iterable<Block>): Iterable<Block> {
  for (const block of page) yield changedBlock(block);
}

function changedBlock(block: Block): Block {
  switch (block.kind) {
    case "heading":
      return { ...block, facts: wordsInSamples(block.facts) };
    case "note":
      return { ...block, words: wordsInSamples(block.words) };
    case "part":
      return { ...block, facts: block.facts.map(wordsInSamples) };
    case "section":
      return {
        ...block,
        title: block.title && wordsInSamples(block.title),
        blocks: Array.from(changed(block.blocks)),
      };
    case "table":
      return withTimes({
        ...block,
        columns: block.columns.map((column) => ({ ...column, title: inSamples(column.title) })),
        rows: block.rows.map((row) => ({
          ...row,
          cells: row.cells.map(cellInSamples),
          ...belowInSamples(row),
        })),
        rest: block.rest && inSamples(block.rest),
      });
    case "figure":
      return {
        ...block,
        *draw(layout, isShown) {
          for (const line of block.draw(layout, isShown)) yield drawnInSamples(line);
        },
      };
    case "legend":
      return { ...block, lines: block.lines.map(inSamples) };
    case "fitted":
      return {
        ...block,
        wide: Array.from(changed(block.wide)),
        narrow: Array.from(changed(block.narrow)),
      };
    case "commands":
      return {
        ...block,
        lines: block.lines.map(({ why, ...line }) => ({
          ...line,
          ...(why !== undefined && { why: inSamples(why) }),
        })),
      };
    case "sources":
    case "gap":
      return block;
  }
}

function cellInSamples(cell: Cell): Cell {
  return isWords(cell) ? wordsInSamples(cell) : cell;
}

function belowInSamples({ below }: Row): Pick<Row, "below"> {
  if (below === undefined) return {};
  return {
    below: below.map((one) => {
      if (typeof one === "string" || typeof one === "function") return wordsInSamples(one);
      if ("words" in one) return { ...one, words: wordsInSamples(one.words) };
      const [first, second] = one;
      return [wordsInSamples(first), wordsInSamples(second)];
    }),
  };
}

/** Puts the time of its samples before the share of each row. */
function withTimes(table: Table): Table {
  const at = table.columns.findIndex(({ title }) => title === "share");
  if (at < 0 || table.rows.every(({ time }) => time === undefined)) return table;
  const insert = <T>(list: readonly T[], one: T) => [...list.slice(0, at), one, ...list.slice(at)];
  return {
    ...table,
    columns: insert(table.columns, { title: "ms", align: "right" }),
    rows: table.rows.map((row) => ({
      ...row,
      cells: insert<Cell>(row.cells, row.time === undefined ? "" : shownTime(row.time)),
    })),
  };
}

/** Returns a time in ms: three digits tell as much as samples do. */
export function shownTime(time: Micros): string {
  const ms = time / 1000;
  return ms >= 100 ? String(Math.round(ms)) : ms.toPrecision(ms >= 10 ? 3 : ms >= 1 ? 2 : 1);
}

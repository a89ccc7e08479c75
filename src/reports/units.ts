import type { Profile, ProfileInfo } from "../profile/profile.js";
import { amount, type Text } from "../views/text.js";
import { type Block, type Cell, isWords, type Row, type Table, type Words } from "./page.js";
import { plainly, type Unit } from "./spoken.js";

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

/** How texts of ours are changed. */
type Change = (text: string) => string;

/** Returns the change of texts in which numbers of ticks become times: `3 of 12.5 ticks` is `3 of 13 ms`, if a tick takes that. */
function inTimes(info: Pick<ProfileInfo, "input" | "tickTime">): Change {
  const time = (ticks: string) => plainly(amount(Number(ticks)), info);
  return (text) =>
    inSamples(
      text
        .replace("Where the ticks went", "Where the time went")
        .replace("the ticks that it saves", "the time that it saves")
        .replace(OF_TICKS, (_, part: string, whole: string) => `${time(part)} of ${time(whole)} ms`)
        .replace(TICKS, (_, ticks: string) => `${time(ticks)} ms`),
    );
}

/** Not how many there are of them, which some doubts are about. */
const TICKS = /\b(\d+(?:\.\d+)?(?:e-\d+)?) ticks?\b(?! tell)/g;
const OF_TICKS = /\b(\d+(?:\.\d+)?(?:e-\d+)?) of (\d+(?:\.\d+)?(?:e-\d+)?) ticks?\b/g;

/** Names may say anything: they stay as they are. */
function changedWords(words: Words, change: Change): Words {
  if (typeof words === "string") return change(words);
  if (typeof words !== "function") return words;
  return (show) => {
    const names: string[] = [];
    const text = words((name) => `\0${names.push(show(name)) - 1}\0`);
    return change(text).replace(/\0(\d+)\0/g, (_, number: string) => names[Number(number)]!);
  };
}

function changedText(text: Text, change: Change): Text {
  return typeof text === "string" ? change(text) : text;
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
 * Returns the page of a report in the words of what it is of. A page about logs stays as it is. That of a profile has "samples" in
 * place of "ticks"; and where samples weigh their time, numbers of ticks are times in ms, but for the number of samples in its heading.
 */
export function inUnits(page: Iterable<Block>, of: object): Iterable<Block> {
  const { info, input } = subjectOf(of);
  return input === undefined ? page : new Changer(info).blocks(page);
}

/** Returns what the page of a report counts. */
export function unitOf(of: object): Unit {
  const { info, input } = subjectOf(of);
  return { input, ...(info?.tickTime !== undefined && { tickTime: info.tickTime }) };
}

function subjectOf(of: object): Pick<Subject, "info" | "input"> {
  const { profile, info = profile?.info, diff, runs } = of as Subject;
  return { info, input: info?.input ?? diff?.before[0]?.input ?? runs?.[0]?.input };
}

/** Changes the blocks of a page of a profile. */
class Changer {
  readonly #info: Pick<ProfileInfo, "input" | "tickTime">;
  readonly #change: Change;

  constructor(info: Pick<ProfileInfo, "input" | "tickTime"> = {}) {
    this.#info = info;
    this.#change = info.tickTime === undefined ? inSamples : inTimes(info);
  }

  *blocks(page: Iterable<Block>): Iterable<Block> {
    for (const block of page) yield this.#block(block);
  }

  #words(words: Words): Words {
    return changedWords(words, this.#change);
  }

  #block(block: Block): Block {
    switch (block.kind) {
      case "heading":
        return { ...block, facts: changedWords(block.facts, inSamples) };
      case "note":
        return { ...block, words: this.#words(block.words) };
      case "part":
        return { ...block, facts: block.facts.map((words) => this.#words(words)) };
      case "section":
        return {
          ...block,
          title: block.title && this.#words(block.title),
          blocks: Array.from(this.blocks(block.blocks)),
        };
      case "table":
        return this.#table(block);
      case "figure":
        return {
          ...block,
          *draw(layout, isShown) {
            for (const line of block.draw(layout, isShown)) yield drawnInSamples(line);
          },
        };
      case "legend":
        return { ...block, lines: block.lines.map((line) => changedText(line, inSamples)) };
      case "fitted":
        return {
          ...block,
          wide: Array.from(this.blocks(block.wide)),
          narrow: Array.from(this.blocks(block.narrow)),
        };
      case "commands":
        return {
          ...block,
          lines: block.lines.map(({ why, ...line }) => ({
            ...line,
            ...(why !== undefined && { why: changedText(why, this.#change) }),
          })),
        };
      case "sources":
      case "gap":
        return block;
    }
  }

  #table(table: Table): Table {
    const isTimed = this.#info.tickTime !== undefined;
    const amounts = table.columns.map(({ isTicks = false }) => isTicks && isTimed);
    const cellOf = (cell: Cell, column: number): Cell => {
      if (amounts[column] && typeof cell === "string")
        return cell === "" ? "" : plainly(amount(Number(cell)), this.#info);
      return isWords(cell) ? this.#words(cell) : cell;
    };
    return {
      ...table,
      columns: table.columns.map((column, i) => ({
        ...column,
        title: amounts[i] && column.title === "ticks" ? "ms" : changedText(column.title, inSamples),
      })),
      rows: table.rows.map((row) => ({ ...row, cells: row.cells.map(cellOf), ...this.#below(row) })),
      rest: table.rest && changedText(table.rest, this.#change),
    };
  }

  #below({ below }: Row): Pick<Row, "below"> {
    if (below === undefined) return {};
    return {
      below: below.map((one) => {
        if (isWords(one)) return this.#words(one);
        const { words, beside } = one;
        return { ...one, words: this.#words(words), ...(beside && { beside: this.#words(beside) }) };
      }),
    };
  }
}

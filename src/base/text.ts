import { decimalsOf } from "./digits.js";
import type { Micros, Ticks } from "./units.js";

/**
 * A sentence as data: our words, and what is in them. Who makes one does not know where it is shown. A renderer does: it says ticks of
 * logs, samples of profiles, or their time; it escapes names for where they go, and cuts them.
 *
 * Numbers, shares, times and names get in by the makers below alone. Strings in it are words of ours, never from a log.
 */
export type Text = Segment | readonly Segment[];

export type Segment = string | Name | Position | Code | Amount | Share | Time | Size | Term;

/** A text from the log, a path or a command line. A code span in Markdown. */
export interface Name {
  readonly kind: "name";
  readonly name: string;
}

/** A position in a file of the log. Lines and columns are from 1 on. */
export interface Position {
  readonly kind: "position";
  /** As it is shown: the shortest name that tells it from the other files of a page. */
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Marks that mean something else in Markdown, such as `*12 ^3`: a code span there. */
export interface Code {
  readonly kind: "code";
  readonly text: Text;
}

/**
 * A number of ticks, where samples weigh their time: a time. `form`: `12` or `15` in a column that says what it counts; `12` or
 * `15 ms` where the unit of ticks goes without saying; `12 ticks`, `12 samples` or `15 ms`; or how many samples there are, which no time
 * stands for: `12 ticks` or `12 samples`.
 */
export interface Amount {
  readonly kind: "amount";
  readonly ticks: Ticks;
  readonly form: "number" | "measured" | "counted" | "samples";
}

/** A part of a whole, in percent; undefined if the whole is 0. */
export interface Share {
  readonly kind: "share";
  readonly percent: number | undefined;
  readonly decimals: number;
  /** Whether there is a space before the sign, as in sentences. */
  readonly isSpaced?: boolean;
  /** Whether there is no sign: points, or the first of `96.1 → 5.2%`. */
  readonly isBare?: boolean;
}

/** A time: a length has three digits, a moment always as many decimals. */
export interface Time {
  readonly kind: "time";
  readonly micros: Micros;
  readonly unit: "µs" | "ms" | "s";
  readonly decimals: number;
  /** Whether its unit follows: `0.4 of 1.2 s`. */
  readonly isBare?: boolean;
}

/** So many bytes, on a page that may count something else. */
export interface Size {
  readonly kind: "size";
  readonly bytes: number;
}

/** A number with its unit. */
export type Numeral = Amount | Share | Time | Size;

/** So many µs are one of each unit. */
export const MICROS = { µs: 1, ms: 1e3, s: 1e6 } as const;

/** A word that depends on what is shown: see `render/spoken.ts`. */
export interface Term {
  readonly kind: "term";
  readonly term:
    | "tick"
    | "ticks"
    | "Tick"
    | "Ticks"
    | "log"
    | "logs"
    | "weight"
    | "unit"
    | "loop"
    | "interval option";
}

function term(of: Term["term"]): Term {
  return { kind: "term", term: of };
}

/** `tick` or `sample`. */
export const TICK = term("tick");
/** `ticks` or `samples`. */
export const TICKS = term("ticks");
/** {@link TICK} at the start of a sentence, and {@link TICKS}. */
export const ALL_TICKS = term("Ticks");
/** `log` or `profile`. */
export const LOG = term("log");
export const LOGS = term("logs");
/** What went somewhere, or is saved: `ticks`, `samples`, or `time` if it is known. */
export const WEIGHT = term("weight");
/** The title of a column of amounts: `ticks`, `samples` or `ms`. */
export const UNIT = term("unit");
/** `Node's event loop`, or `the event loop`: profiles are of other runtimes and browsers too. */
export const EVENT_LOOP = term("loop");
/** The option of Node that sets how often it samples. */
export const INTERVAL_OPTION = term("interval option");

/** Makes a text: `${amount(own)} of ${inTicks(whole)} in ${named(title)}`. Numbers go in by a maker. */
export function text(words: TemplateStringsArray, ...values: readonly Text[]): readonly Segment[] {
  return joined(words.flatMap((ours, i): Text[] => (i === 0 ? [ours] : [values[i - 1]!, ours])));
}

/** Returns texts as one, with words of ours between them. */
export function joined(texts: readonly Text[], between = ""): readonly Segment[] {
  return texts
    .flatMap((one, i) => (i === 0 ? segmentsOf(one) : [between, ...segmentsOf(one)]))
    .filter((segment) => segment !== "");
}

export function segmentsOf(of: Text): readonly Segment[] {
  return isList(of) ? of : [of];
}

/** Whether there is nothing in a text. */
export function isEmpty(of: Text): boolean {
  return isList(of) ? of.length === 0 : of === "";
}

function isList(of: Text): of is readonly Segment[] {
  return Array.isArray(of);
}

/** Makes a {@link Name}. */
export function named(of: string): Name {
  return { kind: "name", name: of };
}

/** Makes a {@link Position}. */
export function placed(file: string, line?: number, column?: number): Position {
  return { kind: "position", file, line, column };
}

/** Returns a text that is a code span in Markdown; nothing for an empty one. */
export function code(of: Text): Text {
  return isEmpty(of) ? "" : { kind: "code", text: of };
}

/** `12 ticks`, `12 samples` or `15 ms`. */
export function inTicks(number: Ticks): Amount {
  return { kind: "amount", ticks: number, form: "counted" };
}

/** `12` or `15`: of a column that says what it counts, or before `of` and {@link inTicks}. */
export function amount(number: Ticks): Amount {
  return { kind: "amount", ticks: number, form: "number" };
}

/** `12` or `15 ms`. */
export function measured(number: Ticks): Amount {
  return { kind: "amount", ticks: number, form: "measured" };
}

/** How many samples there are: `12 ticks` or `12 samples`. */
export function inSamples(number: number): Amount {
  return { kind: "amount", ticks: number, form: "samples" };
}

/** Which part of a whole: `12.3%`; a dash if the whole is 0. */
export function share(part: Ticks, whole: Ticks): Share {
  return { kind: "share", percent: whole === 0 ? undefined : (part * 100) / whole, decimals: 1 };
}

/** A share that is in percent already, such as one of shares that sum to 100: `12.3%`. */
export function inPercent(of: number, decimals = 1): Share {
  return { kind: "share", percent: of, decimals };
}

/** The same in a sentence: `12 %`. */
export function percent(of: number, decimals = 0): Share {
  return { kind: "share", percent: of, decimals, isSpaced: true };
}

/** A whole number of microseconds, as a clock gives them: `1000 µs`. */
export function microseconds(micros: Micros): Time {
  return { kind: "time", micros, unit: "µs", decimals: 0 };
}

/** A length in ms, also where it is long: `0.825 ms`, `15.1 ms`, `1604 ms`. Beside a longer one, `of`, no more exact. */
export function milliseconds(micros: Micros, of = micros): Time {
  const decimals = Math.min(decimalsOf(micros / 1e3), decimalsOf(of / 1e3));
  return { kind: "time", micros, unit: "ms", decimals };
}

/** A length in the unit that fits: `54.3 ms`, `370 ms`, `1.27 s`. Beside a longer one, `of`, in its unit and as exact. */
export function duration(micros: Micros, of = micros): Time {
  // 999.6 ms would be 1000 ms.
  if (of < 999_500) return { ...milliseconds(of), micros };
  return { kind: "time", micros, unit: "s", decimals: decimalsOf(of / 1e6) };
}

/** When something was, since the log began, for lists that go on for long: `0.3 s`, `12.5 s`. */
export function moment(micros: Micros, unit: "ms" | "s" = "s"): Time {
  return { kind: "time", micros, unit, decimals: 1 };
}

/** A share or a time without its unit, which follows: `49.1` of `49.1 of 54.3 ms`. */
export function bare<Of extends Share | Time>(of: Of): Of {
  return { ...of, isBare: true };
}

/** Whether a number reads as 0. */
export function isZero(of: Numeral): boolean {
  switch (of.kind) {
    case "amount":
      return of.ticks === 0;
    case "share":
      return of.percent === undefined || Number(of.percent.toFixed(of.decimals)) === 0;
    case "time":
      return Number((of.micros / MICROS[of.unit]).toFixed(of.decimals)) === 0;
    case "size":
      return Math.round(of.bytes) === 0;
  }
}

/** A change with its sign: `+12.3%`, `-5 ms`. `numeral` makes a number of its size. */
export function withSign(change: number, numeral: (size: number) => Numeral): Text {
  const size = numeral(Math.abs(change));
  return text`${change < 0 && !isZero(size) ? "-" : "+"}${size}`;
}

/** Bytes, on pages of any kind: `12.3 MB`. */
export function sized(bytes: number): Size {
  return { kind: "size", bytes };
}

/** Returns a number of what is no tick, with its noun: `1 function`, `2 functions`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

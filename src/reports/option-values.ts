import { badOption } from "../base/errors.js";
import { printable } from "../base/shown-text.js";
import { nearNames } from "../facts/near-names.js";

/** A value that an option cannot have; the message says what was expected. */
export class UnfitValue extends Error {}

/** Returns a reader of numbers, which says of others what was expected. `read` returns NaN for what is no number. */
function numbers(
  expected: string,
  isFit: (number: number) => boolean,
  read: (text: string) => number,
): (text: string) => number {
  return (text) => {
    const number = read(text);
    if (!isFit(number)) throw new UnfitValue(`expected ${expected}`);
    return number;
  };
}

const digits = (text: string) => (/^\d+$/.test(text) ? Number(text) : Number.NaN);
const decimal = (text: string) => (text.trim() === "" ? Number.NaN : Number(text));
const isPositive = (number: number) => number > 0 && Number.isFinite(number);

/** Reads a whole number, 0 or more. */
export const wholeNumber = numbers("a whole number", (number) => number >= 0, digits);

/** Reads a whole number, 1 or more. */
export const positiveNumber = numbers("1 or more", (number) => number > 0, wholeNumber);

/** Returns a reader of whole numbers from 1 to `most`. */
export function numberUpTo(most: number): (text: string) => number {
  return numbers(`a whole number from 1 to ${most}`, (number) => number >= 1 && number <= most, digits);
}

/** Reads a number, 0 or more. */
export const amount = numbers("a number, 0 or more", (number) => number >= 0, decimal);

/** Reads a number above 0. */
export const units = numbers("a number above 0", isPositive, decimal);

/** Reads a number from 0 to 100. */
export const percentage = numbers(
  "a number from 0 to 100",
  (number) => number >= 0 && number <= 100,
  decimal,
);

/** Reads a number of slices, up to a limit. */
export const slices = numbers("100000 or less", (number) => number <= 100_000, positiveNumber);

/** Reads a number of caller levels, up to a limit. */
export const levels = numbers("1000 or less", (number) => number <= 1000, wholeNumber);

/** Units of time, in milliseconds. */
const TIME_UNITS = { us: 0.001, µs: 0.001, ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 } as const;
const UNIT = /(?:us|µs|ms|s|min|m|h)$/i;

/** Returns a time in milliseconds, such as `5s` or `500ms`; undefined if it is none. A number alone is in `unit`. */
export function timeOf(text: string, unit: keyof typeof TIME_UNITS): number | undefined {
  const own = UNIT.exec(text)?.[0] ?? "";
  const number = text.slice(0, text.length - own.length);
  const time = Number(number) * TIME_UNITS[(own.toLowerCase() || unit) as keyof typeof TIME_UNITS];
  return number.trim() !== "" && time >= 0 && time < Number.POSITIVE_INFINITY ? time : undefined;
}

/** Returns a reader of times from `least` to `most`, in milliseconds. A number alone is in `unit`. */
export function time(
  unit: "ms" | "s",
  { least = 0, most = Number.POSITIVE_INFINITY } = {},
): (text: string) => number {
  return (text) => {
    const found = timeOf(text, unit);
    if (found === undefined || found < least || found > most)
      throw new UnfitValue("expected a time such as 10s, 500ms or 2min");
    return found;
  };
}

/** Collects the values of an option that can stand several times. */
export function repeated(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text];
}

/** A pattern with flags: `/router/i`. */
const WITH_FLAGS = /^\/(.+)\/([imsu]+)$/s;

/** Returns a reader of the regular expressions of an option. */
export function patterns(flag: string): (text: string, previous?: readonly RegExp[]) => RegExp[] {
  return (text, previous = []) => [...previous, pattern(flag, text)];
}

function pattern(flag: string, text: string): RegExp {
  const [, source = text, flags = ""] = WITH_FLAGS.exec(text) ?? [];
  try {
    return new RegExp(source, flags);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const reason = printable(error.message.replace(/^Invalid regular expression: /, ""));
    throw badOption(
      `${flag}: invalid regular expression: ${reason}`,
      String.raw`To match one of ( ) [ ] { } * + ? . | ^ $ literally, write \ before it.`,
    );
  }
}

/** A label that is asked for; of any key if none is given. */
interface AskedLabel {
  readonly key: string | undefined;
  readonly value: RegExp;
}

/** Returns a reader of labels: `KEY=RE`, or `RE` for any key. */
export function labelPatterns(
  flag: string,
): (text: string, previous?: readonly AskedLabel[]) => AskedLabel[] {
  return (text, previous = []) => {
    const [, key, source = text] = /^([\w][\w .:-]{0,99})=(.*)$/s.exec(text) ?? [];
    return [...previous, { key, value: pattern(flag, source) }];
  };
}

/** Returns a reader of one of several words, or of several with commas between them. */
export function words<Word extends string>(
  known: readonly Word[],
  what: string,
): (text: string, previous?: readonly Word[]) => Word[] {
  return (text, previous = []) => {
    const found = text.split(",").map((part) => {
      const name = part.trim();
      const word = known.find((one) => one === name);
      if (word !== undefined) return word;
      throw new UnfitValue(`no ${what} ${printable(name)}: ${choicesFor(name, known)}`);
    });
    return [...previous, ...found];
  };
}

/** Returns a value that must be one of several. Throws an {@link UnfitValue} otherwise. */
export function oneOf(text: string, choices: readonly string[]): string {
  if (choices.includes(text)) return text;
  throw new UnfitValue(choicesFor(text, choices));
}

/** Says which words are allowed in place of one, and which of them may be meant. */
function choicesFor(word: string, allowed: readonly string[]): string {
  const [near] = nearNames(word, allowed, 1);
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  return `expected ${allowed.slice(0, -1).join(", ")} or ${allowed.at(-1)}${hint}`;
}

/** The time between two ticks if nobody says otherwise, in microseconds. */
export const TICK_INTERVAL = 1000;

const SHORTEST = 20;
const LONGEST = 1e6;

/** Reads the time between ticks, in microseconds. */
export function interval(text: string): number {
  const isNumber = /^\d+$/.test(text);
  const time = isNumber ? Number(text) : Math.round(1000 * (timeOf(text, "ms") ?? Number.NaN));
  if (!(time >= SHORTEST && time <= LONGEST))
    throw new UnfitValue(`expected ${SHORTEST} to ${LONGEST} microseconds`);
  return time;
}

/** The powers of a unit of sizes. */
const SIZE_POWERS: Readonly<Record<string, number>> = { "": 0, k: 1, m: 2, g: 3 };

/** Returns the bytes of `10MB`, `512 k` or `100`, where a KB has so many; undefined for another text. */
export function bytesOf(text: string, kilo: 1000 | 1024): number | undefined {
  const [, number, power = ""] = /^(\d{1,15}(?:\.\d{1,6})?) ?([kmg]?)b?$/i.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * kilo ** SIZE_POWERS[power.toLowerCase()]!;
}

/** Reads a size of files, in bytes. */
export function size(text: string): number {
  return positiveBytes(text, 1000);
}

/** Reads a size of memory, in bytes: a KB is 1024, as on pages. */
export function memorySize(text: string): number {
  return positiveBytes(text, 1024);
}

function positiveBytes(text: string, kilo: 1000 | 1024): number {
  const bytes = bytesOf(text, kilo) ?? 0;
  if (!(bytes > 0)) throw new UnfitValue("expected a size such as 500MB or 2GB");
  return bytes;
}

/** Reads `START,END`. */
export function range(text: string): { readonly from?: number; readonly to?: number } {
  const [start, end, ...others] = text.split(",").map((part) => part.trim());
  const bound = (word: string | undefined) =>
    word === undefined || word === "" || word === "auto" ? undefined : (timeOf(word, "ms") ?? Number.NaN);
  const [from, to] = [bound(start), bound(end)];
  if (end === undefined || others.length > 0 || Number.isNaN(from) || Number.isNaN(to))
    throw new UnfitValue("expected START,END in milliseconds");
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** Reads the units of work of both sides. */
export function unitsOfSides(text: string): readonly [number, number] {
  const both = text.split(",").map(Number);
  const [before, after] = both;
  if (both.length !== 2 || !both.every(isPositive))
    throw new UnfitValue("expected two numbers above 0, such as 1000,1200");
  return [before!, after!];
}

/** Reads the end of a start-up. */
export function until(text: string) {
  if (text === "first-idle") return { kind: "first-idle" };
  if (text.trim() === "") throw new UnfitValue("expected a time, first-idle or a name");
  const milliseconds = timeOf(text, "ms");
  if (milliseconds !== undefined) return { kind: "time", milliseconds };
  if (!Number.isNaN(Number(text))) throw new UnfitValue("expected a number of milliseconds");
  return { kind: "mark", name: text };
}

import { shownBytes } from "../base/digits.js";
import { bare, MICROS, milliseconds, type Segment, segmentsOf, type Term, type Text } from "../base/text.js";
import { clampedTime } from "../profile/clamped-numbers.js";
import type { ProfileInfo } from "../profile/profile.js";

/**
 * What a page counts: ticks of logs, samples of a profile that is no log, or their time if it is known. It decides the words of all
 * texts, in each of the three renderers.
 */
export type Unit = Pick<ProfileInfo, "input" | "tickTime" | "memory">;

/** Makes a name from the log safe to show. */
export type Show = (name: string) => string;

/** The words that differ: of logs, of profiles without times, of profiles with times, of bytes, of objects. */
const TERMS: Readonly<Record<Term["term"], readonly [string, string, string, string, string]>> = {
  tick: ["tick", "sample", "sample", "sample", "sample"],
  ticks: ["ticks", "samples", "samples", "samples", "samples"],
  Tick: ["Tick", "Sample", "Sample", "Sample", "Sample"],
  Ticks: ["Ticks", "Samples", "Samples", "Samples", "Samples"],
  log: ["log", "profile", "profile", "profile", "profile"],
  logs: ["logs", "profiles", "profiles", "profiles", "profiles"],
  weight: ["ticks", "samples", "time", "memory", "objects"],
  unit: ["ticks", "samples", "ms", "size", "objects"],
  loop: ["Node's event loop", "the event loop", "the event loop", "the event loop", "the event loop"],
  "interval option": [
    ...(["--prof-sampling-interval", "--cpu-prof-interval", "--cpu-prof-interval"] as const),
    ...(["--heap-prof-interval", "--heap-prof-interval"] as const),
  ],
};

/** Returns which of the {@link TERMS} a page has. */
function termsOf({ input, tickTime, memory }: Unit): number {
  if (memory !== undefined) return memory.of === "bytes" ? 3 : 4;
  return input === undefined ? 0 : tickTime === undefined ? 1 : 2;
}

/** Returns a text as it is read, with names shown by `show`. */
export function spoken(text: Text, show: Show, unit: Unit): string {
  if (typeof text === "string") return text;
  return segmentsOf(text)
    .map((segment) => spokenSegment(segment, show, unit))
    .join("");
}

/** Returns a text, such as that of a finding, for programs and for lines that are drawn: names are as they are. `unit`: the `info` of the profile. */
export function plainly(text: Text, unit: Unit): string {
  return spoken(text, (name) => name, unit);
}

function spokenSegment(segment: Segment, show: Show, unit: Unit): string {
  if (typeof segment === "string") return segment;
  switch (segment.kind) {
    case "name":
      return show(segment.name);
    case "position":
      return show(
        [segment.file, segment.line, segment.column].filter((part) => part !== undefined).join(":"),
      );
    case "code":
      return show(plainly(segment.text, unit));
    case "amount":
      return amountOf(segment, unit);
    case "share":
      return shareOf(segment);
    case "time":
      return timeOf(segment);
    case "size":
      return shownBytes(segment.bytes);
    case "term":
      return TERMS[segment.term][termsOf(unit)]!;
  }
}

function shareOf({ percent, decimals, isSpaced, isBare }: Extract<Segment, { kind: "share" }>): string {
  if (percent === undefined) return "-";
  return `${percent.toFixed(decimals)}${isBare ? "" : isSpaced ? " %" : "%"}`;
}

function timeOf({ micros, unit, decimals, isBare = false }: Extract<Segment, { kind: "time" }>): string {
  // Sums of samples are off by less than a nanosecond, and -0 is 0.
  const time = (Math.round((clampedTime(micros) / MICROS[unit]) * 1e6) / 1e6 + 0).toFixed(decimals);
  return isBare ? time : `${time} ${unit}`;
}

function amountOf(segment: Extract<Segment, { kind: "amount" }>, { input, tickTime, memory }: Unit): string {
  const { ticks, form } = segment;
  if (memory !== undefined && form !== "samples") {
    const size = ticks * memory.tick;
    if (memory.of === "bytes") return shownBytes(size);
    return `${Math.round(size)}${form === "counted" ? " objects" : ""}`;
  }
  if (form === "samples" || tickTime === undefined) {
    if (form === "number" || form === "measured") return String(ticks);
    return `${ticks} ${TERMS[ticks === 1 ? "tick" : "ticks"][input === undefined ? 0 : 1]}`;
  }
  const time = milliseconds(ticks * tickTime);
  return timeOf(form === "number" ? bare(time) : time);
}

import type { BoxPath } from "./chart.js";
import { ALL_TIME, type Ranges, type TimeRange } from "./thread-times.js";

/** What a link to a page holds beside what is set in its controls. */
export interface PlaceInPage {
  /** What is searched for. */
  readonly query: string;
  readonly ranges: Ranges;
  /** The threads whose frames are shown over time; undefined for those that are at first. */
  readonly open: readonly number[] | undefined;
  readonly zoomed: BoxPath | undefined;
  readonly selected: BoxPath | undefined;
  /** The function whose callers and callees are shown; -1 for none. */
  readonly function: number;
  /** The table beside the chart; empty for none. */
  readonly table: string;
}

const NOWHERE: PlaceInPage = {
  query: "",
  ranges: ALL_TIME,
  open: undefined,
  zoomed: undefined,
  selected: undefined,
  function: -1,
  table: "",
};

/** Names in a link that no control has. */
const NAMES = {
  query: "q",
  range: "range",
  open: "open",
  zoomed: "zoom",
  selected: "at",
  function: "of",
  table: "table",
};
/** What changes all the time: going back goes over it. */
const PASSING = [NAMES.query, NAMES.selected];
/** A longer way is not worth a link. */
const LONGEST_WAY = 400;

function controls(): readonly HTMLInputElement[] {
  return Array.from(
    document.querySelectorAll<HTMLInputElement>(".tools input[type=radio], .tools input[type=checkbox]"),
  );
}

/** Returns a place, and what the controls are set to beside their defaults, as the hash of a link. */
function hashOf(place: PlaceInPage): URLSearchParams {
  const hash = new URLSearchParams();
  for (const { type, name, value, checked, defaultChecked } of controls()) {
    if (checked === defaultChecked || (type === "radio" && !checked)) continue;
    hash.append(name, type === "radio" || checked ? value : `-${value}`);
  }
  const { query, ranges, open, zoomed, selected, table } = place;
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== "") hash.set(name, value);
  };
  set(NAMES.query, query);
  set(NAMES.range, rangesText(ranges));
  set(NAMES.open, open && `.${open.join(".")}`);
  set(NAMES.zoomed, wayText(zoomed));
  set(NAMES.selected, wayText(selected));
  set(NAMES.function, place.function < 0 ? "" : String(place.function));
  set(NAMES.table, table);
  return hash;
}

/** Returns `100-900.200-400`, each range in that before; nothing is picked if a dot is at the end. */
function rangesText({ within, picked }: Ranges): string {
  const all = [...within, ...(picked === undefined ? [] : [picked])].map(({ from, to }) => `${from}-${to}`);
  return all.length > 0 && picked === undefined ? `${all.join(".")}.` : all.join(".");
}

function readRanges(text: string): Ranges {
  const isEntered = text.endsWith(".");
  const ranges = (isEntered ? text.slice(0, -1) : text).split(".").map((part): TimeRange => {
    const [, from, to] = /^(\d+)-(\d+)$/.exec(part) ?? [];
    return { from: Number(from), to: Number(to) };
  });
  if (!ranges.every(({ from, to }) => from < to)) return ALL_TIME;
  return isEntered
    ? { within: ranges, picked: undefined }
    : { within: ranges.slice(0, -1), picked: ranges.at(-1) };
}

function wayText(way: BoxPath | undefined): string | undefined {
  if (way === undefined || way.functions.length > LONGEST_WAY) return undefined;
  return [way.thread, Math.round(way.at), ...way.functions].join(".");
}

/** Sets the controls as a hash says, and returns its place. What it does not name is as at first. */
function readHash(text: string): PlaceInPage {
  const hash = new URLSearchParams(text.replace(/^#/, ""));
  for (const input of controls()) {
    const values = hash.getAll(input.name);
    input.checked = input.defaultChecked;
    if (values.includes(input.value)) input.checked = true;
    else if (values.includes(`-${input.value}`)) input.checked = false;
  }
  const numbers = (name: string) => (hash.get(name) ?? "").split(".").map(Number);
  const way = (name: string): BoxPath | undefined => {
    const [thread, at, ...functions] = numbers(name);
    const all = [thread, at, ...functions];
    if (!hash.has(name) || all.some((one) => !Number.isSafeInteger(one))) return undefined;
    return { thread: thread!, at: at!, functions };
  };
  const of = hash.get(NAMES.function);
  return {
    ...NOWHERE,
    query: hash.get(NAMES.query) ?? "",
    ranges: readRanges(hash.get(NAMES.range) ?? ""),
    open: hash.has(NAMES.open) ? numbers(NAMES.open).slice(1) : undefined,
    zoomed: way(NAMES.zoomed),
    selected: way(NAMES.selected),
    function: of !== null && /^\d+$/.test(of) ? Number(of) : -1,
    table: hash.get(NAMES.table) ?? "",
  };
}

/** Keeps what is shown in the hash of the page's address, so that links lead there, and back and forward go through it. */
export class PageHistory {
  #text = "";
  #lasting = "";

  /** `went` is called with the place that the reader opened, or went back to. */
  constructor(went: (place: PlaceInPage) => void) {
    addEventListener("popstate", () => {
      if (location.hash.replace(/^#/, "") === this.#text) return;
      went(this.read());
    });
  }

  /** Sets the controls as the address says, and returns its place. */
  read(): PlaceInPage {
    this.#text = location.hash.replace(/^#/, "");
    return readHash(this.#text);
  }

  /** Writes what is shown into the address: as a new one to go back from, unless only what passes has changed. */
  save(place: PlaceInPage): void {
    const hash = hashOf(place);
    this.#write(hash, lastingOf(hash) !== this.#lasting);
  }

  /** Writes what is shown into the address, in place of what stands there. */
  stay(place: PlaceInPage): void {
    this.#write(hashOf(place), false);
  }

  #write(hash: URLSearchParams, isNew: boolean): void {
    const text = hash.toString();
    this.#lasting = lastingOf(hash);
    if (text === this.#text) return;
    this.#text = text;
    const address = text === "" ? (location.href.split("#")[0] ?? "") : `#${text}`;
    if (isNew) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }
}

function lastingOf(hash: URLSearchParams): string {
  const lasting = new URLSearchParams(hash);
  for (const name of PASSING) lasting.delete(name);
  return lasting.toString();
}

import { TicksError } from "../errors.js";
import { type LogOrigin, normalAddress } from "../io/log-origin.js";
import type { ThreadInfo } from "../profile/profile.js";
import { table } from "../reports/table.js";
import { printable } from "../views/label.js";

/** One word of `--thread`. */
interface Selector {
  readonly text: string;
  /** Whether the name of a log allows it to have such a thread. */
  readonly mayMatch: (origin: LogOrigin) => boolean;
  /** Whether a thread matches; `index` is its number among all threads, from 0. */
  readonly matches: (thread: ThreadInfo, index: number) => boolean;
}

/** How many threads are listed; more are only counted. */
const LIST_LIMIT = 20;
const ADDRESS = /^(?:0x([0-9a-f]+)|([0-9a-f]{16}))$/i;

/** The threads that `--thread` selects. */
export class ThreadSelection {
  readonly #selectors: readonly Selector[];

  /** `texts` are the values of the flag, with commas between words; `origins` belong to all logs. */
  constructor(texts: readonly string[], origins: readonly LogOrigin[]) {
    const words = texts.flatMap((text) => text.split(",")).map((word) => word.trim());
    this.#selectors = words.filter((word) => word !== "").map((word) => selectorOf(word, origins));
    if (this.#selectors.length === 0) throw new TicksError("BAD_OPTION", "--thread: no thread given");
  }

  /**
   * Returns for each log whether to read it: whether its name allows it to have a selected thread. If a word
   * matches no log, all are read, to list their threads in the error.
   */
  mayMatch(origins: readonly LogOrigin[]): boolean[] {
    const isKnown = this.#selectors.every(({ mayMatch }) => origins.some(mayMatch));
    return origins.map((origin) => !isKnown || this.#selectors.some(({ mayMatch }) => mayMatch(origin)));
  }

  /**
   * Returns the numbers of the selected threads. Throws a {@link TicksError} that lists all threads if a word
   * matches none.
   */
  pick(threads: readonly ThreadInfo[]): number[] {
    for (const { text, matches } of this.#selectors) {
      if (!threads.some((thread, i) => matches(thread, i))) throw noSuchThread(text, threads);
    }
    return Array.from(threads.keys()).filter((i) =>
      this.#selectors.some(({ matches }) => matches(threads[i]!, i)),
    );
  }
}

function selectorOf(text: string, origins: readonly LogOrigin[]): Selector {
  const any = () => true;
  const address = ADDRESS.exec(text);
  if (address !== null) {
    const wantedIsolate = normalAddress(address[1] ?? address[2]!);
    const hasAddress = ({ isolate }: LogOrigin) => isolate === wantedIsolate;
    return { text, mayMatch: hasAddress, matches: hasAddress };
  }
  if (/^\d+$/.test(text)) {
    const hasNumber = ({ pid }: LogOrigin) => pid === Number(text);
    if (origins.some(hasNumber)) return { text, mayMatch: hasNumber, matches: hasNumber };
    return { text, mayMatch: any, matches: (_, index) => index + 1 === Number(text) };
  }
  const name = text.toLowerCase();
  if (name === "main" || name === "worker")
    return { text, mayMatch: any, matches: ({ kind }) => kind === name };
  const process = /^pid (\d+)\b/.exec(name)?.[1];
  const matches = ({ name: own, workerName = "" }: ThreadInfo) =>
    `${own.toLowerCase()} `.startsWith(`${name} `) || workerName.toLowerCase() === name;
  return { text, mayMatch: ({ pid }) => process === undefined || pid === Number(process), matches };
}

function noSuchThread(text: string, threads: readonly ThreadInfo[]): TicksError {
  const rows = threads
    .slice(0, LIST_LIMIT)
    .map(({ name, ticks }, i) => [String(i + 1), printable(name), String(ticks)]);
  const columns = [
    { title: "#", align: "right" },
    { title: "thread" },
    { title: "ticks", align: "right" },
  ] as const;
  const list = table(columns, rows).map((line) => `  ${line}`);
  const more = threads.length - rows.length;
  if (more > 0) list.push(`  and ${more} more; run ticks threads to list them`);
  return new TicksError(
    "BAD_OPTION",
    `--thread ${printable(text)}: no such thread; the threads are:\n${list.join("\n")}`,
    "Select threads by #, name, PID or isolate, or with main or worker.",
  );
}

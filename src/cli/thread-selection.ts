import { TicksError } from "../errors.js";
import { type LogOrigin, normalAddress } from "../io/log-origin.js";
import type { ThreadInfo } from "../profile/profile.js";
import { table } from "../reporters/layout/table.js";
import { printable } from "../views/label.js";

/** Threads that one word of `--thread` means. */
interface Selector {
  readonly text: string;
  /** Whether a log can be of such a thread, by its name alone. */
  readonly mayMean: (origin: LogOrigin) => boolean;
  /** Whether a thread is one; `index` is its place among all, from 0. */
  readonly means: (thread: ThreadInfo, index: number) => boolean;
}

/** More threads than this are counted, not listed. */
const LIST_LIMIT = 20;
const ADDRESS = /^(?:0x([0-9a-f]+)|([0-9a-f]{16}))$/i;

/** The threads that `--thread` picks. */
export class ThreadSelection {
  readonly #selectors: readonly Selector[];

  /** `texts` are the values of the flag, each with commas between its words; `origins` are those of all logs there are. */
  constructor(texts: readonly string[], origins: readonly LogOrigin[]) {
    const words = texts.flatMap((text) => text.split(",")).map((word) => word.trim());
    this.#selectors = words.filter((word) => word !== "").map((word) => selectorOf(word, origins));
    if (this.#selectors.length === 0) throw new TicksError("BAD_OPTION", "--thread: no thread is named");
  }

  /**
   * Which logs have to be read: those whose names do not say that their threads are others. All, where a word cannot mean
   * any, to list what there is.
   */
  wanted(origins: readonly LogOrigin[]): boolean[] {
    const isKnown = this.#selectors.every(({ mayMean }) => origins.some(mayMean));
    return origins.map((origin) => !isKnown || this.#selectors.some(({ mayMean }) => mayMean(origin)));
  }

  /**
   * The numbers of the threads that are picked. Throws a {@link TicksError} with a list of all where a word means none of
   * them.
   */
  pick(threads: readonly ThreadInfo[]): number[] {
    for (const { text, means } of this.#selectors) {
      if (!threads.some((thread, i) => means(thread, i))) throw noSuchThread(text, threads);
    }
    return Array.from(threads.keys()).filter((i) =>
      this.#selectors.some(({ means }) => means(threads[i]!, i)),
    );
  }
}

function selectorOf(text: string, origins: readonly LogOrigin[]): Selector {
  const any = () => true;
  const address = ADDRESS.exec(text);
  if (address !== null) {
    const wanted = normalAddress(address[1] ?? address[2]!);
    const hasAddress = ({ isolate }: LogOrigin) => isolate === wanted;
    return { text, mayMean: hasAddress, means: hasAddress };
  }
  if (/^\d+$/.test(text)) {
    const hasNumber = ({ pid }: LogOrigin) => pid === Number(text);
    if (origins.some(hasNumber)) return { text, mayMean: hasNumber, means: hasNumber };
    return { text, mayMean: any, means: (_, index) => index + 1 === Number(text) };
  }
  const name = text.toLowerCase();
  if (name === "main" || name === "worker") return { text, mayMean: any, means: ({ kind }) => kind === name };
  const process = /^pid (\d+)\b/.exec(name)?.[1];
  const means = (thread: ThreadInfo) => `${thread.name.toLowerCase()} `.startsWith(`${name} `);
  return { text, mayMean: ({ pid }) => process === undefined || pid === Number(process), means };
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
  if (more > 0) list.push(`  and ${more} more: ticks threads lists them`);
  return new TicksError(
    "BAD_OPTION",
    `--thread ${printable(text)}: there is no such thread, but these:\n${list.join("\n")}`,
    "Name some by #, name, PID or isolate, or say main or worker.",
  );
}

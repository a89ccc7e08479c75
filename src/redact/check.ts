import { Numbers, valueAt } from "../base/maps.js";
import { originsOf } from "../facts/origin.js";
import { renameDeopts } from "../profile/deopt.js";
import type { DiagnosticCode } from "../profile/diagnostics.js";
import type { Frame } from "../profile/frame.js";
import { renameIcs } from "../profile/inline-caches.js";
import type { NameChanges } from "../profile/name-changes.js";
import type { Profile } from "../profile/profile.js";
import { HashCheck } from "./name-hash.js";
import { LogRedactor } from "./redact-log.js";
import { Redactor } from "./redactor.js";

/** What a file that claims to be redacted still reveals. */
interface Leaks {
  /** The first strings that are neither hashes nor known to be public. */
  readonly strings: readonly string[];
  /** The number of such strings. */
  readonly count: number;
  /** The offset of the first byte that redaction would not have written; -1 if there is none. */
  readonly otherByte: number;
}

/**
 * Finds what redaction would not have left in a log. It redacts the log once more but leaves hashes as they
 * are: the result must be identical, byte for byte, so that nothing can hide in a part that is never read.
 */
export class LogCheck {
  readonly redactor: Redactor;
  readonly #hash = new HashCheck();
  readonly #log: LogRedactor;
  /** Bytes that were read and not yet compared. */
  #waiting: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #otherByte = -1;

  /** `packages` are the packages whose names were kept. */
  constructor(packages: Iterable<string> = []) {
    this.redactor = new Redactor(this.#hash, packages);
    this.#log = new LogRedactor(this.redactor);
  }

  /** Adds the next bytes of the log, cut anywhere. */
  push(bytes: Uint8Array): void {
    if (this.#otherByte >= 0) return;
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    this.#compare(this.#log.push(bytes));
  }

  /** Ends the log and returns what was found. */
  end(): Leaks {
    if (this.#otherByte < 0) {
      this.#compare(this.#log.end());
      if (this.#waiting.length > 0) this.#otherByte = this.#bytes;
    }
    for (const hash of this.redactor.names.unproven()) this.#hash.token("f", hash);
    return { strings: this.#hash.found, count: this.#hash.count, otherByte: this.#otherByte };
  }

  #compare(written: Uint8Array): void {
    const { length } = written;
    if (length > 0 && !this.#waiting.subarray(0, length).equals(written)) {
      let at = 0;
      while (at < length && this.#waiting[at] === written[at]) at++;
      this.#otherByte = this.#bytes + at;
      return;
    }
    this.#bytes += length;
    this.#waiting = this.#waiting.subarray(length);
  }
}

/** Faults of the file, not of what is in the log. */
const OF_THE_FILE: ReadonlySet<string> = new Set<DiagnosticCode>([
  "damaged-compression",
  "cut-compression",
  "crlf",
]);

/** The names of a profile as numbers, by kind: those of two profiles are equal where their names correspond one to one. */
class NumberedNames implements NameChanges {
  readonly #kinds = new Map<string, Numbers>();

  /** Returns the number of a name of a kind; undefined for none. */
  of(kind: string, name: string | undefined): number | undefined {
    return name === undefined ? undefined : valueAt(this.#kinds, kind, () => new Numbers()).of(name);
  }

  functionName(name: string): string {
    return `${this.of("js", name)}`;
  }

  file(file: string): string {
    return `${this.of("file", file)}`;
  }

  position(position: string): string {
    return `${this.of("position", position)} ${lineColumns(position).join()}`;
  }

  word(kind: string, text: string): string {
    return `${this.of(kind, text)}`;
  }

  /** Returns a frame with numbers. */
  frame(frame: Frame): unknown {
    switch (frame.kind) {
      case "js": {
        const { type, name, role: _, scriptAt, ...numbers } = frame;
        const names = [this.of("type", type), this.of("js", name), scriptAt !== undefined];
        return { ...numbers, names };
      }
      case "code": {
        const type = this.of("type", frame.type);
        // Duplicates are counted across types, but names are hashed by type.
        return [frame.kind, type, this.of(`code of type ${type}`, `${frame.duplicate} ${frame.name}`)];
      }
      case "native": {
        const library = this.of("library", frame.library);
        return [frame.kind, library, this.of(`symbol of ${library}`, frame.symbol)];
      }
      case "unknown":
        return frame;
    }
  }
}

/**
 * Compares two profiles apart from names, and returns each difference in a few words. Reports are made only
 * from what is compared: if nothing differs, all their numbers are equal. Frames are compared one by one in
 * order, which is that of the ticks. The profiles must have been read with the same options.
 */
export function numberDifferences(one: Profile, other: Profile): string[] {
  const names = new NumberedNames();
  const otherNames = new NumberedNames();
  const differences = new Set<string>();
  const expect = (what: string, isEqual: boolean) => {
    if (!isEqual) differences.add(what);
  };
  const { frames, tree, samples, timeline, deopts, info } = one;
  expect("frames", frames.length === other.frames.length);
  expect(
    "frames",
    frames.every((frame, i) => {
      const second = other.frames[i];
      return second !== undefined && isSame(names.frame(frame), otherNames.frame(second));
    }),
  );
  const origins = originsOf(other.frames);
  expect(
    "packages",
    originsOf(frames).every(
      ({ kind, name }, i) =>
        kind === origins[i]?.kind && names.of("package", name) === otherNames.of("package", origins[i]?.name),
    ),
  );
  expect("stacks", isSameColumn(tree.parent, other.tree.parent, tree.length, other.tree.length));
  expect("stacks", isSameColumn(tree.frame, other.tree.frame, tree.length, other.tree.length));
  for (const column of ["node", "vmState", "thread", "ticks"] as const) {
    const lengths = [samples.length, other.samples.length] as const;
    expect("samples", isSameColumn(samples[column], other.samples[column], ...lengths));
  }
  for (const column of ["sample", "timestamp"] as const) {
    const [first, second] = [timeline?.[column] ?? [], other.timeline?.[column] ?? []];
    expect("times", isSameColumn(first, second, timeline?.length ?? 0, other.timeline?.length ?? 0));
  }
  const [first, second] = [
    deopts && renameDeopts(deopts, names),
    other.deopts && renameDeopts(other.deopts, otherNames),
  ];
  expect("deoptimizations", isSame(first?.entries, second?.entries));
  expect("deoptimization costs", isSame(first?.charges, second?.charges));
  expect("demoted functions", isSame(first?.demoted, second?.demoted));
  expect(
    "inline caches",
    isSame(one.ics && renameIcs(one.ics, NO_NAMES), other.ics && renameIcs(other.ics, NO_NAMES)),
  );
  const numbersOf = ({ ticks, excluded, ticksByState, sampling, rangeRows }: Profile["info"]) => {
    return { ticks, excluded, ticksByState, sampling, rangeRows };
  };
  expect("ticks", isSame(numbersOf(info), numbersOf(other.info)));
  expect("V8 version", isSame(versionOf(info), versionOf(other.info)));
  const threadOf = ({ pid, isolate, kind, ticks, span }: Profile["info"]["threads"][number]) => {
    return { pid, isolate, kind, ticks, span };
  };
  expect("threads", isSame(info.threads.map(threadOf), other.info.threads.map(threadOf)));
  const faultsOf = ({ diagnostics }: Profile["info"]) =>
    diagnostics
      .filter(({ code }) => !OF_THE_FILE.has(code))
      .map(({ code, count }) => `${code} ${count}`)
      .sort();
  expect("log faults", isSame(faultsOf(info), faultsOf(other.info)));
  const symbolsOf = ({ libraries }: Profile["info"]) => libraries.map(({ symbols }) => symbols);
  expect("library symbols", isSame(symbolsOf(info), symbolsOf(other.info)));
  return Array.from(differences);
}

const NO_NAMES: NameChanges = { functionName: () => "", file: () => "", position: () => "", word: () => "" };

function versionOf({ v8 }: Profile["info"]): readonly number[] {
  return v8.flatMap(({ major, minor, build, patch }) => [major, minor, build, patch]);
}

/** Returns the lines and columns in the position of a deoptimization, as far as it can be read. */
function lineColumns(position: string): string[] {
  const positions = position.split(/(?<=:\d+:\d+>) inlined at (?=<)/);
  return positions.flatMap((one) => /^<.*(:\d+:\d+)>$/s.exec(one)?.[1] ?? []);
}

function isSameColumn(one: ArrayLike<number>, other: ArrayLike<number>, length: number, otherLength: number) {
  if (length !== otherLength) return false;
  for (let i = 0; i < length; i++) if (!Object.is(one[i], other[i])) return false;
  return true;
}

/** Returns whether two values are equal as JSON, which can represent all of these. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

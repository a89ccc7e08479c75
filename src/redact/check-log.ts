import type { KeptStrings } from "./kept-strings.js";
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

  /** The strings of the log that are known to be public. */
  get kept(): KeptStrings {
    return this.redactor.kept;
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

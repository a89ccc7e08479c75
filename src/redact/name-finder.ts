import type { DiagnosticCode } from "../diagnostics.js";
import { LogParser } from "../parser/parser.js";
import { recordSink } from "../parser/record-sink.js";
import type { Redactor } from "./redactor.js";

/** What rows of two writers look like, or such as were written over each other. */
const TORN: ReadonlySet<DiagnosticCode> = new Set(["malformed-row", "unknown-row", "hole"]);

/** Finds the functions whose names will be kept, before a log is redacted: they may be compiled after a text that calls them. */
export class NameFinder {
  readonly #parser: LogParser;
  readonly #redactor: Redactor;
  /** Keeps no count of what is kept. */
  readonly #copy: Redactor;
  #isTorn = false;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
    this.#copy = redactor.copy();
    const sink = recordSink((record) => {
      if (record.type === "v8-version") this.#copy.useVersion(record);
      else if (record.type === "code-creation" && record.function !== undefined)
        this.#copy.functionName(record.name);
    });
    this.#parser = new LogParser(sink, { add: (code) => (this.#isTorn ||= TORN.has(code)) });
  }

  /** Adds the next bytes of the log, cut anywhere. */
  push(bytes: Uint8Array): void {
    this.#parser.push(bytes);
  }

  /** Ends the log. The redactor then knows its names, and no longer those of the log before. */
  end(): void {
    this.#parser.end();
    this.#copy.names.endFirst(this.#isTorn);
    this.#redactor.names = this.#copy.names;
  }
}

import type { Fault } from "./cases.ts";

/** What a worker is to do. */
export interface WorkerTask {
  readonly target: string;
  readonly seed: number;
  /** The numbers of the first case and of that after the last. */
  readonly from: number;
  readonly to: number;
  /** How long to go on once all modules are loaded, in milliseconds; undefined for as long as it takes. */
  readonly time: number | undefined;
  /** Kinds of faults that are known: their cases are not made smaller again. */
  readonly known: readonly string[];
  /** Holds the number of the case that is tried, and how many were tried, as two numbers of 64 bits. */
  readonly progressFile: string;
}

/** What a worker says. */
export type FromWorker =
  | {
      readonly type: "fault";
      readonly fault: Fault;
      /** Of the first case of its kind. */
      readonly file?: CaseFile;
    }
  | { readonly type: "smallest"; readonly fault: Fault; readonly file: CaseFile }
  | {
      readonly type: "done";
      readonly next: number;
      /** How long the cases took, in milliseconds. */
      readonly time: number;
      readonly greatest: CaseMemory;
    };

/** The memory that a case needed beyond what the process had before it. */
export interface CaseMemory {
  readonly number: number;
  /** In MB; 0 where the system does not tell. */
  readonly memory: number;
}

/** The input of a case as a file. */
export interface CaseFile {
  readonly extension: string;
  readonly base64: string;
}

import type { CommandLine } from "../../src/cli/arguments.ts";

/** What a command line did in this process. */
export interface CapturedRun {
  /** The exit status that the process would have had. */
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** What was thrown that is no fault of the user: a bug in ticks. */
  readonly bug: unknown;
}

/** What reads a command line, runs it, and tells of its errors: of src/cli/arguments.ts, program.ts and usage/error-text.ts. */
export interface CapturedProgram {
  readonly readCommandLine: (argv: readonly string[]) => CommandLine;
  readonly runProgram: (line: CommandLine, version: string) => Promise<void>;
  readonly errorText: (error: unknown) => string;
}

/** Runs a command line in this process. */
export declare function capturedRun(program: CapturedProgram, args: readonly string[]): Promise<CapturedRun>;

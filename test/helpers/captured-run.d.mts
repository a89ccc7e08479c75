/** What a command line did in this process. */
export interface CapturedRun {
  /** The exit status that the process would have had. */
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** What was thrown that is no fault of the user: a bug in ticks. */
  readonly bug: unknown;
}

/** What runs a command line, and tells of its errors: of src/cli/program.ts and src/cli/usage/error-text.ts. */
export interface CapturedProgram {
  readonly runProgram: (args: readonly string[], version: string) => Promise<boolean>;
  readonly errorText: (error: unknown) => string;
}

/** Runs a command line in this process. */
export declare function capturedRun(program: CapturedProgram, args: readonly string[]): Promise<CapturedRun>;

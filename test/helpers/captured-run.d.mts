/** What a command line did in this process. */
export interface CapturedRun {
  /** The exit status that the process would have had. */
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** What was thrown that is no fault of the user: a bug in ticks. */
  readonly bug: unknown;
}

/** Runs a command line in this process; `run` is `runProgram` of src/cli/program.ts. */
export declare function capturedRun(
  run: (args: readonly string[], version: string) => Promise<boolean>,
  args: readonly string[],
): Promise<CapturedRun>;

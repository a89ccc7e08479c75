/** What a command writes. */
export type OutputForm = "text" | "markdown" | "json" | "json-lines" | "html" | "bytes";

export interface CommandLine {
  /** `LOG` stands for the log, `FUNCTION` for the name of a function. */
  readonly args: readonly string[];
  readonly form: OutputForm;
}

export declare const LOG: "LOG";

/** Every command, in every form, that only reads. */
export declare const COMMAND_LINES: readonly CommandLine[];

/** Those, and the forms and options that they leave out: what each prints has a hash in `test/printed.json`. */
export declare const ALL_LINES: readonly CommandLine[];

/** What is wrong with what a command wrote; undefined where it is as it should be. */
export declare function faultOfOutput(
  run: { readonly stdout: Buffer; readonly stderr: string },
  expected: { readonly form: OutputForm; readonly status: number },
): string | undefined;

/** The names of all commands. The first one is the default. */
export const COMMAND_NAMES = [
  "process",
  "record",
  "top",
  "tree",
  "function",
  "lines",
  "deopts",
  "ics",
  "timeline",
  "startup",
  "threads",
  "live",
  "flame",
  "export",
  "diff",
  "check",
  "doctor",
  "symbols",
  "redact",
  "guide",
  "completion",
] as const;

/** Returns the command that a command line names, as far as can be said without its options. */
export function commandIn(args: readonly string[]): string {
  const word = args.find((arg) => !arg.startsWith("-")) ?? "";
  return (COMMAND_NAMES as readonly string[]).includes(word) ? word : COMMAND_NAMES[0];
}

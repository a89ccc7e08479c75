/** The commands that read a large log in a second thread. The first one is the default of all. */
export const READERS = [
  "process",
  "top",
  "tree",
  "function",
  "lines",
  "deopts",
  "ics",
  "timeline",
  "startup",
  "threads",
  "flame",
  "export",
  "doctor",
] as const;

/** The names of all commands. */
export const COMMAND_NAMES: readonly string[] = [
  ...READERS,
  "record",
  "live",
  "diff",
  "check",
  "symbols",
  "redact",
  "guide",
  "completion",
];

/** Returns the command that a command line names, as far as can be said without its options. */
export function commandIn(args: readonly string[]): string {
  const word = args.find((arg) => !arg.startsWith("-")) ?? "";
  return COMMAND_NAMES.includes(word) ? word : READERS[0];
}

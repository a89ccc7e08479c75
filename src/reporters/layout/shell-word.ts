/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command line of these words; a `--` keeps those that begin with a dash from being options. */
export function shellCommand(command: string, operands: readonly string[]): string {
  const dashes = operands.some((word) => /^-./.test(word)) ? ["--"] : [];
  return [command, ...dashes, ...operands.map(shellWord)].join(" ");
}

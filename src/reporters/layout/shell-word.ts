/** Quotes a text as one word of a POSIX shell, if necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns a command line. Inserts `--` if an operand begins with a dash. */
export function shellCommand(command: string, operands: readonly string[]): string {
  const dashes = operands.some((word) => /^-./.test(word)) ? ["--"] : [];
  return [command, ...dashes, ...operands.map(shellWord)].join(" ");
}

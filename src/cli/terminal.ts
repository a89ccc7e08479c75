export type ColorFlag = "auto" | "always" | "never";

/** Whether escape sequences may go to standard output: never into a file or a pipe, unless asked for. */
export function hasColor(when: ColorFlag): boolean {
  if (when !== "auto") return when === "always";
  const { NO_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return process.stdout.isTTY === true && TERM !== "dumb";
}

/** One line on standard error. */
export function warn(text: string): void {
  process.stderr.write(`ticks: ${text}\n`);
}

import { Chalk } from "chalk";

/** What the text of a report can look like. Without colour every function returns its text as it is. */
export interface Style {
  heading(text: string): string;
  /** The rows to look at first. */
  hot(text: string): string;
  /** What hardly matters. */
  faint(text: string): string;
}

/** The style for a terminal, or for a file. */
export function styleFor(hasColor: boolean): Style {
  const chalk = new Chalk({ level: hasColor ? 1 : 0 });
  return { heading: chalk.bold, hot: chalk.yellow, faint: chalk.dim };
}

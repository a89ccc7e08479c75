/** What the text of a report can look like. */
export interface Style {
  heading(text: string): string;
  /** The rows to look at first. */
  hot(text: string): string;
  /** What hardly matters. */
  faint(text: string): string;
}

const asItIs = (text: string): string => text;

/** The style of a file or a pipe: no escape sequences. */
export const PLAIN: Style = { heading: asItIs, hot: asItIs, faint: asItIs };

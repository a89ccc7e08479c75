/** The text styles of a report. */
export interface Style {
  heading(text: string): string;
  /** Marks the rows to look at first. */
  hot(text: string): string;
  /** Marks what hardly matters. */
  faint(text: string): string;
}

const asItIs = (text: string): string => text;

/** The style for files and pipes: no escape sequences. */
export const PLAIN: Style = { heading: asItIs, hot: asItIs, faint: asItIs };

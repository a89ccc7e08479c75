/** The ticks of each `function name\tline` that a leaf of the log is in. */
export function leafFunctions(text: string): Map<string, number>;

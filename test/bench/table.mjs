/** Lays out a table for a fixed-width font: the first column to the left, the others to the right. */
export function formatTable(headings, rows) {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const rule = widths.map((width) => "-".repeat(width));
  return [headings, rule, ...rows]
    .map((row) => {
      const cells = row.map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      });
      return `${cells.join("  ").trimEnd()}\n`;
    })
    .join("");
}

/** A number of seconds, or why there is none. */
export function formatSeconds(summary) {
  if (summary === undefined) return "-";
  return summary.failure ?? summary.seconds.toFixed(summary.seconds < 1 ? 3 : 2);
}

/** Peak memory in megabytes (10^6 bytes). */
export function formatPeak(summary) {
  if (summary?.peakBytes === undefined || summary.failure !== undefined) return "-";
  return (summary.peakBytes / 1e6).toFixed(0);
}

/** One number over another, or a dash where one of them is missing. */
export function formatRatio(numerator, denominator) {
  if (numerator === undefined || denominator === undefined) return "-";
  const ratio = numerator / denominator;
  return ratio.toFixed(ratio < 10 ? 2 : 1);
}

/**
 * The wall time of a summary that may be compared.
 * Returns seconds.
 */
export function comparableSeconds(summary) {
  return summary === undefined || summary.failure !== undefined ? undefined : summary.seconds;
}

/** One measurement against another, as a row under OTHER_HEADINGS. */
export function otherRow(name, mine, against, other) {
  const [seconds, base] = [comparableSeconds(mine), comparableSeconds(other)];
  const more = seconds === undefined || base === undefined ? "-" : ((seconds - base) * 1000).toFixed(0);
  return [
    name,
    formatSeconds(mine),
    formatPeak(mine),
    against,
    formatSeconds(other),
    formatPeak(other),
    formatRatio(seconds, base),
    more,
  ];
}

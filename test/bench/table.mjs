/**
 * Lays out a table for a fixed-width font: the first column to the left, the others to the right.
 *
 * @param {readonly string[]} headings
 * @param {readonly (readonly string[])[]} rows as wide as the headings
 * @returns {string} lines, each with its newline
 */
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

/**
 * A number of seconds, or why there is none.
 *
 * @param {import("./measure.mjs").Summary | undefined} summary undefined where nothing was measured
 * @returns {string}
 */
export function formatSeconds(summary) {
  if (summary === undefined) return "-";
  return summary.failure ?? summary.seconds.toFixed(summary.seconds < 1 ? 3 : 2);
}

/**
 * Peak memory in megabytes (10^6 bytes).
 *
 * @param {import("./measure.mjs").Summary | undefined} summary
 * @returns {string}
 */
export function formatPeak(summary) {
  if (summary?.peakBytes === undefined || summary.failure !== undefined) return "-";
  return (summary.peakBytes / 1e6).toFixed(0);
}

/**
 * One number over another, or a dash where one of them is missing.
 *
 * @param {number | undefined} numerator
 * @param {number | undefined} denominator
 * @returns {string}
 */
export function formatRatio(numerator, denominator) {
  if (numerator === undefined || denominator === undefined) return "-";
  const ratio = numerator / denominator;
  return ratio.toFixed(ratio < 10 ? 2 : 1);
}

/**
 * The wall time of a summary that may be compared.
 *
 * @param {import("./measure.mjs").Summary | undefined} summary
 * @returns {number | undefined} seconds
 */
export function comparableSeconds(summary) {
  return summary === undefined || summary.failure !== undefined ? undefined : summary.seconds;
}

/**
 * One measurement against another, as a row under OTHER_HEADINGS.
 *
 * @param {string} name
 * @param {import("./measure.mjs").Summary | undefined} mine
 * @param {string} against
 * @param {import("./measure.mjs").Summary | undefined} other
 * @returns {string[]}
 */
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

/** Returns how many decimals make three digits, which tell as much as samples do: `604`, `15.1`, `0.825`. */
export function decimalsOf(value: number, digits = 3): number {
  const size = Math.abs(value);
  if (size < LEAST_SHOWN) return 0;
  // Rounded first: 9.996 is 1.00e+1.
  const [, exponent] = size.toExponential(digits - 1).split("e");
  return Math.max(0, digits - 1 - Number(exponent));
}

/** Smaller numbers are none. */
const LEAST_SHOWN = 1e-6;

/** Returns a number of no unit with at least so many digits: `3.4`, `120`. */
export function shownNumber(value: number, digits = 2): string {
  return value.toFixed(decimalsOf(value, digits));
}

/** Rounds the mean of a few counts to what can be read: `0.7`, `5685`. */
export function rounded(mean: number): number {
  return Math.abs(mean) < 10 ? Math.round(mean * 10) / 10 : Math.round(mean);
}

const BYTES = ["KB", "MB", "GB", "TB"] as const;

/** Returns bytes with their unit, KB of 1024: `350 B`, `12.4 KB`, `3.21 GB`. */
export function shownBytes(bytes: number): string {
  if (Math.round(bytes) < 1000) return `${Math.round(bytes)} B`;
  let [size, unit] = [bytes / 1024, 0];
  for (; size >= 999.5 && unit < BYTES.length - 1; unit++) size /= 1024;
  return `${size.toFixed(decimalsOf(size))} ${BYTES[unit]!}`;
}

/** Returns how many decimals make three digits, which tell as much as samples do: `604`, `15.1`, `0.825`. */
export function decimalsOf(value: number): number {
  const size = Math.abs(value);
  // Rounded first: 9.996 is 1.00e+1.
  return size < LEAST_SHOWN ? 0 : Math.max(0, 2 - Number(size.toExponential(2).slice("1.00e".length)));
}

/** Smaller numbers are none. */
const LEAST_SHOWN = 1e-6;

const BYTES = ["KB", "MB", "GB", "TB"] as const;

/** Returns bytes with their unit, KB of 1024: `350 B`, `12.4 KB`, `3.21 GB`. */
export function shownBytes(bytes: number): string {
  if (Math.round(bytes) < 1000) return `${Math.round(bytes)} B`;
  let [size, unit] = [bytes / 1024, 0];
  for (; size >= 999.5 && unit < BYTES.length - 1; unit++) size /= 1024;
  return `${size.toFixed(decimalsOf(size))} ${BYTES[unit]!}`;
}

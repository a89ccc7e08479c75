/**
 * Returns the shares of the parts in percent with one decimal. They sum to exactly 100.0: each is rounded
 * down, and the tenths that remain go to the parts with the largest remainders. All are 0 if the parts sum to
 * 0.
 */
export function sharesOf(parts: readonly number[]): number[] {
  const whole = parts.reduce((total, part) => total + part, 0);
  if (whole === 0) return parts.map(() => 0);
  const exact = parts.map((part) => (part * 1000) / whole);
  const tenths = exact.map(Math.floor);
  const left = 1000 - tenths.reduce((total, n) => total + n, 0);
  const byRemainder = Array.from(parts.keys()).sort(
    (a, b) => exact[b]! - tenths[b]! - (exact[a]! - tenths[a]!) || a - b,
  );
  for (const i of byRemainder.slice(0, left)) tenths[i]!++;
  return tenths.map((n) => n / 10);
}

/** Returns a part in percent with one decimal; 0 if there is nothing to share. */
export function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 1000) / whole) / 10;
}

const BLOCKS = "▁▂▃▄▅▆▇█";

/**
 * Draws numbers as blocks, full height from `peak` on. The smallest number above 0 is visible; 0 is a space.
 */
export function blocksOf(numbers: Iterable<number>, peak: number): string {
  let text = "";
  for (const number of numbers) {
    const height = Math.min(BLOCKS.length, Math.ceil((number / peak) * BLOCKS.length));
    text += number > 0 ? BLOCKS[height - 1]! : " ";
  }
  return text;
}

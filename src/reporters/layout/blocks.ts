const BLOCKS = "▁▂▃▄▅▆▇█";

/** Numbers as blocks of a height, a full one from `peak` on; the least that is not 0 can be seen, 0 is a space. */
export function blocksOf(numbers: Iterable<number>, peak: number): string {
  let text = "";
  for (const number of numbers) {
    const height = Math.min(BLOCKS.length, Math.ceil((number / peak) * BLOCKS.length));
    text += number > 0 ? BLOCKS[height - 1]! : " ";
  }
  return text;
}

import { ESCAPED_PIECE_BYTES } from "../kernels/layout.js";
import { type Kernel, type KernelNumber, loadKernel } from "../kernels/load-kernel.js";

/** What src/kernels/assembly/escapes.ts exports. */
interface EscapesExports extends Kernel {
  readonly input: KernelNumber;
  readonly output: KernelNumber;
  readonly taken: KernelNumber;
  decode(count: number, isEnd: number, isWide: number): number;
}

/** Shorter texts are decoded before a kernel is loaded. */
const LEAST_LETTERS = 1 << 16;

/**
 * Decodes the escapes of ASCII letters as `unescapeBytes` does: all, or the beginning of at least `count` UTF-16 units. Returns
 * undefined if there are no kernels, or if the text is too short for one to pay off: it takes 2 ms for 250 kB, where JavaScript
 * that V8 has not yet optimized takes 10 to 15, and 50 to 60 in place of 70 to 100 for 24 MB.
 */
export function unescapeInKernel(letters: Uint8Array, count: number): string | undefined {
  if (letters.length < LEAST_LETTERS) return undefined;
  const kernel = loadKernel<EscapesExports>("escapes");
  if (kernel === undefined) return undefined;
  const { buffer } = kernel.memory;
  const input = new Uint8Array(buffer, kernel.input.value, ESCAPED_PIECE_BYTES);
  const output = Buffer.from(buffer, kernel.output.value, 2 * ESCAPED_PIECE_BYTES);
  const parts: string[] = [];
  let left = count;
  for (let at = 0; at < letters.length && left > 0; at += kernel.taken.value) {
    const piece = letters.subarray(at, at + ESCAPED_PIECE_BYTES);
    input.set(piece);
    const isEnd = Number(at + piece.length === letters.length);
    let units = kernel.decode(piece.length, isEnd, 0);
    if (units >= 0) parts.push(output.toString("latin1", 0, units));
    else {
      units = kernel.decode(piece.length, isEnd, 1);
      parts.push(output.toString("utf16le", 0, 2 * units));
    }
    left -= units;
  }
  return parts.length === 1 ? parts[0] : parts.join("");
}
